"""SQLite's own opinion: whether a text is SQL, and whether it accepts it on a schema.

sqlglot accepts much that no engine does (``SELECT a,, b``) and stumbles over a little that
SQLite accepts. SQLite reads a statement's grammar to its end before it looks up a single
name, so compiling the statement against an empty database in memory tells a syntax error
from an unknown table. The statement is compiled under EXPLAIN and never runs. On the empty tables
of a schema it also says what is wrong with names, calls and clauses.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

from sqlverdict.files.sqlite import open_in_memory, quote_name
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import Kind, kind, pieces
from sqlverdict.patterns import late_pattern

# What SQLite says about grammar. All else (no such table, misuse of aggregate ...) is about
# meaning: the engine reports it when the query runs.
_GRAMMAR = late_pattern(
    r'near ".*": syntax error|unrecognized token|incomplete input|parser stack overflow|'
    r"Expression tree is too large|(?:LIMIT|ORDER BY) clause should come after|"
    r"a NATURAL join may not have|unknown (?:join type|or unsupported join type)|"
    r"hex literal too big",
    re.DOTALL,
)
_EXPLAIN = "EXPLAIN "


@dataclass(frozen=True)
class Complaint:
    """What SQLite's grammar finds wrong, and the offset of the token it stopped at."""

    message: str
    offset: int


def sqlite_complaint(sql: str) -> Complaint | None:
    """What SQLite's grammar finds wrong with a query, or None.

    Unknown tables, columns and functions are no complaint. The text must be one statement
    that begins with SELECT, WITH or VALUES.
    """
    connection = _empty.database()
    message = _compile(connection, sql)
    if message is None:
        return None
    if message == "incomplete input":
        return Complaint(message, len(sql.rstrip()))
    return Complaint(message, _offset(connection, sql))


def _offset(connection: sqlite3.Connection, sql: str) -> int:
    """Where the grammar stops: the shortest prefix that is wrong, not just unfinished."""
    spans: list[tuple[int, int]] = []
    start = 0
    for piece in pieces(sql):
        if kind(piece) not in (Kind.SPACE, Kind.COMMENT):
            spans.append((start, start + len(piece)))
        start += len(piece)
    low, high = 0, len(spans) - 1
    while low < high:
        middle = (low + high) // 2
        if _compile(connection, sql[: spans[middle][1]]) in (None, "incomplete input"):
            low = middle + 1
        else:
            high = middle
    return spans[low][0] if spans else 0


def _compile(connection: sqlite3.Connection, sql: str) -> str | None:
    try:
        connection.execute(_EXPLAIN + sql).close()
    except sqlite3.ProgrammingError as error:
        # Python's own checks: parameters without values are fine, a NUL byte is not.
        return None if "binding" in str(error) else str(error)
    except sqlite3.Error as error:
        message = str(error)
        return message if _GRAMMAR.match(message) else None
    except MemoryError:
        # SQLite's heap is bounded. What does not fit is not grammar: the engine says so too.
        return None
    except (ValueError, sqlite3.Warning) as error:
        # A NUL byte or a lone surrogate, depending on Python's version.
        return str(error)
    return None


class _Empty(threading.local):
    """An empty database for each thread; whatever is compiled there, it stays empty."""

    connection: sqlite3.Connection | None = None

    def database(self) -> sqlite3.Connection:
        if self.connection is None:
            # A statement that is kept would keep its memory.
            self.connection = open_in_memory(cached_statements=0)
            self.connection.set_authorizer(_only_reads)
        return self.connection


_empty = _Empty()


def _only_reads(action: int, *_: object) -> int:
    allowed = action in (
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


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
