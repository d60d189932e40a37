"""Rates from counts: one for each step, never rising along the order.

1. The sets of a step are averaged. A set of n questions weighs n / (1 + (n - 1) r), where
   r = p (1 - p) is what two labels of one set have in common if sets differ by about 1 in log
   odds (:data:`~sqlverdict.confidence.spread.SCALE`): a large set does not outvote the others.
2. A step is drawn towards the steps beside it: it counts as if :data:`NEIGHBOURS` more labels with
   the mean of their rates were in it. Below the last step stands 0.
3. Where a step still has a higher rate than one before it, the two get their weighted mean (the
   pool-adjacent-violators algorithm, which is the least-squares fit under the order).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from sqlverdict.confidence.counts import NONE, BySet, Count

NEIGHBOURS = 4.0
"""A step counts as if so many labels at the rate of the steps beside it were in it."""
NEAREST = 0.001
"""No rate is nearer to 0 or 1: nobody has labels for more."""


@dataclass(frozen=True)
class StepRates:
    """A rate for each step.

    Attributes:
        rates: The rates, never rising.
        weights: As how many labels each of them counts; 0 where a step has no labels.
    """

    rates: tuple[float, ...]
    weights: tuple[float, ...]


def fit_rates(steps: Sequence[BySet]) -> StepRates:
    """Rates from the counts of each step, by set."""
    means = [_mean(sets) for sets in steps]
    known = [number for number, (_, weight) in enumerate(means) if weight]
    if not known:
        return StepRates((0.5,) * len(steps), (0.0,) * len(steps))
    values: list[float] = []
    weights: list[float] = []
    for at, number in enumerate(known):
        before = [means[known[at - 1]][0]] if at else []
        after = [means[known[at + 1]][0]] if at + 1 < len(known) else [0.0]
        beside = [*before, *after] if before or at + 1 < len(known) else [0.5]
        rate, weight = means[number]
        prior = sum(beside) / len(beside)
        values.append((weight * rate + NEIGHBOURS * prior) / (weight + NEIGHBOURS))
        weights.append(weight + NEIGHBOURS)
    ordered = never_rising(values, weights)
    rates = dict(zip(known, ordered, strict=True))
    weight_of = dict(zip(known, weights, strict=True))
    return StepRates(
        tuple(_inside(rates[_nearest(known, number)]) for number in range(len(steps))),
        tuple(weight_of.get(number, 0.0) for number in range(len(steps))),
    )


def never_rising(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The values nearest to these, by weighted squares, that never rise."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
            (second, heavy, number), (first, light, others) = pools.pop(), pools.pop()
            mean = (second * heavy + first * light) / (heavy + light)
            pools.append((mean, heavy + light, number + others))
    return [value for value, _, number in pools for _ in range(number)]


def log_odds(p: float) -> float:
    """The logarithm of the odds."""
    return log(p / (1 - p))


def from_log_odds(value: float) -> float:
    """The probability with these log odds."""
    return 1 / (1 + exp(-value))


def shift_probability(p: float, by: float) -> float:
    """A probability whose log odds are shifted."""
    return from_log_odds(log_odds(p) + by)


def _mean(sets: BySet) -> tuple[float, float]:
    """The mean rate of a step's sets, and its weight."""
    right = sum(one.rate * one.questions for one in sets.values())
    questions = sum(one.questions for one in sets.values())
    if not questions:
        return 0.0, 0.0
    about = (right + 1) / (questions + 2)
    alike = about * (1 - about)
    weights = {
        name: one.questions / (1 + max(0.0, one.questions - 1) * alike)
        for name, one in sets.items()
    }
    total = sum(weights.values())
    return sum(weights[name] * one.rate for name, one in sets.items()) / total, total


def _nearest(known: Sequence[int], number: int) -> int:
    """The labelled step that stands for one: itself, or the next below, or the last."""
    return next((each for each in known if each >= number), known[-1])


def _inside(p: float) -> float:
    return min(1 - NEAREST, max(NEAREST, p))


def total(sets: Mapping[str, Count]) -> Count:
    """The counts of all sets together."""
    return Count(*map(sum, zip(*sets.values(), strict=True))) if sets else NONE
