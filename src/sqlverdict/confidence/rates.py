"""Rates from counts: one for each step, never rising along the order; how far sets lie apart.

1. The sets of a step are averaged. A set of n questions weighs n / (1 + (n - 1) r), where
   r = p (1 - p) is what two labels of one set have in common if sets differ by about 1 in log
   odds (:data:`SCALE`): a large set does not outvote the others.
2. A step is drawn towards the steps beside it: it counts as if :data:`NEIGHBOURS` more labels with
   the mean of their rates were in it. Below the last step stands 0.
3. Where a step still has a higher rate than one before it, the two get their weighted mean (the
   pool-adjacent-violators algorithm, which is the least-squares fit under the order).

Sets of labels differ: one group of people is more lenient than another in every situation. A set's
shift is the number that, added to the log odds of all rates, gives as many right labels as the set
has. It is measured against the rates of the *other* sets, as for a set that nobody has seen.
Shifts are taken as draws of a normal distribution around 0. With few sets its width is hardly
known, so all widths count, each as far as the shifts and a prior make it probable: half of a normal
distribution with standard deviation :data:`SCALE`, a customary choice for log odds that was not
fitted to labels. The bounds for one more draw are those of the mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist

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


SCALE = 1.0
"""Sets may differ by about so much in log odds, before any is seen."""
TAIL = 0.025
"""What lies beyond each of the two bounds: 95 % lie between them."""
_STEP = 0.05
_WIDTHS = tuple(_STEP * number for number in range(1, 101))
_FAR = 12.0


@dataclass(frozen=True)
class Shift:
    """How far a set lies from the rates of others.

    Attributes:
        value: In log odds.
        deviation: Its standard deviation, from the number of the set's questions.
    """

    value: float
    deviation: float


@dataclass(frozen=True)
class Spread:
    """How far sets lie apart.

    Attributes:
        bound: One more set lies within this shift in 95 of 100 cases.
        variance: The mean square of shifts.
    """

    bound: float
    variance: float


def shift_of(counts: Sequence[tuple[float, float, float]], variance: float | None = None) -> Shift:
    """The shift that fits a set's counts.

    Args:
        counts: For each step: what other sets state, the set's rate, and its questions.
        variance: What is known of shifts beforehand; ``None``: nothing but that they are finite.
    """
    prior = 1 / variance if variance else 1 / _FAR

    def excess(by: float) -> float:
        return sum(n * (rate - shift_probability(p, by)) for p, rate, n in counts) - prior * by

    value = _root(excess)
    rates = [(shift_probability(p, value), n) for p, _, n in counts]
    information = sum(n * p * (1 - p) for p, n in rates) + prior
    return Shift(value, 1 / sqrt(information))


def shifts(steps: Sequence[BySet]) -> list[Shift]:
    """The shift of every set from the rates of all others."""
    names = sorted({name for sets in steps for name in sets})
    values = []
    for name in names:
        others = [{n: c for n, c in sets.items() if n != name} for sets in steps]
        rates = fit_rates(others)
        # A step that no other set has says nothing of how sets differ.
        counts = [
            (p, sets[name].rate, sets[name].questions)
            for p, weight, sets in zip(rates.rates, rates.weights, steps, strict=True)
            if name in sets and weight
        ]
        if counts:
            values.append(shift_of(counts))
    return values


def spread_of(seen: Sequence[Shift]) -> Spread:
    """How far one more set may lie, by the shifts of the sets that there are."""
    # The others' mean is a draw, too: with k sets a shift has 1 + 1 / (k - 1) times the variance.
    off = 1 + 1 / (len(seen) - 1) if len(seen) > 1 else 1.0
    weights = [_likelihood(width, seen, off) for width in _WIDTHS]
    all_ = sum(weights)
    shares = [(width, weight / all_) for width, weight in zip(_WIDTHS, weights, strict=True)]

    def beyond(bound: float) -> float:
        return sum(share * (1 - _NORMAL.cdf(bound / width)) for width, share in shares) - TAIL

    return Spread(_root(beyond), sum(share * width**2 for width, share in shares))


_NORMAL = NormalDist()


def _likelihood(width: float, seen: Sequence[Shift], off: float) -> float:
    value = exp(-0.5 * (width / SCALE) ** 2)
    for shift in seen:
        variance = off * width**2 + shift.deviation**2
        value *= exp(-0.5 * shift.value**2 / variance) / sqrt(variance)
    return value


def _root(falling: Callable[[float], float]) -> float:
    """Where a falling function is 0."""
    low, high = -_FAR, _FAR
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
