"""The real rows, read once and never written to.

A table is read whole up to ``max_rows`` rows and a million and a half cells. Of a larger one
every n-th row is read, by rowid, so that the sample is the same on every machine and spread
over the table; what it shows is then confirmed on the whole file.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlverdict.errors import DatabaseError
from sqlverdict.files.sqlite import open_read_only, quote_name, sqlite_reason
from sqlverdict.parse.schema import ColumnRef, Table, is_view
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Row

_MOST_CELLS = 1_500_000
"""How many cells of a table are read at most."""


@dataclass(frozen=True)
class Values:
    """A column of a sample.

    Attributes:
        column_ref: Its table and name.
        cells: Its values, in the rows' order.
    """

    column_ref: ColumnRef
    cells: tuple[Cell, ...]

    @cached_property
    def counts(self) -> Counter[Cell]:
        """How often each value occurs, NULL left out."""
        counts = Counter(self.cells)
        counts.pop(None, None)
        return counts

    @cached_property
    def present(self) -> int:
        """How many are not NULL."""
        return self.counts.total()

    @cached_property
    def unique(self) -> bool:
        """Whether no value but NULL repeats."""
        return len(self.counts) == self.present

    @cached_property
    def kind(self) -> str:
        """``number``, ``text``, ``blob``, ``mixed``, or ``nothing``."""
        names = {int: "number", float: "number", str: "text", bytes: "blob"}
        kinds = {names[kind] for kind in set(map(type, self.counts))}
        return kinds.pop() if len(kinds) == 1 else "mixed" if kinds else "nothing"


@dataclass(frozen=True)
class Sample:
    """Rows of one real table.

    Attributes:
        table: The table, as the schema describes it.
        columns: The columns that both the schema and the file have.
        rows: The rows, one value for each of ``columns``.
        total: How many rows the file holds.
    """

    table: Table
    columns: tuple[str, ...]
    rows: list[Row]
    total: int

    @property
    def whole(self) -> bool:
        """Whether every row was read."""
        return len(self.rows) == self.total

    @property
    def complete(self) -> bool:
        """Whether every column of the schema's table is there."""
        return len(self.columns) == len(self.table.columns)

    @cached_property
    def values(self) -> tuple[Values, ...]:
        """The columns with their values."""
        cells = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return tuple(
            Values((self.table.name, name), tuple(column))
            for name, column in zip(self.columns, cells, strict=True)
        )


@contextmanager
def reading(database: Path) -> Iterator[sqlite3.Connection]:
    """The database, for reading alone, leaving nothing beside it.

    Raises:
        DatabaseError: it is missing, or is not a database.
    """
    try:
        with closing(open_read_only(database)) as connection:
            connection.text_factory = _lenient
            yield connection
    except sqlite3.Error as error:
        raise DatabaseError(
            f"{database} cannot be read as SQLite ({error}); check or restore the file",
            reason=sqlite_reason(error),
        ) from error


def read_samples(
    connection: sqlite3.Connection, tables: Iterable[Table], max_rows: int
) -> dict[str, Sample]:
    """A sample of each of the tables that the file has too, by the schema's name."""
    samples: dict[str, Sample] = {}
    entries = connection.execute("SELECT name, wr FROM pragma_table_list WHERE schema = 'main'")
    rowids = {fold(name): not without for name, without in entries}
    for table in tables:
        if fold(table.name) not in rowids or is_view(table):
            continue
        names = connection.execute("SELECT name FROM pragma_table_info(?)", (table.name,))
        there = {fold(name) for (name,) in names}
        # A quoted name that is no column would silently become a string.
        columns = tuple(c.name for c in table.columns if fold(c.name) in there)
        if columns:
            samples[table.name] = _read(
                connection, table, columns, max_rows, rowids[fold(table.name)]
            )
    return samples


def _read(
    connection: sqlite3.Connection,
    table: Table,
    columns: tuple[str, ...],
    max_rows: int,
    has_rowid: bool,
) -> Sample:
    source = quote_name(table.name)
    (total,) = connection.execute(f"SELECT COUNT(*) FROM {source}").fetchone()
    most = max(1, min(max_rows, _MOST_CELLS // len(columns)))
    sql = f"SELECT {', '.join(map(quote_name, columns))} FROM {source}"
    if total > most:
        if has_rowid:
            sql += f" WHERE rowid % {-(-total // most)} = 0"
        sql += f" LIMIT {most}"
    return Sample(table, columns, connection.execute(sql).fetchall(), total)


def _lenient(data: bytes) -> str:
    return data.decode("utf-8", "replace")
