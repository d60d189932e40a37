"""A value that a query compares a column with."""

from __future__ import annotations

from dataclasses import dataclass

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell


@dataclass(frozen=True)
class Hint:
    """A column is compared with a value.

    ``direct`` where the column stands alone on its side; otherwise it is inside a function.
    ``mixed`` where other columns stand there too: the value is not one of the column's own.
    """

    column_ref: ColumnRef
    operator: str
    value: Cell
    direct: bool = True
    mixed: bool = False
