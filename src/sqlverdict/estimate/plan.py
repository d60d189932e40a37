"""How many labels an interval of a given width needs: by strata, and drawn without them.

Before anybody labels, the rate of a stratum is what the labels of other people say of such answers,
moved towards one half (:func:`cautious`): a rate in the middle gives a wider interval, so that the
width that is planned is not passed by the one that is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.errors import UsageError
from sqlverdict.estimate.population import allocate
from sqlverdict.score.statistics.intervals import CONFIDENCE
from sqlverdict.score.statistics.strata import Stratum, SumPart, stratified_interval, sum_interval

_ROUNDING = 1e-9
"""Widths of the same labels, summed in another order, differ by less."""

FEWEST = 20
"""With fewer labels the interval over strata was not shown to hold: Wilson's is used."""


@dataclass(frozen=True)
class StratumPlan:
    """One stratum of a plan.

    Attributes:
        size: How many cases it has.
        labels: How many of them get a label.
        rate: The share of right cases that the plan expects.
    """

    size: int
    labels: int
    rate: float


@dataclass(frozen=True)
class LabelPlan:
    """How many labels are needed.

    Attributes:
        width: The width that was asked for, from end to end.
        labels: How many labels reach it, drawn by strata.
        plain: How many reach it, drawn from all cases without strata.
        expected: The width that these labels are expected to give.
        strata: The strata, by name.
        known: Cases that need no label: without SQL, or without a question to answer.
        confidence: The share of such intervals that hold the truth.
    """

    width: float
    labels: int
    plain: int
    expected: float
    strata: Mapping[str, StratumPlan]
    known: int
    confidence: float = CONFIDENCE


def cautious(p_right: float | None) -> float:
    """The rate that a plan expects, from the probability that people call an answer right."""
    return 0.5 if p_right is None else 0.8 * p_right + 0.1


def plan_labels(
    sizes: Mapping[str, int],
    rates: Mapping[str, float],
    width: float,
    *,
    known: int = 0,
    known_right: int = 0,
) -> LabelPlan:
    """The fewest labels whose interval is expected to be no wider than asked for.

    Args:
        sizes: How many cases each stratum has.
        rates: The share of right cases to expect, by stratum.
        width: The width from end to end: 0.15 is 7.5 points to either side.
        known: Cases that need no label.
        known_right: How many of them are right.

    Raises:
        UsageError: the width is none, or there is nothing to label.
    """
    _check_width(width)
    parts = {name: size for name, size in sizes.items() if size}
    total = sum(parts.values())
    if not total:
        raise UsageError("no case of the run can be labelled: none has a gold and a prediction")
    certain = [Stratum(known, known, known_right)] if known else []

    def by_strata(labels: int) -> float:
        sample = allocate(parts, labels)
        strata = [Stratum(parts[name], n, n * rates[name]) for name, n in sample.items()]
        return _width([*strata, *certain])

    mean = sum(parts[name] * rates[name] for name in parts) / total
    least = min(total, max(FEWEST, len(parts)))
    labels = _fewest(by_strata, width, least, total)
    sample = allocate(parts, labels)
    return LabelPlan(
        width,
        labels,
        plain_labels(
            total,
            mean,
            width,
            known=known,
            known_right=known_right,
            least=min(FEWEST, total),
        ),
        by_strata(labels),
        {name: StratumPlan(parts[name], n, rates[name]) for name, n in sample.items()},
        known,
    )


def _check_width(width: float) -> None:
    """Refuse a width that no interval of a share can have.

    Raises:
        UsageError: it is one.
    """
    if not 0 < width < 1:
        raise UsageError(f"the width is {width}; it must lie between 0 and 1, such as 0.15")


def _width(strata: list[Stratum], confidence: float = CONFIDENCE) -> float:
    low, high = stratified_interval(strata, confidence)
    return high - low


