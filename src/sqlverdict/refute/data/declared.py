"""What declared types promise, where there are no real data to grade a witness beside.

SQLite stores anything in a column declared DATE, and a witness may live on that. Beside real
data the grade tells such a witness from an ordinary one; without them the declaration is all
there is: a DATE holds a day (``2020-01-31``), a DATETIME or TIMESTAMP a day or a moment, a TIME a
time of day (``09:30:00``), and a number is finite and below 2^53, unless the queries themselves
name a larger one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Cell, Row
from sqlverdict.refute.data.mine.kind import ColumnRef, ColumnRegularity

_DAYS = ("DATE",)
_MOMENTS = ("DATETIME", "TIMESTAMP")
_TIME = "TIME"
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?")
_EXACT = 2**53
"""Up to here every whole number is exact as a floating-point one."""


@dataclass(frozen=True)
class DateColumn(ColumnRegularity):
    """The column holds days, moments too or times where it is declared so; NULL apart."""

    type: str

    def __str__(self) -> str:
        what = "times" if self.type == _TIME else "dates"
        return f"{self._name} is declared {self.type}, and holds {what}"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is such a date or time, or NULL."""
        cell = cells[0]
        if cell is None:
            return True
        if not isinstance(cell, str):
            return False
        if self.type == _TIME:
            return _CLOCK.fullmatch(cell) is not None
        return _is_day(cell) or (self.type in _MOMENTS and _is_moment(cell))

    def violation(self) -> str:
        """It is no text that SQLite's own date function reads."""
        column = quote_name(self.column)
        no_date = f"typeof({column}) <> 'text' OR date({column}) IS NULL"
        if self.type == _TIME:
            no_date += f" OR {column} NOT GLOB '[0-9][0-9]:*'"
        return f"{column} IS NOT NULL AND ({no_date})"


@dataclass(frozen=True)
class ExactNumbers(ColumnRegularity):
    """The column's numbers are finite, and whole ones small enough to be exact as REAL."""

    def __str__(self) -> str:
        return f"{self._name} holds numbers below 2^53"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is no such extreme."""
        return not is_inexact(cells[0])

    def violation(self) -> str:
        """It is a number beyond 2^53."""
        column = quote_name(self.column)
        return f"typeof({column}) IN ('integer', 'real') AND abs({column}) > {_EXACT}"


def is_inexact(cell: Cell) -> bool:
    """Whether a number is infinite, or too large to be exact as a floating-point one."""
    return isinstance(cell, int | float) and abs(cell) > _EXACT


def declared(
    schema: Schema, column_refs: Collection[ColumnRef], query_values: Iterable[Cell] = ()
) -> Iterator[ColumnRegularity]:
    """What the types of these columns promise.

    Args:
        schema: The tables.
        column_refs: The columns.
        query_values: The values that queries name; who names an extreme number expects some.
    """
    yield from (dated for dated in _dated(schema) if (dated.table, dated.column) in column_refs)
    if not any(map(is_inexact, query_values)):
        yield from (ExactNumbers(*column_ref) for column_ref in sorted(column_refs))


@lru_cache(maxsize=64)
def _dated(schema: Schema) -> tuple[DateColumn, ...]:
    columns = ((table.name, column) for table in schema.tables for column in table.columns)
    kinds = (
        (table, c.name, (c.type or "").partition("(")[0].strip().upper()) for table, c in columns
    )
    return tuple(
        DateColumn(t, c, type=kind) for t, c, kind in kinds if kind in (*_DAYS, *_MOMENTS, _TIME)
    )


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
