"""Whether SQLite accepts a query on a schema: names, calls and clauses, on empty tables."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections import OrderedDict
from threading import Lock
from typing import Any

from sqlverdict.files.sqlite import open_in_memory, quote_name
from sqlverdict.parse.schema import Schema

_OPEN = 64
_lock = Lock()
_connections: OrderedDict[Schema, sqlite3.Connection] = OrderedDict()
_of_parent: list[OrderedDict[Schema, sqlite3.Connection]] = []
"""Connections that a fork copied, perhaps in the middle of a query: not used, and not closed."""


def _begin_anew() -> None:
    """A fork copies a lock that another thread has, and nobody would ever open the copy."""
    global _lock, _connections
    _of_parent.append(_connections)
    _lock, _connections = Lock(), OrderedDict()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_begin_anew)


def complaint(sql: str, schema: Schema) -> str | None:
    """What SQLite says against a query; ``None`` where it would run it. Nothing is run."""
    with _lock:
        connection = _open(schema)
        try:
            connection.execute(f"EXPLAIN {sql}").close()
        except (sqlite3.Error, sqlite3.Warning, MemoryError) as error:
            return str(error) or "it does not fit into the engine's memory limit"
        return None


def explain_rows(sql: str, schema: Schema) -> list[tuple[Any, ...]] | None:
    """The rows of EXPLAIN for a query, on empty tables; ``None`` where SQLite refuses it."""
    with _lock:
        try:
            return _open(schema).execute(f"EXPLAIN {sql}").fetchall()
        except (sqlite3.Error, sqlite3.Warning):
            return None


def _open(schema: Schema) -> sqlite3.Connection:
    """An empty database of the schema, kept open."""
    connection = _connections.get(schema)
    if connection is not None:
        return connection
    connection = open_in_memory(any_thread=True)
    for table in schema.tables:
        columns = ", ".join(f"{quote_name(c.name)} {_type(c.type)}" for c in table.columns)
        if columns and not table.name.lower().startswith("sqlite_"):
            connection.execute(f"CREATE TABLE IF NOT EXISTS {quote_name(table.name)} ({columns})")
    _connections[schema] = connection
    if len(_connections) > _OPEN:
        _, oldest = _connections.popitem(last=False)
        oldest.close()
    return connection


def _type(declared: str) -> str:
    """A declared type that is safe to write: words and one pair of numbers."""
    plain = all(letter.isalnum() or letter in " _(),." for letter in declared)
    return declared if plain else ""
