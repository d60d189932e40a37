"""The values for one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlverdict.parse.facts import Affinity
from sqlverdict.records import Cell

Kind = Affinity | Literal["BYTES"]
"""A column's affinity; BYTES where a STRICT table takes nothing else."""

PLAIN_TEXTS: tuple[Cell, ...] = ("a", "b", "c", "d")
"""Values for a column of texts of which nothing else is known."""


@dataclass(frozen=True)
class ValuePool:
    """Values for one column.

    ``kind`` is the column's affinity; ``good`` satisfy a comparison of one of the queries,
    ``near`` just miss or just meet it, ``plain`` are ordinary, ``odd`` are corners of the type.
    A ``closed`` pool has all the values that there are. ``extreme`` ones, beyond what a
    floating-point number holds exactly, come late in a search.
    """

    kind: Kind
    good: tuple[Cell, ...]
    near: tuple[Cell, ...]
    plain: tuple[Cell, ...]
    odd: tuple[Cell, ...]
    nullable: bool
    closed: bool = False
    extreme: tuple[Cell, ...] = ()
