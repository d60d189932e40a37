"""Whether an instance obeys the facts: a small checker that shares nothing with the makers.

What it cannot see: partial unique indexes, and expressions and collations in unique indexes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import chain
from math import isnan

from sqlverdict.execute.session import TableRows
from sqlverdict.files.sqlite import open_in_memory, quote_name
from sqlverdict.parse.facts import (
    Affinity,
    Fact,
    HasAffinity,
    NotNull,
    References,
    Unique,
    affinity,
)
from sqlverdict.parse.schema import Schema, Table, is_strict, is_view, stored_type
from sqlverdict.parse.schemas.column_types import alike, collation
from sqlverdict.parse.schemas.create_table import column_part, create_table
from sqlverdict.parse.tokens import fold, solid
from sqlverdict.records import Cell, Row
from sqlverdict.refute.witness import Instance

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_BIGGEST = 2**63
"""Beyond this SQLite stores no integer."""
_NUMERIC: tuple[Affinity, ...] = ("INTEGER", "REAL", "NUMERIC")
_PLAIN: frozenset[type] = frozenset({type(None), int, str, bytes})
_EXACT = _PLAIN | {float}
_CONVERTED: Mapping[Affinity, frozenset[type]] = {
    "TEXT": frozenset({int, float}),
    **dict.fromkeys(_NUMERIC, frozenset({str})),
    "BLOB": frozenset(),
}
"""Of which types the cells are that SQLite may store as something else, by affinity."""
_SCHEMAS = 32
"""How many schemas keep their tables and facts for the next instance."""


def legal(
    instance: Instance,
    facts: Iterable[Fact],
    changed: str | None = None,
    column: str | None = None,
) -> list[str]:
    """What is wrong with an instance, in words; nothing where it obeys every fact.

    Args:
        instance: The rows.
        facts: What they must obey: any subset of the schema's facts. CHECK constraints are no
            facts and always count.
        changed: The one table whose rows are not those of a legal instance; by default all.
        column: The one column of it whose cells are not; by default all of them.
    """
    tables = _tables(instance.schema)
    rows_of = instance.rows
    own = rows_of if changed is None else {changed: rows_of.get(changed, ())}
    violations = list(_shapes(own, tables, column))
    if violations:
        return violations
    index = _index(facts if isinstance(facts, frozenset) else tuple(facts))
    if changed is None or column is None:
        checked = [fact for name, rows in own.items() if rows for fact in index.by_table(name)]
    else:
        checked = [*index.by_column(changed, column)] if own[changed] else []
    if changed is not None:
        # The rows of other tables may have lost their parents.
        others = index.by_parent.get(fold(changed), ())
        checked += [fact for fact in others if fact.table != changed and rows_of.get(fact.table)]
    # Of a wide table most facts are about one column each.
    columns = (
        {}
        if column is not None
        else {name: [*zip(*rows, strict=True)] for name, rows in own.items()}
    )
    for fact in checked:
        rows, table = rows_of[fact.table], tables[fact.table]
        if isinstance(fact, NotNull | HasAffinity):
            cells: Sequence[Cell] = (
                _column(table, rows, fact.column)
                if column is not None
                else columns[fact.table][_places(table)[fact.column]]
            )
            if isinstance(fact, HasAffinity):
                violations += _typed(fact, cells)
            elif None in cells:
                violations.append(f"{fact.table}.{fact.column} is NULL; it must never be")
        elif isinstance(fact, Unique):
            violations += _unique(fact, _collated(table, fact.columns, rows))
        elif isinstance(fact, References):
            violations += _references(fact, instance, table)
    for name, rows in own.items():
        table = tables[name]
        if rows:
            violations += _rowids(table, rows)
            if table.checks or is_strict(table.sql):
                violations += _checked(table, rows)
    return violations


@lru_cache(maxsize=_SCHEMAS)
def _tables(schema: Schema) -> dict[str, Table]:
    return {table.name: table for table in schema.tables}


class _FactIndex:
    """The facts of each table and of each column, and the references to each table."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._by_table: dict[str, list[Fact]] = {}
        self._by_column: dict[tuple[str, str], list[Fact]] = {}
        self.by_parent: dict[str, list[References]] = {}
        for fact in facts:
            self._by_table.setdefault(fact.table, []).append(fact)
            if isinstance(fact, References):
                self.by_parent.setdefault(fold(fact.parent), []).append(fact)

    def by_table(self, table: str) -> Sequence[Fact]:
        """The facts about the rows of a table."""
        return self._by_table.get(table, ())

    def by_column(self, table: str, column: str) -> Sequence[Fact]:
        """Those of them that another value of a column may break."""
        facts = self._by_column.get((table, column))
        if facts is None:
            facts = [fact for fact in self.by_table(table) if _speaks_of(fact, column)]
            self._by_column[table, column] = facts
        return facts


