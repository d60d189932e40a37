"""A difference between two queries on some rows, before it is a witness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlverdict.records import Comparison, Outcome
from sqlverdict.refute.shrink import Content, Cost
from sqlverdict.refute.witness import Origin


@dataclass
class Difference:
    """A difference on an instance, before it is shrunk."""

    rows: Content
    gold: Outcome
    prediction: Outcome
    comparison: Comparison


class SmallDifference(NamedTuple):
    """A difference on few rows, how far these are from ordinary, and where they came from."""

    difference: Difference
    cost: Cost
    origin: Origin
    instances_tried: int


def is_whole(difference: Difference | None, rows: Content) -> bool:
    """Whether there is a difference, and the engine accepted every row."""
    return difference is not None and all(
        len(difference.rows.get(table, ())) == len(content) for table, content in rows.items()
    )
