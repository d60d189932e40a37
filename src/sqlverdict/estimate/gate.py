"""Whether labels show that a run's accuracy reaches a minimum: one-sided, over planned looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlverdict.errors import UsageError
from sqlverdict.estimate.plan import FEWEST
from sqlverdict.estimate.share import AccuracyShare

RISK = 0.035
"""The nominal risk of passing a run below the minimum, over all planned looks.

Labels are counts, so the risk that is reached lies up to 2 points beside the nominal one
(``docs/measurements/estimate.md``): at most 6% at one look.
"""

MOST_LOOKS = 4

GateAnswer = Literal["shown", "not shown", "too few labels"]


@dataclass(frozen=True)
class AccuracyGate:
    """What a gate on the accuracy says.

    Attributes:
        answer: Whether the labels show the minimum.
        least: The minimum.
        bound: The accuracy that the labels show, by a one-sided bound; ``None``: too few labels,
            without which a bound is no answer: it may lie above the minimum.
        looks: How often the labels may be looked at in all.
        labels: How many labels there are.
        needed: How many drawn cases have no label.
    """

    answer: GateAnswer
    least: float
    bound: float | None
    looks: int
    labels: int
    needed: int


def bound_confidence(looks: int = 1) -> float:
    """The confidence of the two-sided interval whose lower end is the bound of each look.

    Each look gets an equal part of the risk: the chance that any of them passes a run below the
    minimum is at most the sum.

    Raises:
        UsageError: there are too many looks.
    """
    if not 1 <= looks <= MOST_LOOKS:
        raise UsageError(f"{looks} looks are planned; a gate takes 1 to {MOST_LOOKS}")
    return 1 - 2 * RISK / looks


def gate_accuracy(estimate: AccuracyShare, least: float, looks: int = 1) -> AccuracyGate:
    """Hold an estimate of the confidence :func:`bound_confidence` against a minimum."""
    if not 0 < least < 1:
        raise UsageError(
            f"the minimum accuracy is {least}; it must lie between 0 and 1, such as 0.8"
        )
    answer: GateAnswer = "shown" if estimate.low >= least else "not shown"
    whole = all(each.labels == each.size for each in estimate.strata)
    if estimate.pending or (estimate.labels < FEWEST and not whole):
        answer = "too few labels"
    bound = None if answer == "too few labels" else estimate.low
    return AccuracyGate(answer, least, bound, looks, estimate.labels, estimate.pending)