def _fewest(width_of: Callable[[int], float], width: float, low: int, high: int) -> int:
    """The smallest number of labels from which on the width is at most this, by halving."""
    if width_of(low) <= width:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        if width_of(middle) <= width:
            high = middle
        else:
            low = middle
    return high


def plain_labels(
    pairs: int,
    rate: float,
    width: float,
    confidence: float = CONFIDENCE,
    *,
    known: int = 0,
    known_right: int = 0,
    least: int = 1,
) -> int:
    """How many labels, drawn without regard to the evidence, would give an interval of this width.

    The baseline of plans and of estimates: the cases that need a label are one stratum.

    Args:
        pairs: The cases that need a label.
        rate: The share of right ones among them.
        width: The width of the interval of all cases.
        confidence: The share of such intervals that shall hold the truth.
        known: Cases that need no label.
        known_right: How many of them are right.
        least: The fewest labels that are looked at.
    """
    certain = [Stratum(known, known, known_right)] if known else []

    def plain(labels: int) -> float:
        return _width([Stratum(pairs, labels, labels * rate), *certain], confidence)

    return _fewest(plain, width + _ROUNDING, least, pairs)


def plan_two_runs(
    sizes: Sequence[Mapping[str, int]],
    rates: Sequence[Mapping[str, float]],
    known: Sequence[Sequence[bool]],
    cases: int,
    width: float,
) -> LabelPlan:
    """The fewest labels whose interval of a difference is expected to be no wider than asked for.

    Args:
        sizes: Of either run how many answers each stratum has that can make a difference.
        rates: The share of right ones to expect, by stratum.
        known: Of either run the answers that need no label, and whether they are right.
        cases: The questions that both runs have.
        width: The width from end to end.

    Raises:
        UsageError: the width is none, or there is nothing to label.
    """
    _check_width(width)
    every = {name: size for own in sizes for name, size in own.items()}
    total = sum(every.values())
    if not total:
        raise UsageError("no question tells the runs apart: there is nothing to label")

    def width_of(groups: Sequence[Mapping[str, tuple[int, int, float]]]) -> float:
        """The width for strata with their sizes, labels and rates; 1 or more: too few labels."""
        parts = []
        for sign, own, sure in zip((1, -1), groups, known, strict=True):
            size = sum(each[0] for each in own.values())
            if sum(each[1] for each in own.values()) < min(FEWEST, size):
                return 1.0
            strata = [Stratum(n, labels, labels * rate) for n, labels, rate in own.values()]
            strata += [Stratum(len(sure), len(sure), sum(sure))] if sure else []
            parts += [SumPart(sign * each.size / cases, each) for each in strata]
        low, high = sum_interval(parts, CONFIDENCE, step=1 / cases)
        return high - low

    def by_strata(labels: int) -> float:
        sample = allocate(every, labels)
        return width_of(
            [
                {name: (size, sample[name], shares[name]) for name, size in own.items()}
                for own, shares in zip(sizes, rates, strict=True)
            ]
        )

    wholes = {str(n): sum(own.values()) for n, own in enumerate(sizes) if own}
    means = {
        str(n): sum(size * rates[n][name] for name, size in own.items()) / sum(own.values())
        for n, own in enumerate(sizes)
        if own
    }

    def plain(labels: int) -> float:
        sample = allocate(wholes, labels)
        return width_of(
            [
                {name: (wholes[name], sample[name], means[name])} if name in wholes else {}
                for name in ("0", "1")
            ]
        )

    labels = _fewest(by_strata, width, min(total, max(FEWEST, len(every))), total)
    sample = allocate(every, labels)
    expected = {name: rate for own in rates for name, rate in own.items()}
    return LabelPlan(
        width,
        labels,
        _fewest(lambda n: plain(n) - _ROUNDING, width, min(total, FEWEST), total),
        by_strata(labels),
        {name: StratumPlan(every[name], n, expected[name]) for name, n in sample.items()},
        sum(map(len, known)),
    )
