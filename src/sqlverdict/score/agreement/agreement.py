"""How far a metric agrees with people: Cohen's kappa, accuracies, MCC, with intervals.

With tp (both say right), tn (both say wrong), fp (the metric says right, people wrong) and fn
(the metric says wrong, people right), n their sum:

* accuracy = (tp + tn) / n
* Cohen's kappa = (accuracy - e) / (1 - e), where e = ((tp + fp)(tp + fn) + (fn + tn)(fp + tn)) / n²
  is the agreement expected by chance from the two margins
* MCC = (tp tn - fp fn) / sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn))

Example: tp 39, fp 11, fn 10, tn 40 give accuracy 0.79, e = (50 * 49 + 50 * 51) / 10000 = 0.5 and
kappa 0.58.

The EQ half are the cases whose results match, the NEQ half those whose results differ; each has
its own accuracy. Where cases count differently, tp, tn, fp, fn and n of the formulas are sums of
their weights, and the bootstrap draws cases with their weights; the numbers that are reported stay
those of cases. An unscored case enters no figure and is counted. A kappa without meaning (both
sides say the same thing of every case) is ``None``, never 0 or 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TypeVar

from sqlverdict.score.statistics.intervals import CONFIDENCE, RESAMPLES
from sqlverdict.score.statistics.resample import generator, percentiles

C = TypeVar("C", bound=Hashable)

MOST_DRAWS = 2_000_000
"""Random draws for the intervals of one metric; very many labels get fewer resamples."""

FEWEST_RESAMPLES = 200

FIGURES = ("kappa", "accuracy", "eq_accuracy", "neq_accuracy", "mcc")
"""The figures that get an interval."""


@dataclass(frozen=True)
class RatedCase:
    """One labelled case under one metric.

    Attributes:
        id: The case.
        label: What people say: right or wrong.
        opinion: What the metric says; ``None``: unscored.
        equal: Whether the two results match; ``None``: not known.
        weight: What it counts in a share.
    """

    id: str
    label: bool
    opinion: bool | None
    equal: bool | None = None
    weight: float = 1


@dataclass(frozen=True)
class Confusion:
    """How often a metric and people say what: numbers of cases, or sums of their weights."""

    tp: float = 0
    fp: float = 0
    fn: float = 0
    tn: float = 0

    @property
    def n(self) -> float:
        """All cases."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> float | None:
        """The share on which both say the same."""
        return (self.tp + self.tn) / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; ``None`` where chance alone would explain everything."""
        n = self.n
        # Integers throughout, so that 58.00 is not 57.999.
        chance = (self.tp + self.fp) * (self.tp + self.fn) + (self.fn + self.tn) * (
            self.fp + self.tn
        )
        if n == 0 or chance == n * n:
            return None
        return ((self.tp + self.tn) * n - chance) / (n * n - chance)

    @property
    def mcc(self) -> float | None:
        """Matthews' correlation; ``None`` where a side says one thing only."""
        sides = (
            (self.tp + self.fp) * (self.tp + self.fn) * (self.tn + self.fp) * (self.tn + self.fn)
        )
        return (self.tp * self.tn - self.fp * self.fn) / sqrt(sides) if sides else None


def confusion(rated: Iterable[RatedCase]) -> Confusion:
    """Count the scored cases."""
    counts = Counter((item.opinion, item.label) for item in rated if item.opinion is not None)
    return Confusion(
        tp=counts[True, True],
        fp=counts[True, False],
        fn=counts[False, True],
        tn=counts[False, False],
    )


