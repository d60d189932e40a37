"""A schema from a live SQLite file, as the engine itself describes it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from sqlverdict.errors import DatabaseError, SchemaError
from sqlverdict.files.sqlite import open_read_only
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Source, Table
from sqlverdict.parse.schemas.column_types import collation
from sqlverdict.parse.tokens import Kind, fold, kind, pieces

# SQLite reports a generated column's declaration as part of its type.
_GENERATED = re.compile(r"\s*GENERATED ALWAYS.*", re.IGNORECASE | re.DOTALL)
_VIRTUAL_TABLE_COLUMN = 1
_GENERATED_COLUMN = (2, 3)


def read_sqlite(path: str | Path, db_id: str | None = None) -> Schema:
    """Read the schema of a SQLite file without writing to it.

    Args:
        path: The database file.
        db_id: The database's name; the file's stem if not given.

    Raises:
        SchemaError: the file is missing, is no database, or holds no table.
    """
    file = Path(path)
    if not file.is_file():
        raise SchemaError(
            f"there is no database file at {file}; give the path of a .sqlite file",
            reason="missing",
        )
    try:
        with closing(open_read_only(file)) as connection:
            # Spider's databases hold bytes that are no UTF-8, in declarations too.
            connection.text_factory = _lenient
            schema = read_sqlite_schema(connection, db_id or file.stem, "sqlite")
    except DatabaseError as error:
        raise SchemaError(str(error), reason=error.reason) from error
    except sqlite3.Error as error:
        raise SchemaError(
            f"{file} cannot be read as a SQLite database: {error}", reason="unreadable"
        ) from error
    if not schema.tables:
        raise SchemaError(
            f"{file} is a SQLite database without tables; an empty file is made when a wrong "
            "path is opened. Copy the real database there",
            reason="empty",
        )
    return schema


def read_sqlite_schema(connection: sqlite3.Connection, db_id: str, source: Source) -> Schema:
    """Read the schema of an open database."""
    rows = connection.execute(
        "SELECT l.name, l.type, l.wr, l.strict, m.sql FROM pragma_table_list AS l "
        "JOIN sqlite_master AS m ON m.name = l.name AND m.type IN ('table', 'view') "
        "WHERE l.schema = 'main' AND l.type IN ('table', 'view', 'virtual') "
        "AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid"
    ).fetchall()
    tables: list[Table] = []
    for name, kind_, without_rowid, strict, sql in rows:
        try:
            tables.append(_table(connection, name, sql, bool(without_rowid or strict)))
        except sqlite3.OperationalError:
            # A view over something that is gone cannot be queried either.
            if kind_ != "view":
                raise
    return Schema(db_id, tuple(_resolved(table, tables) for table in tables), source)


def _table(connection: sqlite3.Connection, name: str, sql: str | None, key_not_null: bool) -> Table:
    rows = connection.execute(
        'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)', (name,)
    ).fetchall()
    rows = [row for row in rows if row[5] != _VIRTUAL_TABLE_COLUMN]
    primary_key = tuple(row[0] for row in sorted(rows, key=lambda row: row[4]) if row[4])
    indexes = connection.execute(
        'SELECT name, origin FROM pragma_index_list(?) WHERE "unique" AND NOT partial ORDER BY seq',
        (name,),
    ).fetchall()
    # The rowid's alias is a primary key of one column that needs no index of its own.
    alias = len(primary_key) == 1 and not any(origin == "pk" for _, origin in indexes)
    uniques = [_unique(connection, i, sql or "") for i, origin in indexes if origin != "pk"]
    computed = {fold(row[0]) for row in rows if row[5] in _GENERATED_COLUMN}
    expressions = _expressions(sql or "", computed) if computed else {}
    return Table(
        name=name,
        columns=tuple(
            Column(
                name=row[0],
                type=_GENERATED.sub("", row[1] or ""),
                not_null=bool(row[2] or (row[4] and (alias or key_not_null))),
                default=row[3],
                generated=expressions.get(fold(row[0]), "")
                if row[5] in _GENERATED_COLUMN
                else None,
            )
            for row in rows
        ),
        primary_key=primary_key,
        uniques=tuple(sorted({columns for columns in uniques if columns})),
        foreign_keys=_foreign_keys(connection, name),
        checks=_checks(sql or ""),
        sql=sql,
        indexes=_other_indexes(connection, name, sql or ""),
    )


def _other_indexes(connection: sqlite3.Connection, name: str, table: str) -> tuple[str, ...]:
    """The declarations of unique indexes that are partial, or over more than plain columns."""
    rows = connection.execute(
        "SELECT l.name, l.partial, m.sql FROM pragma_index_list(?) AS l "
        "JOIN sqlite_master AS m ON m.name = l.name "
        'WHERE l."unique" AND m.sql IS NOT NULL ORDER BY l.seq',
        (name,),
    ).fetchall()
    declarations = []
    for index, partial, sql in rows:
        columns = _index(connection, index)
        expression = any(column is None for column, _ in columns)
        if partial or expression or any(coll != collation(table, c) for c, coll in columns if c):
            declarations.append(sql)
    return tuple(declarations)


def _unique(connection: sqlite3.Connection, index: str, table: str) -> tuple[str, ...] | None:
    """A unique index's columns; None where it does not keep them apart as queries do.

    Under a collation of its own it may take two texts for different that the column, and with it
    DISTINCT and GROUP BY, takes for the same.
    """
    columns: list[str] = []
    for column, coll in _index(connection, index):
        if column is None or collation(table, column) not in ("BINARY", coll):
            return None
        columns.append(column)
    return tuple(columns)


def _index(connection: sqlite3.Connection, name: str) -> list[tuple[str | None, str]]:
    """An index's columns with their collations; None for an expression."""
    rows = connection.execute(
        "SELECT name, coll FROM pragma_index_xinfo(?) WHERE key ORDER BY seqno", (name,)
    )
    return [(column, str(coll).upper()) for column, coll in rows]


