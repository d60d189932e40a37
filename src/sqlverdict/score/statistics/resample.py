"""Counts as another sample of the same size would give them: the bootstrap on counts.

Resampling n items with replacement only matters through how often each kind of item is drawn,
so tables and curves are resampled as counts, in time that hardly depends on n. Draws are exact
up to :data:`EXACT` items; beyond that a count is drawn from the Poisson or the rounded normal
distribution, which no interval of a few digits can tell from the binomial.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import exp, sqrt

EXACT = 2_000
"""Items up to which every bit of a draw counts."""

_POISSON = 60.0
"""Expected draws below which the Poisson distribution is used, beyond EXACT."""


def generator(seed: int) -> random.Random:
    """Random numbers that are the same on every machine."""
    return random.Random(seed)  # noqa: S311 (not for secrets)


def exact_binomial(rng: random.Random, trials: int, chance: float) -> int:
    """How many of ``trials`` uniform numbers lie below ``chance``, all compared bit by bit.

    A number is settled at the first bit in which it differs from ``chance``, so every round
    settles half of those left: some 2 * trials random bits in all, and no approximation.
    """
    hits = 0
    while trials and 0.0 < chance < 1.0:
        ones = rng.getrandbits(trials).bit_count()
        chance *= 2
        if chance >= 1.0:  # the bit of ``chance`` is 1: a zero lies below it
            hits += trials - ones
            trials = ones
            chance -= 1.0
        else:
            trials -= ones
    return hits + (trials if chance >= 1.0 else 0)


def binomial(rng: random.Random, trials: int, chance: float) -> int:
    """How many of ``trials`` succeed with that chance."""
    if trials <= EXACT:
        return exact_binomial(rng, trials, chance)
    if chance > 0.5:
        return trials - binomial(rng, trials, 1.0 - chance)
    mean = trials * chance
    if mean < _POISSON:
        return min(trials, _poisson(rng, mean))
    draw = round(rng.gauss(mean, sqrt(mean * (1 - chance))))
    return min(max(draw, 0), trials)


def multinomial(rng: random.Random, counts: Sequence[int]) -> list[int]:
    """Counts of a sample of the same size, drawn with replacement."""
    left = mass = sum(counts)
    draws = []
    for count in counts:
        hits = left if count == mass else binomial(rng, left, count / mass)
        draws.append(hits)
        left -= hits
        mass -= count
    return draws


def percentiles(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """The interval that leaves out the same number of values at both ends."""
    ordered = sorted(values)
    # The small term absorbs rounding.
    cut = min(int((1 - confidence) / 2 * len(ordered) + 1e-9), (len(ordered) - 1) // 2)
    return ordered[cut], ordered[-1 - cut]


def _poisson(rng: random.Random, mean: float) -> int:
    """By adding up probabilities until they pass a uniform number."""
    term = total = exp(-mean)
    goal, hits = rng.random(), 0
    while total < goal and term > 0.0:
        hits += 1
        term *= mean / hits
        total += term
    return hits