@dataclass(frozen=True)
class Agreement:
    """A metric against people.

    Attributes:
        metric: Its label.
        kappa: Cohen's kappa.
        accuracy: Share of scored cases on which both agree.
        eq_accuracy: The same where the results match.
        neq_accuracy: The same where they differ.
        fp: Cases that it calls right and people wrong.
        fn: Cases that it calls wrong and people right.
        n: Labelled cases that it scored.
        unscored: Labelled cases that it did not score; they enter nothing above.
        calls: Calls of a language model that it took over all labelled cases.
        tp: Both say right.
        tn: Both say wrong.
        eq_n: Scored cases whose results match.
        neq_n: Scored cases whose results differ.
        mcc: Matthews' correlation.
        intervals: For each figure that has one, its interval by the bootstrap over cases.
    """

    metric: str
    kappa: float | None
    accuracy: float | None
    eq_accuracy: float | None
    neq_accuracy: float | None
    fp: int
    fn: int
    n: int
    unscored: int
    calls: int = 0
    tp: int = 0
    tn: int = 0
    eq_n: int = 0
    neq_n: int = 0
    mcc: float | None = None
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def agreement(
    metric: str,
    rated: Sequence[RatedCase],
    *,
    calls: int = 0,
    seed: int = 0,
) -> Agreement:
    """Compare a metric with people's labels.

    Args:
        metric: Its label.
        rated: Every labelled case.
        calls: How often a language model was asked for it.
        seed: Where the random numbers of the bootstrap start.
    """
    scored = [item for item in rated if item.opinion is not None]
    cells = Counter((bool(item.opinion), item.label, item.equal, item.weight) for item in scored)
    figures = _figures(cells)
    pairs = Counter((bool(item.opinion), item.label) for item in scored)
    halves = Counter(item.equal for item in scored)
    return Agreement(
        metric=metric,
        kappa=figures["kappa"],
        accuracy=figures["accuracy"],
        eq_accuracy=figures["eq_accuracy"],
        neq_accuracy=figures["neq_accuracy"],
        fp=pairs[True, False],
        fn=pairs[False, True],
        n=len(scored),
        unscored=len(rated) - len(scored),
        calls=calls,
        tp=pairs[True, True],
        tn=pairs[False, False],
        eq_n=halves[True],
        neq_n=halves[False],
        mcc=figures["mcc"],
        intervals=_intervals(cells, seed),
    )


Cell = tuple[bool, bool, bool | None, float]
"""What the metric says, what people say, whether the results match, and what the case counts."""


def weighted_confusion(cells: Iterable[tuple[bool, bool, float]]) -> Confusion:
    """The sums of weights by what a metric says and what people say."""
    sums: dict[tuple[bool, bool], float] = {}
    for opinion, label, weight in cells:
        sums[opinion, label] = sums.get((opinion, label), 0) + weight
    return Confusion(
        sums.get((True, True), 0),
        sums.get((True, False), 0),
        sums.get((False, True), 0),
        sums.get((False, False), 0),
    )


def _figures(cells: Mapping[Cell, int]) -> dict[str, float | None]:
    whole = weighted_confusion(
        (opinion, label, number * weight) for (opinion, label, _, weight), number in cells.items()
    )
    figures: dict[str, float | None] = {
        "kappa": whole.kappa,
        "accuracy": whole.accuracy,
        "mcc": whole.mcc,
    }
    for name, equal in (("eq_accuracy", True), ("neq_accuracy", False)):
        half = {cell: number * cell[3] for cell, number in cells.items() if cell[2] is equal}
        right = sum(own for (opinion, label, *_), own in half.items() if opinion == label)
        figures[name] = right / sum(half.values()) if half else None
    return figures


def _intervals(cells: Mapping[Cell, int], seed: int) -> dict[str, tuple[float, float]]:
    samples: dict[str, list[float]] = {name: [] for name in FIGURES}
    for sample in resampled(cells, seed):
        for name, value in _figures(sample).items():
            if value is not None:
                samples[name].append(value)
    return {
        name: percentiles(values, CONFIDENCE) for name, values in samples.items() if len(values) > 1
    }


def resampled(cells: Mapping[C, int], seed: int) -> Iterator[Counter[C]]:
    """Samples of the counted cases, drawn with replacement; the seed fixes them."""
    n = sum(cells.values())
    if n == 0:
        return
    # One order for the same counts, however they were counted.
    kinds = sorted(cells, key=repr)
    weights = [cells[kind] for kind in kinds]
    rng = generator(seed)
    for _ in range(max(FEWEST_RESAMPLES, min(RESAMPLES, MOST_DRAWS // n))):
        yield Counter(rng.choices(kinds, weights, k=n))