def _foreign_keys(connection: sqlite3.Connection, name: str) -> tuple[ForeignKey, ...]:
    """The foreign keys in the order of their declaration, parents' columns as written."""
    rows: Iterable[tuple[int, str, str, str | None]] = connection.execute(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq',
        (name,),
    )
    keys: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, parent, column, parent_column in rows:
        keys.setdefault(number, []).append((parent, column, parent_column))
    return tuple(
        ForeignKey(
            columns=tuple(column for _, column, _ in parts),
            parent=parts[0][0],
            parent_columns=tuple(to for _, _, to in parts if to is not None),
        )
        for parts in keys.values()
    )


def _resolved(table: Table, tables: list[Table]) -> Table:
    """The table with its foreign keys in the parents' own spelling.

    A key that names no parent columns means the parent's primary key.
    """
    by_name = {fold(other.name): other for other in tables}
    keys = []
    for key in table.foreign_keys:
        parent = by_name.get(fold(key.parent))
        if parent is None:
            keys.append(replace(key, parent_columns=()))
            continue
        targets = key.parent_columns or parent.primary_key
        columns = [parent.column(name) for name in targets]
        names = tuple(column.name for column in columns if column is not None)
        whole = len(names) == len(key.columns)
        keys.append(ForeignKey(key.columns, parent.name, names if whole else ()))
    return replace(table, foreign_keys=tuple(keys))


def _expressions(sql: str, computed: set[str]) -> dict[str, str]:
    """The expressions of generated columns, as written, by the column's folded name."""
    expressions: dict[str, str] = {}
    words = [part for part in pieces(sql) if kind(part) is not Kind.COMMENT]
    solid = [at for at, part in enumerate(words) if kind(part) is not Kind.SPACE]
    depth, column, first = 0, "", False
    for at, after in pairwise(solid):
        part = words[at]
        if depth == 1 and first:
            column, first = fold(part.strip("\"'`[]")), False
        if part == "(":
            depth += 1
        elif part == ")":
            depth -= 1
        if depth == 1 and part in ("(", ","):
            first = True
        if depth == 1 and part.lower() == "as" and words[after] == "(" and column in computed:
            expressions[column] = _parenthesised(words, after)
    return expressions


def _parenthesised(parts: list[str], start: int) -> str:
    """What stands between a parenthesis and its partner."""
    depth = 0
    for end in range(start, len(parts)):
        depth += (parts[end] == "(") - (parts[end] == ")")
        if not depth:
            return "".join(parts[start + 1 : end]).strip()
    return ""


def _checks(sql: str) -> tuple[str, ...]:
    """The conditions of the CHECK constraints, as written."""
    checks: list[str] = []
    parts = pieces(sql)
    words = [at for at, part in enumerate(parts) if kind(part) not in (Kind.SPACE, Kind.COMMENT)]
    for at, after in pairwise(words):
        if parts[at].lower() != "check" or parts[after] != "(":
            continue
        condition = _parenthesised(parts, after)
        if condition:
            checks.append(condition)
    return tuple(checks)


def _lenient(data: bytes) -> Any:
    return data.decode("utf-8", "replace")
