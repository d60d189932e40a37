"""Tables, columns and keys, whatever they were read from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from sqlverdict.parse.tokens import fold, solid

Source = Literal["sqlite", "ddl", "tables_json", "assumed", "catalogue"]
ColumnRef = tuple[str, str]
"""A table and a column, as the schema writes them."""


@dataclass(frozen=True)
class Column:
    """A column as declared.

    ``not_null`` says what holds, however it came about: NOT NULL, a rowid's alias
    (INTEGER PRIMARY KEY), or a primary key of a WITHOUT ROWID or STRICT table.
    ``default`` is the SQL text of the default value. ``generated`` is the SQL text of the
    expression of a generated column, which the engine computes and nobody can write. An
    ``invisible`` column is one that a star leaves out, and NATURAL JOIN too.
    """

    name: str
    type: str = ""
    not_null: bool = False
    default: str | None = None
    generated: str | None = None
    invisible: bool = False


@dataclass(frozen=True)
class ForeignKey:
    """Columns that point to a parent's columns.

    ``parent_columns`` is empty where the declaration names a parent that does not exist
    or has no matching primary key.
    """

    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table or view: its columns and what is declared about them.

    ``uniques`` holds UNIQUE constraints and unique indexes over plain columns, without
    partial ones; ``checks`` the SQL text of CHECK constraints; ``sql`` the declaration;
    ``indexes`` the declarations of unique indexes that ``uniques`` cannot express: partial
    ones, ones over expressions, and ones with a collation that is not the column's.

    ``paths`` are the names by which a query can mean the table with its schema or database, the
    outermost part first and the usual path first. ``name`` is the table's own where a query finds
    it by that, and ``schema.table`` otherwise: no other table of the schema has it.
    """

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    uniques: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[str, ...] = ()
    sql: str | None = None
    indexes: tuple[str, ...] = ()
    paths: tuple[tuple[str, ...], ...] = ()

    @property
    def is_hidden(self) -> bool:
        """Whether a query finds the table by its schema alone."""
        return bool(self.paths) and self.name != self.paths[0][-1]

    @property
    def address(self) -> tuple[str, ...]:
        """The parts of the name by which a query on the real database reads it."""
        return self.paths[0] if self.is_hidden else (self.name,)

    def source_text(self, quote: str = '"') -> str:
        """The same as text, each part in quotes."""
        return ".".join(quote + part.replace(quote, quote * 2) + quote for part in self.address)

    def column(self, name: str) -> Column | None:
        """The column of that name, in any case."""
        folded = fold(name)
        return next((column for column in self.columns if fold(column.name) == folded), None)


@dataclass(frozen=True)
class Schema:
    """The tables of one database.

    ``whole_keys`` is false where ``primary_key`` may hold only a part of the key: Spider's
    ``tables.json`` names the first column of a composite key and leaves out the others.
    ``null_keys`` follows SQLite: a declared primary key may then hold NULL wherever
    SQLite allows it. By default it never does, as in the SQL standard.
    ``own_functions`` are functions of the database that stand before the engine's of that name:
    what a query there means is not known, and nothing is proved or searched.
    """

    db_id: str
    tables: tuple[Table, ...]
    source: Source
    whole_keys: bool = True
    null_keys: bool = False
    own_functions: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Schema):
            return NotImplemented
        return self._hash == other._hash and self._content() == other._content()

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: the hash is another one in another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    @cached_property
    def _hash(self) -> int:
        # A schema is long, and caches look it up for every query: it is hashed once.
        return hash(self._content())

    def _content(self) -> tuple[object, ...]:
        keys = (self.whole_keys, self.null_keys)
        return (self.db_id, self.tables, self.source, keys, self.own_functions)

    @property
    def objection(self) -> str | None:
        """Why the meaning of no query is known here; ``None`` where it is."""
        if not self.own_functions:
            return None
        names = ", ".join(self.own_functions)
        return f"the database defines functions under names of the engine's own: {names}"

    @property
    def has_labels(self) -> bool:
        """Whether the types of its columns are labels for people."""
        return self.source in ("tables_json", "assumed")

    def table(self, name: str) -> Table | None:
        """The table of that name, in any case."""
        folded = fold(name)
        return next((table for table in self.tables if fold(table.name) == folded), None)


@lru_cache(maxsize=1_024)
def with_whole_keys(schema: Schema) -> Schema:
    """The schema with each known part of a key taken for the whole key, to make rows by.

    Such rows are legal whatever the whole key is: rows that differ in a part of a key differ in
    the key.
    """
    return schema if schema.whole_keys else replace(schema, whole_keys=True)


@lru_cache(maxsize=4_096)
def is_strict(sql: str | None) -> bool:
    """Whether a declaration ends in STRICT, among its options."""
    return "strict" in map(str.lower, solid(sql or "")[-4:])


def stored_type(table: Table, column: Column) -> str:
    """The type by which SQLite stores a column's values: ANY in a STRICT table changes nothing."""
    return "" if column.type.upper() == "ANY" and is_strict(table.sql) else column.type


def is_view(table: Table) -> bool:
    """Whether a table of a schema is a view."""
    return (table.sql or "").lstrip()[:12].upper().startswith("CREATE VIEW")
