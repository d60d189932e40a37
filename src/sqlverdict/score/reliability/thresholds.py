"""From what confidence on a system should answer.

Two ways to choose a threshold on validation items, each a confidence and whether the answer is
right. TrustSQL's heuristic (its appendix J and figure 2) takes the prefix of the surest items
with the largest sum, a right answer counting 1 and a wrong one -c. A certified threshold comes
with a promise about items not seen yet. Both treat items of equal confidence as one group, are
inclusive (an item of exactly that confidence is answered), and may say: never answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.curve import Curve, curve_of
from sqlverdict.score.reliability.reliability_score import Penalty, penalty_value
from sqlverdict.score.statistics.intervals import at_most, upper_bound

NEVER = math.inf
"""The threshold that no confidence reaches: abstain always."""

_LARGEST = math.nextafter(NEVER, 0.0)
"""The threshold that infinite confidence alone reaches, and the largest number."""

STEPS = 20
"""Ranks at which a certified threshold is sought."""


@dataclass(frozen=True)
class Threshold:
    """A threshold, and what it does on the items it was chosen on.

    Attributes:
        value: Answers of at least this confidence are given; infinite: none is.
        answered: Items answered.
        wrong: Wrong ones among them.
        items: All items.
        score: The sum of the answered prefix, 1 for right and -c for wrong.
        penalty: The c it was chosen for.
        groups: The items it was chosen on.
    """

    value: float
    answered: int
    wrong: int
    items: int
    score: float
    penalty: float
    groups: Curve = field(repr=False, compare=False)

    def accepts(self, confidence: float) -> bool:
        """Whether an answer of that confidence is given; equal is enough, but for ``NEVER``."""
        return reaches(confidence, self.value)

    def curve(self) -> list[tuple[int, float]]:
        """``(answered, sum)`` at each group's end, from ``(0, 0)`` on: TrustSQL's figure 2."""
        ends = zip(self.groups.answered, self.groups.wrong, strict=True)
        return [(0, 0.0), *((n, float((n - wrong) - self.penalty * wrong)) for n, wrong in ends)]


@dataclass(frozen=True)
class CertifiedThreshold:
    """A threshold with a promise.

    Attributes:
        value: Answers of at least this confidence are given; infinite: none is.
        risk: The error rate among answers that is promised not to be exceeded.
        delta: The chance that the promise is broken.
        answered: Calibration items answered.
        wrong: Wrong ones among them.
        items: All calibration items.
        bound: Upper bound of the error rate at this threshold; ``None`` where none is answered.
        guarantee: The promise in words.
    """

    value: float
    risk: float
    delta: float
    answered: int
    wrong: int
    items: int
    bound: float | None
    guarantee: str

    def accepts(self, confidence: float) -> bool:
        """Whether an answer of that confidence is given; equal is enough, but for ``NEVER``."""
        return reaches(confidence, self.value)


def reaches(confidence: float, threshold: float) -> bool:
    """Whether a confidence is enough; none is for ``NEVER``, not even an infinite one."""
    return threshold != NEVER and confidence >= threshold


def heuristic_threshold(
    confidences: Iterable[float], right: Iterable[bool], penalty: Penalty = 1.0
) -> Threshold:
    """TrustSQL's heuristic, for any penalty.

    Of several prefixes with the same sum the shortest is taken, which answers least; the empty
    one, with the sum 0, is allowed and means: abstain always.

    Example: right, right, wrong, right in falling confidence .9, .8, .7, .6 has the sums
    0, 1, 2, 1, 2: the threshold is .8, and an item of confidence .8 is answered.

    Args:
        confidences: How sure the system was of each validation item, larger for surer.
        right: Whether each is right.
        penalty: What a wrong answer costs; ``"N"`` is the number of items.
    """
    return best_prefix(curve_of(confidences, right), penalty)


def best_prefix(curve: Curve, penalty: Penalty = 1.0) -> Threshold:
    """As :func:`heuristic_threshold`, for items that are grouped already."""
    cost = penalty_value(penalty, curve.items)
    best, best_sum = -1, 0.0
    for index in range(len(curve)):
        answered, wrong = curve.answered[index], curve.wrong[index]
        total = (answered - wrong) - cost * wrong
        if total > best_sum:
            best, best_sum = index, float(total)
    if best < 0:
        return Threshold(NEVER, 0, 0, curve.items, 0.0, cost, curve)
    answered, wrong = curve.answered[best], curve.wrong[best]
    value = min(curve.thresholds[best], _LARGEST)
    return Threshold(value, answered, wrong, curve.items, best_sum, cost, curve)


def certified_threshold(
    confidences: Iterable[float],
    right: Iterable[bool],
    *,
    risk: float,
    delta: float = 0.1,
    steps: int = STEPS,
) -> CertifiedThreshold:
    """The threshold with the largest coverage whose risk is bounded, by learn-then-test.

    Ranks are fixed before any label is seen: the items surer than the one at rank i n / steps,
    for i = 1 to steps. Given the confidence at a rank, the items above it are a plain sample of
    all items above it, so the wrong ones among them are binomial with the true risk; Clopper and
    Pearson's bound at delta / steps holds for all ranks at once with chance 1 - delta. The last
    rank takes all items, whatever their confidence. Nothing is assumed about the confidences;
    calibration and later items must come independently from the same source, and the
    calibration items must not have been used to choose the system.

    Args:
        confidences: How sure the system was of each calibration item, larger for surer.
        right: Whether each is right.
        risk: The error rate among answers that must not be exceeded.
        delta: The chance of breaking the promise that is tolerated.
        steps: How many ranks; fewer are easier to certify, more find a larger coverage.

    Raises:
        UsageError: risk or delta is no share between 0 and 1, or there are no steps.
    """
    return certify(curve_of(confidences, right), risk=risk, delta=delta, steps=steps)


def certify(
    curve: Curve, *, risk: float, delta: float = 0.1, steps: int = STEPS
) -> CertifiedThreshold:
    """As :func:`certified_threshold`, for items that are grouped already."""
    if not 0 < risk < 1 or not 0 < delta < 1 or steps < 1:
        raise UsageError(
            f"risk {risk}, delta {delta} and {steps} steps were asked for; risk and delta must "
            "lie between 0 and 1, and there must be at least one step"
        )
    level = delta / steps
    value, answered, wrong = NEVER, 0, 0
    for threshold, count, errors in _fixed_ranks(curve, steps):
        if count > answered and at_most(errors, count, risk) <= level:
            value, answered, wrong = threshold, count, errors
    bound = upper_bound(wrong, answered, level) if answered else None
    promise = (
        f"with probability at least {1 - delta:g}, at most {risk:.1%} of later answers at this "
        f"threshold are wrong, if later items come from the same source as these {curve.items:,}"
        if answered
        else f"no threshold keeps the error rate below {risk:.1%} with probability {1 - delta:g}: "
        "abstain always, or give more items"
    )
    return CertifiedThreshold(value, risk, delta, answered, wrong, curve.items, bound, promise)


def _fixed_ranks(curve: Curve, steps: int) -> Iterable[tuple[float, int, int]]:
    """For each rank: an inclusive threshold, and the items and wrong ones it answers."""
    index = 0
    for step in range(1, steps):
        rank = math.ceil(curve.items * step / steps)
        while index < len(curve) and curve.answered[index] < rank:
            index += 1
        # Strictly above the confidence at the rank: these items alone are a plain sample.
        if 0 < index < len(curve):
            just_above = math.nextafter(curve.thresholds[index], math.inf)
            yield min(just_above, _LARGEST), curve.answered[index - 1], curve.wrong[index - 1]
    if curve.items:
        yield -math.inf, curve.items, curve.errors
