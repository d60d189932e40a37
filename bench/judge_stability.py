"""How steady a judge is: how often it changes its verdict when it is asked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Stability:
    """What repeated votes on the same cases show.

    Attributes:
        cases: Cases with at least two votes that could be read.
        flipped: Cases whose votes are not all the same.
        pairs: Pairs of votes on the same case.
        disagreeing: Pairs that differ.
    """

    cases: int
    flipped: int
    pairs: int
    disagreeing: int

    @property
    def flip_rate(self) -> float | None:
        """The share of cases whose verdict changed; ``None`` without a case."""
        return self.flipped / self.cases if self.cases else None

    @property
    def disagreement(self) -> float | None:
        """The chance that two askings of the same case differ; ``None`` without a pair."""
        return self.disagreeing / self.pairs if self.pairs else None


def stability(votes: Iterable[Sequence[bool | None]]) -> Stability:
    """How often votes on the same case differ; votes that could not be read are left out.

    Args:
        votes: For each case its votes, such as ``Opinion.votes`` of a panel.
    """
    cases = flipped = pairs = disagreeing = 0
    for each in votes:
        cast = [vote for vote in each if vote is not None]
        if len(cast) < 2:
            continue
        cases += 1
        flipped += len(set(cast)) > 1
        both = list(combinations(cast, 2))
        pairs += len(both)
        disagreeing += sum(one != other for one, other in both)
    return Stability(cases, flipped, pairs, disagreeing)
