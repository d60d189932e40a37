"""What a regularity is: a sentence about the real data that an instance keeps or breaks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf, log
from operator import itemgetter
from typing import ClassVar

from sqlverdict.files.sqlite import quote_name, quote_text
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Row
from sqlverdict.refute.witness import Instance

FEW_ROWS = 10
"""Fewer rows than this show nothing at all."""
MANY_ROWS = 20
"""What is said of values, or of two columns at once, needs as many rows as this."""
SURPRISE = 14.0
"""A rule between columns counts where independent columns would keep it by chance less than
once in a million times: ``-ln(probability) >= 14``."""

_SCHEMAS = 32
"""How many schemas keep their layout for the next instance."""
_COLUMNS = 4_096
"""How many columns of them keep their positions."""


class Regularity(ABC):
    """One thing the real data show. Subclasses are frozen dataclasses.

    ``survives_sampling``: whatever keeps it still keeps it when rows are taken away. An
    inclusion does not survive, unless the partners are taken along, and a table that is
    never empty does not.
    """

    survives_sampling: ClassVar[bool] = True

    @property
    @abstractmethod
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """The columns that it is about; an instance's other columns do not matter to it."""

    @abstractmethod
    def holds(self, instance: Instance) -> bool:
        """Whether the instance keeps it; a table without rows keeps everything said of rows."""

    @abstractmethod
    def counterexample(self) -> str:
        """A query with a row where a database breaks it, and none where it holds."""


class RowRegularity(Regularity):
    """A regularity that every row keeps or breaks by itself."""

    @abstractmethod
    def keeps(self, cells: Row) -> bool:
        """Whether one row keeps it, given its cells at ``column_refs``."""

    @abstractmethod
    def violation(self) -> str:
        """A SQL condition that is true in a row that breaks it."""

    def holds(self, instance: Instance) -> bool:
        """Whether every row keeps it."""
        return all(map(self.keeps, cells_of(instance, *self._names)))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The table and the columns: an instance is asked for them again and again."""
        return self.column_refs[0][0], *(column for _, column in self.column_refs)

    def counterexample(self) -> str:
        """A row that breaks it."""
        return (
            f"SELECT 1 FROM {quote_name(self.column_refs[0][0])} WHERE {self.violation()} LIMIT 1"
        )


@dataclass(frozen=True)
class ColumnRegularity(RowRegularity):
    """A regularity of one column, row by row."""

    table: str
    column: str

    @property
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """The column."""
        return ((self.table, self.column),)

    @property
    def _name(self) -> str:
        return spoken((self.table, self.column))


@lru_cache(maxsize=_SCHEMAS)
def _layout(schema: Schema) -> dict[str, tuple[str, dict[str, int]]]:
    """Each table's written name and its columns' positions."""
    return {
        fold(table.name): (
            table.name,
            {fold(column.name): at for at, column in enumerate(table.columns)},
        )
        for table in schema.tables
    }


def instance_rows(instance: Instance, table: str) -> tuple[Row, ...]:
    """The rows of a table; none where the schema has no such table."""
    name, _ = _layout(instance.schema).get(fold(table), (table, {}))
    return instance.rows.get(name, ())


def cells_of(instance: Instance, table: str, *columns: str) -> Sequence[Row]:
    """Some columns of a table's rows; nothing where the schema has no such table or column."""
    name, pick = _picking(instance.schema, table, columns)
    rows = instance.rows.get(name)
    return [pick(row) for row in rows] if rows and pick is not None else ()


@lru_cache(maxsize=_COLUMNS)
def _picking(
    schema: Schema, table: str, columns: tuple[str, ...]
) -> tuple[str, Callable[[Row], Row] | None]:
    """The table as the schema writes it, and what takes the columns out of a row."""
    name, indexes = _layout(schema).get(fold(table), (table, {}))
    at = [indexes.get(fold(column), -1) for column in columns]
    if min(at) < 0:
        return name, None
    if len(at) > 1:
        return name, itemgetter(*at)
    index = at[0]
    return name, lambda row: (row[index],)


def spoken(column_ref: ColumnRef) -> str:
    """A column as a sentence names it."""
    return f"{column_ref[0]}.{column_ref[1]}"


def sql_value(value: Cell) -> str:
    """A value as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return quote_text(value)
    return "9e999" if value == inf else "-9e999" if value == -inf else repr(value)


def surprise(probability: float, times: int) -> float:
    """How surprising it is that something of this probability happened so many times."""
    return times * -log(probability) if probability > 0 else inf if times else 0.0
