"""Whether a confidence means what it says: ECE, Brier score, reliability diagram.

Calibration asks for probabilities. Confidences from 0 to 1 are taken as such; ones that are all
0 or less are taken as logarithms of probabilities (log-probabilities, entropies with their sign
turned) and raised; on any other scale there is no calibration, only a ranking.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.curve import Curve
from sqlverdict.score.statistics.intervals import (
    BOOTSTRAP_LIMIT,
    CONFIDENCE,
    RESAMPLES,
    mean_and_error,
    mean_interval,
    wilson,
    z_of,
)
from sqlverdict.score.statistics.resample import generator, multinomial, percentiles

BINS = 10


@dataclass(frozen=True)
class DiagramBin:
    """One bar of a reliability diagram.

    Attributes:
        low: Lower edge of the confidences, or the smallest in a bin of equal size.
        high: Upper edge, or the largest.
        items: How many items.
        confidence: Their mean confidence.
        accuracy: The share that is right.
        interval: Wilson's interval of the accuracy.
    """

    low: float
    high: float
    items: int
    confidence: float
    accuracy: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class ConfidenceCalibration:
    """How well probabilities fit.

    Attributes:
        scale: How the confidences were read: "probability" or "logarithm".
        ece: Expected calibration error over bins of equal width: sum of n_b / n |acc - conf|.
        ece_interval: Its bootstrap interval; the error of a finite sample is biased upwards.
        ece_equal_size: The same over bins of about equal numbers of items; ties stay together.
        brier: The mean of (confidence - right)^2.
        brier_interval: Its interval.
        bins: The reliability diagram, bins of equal width without empty ones.
    """

    scale: str
    ece: float
    ece_interval: tuple[float, float]
    ece_equal_size: float
    brier: float
    brier_interval: tuple[float, float]
    bins: tuple[DiagramBin, ...]


def scale_of(curve: Curve) -> str | None:
    """How the confidences can be read as probabilities; ``None``: they cannot."""
    if not len(curve):
        return None
    highest, lowest = curve.thresholds[0], curve.thresholds[-1]
    if lowest >= 0 and highest <= 1:
        return "probability"
    return "logarithm" if highest <= 0 else None


def as_probabilities(curve: Curve) -> Curve:
    """The same items with probabilities as confidences; ones that become equal are one group.

    Raises:
        UsageError: the confidences are on another scale.
    """
    scale = scale_of(curve)
    if scale is None:
        raise UsageError(
            "calibration needs probabilities: confidences from 0 to 1, or logarithms of "
            "probabilities, which are 0 or less; these are on another scale"
        )
    if scale == "probability":
        return curve
    thresholds, answered, wrong = array("d"), array("q"), array("q")
    for value, items, errors in zip(curve.thresholds, curve.answered, curve.wrong, strict=True):
        raised = math.exp(value)
        if thresholds and thresholds[-1] == raised:
            answered[-1], wrong[-1] = items, errors
        else:
            thresholds.append(raised)
            answered.append(items)
            wrong.append(errors)
    return Curve(thresholds, answered, wrong)


def calibration(curve: Curve, *, bins: int = BINS, seed: int = 0) -> ConfidenceCalibration:
    """ECE, Brier score and reliability diagram of some items.

    Hand calculation, two bins: confidences .9 right, .8 wrong, .4 right, .2 wrong. Upper bin:
    accuracy .5, confidence .85; lower bin: .5 and .3. ECE = .5 * .35 + .5 * .2 = .275. Brier =
    (.01 + .64 + .36 + .04) / 4 = .2625.

    Raises:
        UsageError: the confidences are no probabilities, or there is no bin.
    """
    if bins < 1:
        raise UsageError(f"{bins} bins were asked for; expected 1 or more")
    scale = scale_of(curve)
    probable = as_probabilities(curve)
    wide = _bins(probable, _equal_width(probable, bins), bins)
    even = _bins(probable, _equal_size(probable, bins))
    brier, brier_interval = _brier(probable, seed)
    return ConfidenceCalibration(
        scale=str(scale),
        ece=_ece(wide),
        ece_interval=_ece_interval(wide, seed),
        ece_equal_size=_ece(even),
        brier=brier,
        brier_interval=brier_interval,
        bins=tuple(wide),
    )


def _brier(curve: Curve, seed: int) -> tuple[float, tuple[float, float]]:
    """The mean squared error, and its interval: bootstrap, or normal for very many items."""
    if curve.items > BOOTSTRAP_LIMIT:
        n = curve.items
        mean = math.fsum(square * times for square, times in _squares(curve)) / n
        spread = math.fsum(times * (square - mean) ** 2 for square, times in _squares(curve))
        reach = z_of(CONFIDENCE) * math.sqrt(spread / (n - 1) / n)
        return mean, (max(0.0, mean - reach), mean + reach)
    histogram: Counter[float] = Counter()
    for square, times in _squares(curve):
        histogram[square] += times
    low, high, _ = mean_interval(histogram, CONFIDENCE, seed)
    return mean_and_error(histogram)[0], (low, high)


def _squares(curve: Curve) -> Iterator[tuple[float, int]]:
    for value, items, wrong in curve.groups():
        yield (1 - value) ** 2, items - wrong
        yield value**2, wrong


def _equal_width(curve: Curve, bins: int) -> Iterator[int]:
    """The number of each group's bin, counted from the surest: 1 is in the bin below it."""
    return (bins - 1 - min(int(value * bins), bins - 1) for value in curve.thresholds)


def _equal_size(curve: Curve, bins: int) -> Iterator[int]:
    """As above, by the rank of the group's middle item."""
    start = 0
    for end in curve.answered:
        yield min((start + end) * bins // (2 * curve.items), bins - 1)
        start = end


def _bins(curve: Curve, indexes: Iterator[int], width: int | None = None) -> list[DiagramBin]:
    """The bins that hold items, the least sure first."""
    diagram_bins: list[DiagramBin] = []
    first = 0
    for index, run in groupby(indexes):
        last = first + sum(1 for _ in run)
        before = (curve.answered[first - 1], curve.wrong[first - 1]) if first else (0, 0)
        items = curve.answered[last - 1] - before[0]
        right = items - (curve.wrong[last - 1] - before[1])
        starts = chain((before[0],), islice(curve.answered, first, last - 1))
        rows = zip(curve.thresholds[first:last], starts, curve.answered[first:last], strict=True)
        sure = math.fsum(value * (end - start) for value, start, end in rows) / items
        low, high = curve.thresholds[last - 1], curve.thresholds[first]
        if width is not None:
            low, high = (width - 1 - index) / width, (width - index) / width
        diagram_bins.append(DiagramBin(low, high, items, sure, right / items, wilson(right, items)))
        first = last
    return diagram_bins[::-1]


def _ece(bins: Sequence[DiagramBin]) -> float:
    total = sum(one.items for one in bins)
    return math.fsum(one.items * abs(one.accuracy - one.confidence) for one in bins) / total


def _ece_interval(bins: Sequence[DiagramBin], seed: int) -> tuple[float, float]:
    """The bootstrap over right and wrong items of each bin, mean confidences held fixed."""
    rng = generator(seed)
    counts = [
        count
        for one in bins
        for right in (round(one.accuracy * one.items),)
        for count in (right, one.items - right)
    ]
    total = sum(counts)
    values = []
    for _ in range(RESAMPLES):
        draw = multinomial(rng, counts)
        gaps = (
            abs(right - one.confidence * (right + wrong))
            for one, right, wrong in zip(bins, draw[::2], draw[1::2], strict=True)
        )
        values.append(math.fsum(gaps) / total)
    return percentiles(values, CONFIDENCE)
