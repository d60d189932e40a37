"""Whether labels tell two metrics apart, and how many more would.

Two metrics are compared on the cases that both scored. b cases are judged as people do by the
first alone, c by the second alone; McNemar's exact test says whether b and c could be a fair
coin. How many labels would settle it is estimated from the shares seen so far (Connor 1987):
with d = |b - c| / n, the difference of the two accuracies, and s = (b + c) / n, the share of
cases on which they differ,

    n* = (z(1 - alpha/2) sqrt(s) + z(power) sqrt(s - d²))² / d²

labels find a difference of that size with the given power, and max(0, n* - n) more are needed.
Where cases count differently, the differences of accuracy and kappa are weighted; the test and the
number of labels are for cases that count alike, and are left out.

It takes the shares seen so far for the true ones: with few labels it is a rough guide, and where
no difference was seen there is none to settle.

Example: n = 100, b = 4, c = 12, so d = 0.08 and s = 0.16. alpha 0.05 and power 0.8 give
(1.95996 * 0.4 + 0.84162 * sqrt(0.1536))² / 0.0064 = 193.9..., so 194 labels, 94 more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

from sqlverdict.errors import UsageError
from sqlverdict.score.agreement.agreement import RatedCase, resampled, weighted_confusion
from sqlverdict.score.statistics.intervals import CONFIDENCE
from sqlverdict.score.statistics.resample import percentiles
from sqlverdict.score.statistics.significance import ALPHA, mcnemar

POWER = 0.8


@dataclass(frozen=True)
class MetricDifference:
    """Two metrics on the labelled cases that both scored.

    Attributes:
        a: The first metric.
        b: The second.
        n: Cases that both scored.
        only_a: Cases that only the first judges as people do.
        only_b: Cases that only the second judges as people do.
        difference: Accuracy of the second less that of the first.
        kappa_difference: The same of the kappas, where both have a meaning.
        low: Lower end of the kappa difference's interval (paired bootstrap).
        high: Upper end.
        p_value: McNemar's exact test of the accuracies; ``None``: cases count differently.
        labels_needed: Labels that would find a difference of this size; ``None``: none seen, or
            cases count differently.
        more_labels: How many more these are than there are.
    """

    a: str
    b: str
    n: int
    only_a: int
    only_b: int
    difference: float | None
    kappa_difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    labels_needed: int | None
    more_labels: int | None


def labels_needed(
    only_a: int, only_b: int, n: int, *, alpha: float = ALPHA, power: float = POWER
) -> int | None:
    """How many labels would tell the two apart; see the formula above.

    Returns:
        ``None`` where the labels so far show no difference: no number would settle it.

    Raises:
        UsageError: the counts do not fit n, or alpha and power are no shares.
    """
    if min(only_a, only_b) < 0 or only_a + only_b > n:
        raise UsageError(f"{only_a} and {only_b} cases of {n} cannot be; count them again")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise UsageError(f"alpha is {alpha} and power {power}; both must lie between 0 and 1")
    if only_a == only_b:
        return None
    gap = abs(only_a - only_b) / n
    share = (only_a + only_b) / n
    z = NormalDist().inv_cdf
    root = z(1 - alpha / 2) * sqrt(share) + z(power) * sqrt(share - gap * gap)
    # Never fewer than the differing cases that McNemar's exact test needs at all.
    fewest = next(k for k in range(1, 10_000) if mcnemar(0, k) < alpha)
    return max(ceil(root * root / (gap * gap) - 1e-9), ceil(fewest / share - 1e-9))


def compare_metrics(
    a: tuple[str, Sequence[RatedCase]],
    b: tuple[str, Sequence[RatedCase]],
    *,
    seed: int = 0,
) -> MetricDifference:
    """Two metrics against the same labels.

    Args:
        a: The first metric's name and its cases.
        b: The second's.
        seed: For the bootstrap of the kappa difference.
    """
    opinions = {item.id: item.opinion for item in b[1]}
    cells = Counter(
        (bool(item.opinion), bool(opinions[item.id]), item.label, item.weight)
        for item in a[1]
        if item.opinion is not None and opinions.get(item.id) is not None
    )
    n = sum(cells.values())
    only_a = sum(count for (x, y, label, _), count in cells.items() if x == label != y)
    only_b = sum(count for (x, y, label, _), count in cells.items() if y == label != x)
    if n == 0:
        return MetricDifference(a[0], b[0], 0, 0, 0, *(None,) * 7)
    gaps = [
        gap for sample in resampled(cells, seed) if (gap := _kappa_difference(sample)) is not None
    ]
    low, high = percentiles(gaps, CONFIDENCE) if gaps else (None, None)
    alike = len({weight for *_, weight in cells}) == 1
    needed = labels_needed(only_a, only_b, n) if alike else None
    gap = sum(
        count * weight * ((y == label) - (x == label))
        for (x, y, label, weight), count in cells.items()
    )
    whole = sum(count * weight for (*_, weight), count in cells.items())
    return MetricDifference(
        a=a[0],
        b=b[0],
        n=n,
        only_a=only_a,
        only_b=only_b,
        difference=gap / whole,
        kappa_difference=_kappa_difference(cells),
        low=low,
        high=high,
        p_value=mcnemar(only_a, only_b) if alike else None,
        labels_needed=needed,
        more_labels=None if needed is None else max(0, needed - n),
    )


def _kappa_difference(cells: Counter[tuple[bool, bool, bool, float]]) -> float | None:
    by_a = [(x, label, number * weight) for (x, _, label, weight), number in cells.items()]
    by_b = [(y, label, number * weight) for (_, y, label, weight), number in cells.items()]
    first, second = weighted_confusion(by_a).kappa, weighted_confusion(by_b).kappa
    return None if first is None or second is None else second - first
