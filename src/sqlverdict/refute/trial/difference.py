"""A difference between two queries on some rows, before it is a witness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlverdict.records import Answer, Comparison, Outcome, Reason
from sqlverdict.refute.shrink import Content, Cost
from sqlverdict.refute.witness import Origin

Rank = tuple[int, int, int]
"""How far rows are from ordinary, and whether the answers say the same on them."""
BEST: Rank = (0, 0, 0)


@dataclass
class Difference:
    """A difference on an instance, before it is shrunk."""

    rows: Content
    gold: Outcome
    prediction: Outcome
    comparison: Comparison

    @property
    def says_the_same(self) -> bool:
        """Whether both answers say the same: rows repeated, or nothing said in two ways.

        Nothing is no row, or rows that hold nothing but NULL.
        """
        if not isinstance(self.gold, Answer) or not isinstance(self.prediction, Answer):
            return False
        if self.comparison.reasons == (Reason.DUPLICATES_MISMATCH,):
            return True
        return _says_nothing(self.gold) and _says_nothing(self.prediction)


def _says_nothing(answer: Answer) -> bool:
    return all(cell is None for row in answer.rows for cell in row)


@dataclass(frozen=True)
class Separation:
    """A difference, and the instance of the search that showed it."""

    difference: Difference
    origin: Origin
    instances_tried: int


class SmallDifference(NamedTuple):
    """A difference on few rows, and how far these are from ordinary."""

    separation: Separation
    cost: Cost

    @property
    def rank(self) -> Rank:
        """What a search prefers, least first: ordinary rows, then a difference that tells more."""
        return (*self.cost, int(self.separation.difference.says_the_same))


def is_legal_difference(difference: Difference | None, rows: Content) -> bool:
    """Whether there is a difference, and the engine accepted every row."""
    return difference is not None and all(
        len(difference.rows.get(table, ())) == len(content) for table, content in rows.items()
    )
