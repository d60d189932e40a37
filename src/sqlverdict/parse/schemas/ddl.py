"""A schema from CREATE statements. SQLite itself is the parser: it runs them in memory.

Only CREATE and ALTER statements run; data and settings in a dump are passed over, and so are
triggers and virtual tables. Any type name is fine, as SQLite takes any. A table that is declared
with its schema (``analytics.orders``) keeps it (``declared_paths.py``).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

from sqlverdict.errors import SchemaError
from sqlverdict.files.other_engines import ddl_hint
from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.declared_paths import plain_statements
from sqlverdict.parse.schemas.sqlite import read_sqlite_schema
from sqlverdict.parse.tokens import solid, statements

_ALLOWED = frozenset(
    (
        sqlite3.SQLITE_ALTER_TABLE,
        sqlite3.SQLITE_CREATE_INDEX,
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_CREATE_VIEW,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_REINDEX,
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_TRANSACTION,
    )
)
# SQLite writes its own catalogue to carry out a CREATE.
_CATALOGUE_ONLY = frozenset((sqlite3.SQLITE_DELETE, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE))
_STEPS = 5_000_000
_QUOTE = 200


def read_ddl(text: str, db_id: str) -> Schema:
    """Read a schema from SQL text.

    Args:
        text: CREATE statements, separated by semicolons; other statements are passed over.
        db_id: The database's name.

    Raises:
        SchemaError: a statement fails (the message quotes it), or none makes a table.
    """
    plain, paths = plain_statements([each for each in statements(text) if _makes_schema(each)])
    with closing(open_in_memory()) as connection:
        connection.set_authorizer(_authorize)
        for statement in plain:
            _run(connection, statement, db_id)
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
        schema = read_sqlite_schema(connection, db_id, "ddl")
    if not schema.tables:
        raise SchemaError(
            f"the schema of {db_id!r} holds no CREATE TABLE statement; expected at least one",
            reason="empty",
        )
    if not paths:
        return schema
    tables = tuple(
        replace(table, paths=(paths[table.name],)) if table.name in paths else table
        for table in schema.tables
    )
    return replace(schema, tables=tables)


def _makes_schema(statement: str) -> bool:
    words = [word.upper() for word in solid(statement)[:3]]
    if words[1:2] in (["SCHEMA"], ["DATABASE"]):
        return False
    passed_over = {"TRIGGER", "VIRTUAL"}
    return words[:1] in (["CREATE"], ["ALTER"]) and passed_over.isdisjoint(words)


def _run(connection: sqlite3.Connection, statement: str, db_id: str) -> None:
    # One budget a statement: CREATE TABLE ... AS SELECT could run for ever.
    connection.set_progress_handler(lambda: 1, _STEPS)
    try:
        connection.execute(statement)
    except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError) as error:
        quoted = " ".join(statement.split())
        quoted = quoted[:_QUOTE] + ("…" if len(quoted) > _QUOTE else "")
        hint = ddl_hint(statement)
        raise SchemaError(
            f"SQLite {sqlite3.sqlite_version} cannot run a statement of the schema of "
            f"{db_id!r}: {error}. {f'{hint}. The statement' if hint else 'Rewrite or remove it'}: "
            f"{quoted}",
            reason="unreadable",
        ) from error


def _authorize(action: int, name: str | None, *_: object) -> int:
    catalogue = name in ("sqlite_master", "sqlite_schema", "sqlite_temp_master")
    if action in _ALLOWED or (action in _CATALOGUE_ONLY and catalogue):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY
