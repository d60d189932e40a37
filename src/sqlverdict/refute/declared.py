"""What declared types promise, where there are no real data to grade a witness beside.

SQLite stores anything in a column declared DATE, and a witness may live on that. Beside real
data the grade tells such a witness from an ordinary one; without them the declaration is all
there is: a DATE holds a day (``2020-01-31``), a DATETIME or TIMESTAMP a day or a moment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from sqlverdict.parse.schema import Schema
from sqlverdict.records import Row
from sqlverdict.refute.arena import quoted
from sqlverdict.refute.mine.kind import ColumnRegularity, Place
from sqlverdict.refute.per_schema import per_schema

_DAYS = ("DATE",)
_MOMENTS = ("DATETIME", "TIMESTAMP")


@dataclass(frozen=True)
class Dated(ColumnRegularity):
    """The column holds days, or moments too where it is declared so; NULL apart."""

    type: str

    def __str__(self) -> str:
        return f"{self._name} is declared {self.type}, and holds dates"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is such a date, or NULL."""
        cell = cells[0]
        if cell is None:
            return True
        if not isinstance(cell, str):
            return False
        return _is_day(cell) or (self.type in _MOMENTS and _is_moment(cell))

    def violation(self) -> str:
        """It is no text that SQLite's own date function reads."""
        column = quoted(self.column)
        return f"{column} IS NOT NULL AND (typeof({column}) <> 'text' OR date({column}) IS NULL)"


def declared(schema: Schema, places: Collection[Place]) -> Iterator[Dated]:
    """What the types of these columns promise."""
    return (found for found in _dated(schema) if (found.table, found.column) in places)


@per_schema
def _dated(schema: Schema) -> tuple[Dated, ...]:
    columns = ((table.name, column) for table in schema.tables for column in table.columns)
    kinds = (
        (table, c.name, (c.type or "").partition("(")[0].strip().upper()) for table, c in columns
    )
    return tuple(Dated(t, c, type=kind) for t, c, kind in kinds if kind in (*_DAYS, *_MOMENTS))


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
