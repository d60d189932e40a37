"""How far another set of labels may lie from those at hand.

Sets of labels differ: one group of people is more lenient than another in every situation. A set's
shift is the number that, added to the log odds of all rates, gives as many right labels as the set
has. It is measured against the rates of the *other* sets, as for a set that nobody has seen.
Shifts are taken as draws of a normal distribution around 0. With few sets its width is hardly
known, so all widths count, each as far as the shifts and a prior make it probable: half of a normal
distribution with standard deviation :data:`SCALE`, a customary choice for log odds that was not
fitted to labels. The bounds for one more draw are those of the mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from statistics import NormalDist

from sqlverdict.confidence.counts import BySet
from sqlverdict.confidence.rates import fit_rates, shift_probability

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
