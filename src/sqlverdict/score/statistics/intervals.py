"""How sure an estimate is: Wilson's interval for shares, the bootstrap for other means.

A binary metric gets Wilson's score interval, which stays inside [0, 1] and is honest at 0 and
at 1. Any other metric gets the percentile bootstrap over a histogram of its values, so that
memory does not grow with the cases; above :data:`BOOTSTRAP_LIMIT` cases the normal
approximation takes over, and the label says so. Certified thresholds rest on exact binomial tails
and the bounds made from them.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate
from math import exp, fsum, lgamma, log, log1p, sqrt
from random import Random
from statistics import NormalDist

from sqlverdict.errors import UsageError
from sqlverdict.score.statistics.resample import exact_binomial, generator, percentiles

CONFIDENCE = 0.95
RESAMPLES = 1000
BOOTSTRAP_LIMIT = 20_000
"""Scored cases above which the mean of resamples is taken as normal."""

DRAWS_PER_BINOMIAL = 25
"""One binomial number costs about as much time as this many single draws (measured)."""


def wilson(successes: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval for a share.

    Example: 0 of 10 right gives an upper bound of z² / (n + z²) = 3.84 / 13.84 = 0.278. Numbers
    need not be whole: dependent cases are worth fewer independent ones.

    Raises:
        UsageError: there are no cases, or more successes than cases.
    """
    if n < 1 or not 0 <= successes <= n:
        raise UsageError(
            f"an interval for {successes} successes in {n} cases was asked for; "
            "at least one case and at most as many successes as cases are needed"
        )
    z = z_of(confidence)
    share = successes / n
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    centre = share + z * z / (2 * n)
    low = 0.0 if successes == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if successes == n else min(1.0, (centre + spread) / scale)
    return low, high


def mean_interval(
    counts: Mapping[float, int],
    confidence: float = CONFIDENCE,
    seed: int = 0,
    resamples: int = RESAMPLES,
    limit: int = BOOTSTRAP_LIMIT,
) -> tuple[float, float, str]:
    """Interval for the mean of the values in a histogram; the same seed gives the same interval.

    Args:
        counts: How often each value occurs.
        confidence: The share of such intervals that hold the true mean.
        seed: Where the random numbers start.
        resamples: How many samples are drawn with replacement.
        limit: The number of cases above which the normal approximation is used.

    Returns:
        The lower end, the upper end and the method: "bootstrap" or "normal".

    Raises:
        UsageError: the histogram is empty.
    """
    if _size(counts) > limit:
        return (*normal_mean(counts, confidence), "normal")
    return (*_bootstrap(tuple(sorted(counts.items())), confidence, seed, resamples), "bootstrap")


@lru_cache(maxsize=64)
def _bootstrap(
    counts: tuple[tuple[float, int], ...], confidence: float, seed: int, resamples: int
) -> tuple[float, float]:
    """The ends of a bootstrap interval; slices of a run often hold the same values as all of it."""
    return percentiles(resampled_means(dict(counts), seed, resamples), confidence)