def _speaks_of(fact: Fact, column: str) -> bool:
    if isinstance(fact, NotNull | HasAffinity):
        return fact.column == column
    # The parents of a row may be rows of its own table.
    own_parent = isinstance(fact, References) and fold(fact.parent) == fold(fact.table)
    return own_parent or column in fact.columns


@lru_cache(maxsize=_SCHEMAS)
def _index(facts: frozenset[Fact] | tuple[Fact, ...]) -> _FactIndex:
    """The facts by what they speak of: an instance is one of many."""
    return _FactIndex(facts)


def _shapes(rows_of: TableRows, tables: Mapping[str, Table], column: str | None) -> Iterator[str]:
    """Whether tables and rows are of the schema at all, and cells are what SQLite can keep.

    ``column``: only the cells of this column are looked at.
    """
    for name, rows in rows_of.items():
        table = tables.get(name)
        if table is None or is_view(table):
            yield (
                f"{name} is not a table of the schema; rows belong to its tables, spelled as there"
            )
            continue
        width = len(table.columns)
        if {width}.issuperset(map(len, rows)) and _are_plain(
            [*chain.from_iterable(rows)] if column is None else _column(table, rows, column)
        ):
            continue
        for row in rows:
            if len(row) != width:
                yield f"a row of {name} has {len(row)} cells; expected {width}"
                break
            bad = [cell for cell in row if not _can_be_kept(cell)]
            if bad:
                yield f"{name} holds {bad[0]!r}, which SQLite cannot keep as it is"
                break


def _are_plain(cells: Sequence[Cell]) -> bool:
    """Whether cells are sure to be what SQLite can keep, looked at all together."""
    kinds = set(map(type, cells))
    if not kinds <= _PLAIN:
        return False
    integers = [cell for cell in cells if type(cell) is int]
    texts = [cell for cell in cells if type(cell) is str]
    return "".join(texts).isascii() and (
        not integers or (min(integers) >= -_BIGGEST and max(integers) < _BIGGEST)
    )


def _can_be_kept(cell: Cell) -> bool:
    if isinstance(cell, int):
        return not isinstance(cell, bool) and -_BIGGEST <= cell < _BIGGEST
    if isinstance(cell, float):
        return not isnan(cell)
    if isinstance(cell, str):
        return cell.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in cell)
    return cell is None or isinstance(cell, bytes)


def _typed(fact: HasAffinity, cells: Sequence[Cell]) -> Iterator[str]:
    """A cell that SQLite would store as something else is not what the database holds."""
    kinds = set(map(type, cells))
    if kinds <= _EXACT and kinds.isdisjoint(_CONVERTED[fact.affinity]):
        return
    for cell in cells:
        if cell is not None and as_stored(cell, fact.affinity) != cell:
            yield (
                f"{fact.table}.{fact.column} holds {cell!r}, which SQLite stores as "
                f"{as_stored(cell, fact.affinity)!r} under {fact.affinity} affinity"
            )
            return


def as_stored(cell: Cell, under: Affinity) -> Cell:
    """What SQLite makes of a value in a column of that affinity."""
    if under == "TEXT" and isinstance(cell, int | float):
        return str(cell)
    if under in _NUMERIC and isinstance(cell, str) and _NUMBER.fullmatch(cell):
        number = float(cell)
        if under == "REAL" or not number.is_integer() or abs(number) >= _BIGGEST:
            return number
        return int(cell) if _WHOLE.fullmatch(cell) else int(number)
    return cell


def _unique(fact: Unique, keys: Iterable[Row]) -> Iterator[str]:
    seen: set[Row] = set()
    for key in keys:
        if None not in key:
            if key in seen:
                yield f"{fact.table}({', '.join(fact.columns)}) repeats {key!r}; it is unique"
                return
            seen.add(key)


