"""A schema, a query and real rows of another engine as SQLite would have them, for the fast screen.

Nothing rests on the translation being right: what it proposes, the engine itself confirms.

The real rows, in a SQLite file, grade a witness and give it real values. Tables are copied once a
process. A table with more rows than are copied is left out; a witness that touches such a table
is not graded.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Engine, Limits, Session
from sqlverdict.execute.servers.patience import patiently
from sqlverdict.files.references import is_server
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table, is_view
from sqlverdict.parse.schemas.column_types import LOOSE, column_values
from sqlverdict.parse.schemas.create_table import column_part, create_table
from sqlverdict.records import Answer, Query
from sqlverdict.refute.target.lite_forms import with_lite_forms

_TEXT = "TEXT"
_SQLGLOT_ERRORS = (
    SqlglotError,
    RecursionError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
)
"""What sqlglot raises over texts that it trips over; they are then tried on the engine alone."""
_KINDS: dict[str, frozenset[exp.DType]] = {
    "INTEGER": frozenset((*exp.DataType.INTEGER_TYPES, exp.DType.YEAR, exp.DType.BIGNUM)),
    "REAL": frozenset(exp.DataType.FLOAT_TYPES),
    "NUMERIC": frozenset(exp.DataType.NUMERIC_TYPES),
    "BLOB": frozenset((exp.DataType.Type.BINARY, exp.DataType.Type.VARBINARY)),
    "DATE": frozenset((exp.DataType.Type.DATE, exp.DataType.Type.DATE32)),
    "TIME": frozenset((exp.DType.TIME, exp.DType.TIMETZ, exp.DType.TIME_NS)),
    "DATETIME": frozenset(exp.DataType.TEMPORAL_TYPES),
}
"""SQLite's types by the types that they stand for; the first that holds one counts."""


@lru_cache(maxsize=64)
def lite_schema(schema: Schema, dialect: str) -> Schema:
    """The schema with SQLite's types; what cannot be said in SQLite is left out."""
    tables = tuple(_table(table, dialect) for table in schema.tables)
    return replace(schema, tables=tables, source="ddl")


@lru_cache(maxsize=256)
def with_collations(lite: Schema, schema: Schema, dialect: str) -> Schema:
    """A schema with SQLite's types in which columns say whether their equal texts may differ.

    Args:
        lite: The schema with SQLite's types.
        schema: The same tables as the engine declares them.
        dialect: The dialect of the engine.
    """
    tables = []
    for table, own in zip(lite.tables, schema.tables, strict=True):
        names = [
            column.name
            for column in own.columns
            if not is_view(own) and column_values(own, column, dialect) == "collated"
        ]
        # Keys that are equal are two of a kind; those that are made by number are not.
        keys = (own.primary_key, *own.uniques, *(key.columns for key in own.foreign_keys))
        names = [name for name in names if not any(name in key for key in keys)]
        clauses = ", ".join(f"{quote_name(name)} TEXT COLLATE {LOOSE}" for name in names)
        text = f"CREATE TABLE {quote_name(table.name)} ({clauses})"
        tables.append(replace(table, sql=text) if names else table)
    return replace(lite, tables=tuple(tables))


def lite_query(query: Query) -> Query | None:
    """The query as SQLite would have it; ``None`` where it cannot be said there."""
    text = _translated_query(query.sql, query.dialect)
    lite = parse(text) if text is not None else None
    return lite if isinstance(lite, Query) else None


@lru_cache(maxsize=1_024)
def _translated_query(sql: str, dialect: str) -> str | None:
    # It is parsed already, and kept; a text is parsed once.
    query = parse(sql, dialect)
    return _lite_text(query.tree) if isinstance(query, Query) else None


def type_tree(type_: str, dialect: str) -> exp.DataType | None:
    """A column's type as a tree; ``None`` where our parser knows none of its name."""
    try:
        declared = exp.DataType.build(type_, dialect=dialect)
    except (SqlglotError, ValueError, AttributeError):
        return None
    is_type = isinstance(declared, exp.DataType) and isinstance(declared.this, exp.DType)
    return declared if is_type else None


def type_name(type_: str, dialect: str) -> str:
    """A type's name as our parser has it; empty: it knows none."""
    declared = type_tree(type_, dialect)
    return "" if declared is None else str(declared.this.value)


@lru_cache(maxsize=4_096)
def lite_type(type_: str, dialect: str) -> str:
    """The SQLite type that holds the values of a type in the form in which answers have them."""
    declared = type_tree(type_, dialect)
    kind = None if declared is None else declared.this
    if kind is exp.DataType.Type.BOOLEAN:
        return "BOOLEAN"
    if kind is exp.DataType.Type.BIT and dialect_of(dialect).typed_quotes:
        # Elsewhere bits are a number.
        return _TEXT
    return next((lite for lite, kinds in _KINDS.items() if kind in kinds), _TEXT)


def _table(table: Table, dialect: str) -> Table:
    if is_view(table):
        text = _translated(table.sql or "", dialect)
        return replace(table, sql=text or "CREATE VIEW unknown AS SELECT NULL")
    columns = tuple(_column(column, dialect) for column in table.columns)
    checks = (*_checks(table, dialect), *_truth_values(columns))
    return replace(table, columns=columns, checks=checks, sql=None, indexes=())


