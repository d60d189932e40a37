"""Tables with other column types, and extreme rows in them that obey a set of facts."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.parse.facts import Fact, NotNull, References, Unique
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.data.mine.kind import sql_value
from sqlverdict.refute.trial.tie_breaks import broken_ties

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Table

Cell = int | float | str | bytes | None
Rows = list[tuple[Cell, ...]]

_INTEGERS: tuple[Cell, ...] = (0, 1, 1, 2, 2, 3, 4, 5, -1, 2**53 + 1, 2**53)
_REALS: tuple[Cell, ...] = (
    0.0,
    1.0,
    1.0,
    2.0,
    1.5,
    2.5,
    0.1,
    -1.0,
    -0.0,
    float("inf"),
    -float("inf"),
)
_TEXTS: tuple[Cell, ...] = ("", "1", "1", "2", "01", " 1", "1e3", "1.0", "A", "a", "ab", "2013-06")
_BLOBS: tuple[Cell, ...] = (b"\0", b"1", b"a")
_MIXED = (*_INTEGERS, *_TEXTS, *_BLOBS, 1.0, 2.5)
_VALUES: dict[str, tuple[Cell, ...]] = {
    "INTEGER": _INTEGERS,
    "REAL": _REALS,
    "TEXT": _TEXTS,
    "NUMERIC": (*_INTEGERS, 2.5, 0.1, "A", "a", ""),
    "BLOB": _MIXED,
    "": _MIXED,
}
_MOST_ROWS = 6
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12


def retyped(ddl: str, rng: Random, *types: str) -> Schema:
    """The tables of a DDL without keys, each column declared as one of the types."""
    tables = read_ddl(ddl, "retyped").tables
    column_lists = [
        ", ".join(f'"{column.name}" {rng.choice(types)}'.rstrip() for column in table.columns)
        for table in tables
    ]
    statements = [
        f'CREATE TABLE "{table.name}" ({columns})'
        for table, columns in zip(tables, column_lists, strict=True)
    ]
    return read_ddl(";\n".join(statements), "retyped")


@dataclass(frozen=True)
class ArrangedRows:
    """A database in several arrangements of its rows, which show what depends on their order."""

    script: str
    arrangements: tuple[sqlite3.Connection, ...]

    def compare(self, before: str, after: str) -> tuple[object, object] | None:
        """The two answers where they differ; ``None`` where they agree or nothing can be said.

        An answer that depends on the order of rows or on how ties are broken says nothing, nor
        does a query that fails.
        """
        first = [_answer(connection, before) for connection in self.arrangements]
        if any(isinstance(rows, str) or not _alike(rows, first[0]) for rows in first):
            return None
        for connection in self.arrangements:
            now = _answer(connection, after)
            if isinstance(now, str) and "overflow" in now:
                return None
            if not _alike(first[0], now):
                return (first[0], now) if self._is_determined(before, first[0]) else None
        return None

    def _is_determined(self, sql: str, rows: Rows | str) -> bool:
        """Whether a query answers the same however its ties are broken."""
        for other in broken_ties(sql):
            now = _answer(self.arrangements[0], other)
            if not isinstance(now, str) and not _alike(rows, now):
                return False
        return True


def data_for(
    schema: Schema,
    facts: frozenset[Fact],
    rng: Random,
    values: Callable[[str], Sequence[Cell]] | None = None,
) -> ArrangedRows:
    """Extreme rows that obey the facts; keys and foreign keys among them.

    Args:
        schema: The tables.
        facts: What the rows obey.
        rng: Chooses.
        values: What a column of a declared type may hold; extreme values, where not given.
    """
    values = values or _values
    tables = [_ddl(table, facts) for table in schema.tables]
    first = _opened(tables)
    for table in schema.tables:
        # Few values in many cells: rows meet, and an extreme one is seldom alone.
        domains = [values(column.type) for column in table.columns]
        few = [rng.choice(each) for each in domains for _ in range(2)]
        for _ in range(rng.choice((0, 2, 4, _MOST_ROWS, _MOST_ROWS))):
            # The table itself refuses a row that breaks a fact.
            first.execute(_insert(table, [_cell(each, few, rng) for each in domains]))
    orphans = [_orphans(fact) for fact in sorted(facts, key=str) if isinstance(fact, References)]
    for statement in orphans * 2:
        first.execute(statement)
    rows = [
        _insert(table, row)
        for table in schema.tables
        for row in first.execute(f'SELECT * FROM "{table.name}"')  # noqa: S608 - our own name
    ]
    return arranged_rows(tables, rows)


def arranged_rows(tables: Sequence[str], rows: Sequence[str]) -> ArrangedRows:
    """A database by the statements that make its tables and its rows."""
    first = _opened([*tables, *rows])
    reverse_inserted = _opened([*tables, *rows[::-1]])
    backwards = _opened([*tables, *rows, "PRAGMA reverse_unordered_selects = ON"])
    return ArrangedRows(";\n".join([*tables, *rows]), (first, reverse_inserted, backwards))


def _insert(table: Table, cells: Sequence[Cell]) -> str:
    values = ", ".join(map(sql_value, cells))
    return f'INSERT OR IGNORE INTO "{table.name}" VALUES ({values})'  # noqa: S608 - our own


def _values(declared: str) -> Sequence[Cell]:
    return _VALUES.get(declared.upper().split(" ")[0], _MIXED)


def _cell(values: Sequence[Cell], few: Sequence[Cell], rng: Random) -> Cell:
    """One of the values of a column: often one that other columns have, so that rows meet."""
    if rng.random() < 0.5:
        shared = [value for value in few if value in values]
        if shared:
            return rng.choice(shared)
    return None if rng.random() < 0.2 else rng.choice(values)


def _ddl(table: Table, facts: frozenset[Fact]) -> str:
    """A table that enforces the facts itself, so that rows which break them are not inserted."""
    name = table.name.lower()
    filled = {f.column.lower() for f in facts if isinstance(f, NotNull) and f.table.lower() == name}
    columns = [
        f'"{c.name}" {c.type}{" NOT NULL" if c.name.lower() in filled else ""}'
        for c in table.columns
    ]
    keys = sorted(
        f"UNIQUE ({', '.join(fact.columns)})"
        for fact in facts
        if isinstance(fact, Unique) and fact.table.lower() == name
    )
    return f'CREATE TABLE "{table.name}" ({", ".join([*columns, *keys])})'


def _orphans(fact: References) -> str:
    met = " AND ".join(
        f'p."{owner}" = "{fact.table}"."{child}"'
        for child, owner in zip(fact.columns, fact.parent_columns, strict=True)
    )
    not_null = " AND ".join(f'"{child}" IS NOT NULL' for child in fact.columns)
    inner = f'SELECT 1 FROM "{fact.parent}" AS p WHERE {met}'  # noqa: S608 - our own names
    return f'DELETE FROM "{fact.table}" WHERE {not_null} AND NOT EXISTS ({inner})'  # noqa: S608


def _opened(statements: Sequence[str]) -> sqlite3.Connection:
    connection = open_in_memory()
    for statement in statements:
        connection.execute(statement)
    return connection


def _answer(connection: sqlite3.Connection, sql: str) -> Rows | str:
    """The rows of a query, or the error it ends in."""
    try:
        return connection.execute(sql).fetchall()
    except (sqlite3.Error, OverflowError) as error:
        return str(error)


def _alike(one: Rows | str, other: Rows | str) -> bool:
    """Whether two answers are the same bag of rows, up to rounding."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    if len(one) != len(other):
        return False
    if one == other or Counter(one) == Counter(other):
        return True
    pairs = zip(sorted(one, key=_rank), sorted(other, key=_rank), strict=True)
    return all(len(a) == len(b) and all(map(_same, a, b)) for a, b in pairs)


def _rank(row: tuple[Cell, ...]) -> list[tuple[int, str | float]]:
    ranks: list[tuple[int, str | float]] = []
    for cell in row:
        if isinstance(cell, int | float):
            ranks.append((1, float(f"{cell:.8g}")))
        else:
            ranks.append((0 if cell is None else 2 if isinstance(cell, str) else 3, repr(cell)))
    return ranks


def _same(one: Cell, other: Cell) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            return False
        return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
    return one == other
