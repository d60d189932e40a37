"""What a schema promises about every database that obeys it.

Facts are objects: a rewriting rule asks for them, a generator of databases obeys them, the
documentation prints them. They hold under SQLite's rules:

* a PRIMARY KEY is never NULL. SQLite lets a key hold NULL that is not the rowid's alias, not
  declared NOT NULL and not in a WITHOUT ROWID or STRICT table; nobody who declares a key means
  that. ``Schema.null_keys`` allows it, as SQLite does;
* ``Unique`` says that no two rows agree on all the columns *and* have no NULL among them:
  any number of rows may hold NULL;
* ``References`` is declared, not enforced: SQLite checks foreign keys only on request.

Names are written as the schema writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.parse.schema import Column, Schema, Table, stored_type
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.parse.tokens import fold

Affinity = Literal["INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC"]

_SIZE = re.compile(r"\([^)]*\)")
_INTEGER = re.compile(r"(?:U|TINY|SMALL|MEDIUM|BIG|LONG|HUGE)?INT(?:EGER)?\d*")
_ENFORCED: dict[str, Affinity] = {"integer": "INTEGER", "real": "REAL", "text": "TEXT"}
_BESIDE_INTEGERS = frozenset(
    ("SIGNED", "UNSIGNED", "ZEROFILL", "TINY", "SMALL", "MEDIUM", "BIG", "LONG", "SHORT")
)


@dataclass(frozen=True)
class HasAffinity:
    """The column's affinity: what SQLite makes of a value where it can, never a check."""

    table: str
    column: str
    affinity: Affinity

    def __str__(self) -> str:
        return f"{self.table}.{self.column} has {self.affinity} affinity"


@dataclass(frozen=True)
class NotNull:
    """The column is never NULL."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column} is never NULL"


@dataclass(frozen=True)
class Unique:
    """No two rows agree on all these columns without a NULL among them."""

    table: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table}({', '.join(self.columns)}) is unique where not NULL"


@dataclass(frozen=True)
class PrimaryKey:
    """The declared primary key; ``Unique`` and ``NotNull`` say what follows from it."""

    table: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table}({', '.join(self.columns)}) is the primary key"


@dataclass(frozen=True)
class References:
    """Every row without a NULL among the columns has a row with these values in the parent."""

    table: str
    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]

    def __str__(self) -> str:
        child = f"{self.table}({', '.join(self.columns)})"
        return f"{child} references {self.parent}({', '.join(self.parent_columns)})"


Fact = HasAffinity | NotNull | Unique | PrimaryKey | References


def cited_facts(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Facts in words, in an order that depends on nothing else."""
    return tuple(sorted(map(str, facts)))


def facts_of(schema: Schema, dialect: str = DEFAULT_DIALECT) -> frozenset[Fact]:
    """Every fact of a schema.

    A ``tables.json`` labels types for people and may cut composite keys short: its labels
    make no ``HasAffinity``, and its keys count only where ``schema.whole_keys``.

    Args:
        schema: The tables.
        dialect: Of the engine that keeps them: elsewhere than in SQLite the affinity says that
            the column's type is one of integers, of doubles, or of texts.
    """
    return _all_facts(schema, dialect)


@lru_cache(maxsize=256)
def _all_facts(schema: Schema, dialect: str) -> frozenset[Fact]:
    return frozenset(
        fact for table in schema.tables for fact in _table_facts(schema, table, dialect)
    )


def _table_facts(schema: Schema, table: Table, dialect: str) -> Iterator[Fact]:
    name = table.name
    keys = table.primary_key if schema.whole_keys and not schema.null_keys else ()
    for column in table.columns:
        if schema.source != "tables_json":
            declared = _affinity_of(table, column, dialect)
            if declared is not None:
                yield HasAffinity(name, column.name, declared)
        if column.not_null or column.name in keys:
            yield NotNull(name, column.name)
    if table.primary_key and schema.whole_keys:
        yield PrimaryKey(name, table.primary_key)
    for columns in (table.primary_key if schema.whole_keys else (), *table.uniques):
        if columns and not _lets_equal_values_in(table, columns, dialect):
            yield Unique(name, columns)
    for key in table.foreign_keys:
        if key.parent_columns and schema.table(key.parent) is not None:
            yield References(name, key.columns, key.parent, key.parent_columns)


def _lets_equal_values_in(table: Table, key: Sequence[str], dialect: str) -> bool:
    """Whether two rows may have values in a key that are equal under their columns' collations."""
    names = {fold(name) for name in key} if dialect_of(dialect).byte_keys else ()
    return any(
        fold(column.name) in names and column_values(table, column, dialect) == "collated"
        for column in table.columns
    )


def _affinity_of(table: Table, column: Column, dialect: str) -> Affinity | None:
    if not dialect_of(dialect).typed:
        return column_affinity(stored_type(table, column))
    return _ENFORCED.get(column_values(table, column, dialect))


def column_affinity(declared: str) -> Affinity:
    """The affinity of a column, told apart by what its type is meant to hold.

    SQLite stores a value in an INTEGER and in a NUMERIC column alike; both may hold 2.5. A type
    that is the name of an integer is taken at its word. One that has INT among its letters by
    accident (FLOATING POINT, INTERVAL) promises no integers: its columns are NUMERIC.
    """
    own_affinity = affinity(declared)
    if own_affinity == "INTEGER" and not names_integers(declared):
        return "NUMERIC"
    return own_affinity


def names_integers(declared: str) -> bool:
    """Whether a declared type is the name of an integer: INT, BIGINT(20), UNSIGNED BIG INT ..."""
    words = _SIZE.sub(" ", declared.upper()).split()
    plain = [word for word in words if word not in _BESIDE_INTEGERS]
    return bool(plain) and all(_INTEGER.fullmatch(word) for word in plain)


def affinity(declared: str) -> Affinity:
    """SQLite's affinity for a declared type, by its five rules in their order."""
    upper = declared.upper()
    if "INT" in upper:
        return "INTEGER"
    if any(part in upper for part in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in upper or not upper:
        return "BLOB"
    if any(part in upper for part in ("REAL", "FLOA", "DOUB")):
        return "REAL"
    return "NUMERIC"
