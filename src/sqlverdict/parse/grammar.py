"""SQLite's own opinion on whether a text is SQL.

sqlglot accepts much that no engine does (``SELECT a,, b``) and stumbles over a little that
SQLite accepts. SQLite reads a statement's grammar to its end before it looks up a single
name, so compiling the statement against an empty database in memory tells a syntax error
from an unknown table. The statement is compiled under EXPLAIN and never runs.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from dataclasses import dataclass

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.parse.tokens import Kind, kind, pieces

# What SQLite says about grammar. All else (no such table, misuse of aggregate ...) is about
# meaning: the engine reports it when the query runs.
_GRAMMAR = re.compile(
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
