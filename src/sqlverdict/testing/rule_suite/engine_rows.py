"""Tables with an engine's own column types, and rows in them that obey a set of facts."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from sqlverdict.dialects import Values, dialect_of
from sqlverdict.parse.facts import Fact, NotNull, References, Unique, column_affinity
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.schemas.ddl import read_ddl

if TYPE_CHECKING:
    from sqlverdict.records import Cell, Row

_BY_AFFINITY: dict[str, Values] = {"INTEGER": "integer", "REAL": "real", "TEXT": "text"}
_INTEGERS: tuple[Cell, ...] = (0, 1, 1, 2, 2, 3, 4, 5, -1, 2_000_000_000)
_REALS: tuple[Cell, ...] = (0.0, 1.0, 1.0, 2.0, 1.5, 2.5, 0.1, -1.0)
_TEXTS: tuple[Cell, ...] = ("", "1", "1", "2", "01", "a", "A", "ab", "a ", "2013-06")
_DATES: tuple[Cell, ...] = ("2013-06-01", "2013-06-02", "2020-02-29")
_TRUTHS: tuple[Cell, ...] = (True, False)
_MOST_ROWS = 6


def retyped_for(ddl: str, dialect: str, rng: Random, *types: str) -> Schema:
    """The tables of a DDL without keys, each column declared as one of the types.

    Without types a column gets the engine's type for what the DDL says: integers, reals or texts.
    """
    tables = []
    for table in read_ddl(ddl, "retyped").tables:
        columns = [
            (column.name, rng.choice(types) if types else _type(column.type, dialect))
            for column in table.columns
        ]
        tables.append((table.name, columns))
    return _schema(tables)


def _type(declared: str, dialect: str) -> str:
    values = _BY_AFFINITY.get(column_affinity(declared), "integer")
    return dict(dialect_of(dialect).sample_types)[values]


def sample_types(dialect: str) -> tuple[str, ...]:
    """What every column of a rule's tables is declared as, in turn; mixtures come behind them."""
    return tuple(declared for _, declared in dialect_of(dialect).sample_types)


def _schema(tables: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> Schema:
    from sqlverdict.parse.schema import Column

    return Schema(
        "retyped",
        tuple(
            Table(name, tuple(Column(column, declared) for column, declared in columns))
            for name, columns in tables
        ),
        "ddl",
    )


def rows_for(
    schema: Schema, facts: frozenset[Fact], rng: Random, dialect: str
) -> dict[str, tuple[Row, ...]]:
    """Rows that obey the facts; keys and foreign keys among them."""
    content: dict[str, list[Row]] = {}
    for table in schema.tables:
        few = [rng.choice(_values(column.type)) for column in table.columns for _ in range(2)]
        rows = [
            tuple(_cell(column.type, few, rng) for column in table.columns)
            for _ in range(rng.choice((0, 2, 4, _MOST_ROWS, _MOST_ROWS)))
        ]
        content[table.name] = _legal_rows(table, rows, facts, dialect)
    references = sorted((fact for fact in facts if isinstance(fact, References)), key=str)
    for fact in references * 2:
        _drop_orphans(schema, content, fact)
    return {name: tuple(rows) for name, rows in content.items()}


def _values(declared: str) -> Sequence[Cell]:
    if declared.startswith(("VARCHAR", "TEXT")):
        return _TEXTS
    if declared.startswith(("DOUBLE", "DECIMAL", "NUMERIC")):
        return _REALS
    return {"DATE": _DATES, "BOOLEAN": _TRUTHS}.get(declared, _INTEGERS)


def _cell(declared: str, few: Sequence[Cell], rng: Random) -> Cell:
    """A value for a column: often one that other columns have, so that rows meet."""
    values = _values(declared)
    if rng.random() < 0.5:
        shared = [value for value in few if value in values]
        if shared:
            return rng.choice(shared)
    return None if rng.random() < 0.2 else rng.choice(values)


def _legal_rows(table: Table, rows: list[Row], facts: frozenset[Fact], dialect: str) -> list[Row]:
    """The rows that break no key and no NOT NULL."""
    positions = {column.name.lower(): number for number, column in enumerate(table.columns)}
    own = [fact for fact in facts if fact.table.lower() == table.name.lower()]
    filled = [positions[fact.column.lower()] for fact in own if isinstance(fact, NotNull)]
    keys = [
        [positions[c.lower()] for c in fact.columns] for fact in own if isinstance(fact, Unique)
    ]
    rows = [row for row in rows if all(row[position] is not None for position in filled)]
    for key in keys:
        seen: set[Row] = set()
        legal = []
        for row in rows:
            values = tuple(_folded(row[position], dialect) for position in key)
            if None in values or values not in seen:
                legal.append(row)
                seen.add(values)
        rows = legal
    return rows


def _folded(cell: Cell, dialect: str) -> Cell:
    """What a key takes for the same: texts may differ in case and last spaces."""
    inexact = isinstance(cell, str) and not dialect_of(dialect).exact_texts
    return str(cell).lower().rstrip(" ") if inexact else cell


def _drop_orphans(schema: Schema, content: dict[str, list[Row]], fact: References) -> None:
    def values(owner: str, columns: Sequence[str]) -> list[tuple[Row, Row]]:
        table = schema.table(owner)
        assert table is not None, owner
        positions = [
            number
            for name in columns
            for number, column in enumerate(table.columns)
            if column.name.lower() == name.lower()
        ]
        return [
            (row, tuple(row[position] for position in positions)) for row in content[table.name]
        ]

    parents = {key for _, key in values(fact.parent, fact.parent_columns)}
    legal = [row for row, key in values(fact.table, fact.columns) if None in key or key in parents]
    table = schema.table(fact.table)
    assert table is not None, fact.table
    content[table.name] = legal
