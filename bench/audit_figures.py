"""Figures of a ranking against labels: area under the ROC curve, gain, hits among the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from sqlverdict.score.statistics.intervals import CONFIDENCE
from sqlverdict.score.statistics.resample import percentiles

SAMPLES = 2000


def auc(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """How often a wrong gold ranks above a right one; ``None`` without one of either."""
    wrong = sorted(rank for rank, label in pairs if label)
    right = sorted(rank for rank, label in pairs if not label)
    if not wrong or not right:
        return None
    below = Counter(right)
    values = sorted(below)
    total, position, seen = 0.0, 0, 0
    for rank in wrong:
        while position < len(values) and values[position] < rank:
            seen += below[values[position]]
            position += 1
        total += seen + below.get(rank, 0) / 2
    return total / len(wrong) / len(right)


def interval(pairs: Sequence[tuple[float, bool]], seed: int = 0) -> str:
    """The area with its interval; one gold a question, so golds are drawn."""
    area = auc(pairs)
    if area is None:
        return "–"  # noqa: RUF001
    random = Random(seed)
    areas = (auc(random.choices(pairs, k=len(pairs))) for _ in range(SAMPLES))
    low, high = percentiles([result for result in areas if result is not None], CONFIDENCE)
    return f"{area:.3f} ({low:.2f} to {high:.2f})"


def gain(after: Sequence[tuple[float, bool]], before: Sequence[float], seed: int = 0) -> str:
    """How much larger the area is than before, with the interval of the difference."""
    joined = [(one, old, label) for (one, label), old in zip(after, before, strict=True)]

    def difference(sample: Sequence[tuple[float, float, bool]]) -> float | None:
        new = auc([(one, label) for one, _, label in sample])
        old = auc([(other, label) for _, other, label in sample])
        return None if new is None or old is None else new - old

    random = Random(seed)
    values = (difference(random.choices(joined, k=len(joined))) for _ in range(SAMPLES))
    low, high = percentiles([result for result in values if result is not None], CONFIDENCE)
    return f"{difference(joined) or 0.0:+.3f} ({low:+.2f} to {high:+.2f})"


def precision(pairs: Sequence[tuple[float, bool]], most: int, seed: int = 0) -> str:
    """The share of wrong golds among the first, with its interval."""
    random = Random(seed)
    shares = [first(random.choices(pairs, k=len(pairs)), most) for _ in range(SAMPLES)]
    low, high = percentiles(shares, CONFIDENCE)
    return f"{first(pairs, most):.2f} ({low:.2f} to {high:.2f})"


def first(pairs: Sequence[tuple[float, bool]], most: int) -> float:
    """The share of wrong golds among the first; of golds with one rank, the expected number."""
    tied: dict[float, list[bool]] = {}
    for rank, label in pairs:
        tied.setdefault(rank, []).append(label)
    left, hits = min(most, len(pairs)), 0.0
    total = left
    for rank in sorted(tied, reverse=True):
        labels = tied[rank]
        number = min(left, len(labels))
        hits += sum(labels) * number / len(labels)
        left -= number
        if not left:
            break
    return hits / total if total else 0.0
