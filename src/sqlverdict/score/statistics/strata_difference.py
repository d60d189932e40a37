"""The difference of two systems' shares from labels of a part of the questions, by strata.

Each labelled question says which of two predictions is right: the first alone (``gain``), the second
alone (``loss``), or neither is better. The difference is the share of gains less the share of losses. A
difference ``delta`` lies in the interval if the labels do not speak against it: as in ``strata.py``,
the rates of gains and losses are the likeliest with ``sum W_h (gain_h - loss_h) = delta``, and the
variance of the estimate is taken at these rates. With one stratum this is Tango's score interval for
paired shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from sqlverdict.errors import UsageError
from sqlverdict.score.statistics.intervals import CONFIDENCE, z_of
from sqlverdict.score.statistics.strata import FARTHEST, PRECISION


@dataclass(frozen=True, slots=True)
class PairedStratum:
    """Questions of one kind, of which some have labels of both predictions.

    Attributes:
        size: How many questions there are.
        labels: How many of them were drawn at random and labelled.
        gains: How many of these have the first prediction right alone.
        losses: How many have the second right alone.
    """

    size: int
    labels: float
    gains: float
    losses: float

    def __post_init__(self) -> None:
        if min(self.gains, self.losses) < 0 or not (
            self.gains + self.losses <= self.labels <= self.size
        ):
            raise UsageError(
                f"a stratum of {self.size} questions cannot have {self.labels} labels with "
                f"{self.gains} gains and {self.losses} losses"
            )

    @property
    def remainder(self) -> float:
        """The correction for a finite population, as of :class:`~.strata.Stratum`."""
        return (self.size - self.labels) / max(1, self.size - 1)


def stratified_difference(
    strata: Sequence[PairedStratum], confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """The difference of the shares, and the ends of its interval.

    Raises:
        UsageError: there are no questions, or a stratum has no labels.
    """
    known = [each for each in strata if each.size]
    if not known or any(not each.labels for each in known):
        raise UsageError("a difference over strata needs a label in each stratum with questions")
    total = sum(each.size for each in known)
    estimate = (
        fsum(each.size * (each.gains - each.losses) / each.labels for each in known) / total
    )
    z = z_of(confidence)
    low = _end(known, total, estimate, z, 1.0)
    high = _end(known, total, estimate, z, -1.0)
    # What is labelled is certain: the rest can be all losses or all gains.
    certain = fsum(each.gains - each.losses for each in known)
    rest = total - fsum(each.labels for each in known)
    least, most = (certain - rest) / total, (certain + rest) / total
    return estimate, min(estimate, max(low, least)), max(estimate, min(high, most))


def _end(
    strata: Sequence[PairedStratum], total: int, estimate: float, z: float, direction: float
) -> float:
    """The outermost difference that is kept, downwards for a direction of 1, upwards for -1."""

    def difference_at(multiple: float) -> tuple[float, bool]:
        difference = variance = 0.0
        for each in strata:
            weight = each.size / total
            gain, loss = _rates(each, multiple * weight)
            difference += weight * (gain - loss)
            scale = weight * weight * each.remainder / each.labels
            variance += scale * max(0.0, gain + loss - (gain - loss) ** 2)
        return difference, abs(estimate - difference) <= z * sqrt(variance) + PRECISION

    good, bad = 0.0, direction
    difference, kept = difference_at(bad)
    while kept and abs(bad) < FARTHEST:
        good, bad = bad, bad * 4
        difference, kept = difference_at(bad)
    if kept:
        return difference
    while abs(bad - good) > PRECISION * abs(bad):
        middle = (good + bad) / 2
        if difference_at(middle)[1]:
            good = middle
        else:
            bad = middle
    return difference_at(good)[0]


def _rates(stratum: PairedStratum, slope: float) -> tuple[float, float]:
    """The likeliest rates of gains and losses for a slope.

    With ``t`` the ratio of the labels of neither kind to their rate, the rate of gains is
    ``gains / (t + slope)`` and that of losses ``losses / (t - slope)``. The rates must make 1 with
    ``neither / t``: that sum falls as ``t`` grows, so ``t`` is found by halving.
    """
    if stratum.labels == stratum.size:
        return stratum.gains / stratum.labels, stratum.losses / stratum.labels
    neither = stratum.labels - stratum.gains - stratum.losses

    def rest(t: float) -> float:
        return (
            _ratio(neither, t)
            + _ratio(stratum.gains, t + slope)
            + _ratio(stratum.losses, t - slope)
            - 1
        )

    # Below this t a rate with labels, or one without that may still be above 0, is negative.
    least = abs(slope)
    if rest(least) <= 0:
        # What is left belongs to the kind without labels that the slope asks for.
        gain = _ratio(stratum.gains, least + slope)
        loss = _ratio(stratum.losses, least - slope)
        left = max(0.0, 1 - gain - loss - _ratio(neither, least))
        return (gain + left, loss) if slope < 0 else (gain, loss + left)
    low, high = least, least + 2 * stratum.labels + 1
    while high - low > PRECISION * high:
        middle = (low + high) / 2
        if rest(middle) > 0:
            low = middle
        else:
            high = middle
    t = (low + high) / 2
    return _ratio(stratum.gains, t + slope), _ratio(stratum.losses, t - slope)


def _ratio(count: float, divisor: float) -> float:
    if not count:
        return 0.0
    return count / divisor if divisor > 0 else float("inf")
