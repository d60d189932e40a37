"""The probability that people call a prediction right, with its bounds and its labels.

A model is a table of counts (:mod:`sqlverdict.confidence.counts`). From these follow a rate for
each step of the order (:mod:`~sqlverdict.confidence.rates`), and how far another set of labels may
lie (:mod:`~sqlverdict.confidence.rates`). A user's own labels (``agree --calibrate``) are not one
more set, but the one that matters: they say how far these people lie from all others, which moves
all rates. Then each step counts its own labels beside :data:`OTHERS` labels at the rate that was
moved.

The bounds of a probability are at 95 %, in log odds:

    p -/+ sqrt(sets^2 + 1.96^2 / (n q (1 - q))),    q = (n p + 1) / (n + 2)

``sets`` is how far another set may lie; n is as how many labels the step counts. What a judge says
moves the log odds of every situation alike, up where it says right and down where it says wrong.
A situation without a label, or without one on the engine of a run, has no probability. One with
labels shares the rate of its step, and the labels of the step are what it rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from statistics import NormalDist

from sqlverdict.confidence.counts import (
    NONE,
    STEP_OF,
    STEPS,
    Counts,
    LabelSet,
    by_step,
    cell_name,
    situation_of,
)
from sqlverdict.confidence.rates import (
    TAIL,
    StepRates,
    fit_rates,
    never_rising,
    shift_of,
    shift_probability,
    shifts,
    spread_of,
)
from sqlverdict.records import LabelBasis

OTHERS = 5.0
"""Beside own labels the other sets count in a step as so many; measured with 20, 50 and 100 own
labels in docs/measurements/calibration.md."""
ENOUGH = 5
"""With fewer labels a judge is not told how many of them say right."""
FEW = 50
"""With fewer own labels ``agree --calibrate`` warns: the bounds stay wide."""
JUDGES = 4.0
"""The variance of what a judge's opinion is worth, in log odds, before any label is seen."""
_QUANTILE = NormalDist().inv_cdf(1 - TAIL)


@dataclass(frozen=True)
class Model:
    """Counts of labels by cell and set.

    Attributes:
        sets: Where the labels came from.
        cells: The counts.
        own: The set of the user's own labels; empty where all sets are of others.
        engine: The engine of a run; empty: any.
    """

    sets: tuple[LabelSet, ...] = ()
    cells: Counts = field(default_factory=dict)
    own: str = ""
    engine: str = ""

    def on_engine(self, engine: str) -> Model:
        """The model for runs on an engine. Rates do not depend on it: they are fitted once."""
        model = replace(self, engine=engine)
        vars(model)["_fitted"] = self._fitted
        return model

    def expect(
        self, situation: str, opinion: bool | None = None
    ) -> tuple[float | None, LabelBasis | None]:
        """The probability that people call a prediction right, and what it rests on.

        Both are ``None`` where nobody labelled such a prediction on this engine.
        """
        if not self.has_labels(situation):
            return None, None
        p = self.p_right(situation, opinion)
        low, high = self.bounds(situation, opinion)
        judged = opinion if self.has_labels(situation, opinion) else None
        cells = [cell_name(each, judged) for each in STEPS[STEP_OF[situation]]]
        sets = [(name, one) for cell in cells for name, one in self.cells.get(cell, {}).items()]
        return round(p, 4), LabelBasis(
            round(low, 4),
            round(high, 4),
            round(sum(one.right for _, one in sets)),
            round(sum(one.labels for _, one in sets)),
            len({name for name, _ in sets}),
            bool(self.own),
        )

    def has_labels(self, situation: str, opinion: bool | None = None) -> bool:
        """Whether people labelled such predictions, on this engine."""
        sets = self.cells.get(cell_name(situation, opinion))
        if not sets:
            return False
        labels = sum(one.labels for name, one in sets.items() if name in self._on_engine)
        # Own labels of a rare situation may count little; they are there.
        own = self.own in self._on_engine and sets.get(self.own, NONE).labels > 0
        return situation in STEP_OF and (own or round(labels) > 0)

    def p_right(self, situation: str, opinion: bool | None = None) -> float:
        """The probability that people call a prediction right, whether labelled or not."""
        return shift_probability(self._rates.rates[STEP_OF[situation]], self._worth(opinion))

    def bounds(self, situation: str, opinion: bool | None = None) -> tuple[float, float]:
        """Between what the rate lies in 95 of 100 sets of labels."""
        p = self.p_right(situation, opinion)
        n = self._rates.weights[STEP_OF[situation]]
        q = (n * p + 1) / (n + 2)
        few = _QUANTILE**2 / (max(n, 1.0) * q * (1 - q))
        off = sqrt(self.sets_apart**2 + few)
        return shift_probability(p, -off), shift_probability(p, off)

    @property
    def sets_apart(self) -> float:
        """How far another set of labels may lie, in log odds; own labels bring it near."""
        return self._fitted[1]

    @property
    def _rates(self) -> StepRates:
        return self._fitted[0]

    @cached_property
    def _fitted(self) -> tuple[StepRates, float]:
        """The rates, and how far another set may lie."""
        steps = by_step(self.cells)
        others = [{n: c for n, c in sets.items() if n != self.own} for sets in steps]
        spread = spread_of(shifts(others))
        if not self.own:
            return fit_rates(steps), spread.bound
        if not any(others):
            return fit_rates(steps), spread.bound
        before = fit_rates(others)
        own = [sets.get(self.own, NONE) for sets in steps]
        pairs = list(zip(before.rates, own, strict=True))
        shift = shift_of([(p, one.rate, one.questions) for p, one in pairs], spread.variance)
        weights = [OTHERS + one.questions for one in own]
        rates = never_rising(
            [
                (OTHERS * shift_probability(p, shift.value) + one.rate * one.questions) / weight
                for (p, one), weight in zip(pairs, weights, strict=True)
            ],
            weights,
        )
        return StepRates(tuple(rates), tuple(weights)), _QUANTILE * shift.deviation

    @cached_property
    def _on_engine(self) -> frozenset[str]:
        """The sets with labels on this engine."""
        if not self.engine:
            return frozenset(name for sets in self.cells.values() for name in sets)
        return frozenset(one.name for one in self.sets if one.engine == self.engine)

    def _worth(self, opinion: bool | None) -> float:
        """What a judge's opinion adds to the log odds."""
        return 0.0 if opinion is None else self._opinions[opinion]

    @cached_property
    def _opinions(self) -> Mapping[bool, float]:
        worth: dict[bool, float] = {}
        for opinion in (True, False):
            others = list(self._judged(opinion, own=False))
            value = shift_of(others, JUDGES).value if others else 0.0
            ours = [
                (shift_probability(p, value), rate, n)
                for p, rate, n in self._judged(opinion, own=True)
            ]
            value += shift_of(ours, JUDGES).value if ours else 0.0
            # That a judge says right speaks for an answer, whatever few labels say.
            worth[opinion] = max(0.0, value) if opinion else min(0.0, value)
        return worth

    def _judged(self, opinion: bool, *, own: bool) -> Iterator[tuple[float, float, float]]:
        """By cell and set of an opinion: the rate without it, that with it, and the questions."""
        for cell, sets in self.cells.items():
            situation, cell_opinion = situation_of(cell)
            if cell_opinion is not opinion:
                continue
            contrary = self.cells.get(cell_name(situation, not opinion), {})
            for name, one in sets.items():
                if (name == self.own) is own:
                    other = contrary.get(name, NONE)
                    right, labels = one.right + other.right, one.labels + other.labels
                    yield (right + 0.5) / (labels + 1), one.rate, one.questions


NO_LABELS = Model()
