"""The share of right cases of a run from the labels of a drawn part, with its interval.

What is not labelled is not guessed. A case that was drawn and has no label yet, and a case that no
stratum covers, counts as wrong for the lower end and as right for the upper end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlverdict.errors import UsageError
from sqlverdict.estimate.plan import FEWEST, plain_labels
from sqlverdict.score.statistics.intervals import CONFIDENCE, wilson
from sqlverdict.score.statistics.strata import Stratum, stratified_interval, stratified_share

Method = Literal["score interval over strata", "Wilson's interval"]

MOST_STRATA = 5
"""With more strata the interval was not shown to hold."""


@dataclass(frozen=True)
class DrawnStratum:
    """One stratum, and what is known of its labels.

    Attributes:
        name: What its cases have in common.
        size: How many cases it has.
        sample: How many of them were drawn.
        labels: How many of the drawn ones have a label.
        right: How many of the labels say right.
        undecided: How many of them cannot tell; they count as not right.
        known: How many of them nobody had to give: drawn for an earlier run, the case has no query
            to label in this one.
        known_right: How many of these say right.
    """

    name: str
    size: int
    sample: int
    labels: int
    right: int
    undecided: int = 0
    known: int = 0
    known_right: int = 0

    @property
    def pending(self) -> int:
        """Drawn cases without a label."""
        return self.sample - self.labels


@dataclass(frozen=True)
class AccuracyShare:
    """The share of right cases, and how sure it is.

    Attributes:
        cases: How many cases the share is of.
        value: The share; ``None``: nothing has a label, or only what did not change since the draw.
        low: The lower end of its interval.
        high: The upper end.
        confidence: The share of such intervals that hold the truth.
        labels: How many labels it rests on.
        worth: How many labels, drawn without regard to the evidence from the cases that need one,
            would give an interval of this width: as many as there are with one stratum. With too
            few labels for an interval over strata no gain is claimed.
        strata: What is known of each stratum.
        known: Cases that needed no label.
        uncovered: Cases of which nothing is known.
        method: How the interval was made.
        certified: Whether the coverage of such intervals was shown.
    """

    cases: int
    value: float | None
    low: float
    high: float
    confidence: float
    labels: int
    worth: int
    strata: tuple[DrawnStratum, ...]
    known: int
    uncovered: int
    method: Method
    certified: bool

    @property
    def pending(self) -> int:
        """Drawn cases without a label."""
        return sum(each.pending for each in self.strata)

    @property
    def undecided(self) -> int:
        """Labels that cannot tell."""
        return sum(each.undecided for each in self.strata)


def estimate_share(
    strata: Sequence[DrawnStratum],
    *,
    known: int = 0,
    known_right: int = 0,
    uncovered: int = 0,
    confidence: float = CONFIDENCE,
) -> AccuracyShare:
    """The share of right cases.

    Args:
        strata: The strata; one without a label is not covered.
        known: Cases that need no label.
        known_right: How many of them are right.
        uncovered: Cases that no stratum holds.
        confidence: The share of such intervals that shall hold the truth.

    Raises:
        UsageError: there are no cases.
    """
    with_labels = [each for each in strata if each.labels]
    low, high = share_interval(
        strata,
        known=known,
        known_right=known_right,
        uncovered=uncovered,
        confidence=confidence,
    )
    uncovered += sum(each.size for each in strata if not each.labels)
    size = sum(each.size for each in with_labels)
    labels = sum(each.labels for each in with_labels)
    few = labels < FEWEST
    value = _value(with_labels, known, known_right)

    def worth(value: float) -> int:
        if not size:
            return 0
        rate = (value * (size + known) - known_right) / size
        return plain_labels(
            size + uncovered,
            min(1.0, max(0.0, rate)),
            high - low,
            confidence,
            known=known,
            known_right=known_right,
        )

    return AccuracyShare(
        size + known + uncovered,
        value,
        low,
        high,
        confidence,
        labels,
        0 if value is None else labels if few else worth(value),
        tuple(strata),
        known,
        uncovered,
        "Wilson's interval" if few else "score interval over strata",
        len(with_labels) <= MOST_STRATA,
    )


def share_interval(
    strata: Sequence[DrawnStratum],
    *,
    known: int = 0,
    known_right: int = 0,
    uncovered: int = 0,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """The interval alone, with the arguments of :func:`estimate_share`: its worth takes longer.

    Raises:
        UsageError: there are no cases.
    """
    with_labels = [each for each in strata if each.labels]
    certain = known + uncovered + sum(each.size for each in strata if not each.labels)
    if not certain and not with_labels:
        raise UsageError("there are no cases to estimate a share of")

    def parts(open_right: bool) -> list[Stratum]:
        sample = [
            Stratum(each.size, each.sample, each.right + each.pending * open_right)
            for each in with_labels
        ]
        right = known_right + (certain - known) * open_right
        return [*sample, Stratum(certain, certain, right)] if certain else sample

    few = sum(each.labels for each in with_labels) < FEWEST
    low, _ = _interval(parts(open_right=False), confidence, few=few)
    _, high = _interval(parts(open_right=True), confidence, few=few)
    return low, high


def _value(strata: Sequence[DrawnStratum], known: int, known_right: int) -> float | None:
    """The share by what is labelled or known."""
    parts = [Stratum(each.size, each.labels, each.right) for each in strata]
    if known:
        parts.append(Stratum(known, known, known_right))
    return stratified_share(parts) if parts else None


def _interval(strata: list[Stratum], confidence: float, *, few: bool) -> tuple[float, float]:
    if not few:
        return stratified_interval(strata, confidence)
    # Wilson's interval of the cases that are not labelled whole, at the weighed share.
    whole = [each for each in strata if each.labels == each.size]
    rest = [each for each in strata if each.labels < each.size]
    cases = sum(each.size for each in strata)
    right = sum(each.right for each in whole)
    if not rest:
        return right / cases, right / cases
    size, labels = sum(each.size for each in rest), sum(each.labels for each in rest)
    low, high = wilson(stratified_share(rest) * labels, labels, confidence)
    return (right + low * size) / cases, (right + high * size) / cases
