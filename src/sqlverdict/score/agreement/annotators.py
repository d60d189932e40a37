"""How far people agree with one another: Fleiss' kappa of all, Cohen's kappa of each two.

Fleiss' kappa = (P - e) / (1 - e). For a case with m votes of which n_j are for value j, the share
of agreeing pairs is P_i = (sum n_j² - m) / (m (m - 1)); P is its mean over the cases. e is the
sum over values of the squared share that the value has among all votes.

Example: three annotators on two cases, votes (1, 1, 1) and (1, 0, 0): P = (1 + 1/3) / 2 = 2/3,
e = (4/6)² + (2/6)² = 5/9, kappa = (2/3 - 5/9) / (1 - 5/9) = 0.25.

A case that an annotator left out enters no figure of which that annotator is a part. Where cases
count differently, means and shares of cases and votes are weighted; n is a number of cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlverdict.errors import UsageError

Vote = float | None


@dataclass(frozen=True)
class PairKappa:
    """Two annotators: Cohen's kappa, and the cases on which both voted."""

    a: str
    b: str
    kappa: float | None
    accuracy: float | None
    n: int


@dataclass(frozen=True)
class AnnotatorAgreement:
    """All annotators.

    Attributes:
        annotators: Their names.
        fleiss: Fleiss' kappa over the cases on which all voted.
        unanimous: On how many of these all said the same.
        n: How many these are.
        incomplete: How many cases lack a vote.
        pairs: Each two of them.
        fleiss_eq: Fleiss' kappa over the cases whose results match.
        fleiss_neq: The same where they differ.
    """

    annotators: tuple[str, ...]
    fleiss: float | None
    unanimous: int
    n: int
    incomplete: int
    pairs: tuple[PairKappa, ...]
    fleiss_eq: float | None = None
    fleiss_neq: float | None = None


@dataclass(frozen=True)
class ModeAgreement:
    """People who saw the queries beside people who saw results alone, on the same cases.

    Attributes:
        n: The cases with a label of both.
        same: The share of them with the same label.
        kappa: Cohen's kappa of both labels.
        right_by_queries: The share that is right to those who saw the queries.
        right_by_results: The share that is right to the others.
    """

    n: int
    same: float
    kappa: float | None
    right_by_queries: float
    right_by_results: float


def fleiss_kappa(rows: Sequence[Sequence[float]], weights: Sequence[float] = ()) -> float | None:
    """Fleiss' kappa of complete rows of votes, one row per case; ``None`` without meaning.

    Args:
        rows: The votes.
        weights: What each case counts; by default all count alike.

    Raises:
        UsageError: the rows do not have the same number of votes, or fewer than two.
    """
    if not rows:
        return None
    sizes = {len(row) for row in rows}
    if len(sizes) > 1 or min(sizes) < 2:
        raise UsageError(
            f"Fleiss' kappa was asked for rows of {sorted(sizes)} votes; expected the same number "
            f"in each, and at least 2. Leave incomplete rows out."
        )
    (m,) = sizes
    weights = weights or [1] * len(rows)
    totals: dict[float, float] = {}
    agreeing: float = 0
    for row, weight in zip(rows, weights, strict=True):
        counts = Counter(row)
        for value, number in counts.items():
            totals[value] = totals.get(value, 0) + number * weight
        agreeing += (sum(number * number for number in counts.values()) - m) * weight
    cases = sum(weights)
    observed = agreeing / (m * (m - 1) * cases)
    votes = m * cases
    chance = sum(number * number for number in totals.values()) / (votes * votes)
    return None if len(totals) == 1 else (observed - chance) / (1 - chance)


def cohen_kappa(
    pairs: Sequence[tuple[float, float]], weights: Sequence[float] = ()
) -> float | None:
    """Cohen's kappa of two annotators over any values; ``None`` without meaning.

    Args:
        pairs: What each of the two says of a case.
        weights: What each case counts; by default all count alike.
    """
    if len({value for pair in pairs for value in pair}) < 2:
        return None
    weights = weights or [1] * len(pairs)
    left: dict[float, float] = {}
    right: dict[float, float] = {}
    for (a, b), weight in zip(pairs, weights, strict=True):
        left[a] = left.get(a, 0) + weight
        right[b] = right.get(b, 0) + weight
    n = sum(weights)
    chance = sum(left[value] * right.get(value, 0) for value in left)
    same = _sum_where(weights, (a == b for a, b in pairs))
    return (same * n - chance) / (n * n - chance)


def _sum_where(weights: Iterable[float], hold: Iterable[bool]) -> float:
    return sum(weight for weight, holds in zip(weights, hold, strict=True) if holds)


def mode_agreement(
    labels: Sequence[tuple[float, float]], weights: Sequence[float] = ()
) -> ModeAgreement | None:
    """How labels by queries and labels by results agree; ``None`` where no case has both.

    Args:
        labels: Of each case the label by queries, and that by results.
        weights: What each case counts; by default all count alike.
    """
    if not labels:
        return None
    weights = weights or [1] * len(labels)
    whole = sum(weights)
    return ModeAgreement(
        n=len(labels),
        same=_sum_where(weights, (a == b for a, b in labels)) / whole,
        kappa=cohen_kappa(labels, weights),
        right_by_queries=_sum_where(weights, (a == 1 for a, _ in labels)) / whole,
        right_by_results=_sum_where(weights, (b == 1 for _, b in labels)) / whole,
    )


def annotator_agreement(
    annotators: Sequence[str],
    rows: Sequence[tuple[Sequence[Vote], bool | None]],
    weights: Sequence[float] = (),
) -> AnnotatorAgreement | None:
    """How the annotators agree; ``None`` where there are fewer than two.

    Args:
        annotators: Their names.
        rows: Each case's votes, in the order of the names, and whether the results match.
        weights: What each case counts; by default all count alike.
    """
    if len(annotators) < 2:
        return None
    weights = weights or [1] * len(rows)
    whole: list[tuple[list[float], bool | None, float]] = []
    for (votes, equal), weight in zip(rows, weights, strict=True):
        cast = [vote for vote in votes if vote is not None]
        if len(cast) == len(annotators):
            whole.append((cast, equal, weight))
    pairs = []
    for a, b in combinations(range(len(annotators)), 2):
        both: list[tuple[float, float]] = []
        counts: list[float] = []
        for (votes, _), weight in zip(rows, weights, strict=True):
            first, second = votes[a], votes[b]
            if first is not None and second is not None:
                both.append((first, second))
                counts.append(weight)
        accuracy = _sum_where(counts, (x == y for x, y in both)) / sum(counts) if both else None
        kappa = cohen_kappa(both, counts)
        pairs.append(PairKappa(annotators[a], annotators[b], kappa, accuracy, len(both)))

    def fleiss(halves: Sequence[bool | None]) -> float | None:
        own = [(votes, weight) for votes, equal, weight in whole if equal in halves]
        return fleiss_kappa([votes for votes, _ in own], [weight for _, weight in own])

    return AnnotatorAgreement(
        annotators=tuple(annotators),
        fleiss=fleiss((True, False, None)),
        unanimous=sum(len(set(votes)) == 1 for votes, *_ in whole),
        n=len(whole),
        incomplete=len(rows) - len(whole),
        pairs=tuple(pairs),
        fleiss_eq=fleiss((True,)),
        fleiss_neq=fleiss((False,)),
    )