def _references(fact: References, instance: Instance, table: Table) -> Iterator[str]:
    parent = _tables(instance.schema).get(fact.parent) or instance.schema.table(fact.parent)
    if parent is None:
        return
    known = set(_collated(parent, fact.parent_columns, instance.rows.get(parent.name, ())))
    lost = [
        key
        for key in _tuples(table, instance.rows[table.name], fact.columns)
        if key not in known and None not in key
    ]
    if not lost:
        return
    # A child's value is compared as the parent's column would store it.
    kinds = [_affinity(instance.schema, parent, name) for name in fact.parent_columns]
    rules = [collation(parent.sql, name) for name in fact.parent_columns]
    for key in lost:
        stored = (as_stored(c, k) if k else c for c, k in zip(key, kinds, strict=True))
        parent_key = tuple(alike(cell, by) for cell, by in zip(stored, rules, strict=True))
        if parent_key not in known:
            yield f"{fact}: {key!r} has no parent"
            return


def _affinity(schema: Schema, table: Table, column: str) -> Affinity | None:
    declared = table.column(column)
    return (
        None
        if declared is None or schema.source == "tables_json"
        else affinity(stored_type(table, declared))
    )


def _rowids(table: Table, rows: Sequence[Row]) -> Iterator[str]:
    """The rowid's alias takes whole numbers and nothing else."""
    if table.sql is None or len(table.primary_key) != 1:
        return
    column = table.column(table.primary_key[0])
    if column is None or not column.not_null or column.type.upper() != "INTEGER":
        return
    if "without" in _options(table.sql):
        return
    for cell in _column(table, rows, column.name):
        if not isinstance(cell, int) and cell is not None:
            yield f"{table.name}.{column.name} holds {cell!r}; a rowid is a whole number"
            return


def _checked(table: Table, rows: Sequence[Row]) -> Iterator[str]:
    """What SQLite says of the rows under the CHECK constraints, and the types if STRICT."""
    parts = [column_part(column.name, column.type) for column in table.columns]
    parts += [f"CHECK ({check})" for check in table.checks]
    strict = " STRICT" if is_strict(table.sql) else ""
    marks = ", ".join("?" for _ in table.columns)
    with closing(open_in_memory()) as connection:
        try:
            connection.execute(create_table(table.name, parts) + strict)
        except sqlite3.Error:
            return  # a check that cannot be made by itself cannot be broken either
        for row in rows:
            try:
                connection.execute(f"INSERT INTO {quote_name(table.name)} VALUES ({marks})", row)
            except sqlite3.Error as error:
                yield f"{table.name} refuses the row {row!r}: {error}"
                return


@lru_cache(maxsize=1024)
def _options(sql: str) -> frozenset[str]:
    """The words behind a declaration's columns, among its last few."""
    return frozenset(map(str.lower, solid(sql)[-4:]))


def _column(table: Table, rows: Sequence[Row], name: str) -> list[Cell]:
    at = _places(table)[name]
    return [row[at] for row in rows]


_known: dict[int, tuple[Table, dict[str, int]]] = {}
"""By identity: the hash of a table reads all that is declared, which takes longer than to number
its columns. The table is kept too, so that no other can take its id."""
_KEPT_TABLES = 256
"""How many tables keep their column numbers for the next instance."""


def _places(table: Table) -> dict[str, int]:
    """Where each column stands; a wide table has many, and they are asked for one by one."""
    known = _known.get(id(table))
    if known is None:
        if len(_known) >= _KEPT_TABLES:
            _known.clear()
        indexes = {column.name: n for n, column in reversed(list(enumerate(table.columns)))}
        known = _known[id(table)] = (table, indexes)
    return known[1]


def _collated(table: Table, names: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    """The cells of some columns as their collations compare them."""
    rules = [collation(table.sql, name) for name in names]
    if all(by == "BINARY" for by in rules):
        return _tuples(table, rows, names)
    return [
        tuple([alike(cell, by) for cell, by in zip(cells, rules, strict=True)])
        for cells in _tuples(table, rows, names)
    ]


def _tuples(table: Table, rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
    columns = _places(table)
    indexes = [columns[name] for name in names]
    if len(indexes) == 1:
        index = indexes[0]
        return [(row[index],) for row in rows]
    return [tuple([row[at] for at in indexes]) for row in rows]
