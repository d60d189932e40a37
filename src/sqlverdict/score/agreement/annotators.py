"""How far people agree with one another: Fleiss' kappa of all, Cohen's kappa of each two.

Fleiss' kappa = (P - e) / (1 - e). For a case with m votes of which n_j are for value j, the share
of agreeing pairs is P_i = (sum n_j² - m) / (m (m - 1)); P is its mean over the cases. e is the
sum over values of the squared share that the value has among all votes.

Example: three annotators on two cases, votes (1, 1, 1) and (1, 0, 0): P = (1 + 1/3) / 2 = 2/3,
e = (4/6)² + (2/6)² = 5/9, kappa = (2/3 - 5/9) / (1 - 5/9) = 0.25.

A case that an annotator left out enters no figure of which that annotator is a part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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


def fleiss_kappa(rows: Sequence[Sequence[float]]) -> float | None:
    """Fleiss' kappa of complete rows of votes, one row per case; ``None`` without meaning.

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
    totals: Counter[float] = Counter()
    agreeing = 0
    for row in rows:
        counts = Counter(row)
        totals.update(counts)
        agreeing += sum(number * number for number in counts.values()) - m
    observed = agreeing / (m * (m - 1) * len(rows))
    votes = m * len(rows)
    chance = sum(number * number for number in totals.values()) / (votes * votes)
    return None if len(totals) == 1 else (observed - chance) / (1 - chance)


def cohen_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Cohen's kappa of two annotators over any values; ``None`` without meaning."""
    n = len(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(left[value] * right[value] for value in left)
    if n == 0 or chance == n * n:
        return None
    same = sum(a == b for a, b in pairs)
    return (same * n - chance) / (n * n - chance)


def mode_agreement(labels: Sequence[tuple[float, float]]) -> ModeAgreement | None:
    """How labels by queries and labels by results agree; ``None`` where no case has both.

    Args:
        labels: Of each case the label by queries, and that by results.
    """
    n = len(labels)
    if not n:
        return None
    return ModeAgreement(
        n=n,
        same=sum(a == b for a, b in labels) / n,
        kappa=cohen_kappa(labels),
        right_by_queries=sum(a == 1 for a, _ in labels) / n,
        right_by_results=sum(b == 1 for _, b in labels) / n,
    )


def annotator_agreement(
    annotators: Sequence[str],
    rows: Sequence[tuple[Sequence[Vote], bool | None]],
) -> AnnotatorAgreement | None:
    """How the annotators agree; ``None`` where there are fewer than two.

    Args:
        annotators: Their names.
        rows: Each case's votes, in the order of the names, and whether the results match.
    """
    if len(annotators) < 2:
        return None
    whole: list[tuple[list[float], bool | None]] = []
    for votes, equal in rows:
        cast = [vote for vote in votes if vote is not None]
        if len(cast) == len(annotators):
            whole.append((cast, equal))
    pairs = []
    for a, b in combinations(range(len(annotators)), 2):
        both: list[tuple[float, float]] = []
        for votes, _ in rows:
            first, second = votes[a], votes[b]
            if first is not None and second is not None:
                both.append((first, second))
        accuracy = sum(x == y for x, y in both) / len(both) if both else None
        pairs.append(
            PairKappa(annotators[a], annotators[b], cohen_kappa(both), accuracy, len(both))
        )
    return AnnotatorAgreement(
        annotators=tuple(annotators),
        fleiss=fleiss_kappa([votes for votes, _ in whole]),
        unanimous=sum(len(set(votes)) == 1 for votes, _ in whole),
        n=len(whole),
        incomplete=len(rows) - len(whole),
        pairs=tuple(pairs),
        fleiss_eq=fleiss_kappa([votes for votes, equal in whole if equal is True]),
        fleiss_neq=fleiss_kappa([votes for votes, equal in whole if equal is False]),
    )
