"""Exact binomial tails and the bounds made from them."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

from sqlverdict.errors import UsageError

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