def _column(column: Column, dialect: str) -> Column:
    return replace(column, type=lite_type(column.type, dialect), default=None)


def _checks(table: Table, dialect: str) -> Iterator[str]:
    for check in table.checks:
        text = _translated(f"SELECT {check}", dialect)
        if text is not None:
            yield text.removeprefix("SELECT ")


def _truth_values(columns: tuple[Column, ...]) -> Iterator[str]:
    for column in columns:
        if column.type == "BOOLEAN":
            yield f"{quote_name(column.name)} IN (0, 1)"


@lru_cache(maxsize=1_024)
def _translated(sql: str, dialect: str) -> str | None:
    try:
        trees = sqlglot.parse(sql, read=dialect)
        if len(trees) != 1 or trees[0] is None:
            return None
        return _lite_text(trees[0])
    except _SQLGLOT_ERRORS:
        return None


def _lite_text(tree: exp.Expr) -> str | None:
    try:
        # The copy that is changed is ours: the generator needs no further one.
        lite = with_lite_forms(tree.transform(_plain))
        return lite.sql(DEFAULT_DIALECT, unsupported_level=ErrorLevel.RAISE, copy=False)
    except _SQLGLOT_ERRORS:
        return None


def lite_expression(node: exp.Expr) -> str | None:
    """A part of a query as SQLite would have it; ``None`` where it cannot be said there."""
    return _lite_text(node.copy())


def _plain(node: exp.Expr) -> exp.Expr:
    """PostgreSQL's words for a list, ``a = ANY (ARRAY['x'::text])``, as ``a IN ('x')``."""
    if isinstance(node, exp.EQ) and isinstance(node.expression, exp.Any):
        values = _uncast(node.expression.this)
        if isinstance(values, exp.Array):
            return exp.In(
                this=_uncast(node.this), expressions=[_uncast(each) for each in values.expressions]
            )
    # Only for constants that are compared: elsewhere the type of a number counts.
    if isinstance(node, exp.Cast) and isinstance(node.parent, exp.Predicate):
        inner = _uncast(node)
        return inner if isinstance(inner, exp.Literal) else node
    return node


def _uncast(node: exp.Expr) -> exp.Expr:
    """What stands inside casts and parentheses."""
    while isinstance(node, exp.Cast | exp.Paren):
        node = node.this
    return node


_USUAL, _WHOLE = "mirror.sqlite", "all.sqlite"
_MOST_ROWS = 20_000
"""How many rows of a table are copied at most: enough for what most benchmarks have."""


class Mirror:
    """The small tables of one database, copied.

    Args:
        engine: The engine of the database.
        database: Its reference.
        schema: Its tables.
        trust_role: On a server, read as the role of the reference, whatever it may do.
    """

    def __init__(
        self, engine: Engine, database: str, schema: Schema, *, trust_role: bool = False
    ) -> None:
        self._engine, self._database, self._trust_role = engine, database, trust_role
        self._schema = lite_schema(schema, engine.dialect)
        self._copied: dict[str, frozenset[str]] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def file_with(self, part: Schema) -> Path | None:
        """The file, if it holds every table of a part of the schema; ``None`` otherwise.

        Tables that a query finds by their schema alone are in a file of their own, with all others:
        a server may have many of them, and most queries read none.
        """
        name = _WHOLE if any(table.is_hidden for table in part.tables) else _USUAL
        if name not in self._copied:
            self._copied[name] = self._copy(name)
        needed = {table.name for table in part.tables if not is_view(table)}
        return self._file(name) if needed <= self._copied[name] else None

    def close(self) -> None:
        """Remove the copy."""
        self._copied.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _file(self, name: str) -> Path | None:
        return Path(self._folder.name) / name if self._folder is not None else None

    def _copy(self, name: str) -> frozenset[str]:
        limits = Limits(rows=_MOST_ROWS, trust_role=self._trust_role)
        try:
            opening = partial(self._engine.open, self._database, limits)
            server = is_server(self._database)
            session = patiently(self._database, opening) if server else opening()
        except (DatabaseError, OSError):
            return frozenset()
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="sqlverdict-mirror-")
        file = self._file(name)
        assert file is not None
        tables = [each for each in self._schema.tables if not is_view(each)]
        if name == _USUAL:
            tables = [table for table in tables if not table.is_hidden]
        with closing(session), closing(sqlite3.connect(file)) as connection, connection:
            return frozenset(
                table.name for table in tables if self._copy_table(session, connection, table)
            )

    def _copy_table(self, session: Session, connection: sqlite3.Connection, table: Table) -> bool:
        from sqlglot import exp

        dialect = self._engine.dialect
        columns = [exp.column(column.name, quoted=True) for column in table.columns]
        source = table.source_text(dialect_of(dialect).quote)
        outcome = session.run(f"{exp.select(*columns).sql(dialect=dialect)} FROM {source}")
        if not isinstance(outcome, Answer):
            return False
        parts = [column_part(column.name, column.type) for column in table.columns]
        marks = ", ".join("?" for _ in table.columns)
        with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
            connection.execute(create_table(table.name, parts))
            connection.executemany(
                f"INSERT INTO {quote_name(table.name)} VALUES ({marks})", outcome.rows
            )
            return True
        return False
