"""Whether a difference between systems on the same cases could be chance.

Every test here is paired: the systems answered the same questions, and what counts is where
they differ. A large p-value never shows that two systems are equal; it says that these cases
cannot tell them apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from statistics import NormalDist

from sqlverdict.errors import UsageError
from sqlverdict.score.statistics.intervals import (
    BOOTSTRAP_LIMIT,
    CONFIDENCE,
    RESAMPLES,
    mean_and_error,
    mean_interval,
    resampled_means,
    z_of,
)

ALPHA = 0.05


@dataclass(frozen=True)
class PairedTest:
    """A mean difference, its interval, the chance of one as large, and how that was found.

    ``p_value`` is None where there is no pair to compare.
    """

    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    test: str
    interval: str
    pairs: int


@dataclass(frozen=True)
class Group:
    """Systems that the cases cannot tell apart from the group's best at the stated level.

    Not a claim of equality: more cases may separate them. ``p_values`` holds Holm's adjusted
    p-value of each system below the best, those told apart included.
    """

    best: str
    members: tuple[str, ...]
    p_values: Mapping[str, float]


def mcnemar(b: int, c: int) -> float:
    """McNemar's exact test, two-sided: could ``b`` losses and ``c`` gains be a fair coin?

    p = min(1, 2 P(X <= min(b, c))) with X binomial(b + c, 1/2). The sum runs from its largest
    term downwards and stops when a term no longer changes it, so a million differences take
    milliseconds; there is no switch to an approximation.

    Example: b = 1, c = 5 gives 2 (1 + 6) / 64 = 0.21875.
    """
    if b < 0 or c < 0:
        raise UsageError(f"McNemar's test was asked for counts {b} and {c}; both must be >= 0")
    n, fewer = b + c, min(b, c)
    if 2 * fewer == n:
        return 1.0
    # The term of ``fewer`` in logarithms: factorials of this size fit no float.
    largest = lgamma(n + 1) - lgamma(fewer + 1) - lgamma(n - fewer + 1) - n * log(2)
    term = total = 1.0
    for k in range(fewer, 0, -1):
        term *= k / (n - k + 1)
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, 2 * exp(largest + log(total)))


def paired_bootstrap(
    differences: Mapping[float, int] | Sequence[float],
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> PairedTest:
    """Test a mean difference of any metric by resampling cases.

    Above :data:`BOOTSTRAP_LIMIT` pairs the normal approximation is used and named.

    Args:
        differences: One value a case, or a histogram of them.
        seed: Where the random numbers start.
        resamples: How many samples are drawn with replacement.
    """
    counts = differences if isinstance(differences, Mapping) else Counter(differences)
    pairs = sum(counts.values())
    if not pairs:
        return PairedTest(None, None, None, None, "none", "none", 0)
    mean, error = mean_and_error(counts)
    low, high, label = mean_interval(counts, CONFIDENCE, seed, resamples)
    if not any(value and count for value, count in counts.items()):
        p_value = 1.0
    elif pairs > BOOTSTRAP_LIMIT:
        p_value = 2 * NormalDist().cdf(-abs(mean) / error) if error else 0.0
    else:
        p_value = bootstrap_p(resampled_means(counts, seed, resamples))
    return PairedTest(mean, low, high, p_value, f"paired {label}", label, pairs)


def bootstrap_p(differences: Sequence[float]) -> float:
    """The p-value of resampled differences: 2 min(k(<= 0), k(>= 0)), at most 1.

    One is added to counts and resamples so that it is never 0.
    """
    below, above = sum(d <= 0 for d in differences), sum(d >= 0 for d in differences)
    return min(1.0, 2 * (min(below, above) + 1) / (len(differences) + 1))


def binary_pairs(b: int, c: int, n: int) -> PairedTest:
    """Test a difference of shares: ``b`` lost and ``c`` gained of ``n`` pairs.

    The p-value is McNemar's. The interval is Agresti and Min's: Wald's with half a case added
    to each of the four cells, so that "no case changed" is not mistaken for certainty.
    """
    if not n:
        return PairedTest(None, None, None, None, "none", "none", 0)
    size = n + 2
    centre = (c - b) / size
    error = sqrt(max(0.0, (b + c + 1) - (c - b) ** 2 / size)) / size
    z = z_of(CONFIDENCE)
    low, high = max(-1.0, centre - z * error), min(1.0, centre + z * error)
    return PairedTest((c - b) / n, low, high, mcnemar(b, c), "mcnemar", "agresti-min", n)


def indistinguishable_groups(
    systems: Sequence[tuple[str, Sequence[float | None]]],
    *,
    binary: bool,
    seed: int = 0,
) -> list[Group]:
    """Cut a ranking into groups that the cases cannot tell apart.

    The first system leads the first group. Every system below it is tested against it on the
    cases scored for both (McNemar where the metric is binary, else the paired bootstrap, with
    resamples enough for a significant p-value after correction), with Holm's correction over
    these tests. The group reaches down to the first system that is told
    apart, which leads the next group. Systems of one group are not shown to be equal, and two
    members need not be indistinguishable from one another.

    Args:
        systems: Name and scores of each system in rank order, best first; scores are aligned,
            the i-th of every system belonging to the same case, None where unscored.
        binary: Whether every score is 0 or 1.
        seed: For the bootstrap.

    Raises:
        UsageError: the systems do not have the same number of scores.
    """
    sizes = {name: len(scores) for name, scores in systems}
    if len(set(sizes.values())) > 1:
        raise UsageError(f"systems have different numbers of scores {sizes}; align them by case id")
    groups: list[Group] = []
    start = 0
    while start < len(systems):
        best, scores = systems[start]
        rest = systems[start + 1 :]
        resamples = max(RESAMPLES, round(4 * len(rest) / ALPHA))
        raw = {name: _p_value(scores, other, binary, seed, resamples) for name, other in rest}
        adjusted = holm(raw)
        members = [best]
        for name, _ in rest:
            if adjusted[name] < ALPHA:
                break
            members.append(name)
        groups.append(Group(best, tuple(members), adjusted))
        start += len(members)
    return groups


def group_ranks(groups: Sequence[Group]) -> dict[str, int]:
    """The rank of each system: 1 + the number of systems in better groups; a group shares it."""
    ranks: dict[str, int] = {}
    for group in groups:
        ranks.update(dict.fromkeys(group.members, len(ranks) + 1))
    return ranks


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values: the smallest times m, the next times m - 1, ..., never falling."""
    adjusted: dict[str, float] = {}
    highest = 0.0
    ranked = sorted(p_values.items(), key=lambda item: (item[1], item[0]))
    for i, (name, p_value) in enumerate(ranked):
        highest = max(highest, min(1.0, p_value * (len(ranked) - i)))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


def _p_value(
    first: Sequence[float | None],
    second: Sequence[float | None],
    binary: bool,
    seed: int,
    resamples: int,
) -> float:
    differences = Counter(
        b - a for a, b in zip(first, second, strict=True) if a is not None and b is not None
    )
    if not differences:
        return 1.0  # no common case: nothing to tell them apart by
    if binary:
        return mcnemar(differences[-1.0], differences[1.0])
    p_value = paired_bootstrap(differences, seed=seed, resamples=resamples).p_value
    return 1.0 if p_value is None else p_value
