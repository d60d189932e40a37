"""A share from labels of a part of the cases, drawn stratum by stratum: the score interval.

Stratum ``h`` has ``size`` cases, of which ``labels`` were drawn at random and ``right`` are right.
The estimate weighs the share of each stratum by its size. A share ``theta`` lies in the interval
if the labels do not speak against it: let ``p_h`` be the rates that make the labels most likely
among all rates with ``sum W_h p_h = theta``; then ``theta`` is kept if ::

    (estimate - theta)² <= z² sum W_h² p_h (1 - p_h) / labels_h * (size_h - labels_h) / (size_h - 1)

The last factor is the correction for a finite population: labels of all cases leave no doubt. With
one stratum ``p_1 = theta``, which is Wilson's interval. The variance is taken at the tested share,
not at the estimate, so a stratum whose labels are all right still adds to the width.

A share of few cases is a whole number of them, which a smooth bound does not know. So each end lies
half a case further out (the correction for continuity); with many cases that is nothing.

Weights may be negative: the difference of two systems is such a sum over the answers that only the
first gave, less those that only the second gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from sqlverdict.errors import UsageError
from sqlverdict.score.statistics.intervals import CONFIDENCE, z_of

FARTHEST = 1e15
"""A multiple at which a rate is 0 or 1 but for the last digits of a float."""

PRECISION = 1e-12
"""How exactly an end is found: relative to the multiple, and what rounding may add to a share."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Cases of one kind, of which some have a label.

    Attributes:
        size: How many cases there are.
        labels: How many of them were drawn at random and labelled.
        right: How many of the labelled ones are right. It need not be whole: plans use expected
            numbers.
    """

    size: int
    labels: float
    right: float

    def __post_init__(self) -> None:
        if not 0 <= self.right <= self.labels <= self.size or not self.labels:
            raise UsageError(
                f"a stratum of {self.size} cases cannot have {self.labels} labels of which "
                f"{self.right} are right; it needs at least one label"
            )

    @property
    def share(self) -> float:
        """The share of right labels."""
        return self.right / self.labels

    @property
    def remainder(self) -> float:
        """The correction for a finite population: 1 for few labels, 0 if every case has one."""
        return (self.size - self.labels) / max(1, self.size - 1)


@dataclass(frozen=True, slots=True)
class SumPart:
    """A stratum, and what its share of right cases counts in a sum."""

    weight: float
    stratum: Stratum


def share_parts(strata: Sequence[Stratum]) -> list[SumPart]:
    """The strata with the weights that make the sum a share of all cases.

    Raises:
        UsageError: there are no cases.
    """
    total = sum(each.size for each in strata)
    if not total:
        raise UsageError("a share over strata needs a stratum with cases")
    return [SumPart(each.size / total, each) for each in strata]


def stratified_share(strata: Sequence[Stratum]) -> float:
    """The share of right cases: the strata's shares, each weighed by its size."""
    return weighed_sum(share_parts(strata))


def stratified_interval(
    strata: Sequence[Stratum], confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """The shares that the labels do not speak against."""
    parts = share_parts(strata)
    return sum_interval(parts, confidence, step=1 / sum(each.size for each in strata))


def weighed_sum(parts: Sequence[SumPart]) -> float:
    """The estimate: the strata's shares, each times its weight."""
    return fsum(part.weight * part.stratum.share for part in parts)


def sum_interval(
    parts: Sequence[SumPart], confidence: float = CONFIDENCE, *, step: float = 0.0
) -> tuple[float, float]:
    """The sums that the labels do not speak against.

    Args:
        parts: The strata with their weights.
        confidence: The share of such intervals that shall hold the truth.
        step: The least difference between two sums, such as one case; the ends lie half of it
            further out.
    """
    z = z_of(confidence)
    estimate = weighed_sum(parts)
    least, most = _certain(parts)
    low, high = _end(parts, estimate, z, 1.0), _end(parts, estimate, z, -1.0)
    return min(estimate, max(low - step / 2, least)), max(estimate, min(high + step / 2, most))


def _certain(parts: Sequence[SumPart]) -> tuple[float, float]:
    """The least and the greatest sum: what is labelled is certain, whatever the rest is."""
    low, high = [], []
    for part in parts:
        each = part.stratum
        ends = (each.right / each.size, (each.size - each.labels + each.right) / each.size)
        values = sorted(part.weight * end for end in ends)
        low.append(values[0])
        high.append(values[1])
    return fsum(low), fsum(high)


def _end(parts: Sequence[SumPart], estimate: float, z: float, direction: float) -> float:
    """The outermost sum that is kept, downwards for a direction of 1, upwards for -1.

    The likelihood under ``sum W_h p_h = theta`` has its maximum where ``right/p - wrong/(1 - p)``
    is in every stratum the same multiple of the stratum's weight. The multiple 0 gives the
    estimate, and the sum falls as the multiple grows: so the end is looked for over the multiples.
    """
    scales = [
        (part.stratum, part.weight, part.weight**2 * part.stratum.remainder / part.stratum.labels)
        for part in parts
    ]

    def sum_at(multiple: float) -> tuple[float, bool]:
        total = variance = 0.0
        for stratum, weight, scale in scales:
            rate = constrained_rate(stratum, multiple * weight)
            total += weight * rate
            variance += scale * rate * (1 - rate)
        return total, abs(estimate - total) <= z * sqrt(variance) + PRECISION

    good, bad = 0.0, direction
    total, is_inside = sum_at(bad)
    while is_inside and abs(bad) < FARTHEST:
        good, bad = bad, bad * 4
        total, is_inside = sum_at(bad)
    if is_inside:
        return total
    while abs(bad - good) > PRECISION * abs(bad):
        middle = (good + bad) / 2
        if sum_at(middle)[1]:
            good = middle
        else:
            bad = middle
    return sum_at(good)[0]


def constrained_rate(stratum: Stratum, slope: float) -> float:
    """The rate ``p`` with ``right/p - wrong/(1 - p) = slope``.

    A stratum that is labelled whole has its own rate. Else it is the root between 0 and 1 of
    ``slope p² - (labels + slope) p + right = 0``.
    """
    if stratum.labels == stratum.size:
        return stratum.share
    both = stratum.labels + slope
    root = sqrt(max(0.0, both * both - 4 * slope * stratum.right))
    # Of the two forms of the root the one that adds numbers of one sign.
    if both > 0:
        return min(1.0, 2 * stratum.right / (both + root))
    return min(1.0, max(0.0, (both - root) / (2 * slope))) if slope else 0.0