def normal_mean(counts: Mapping[float, int], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Mean plus and minus z standard errors, within the range of the values."""
    mean, error = mean_and_error(counts)
    spread = z_of(confidence) * error
    values = _values(counts)
    return _within(mean - spread, values), _within(mean + spread, values)


def mean_and_error(counts: Mapping[float, int]) -> tuple[float, float]:
    """The mean of a histogram and its standard error, 0 where there is one case."""
    n = _size(counts)
    mean = _within(fsum(value * count for value, count in counts.items()) / n, _values(counts))
    squares = fsum(count * (value - mean) ** 2 for value, count in counts.items())
    return mean, sqrt(squares / max(1, n - 1) / n)


def resampled_means(counts: Mapping[float, int], seed: int, resamples: int) -> list[float]:
    """Means of samples drawn with replacement, each as large as the histogram.

    Two ways to draw, picked by cost: case by case, or one binomial number for each distinct
    value. Values are sorted first, so the histogram's own order does not matter; they are
    added up exactly, as ``sum`` rounds in other ways in other versions of Python.
    """
    _size(counts)
    return list(_means(tuple((value, counts[value]) for value in _values(counts)), seed, resamples))


@lru_cache(maxsize=64)
def _means(counts: tuple[tuple[float, int], ...], seed: int, resamples: int) -> tuple[float, ...]:
    """An interval and a test of one histogram read the same means, in several reports of a run."""
    values = [value for value, _ in counts]
    weights = [weight for _, weight in counts]
    n = sum(weights)
    rng = generator(seed)
    if len(values) == 1:
        return (values[0],) * resamples
    if len(values) * DRAWS_PER_BINOMIAL < n:
        sums = (_multinomial_sum(rng, values, weights, n) for _ in range(resamples))
    else:
        ends = list(accumulate(weights))
        cases = [values[bisect(ends, i)] for i in range(n)]
        sums = (fsum(rng.choices(cases, k=n)) for _ in range(resamples))
    return tuple(_within(total / n, values) for total in sums)


def _multinomial_sum(rng: Random, values: list[float], weights: list[int], draws: int) -> float:
    total, left, mass = 0.0, draws, sum(weights)
    for value, weight in zip(values[:-1], weights[:-1], strict=True):
        hits = exact_binomial(rng, left, weight / mass)
        total += value * hits
        left -= hits
        mass -= weight
    return total + values[-1] * left


def _values(counts: Mapping[float, int]) -> list[float]:
    """The values that occur, in order.

    As fractions: caches hold 1 and 1.0 for the same key, and a report writes them in two ways.
    """
    return sorted(float(value) for value, count in counts.items() if count)


def _within(mean: float, values: list[float]) -> float:
    """A mean of the values, which rounding may have put beyond the smallest or the largest."""
    return min(max(mean, values[0]), values[-1])


def _size(counts: Mapping[float, int]) -> int:
    n = sum(counts.values())
    if n < 1:
        raise UsageError("an interval for no values was asked for; at least one value is needed")
    return n


def z_of(confidence: float) -> float:
    """How many standard errors a two-sided interval reaches to each side: 1.96 for 0.95."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence}; it must lie between 0 and 1, such as 0.95")
    return NormalDist().inv_cdf((1 + confidence) / 2)


_NEGLIGIBLE = 1e-17
_HALVINGS = 60


def at_most(successes: int, trials: int, chance: float) -> float:
    """P(X <= successes) for a binomial X; exact up to rounding, also for millions of trials.

    The sum runs from its largest term away from the mean and stops when a term no longer
    changes it.

    Example: at most 1 of 3 with chance 1/2: (1 + 3) / 8 = 0.5.

    Raises:
        UsageError: there are negative trials, or the chance is none.
    """
    if trials < 0 or not 0 <= chance <= 1:
        raise UsageError(f"{trials} trials of chance {chance}; expected 0 or more, and 0 to 1")
    if successes < 0:
        return 0.0
    if successes >= trials or chance == 0:
        return 1.0
    if chance == 1:
        return 0.0
    if successes > trials * chance:
        return 1.0 - at_most(trials - successes - 1, trials, 1 - chance)
    largest = (
        lgamma(trials + 1)
        - lgamma(successes + 1)
        - lgamma(trials - successes + 1)
        + successes * log(chance)
        + (trials - successes) * log1p(-chance)
    )
    term = total = 1.0
    for k in range(successes, 0, -1):
        term *= k * (1 - chance) / ((trials - k + 1) * chance)
        total += term
        if term < total * _NEGLIGIBLE:
            break
    return min(1.0, exp(largest) * total)


def upper_bound(successes: int, trials: int, alpha: float) -> float:
    """Clopper and Pearson's one-sided upper bound: below the true chance at most alpha of times.

    The chance p at which P(X <= successes) = alpha. Example: 0 of n gives 1 - alpha^(1/n).
    """
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha}; it must lie between 0 and 1, such as 0.05")
    if not 0 <= successes <= trials:
        raise UsageError(f"{successes} successes in {trials} trials; expected no more than trials")
    if successes >= trials:
        return 1.0
    low, high = successes / trials, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if at_most(successes, trials, middle) > alpha:
            low = middle
        else:
            high = middle
    return high
