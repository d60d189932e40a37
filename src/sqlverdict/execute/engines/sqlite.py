"""SQLite, as it comes with Python.

Read-only and immutable, an authorizer that allows reading alone, one statement, a step
budget and a deadline in the progress handler, limits on text length, rows, bytes and the
engine's heap. One opcode that runs for long (``hex(zeroblob(...))``) escapes the progress
handler: ``run/pool/worker_pool.py`` keeps the session in a process that can be killed.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.execute.sqlite_session import SqliteSession
from sqlverdict.files.digests import database_digest
from sqlverdict.files.sqlite import open_read_only, quote_name


@ENGINES.member
class Sqlite:
    """SQLite through Python's ``sqlite3`` module."""

    name = "sqlite"
    dialect = "sqlite"
    suffixes = (".sqlite", ".db", ".sqlite3")

    @property
    def version(self) -> str:
        """The linked SQLite library's version."""
        return sqlite3.sqlite_version

    def open(self, database: Path, limits: Limits) -> Session:
        """Open a SQLite file read-only, with every guard set."""
        connection = open_read_only(database, cached_statements=0)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.sql_length * 4)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
            for pragma in (
                "query_only=1",
                "trusted_schema=0",
                "temp_store=2",
                f"hard_heap_limit={limits.memory}",
            ):
                connection.execute(f"PRAGMA {pragma}")
            _wake_virtual_tables(connection)
        except sqlite3.Error as error:
            connection.close()
            raise DatabaseError(
                f"{database} cannot be opened as SQLite ({error}); check or restore the file"
            ) from error
        return SqliteSession(connection, limits)

    def digest(self, database: Path) -> str:
        """Digest of the file's bytes, and of its write-ahead log where there is one."""
        return database_digest(database)


def _wake_virtual_tables(connection: sqlite3.Connection) -> None:
    """Connect virtual tables now: their modules do what the authorizer will not allow later."""
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
    ).fetchall()
    for source in ("json_each('[]')", "json_tree('[]')", *(quote_name(name) for (name,) in tables)):
        # A module that is not there fails the queries that use it, and no others.
        with suppress(sqlite3.Error):
            connection.execute(f"SELECT 1 FROM {source} LIMIT 1").fetchall()  # noqa: S608
