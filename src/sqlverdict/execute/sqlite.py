"""SQLite, as it comes with Python.

Read-only and immutable, an authorizer that allows reading alone, one statement, a step
budget and a deadline in the progress handler, limits on text length, rows, bytes and the
engine's heap. One opcode that runs for long (``hex(zeroblob(...))``) escapes the progress
handler: ``run/processes.py`` keeps the session in a process that can be killed.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.execute.sqlite_session import SqliteSession
from sqlverdict.load.digests import sha256_file

_LOCKLESS = "unix-none" if os.name == "posix" else "win32-none"
_HOT = bytes.fromhex("d9d505f920a163d7")


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
        if not database.is_file():
            raise DatabaseError(f"no database at {database}; expected a SQLite file there")
        if not database.stat().st_size:
            raise DatabaseError(f"{database} is empty; expected a SQLite file. Get it again")
        _refuse_half_written(database)
        log = _log_of(database)
        # An immutable file needs no lock and no side file, but its write-ahead log is not read;
        # without locks and for itself alone, SQLite reads the log and makes no side file either.
        flags = f"mode=ro&vfs={_LOCKLESS}" if log is not None else "mode=ro&immutable=1"
        uri = f"file:{quote(str(database.resolve()))}?{flags}"
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, cached_statements=0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.sql_length * 4)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
            for pragma in (
                "locking_mode=EXCLUSIVE",
                "query_only=1",
                "trusted_schema=0",
                "temp_store=2",
                f"hard_heap_limit={limits.memory}",
            ):
                connection.execute(f"PRAGMA {pragma}")
            _wake_virtual_tables(connection)
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            raise DatabaseError(
                f"{database} cannot be opened as SQLite ({error}); check or restore the file"
            ) from error
        return SqliteSession(connection, limits)

    def digest(self, database: Path) -> str:
        """Digest of the file's bytes, and of its write-ahead log where there is one."""
        log = _log_of(database)
        return sha256_file(database) + (f"+{sha256_file(log)}" if log is not None else "")


def _log_of(database: Path) -> Path | None:
    """The write-ahead log that belongs to a database and holds something."""
    log = database.with_name(database.name + "-wal")
    return log if log.is_file() and log.stat().st_size else None


def _refuse_half_written(database: Path) -> None:
    """A hot journal means that a writer died half-way; reading past it gives torn data."""
    journal = database.with_name(database.name + "-journal")
    if journal.is_file():
        with journal.open("rb") as stream:
            if stream.read(len(_HOT)) == _HOT:
                raise DatabaseError(
                    f"{database} was left in the middle of a transaction ({journal.name} is "
                    f"there). Open it once with the sqlite3 shell to roll it back"
                )


def _wake_virtual_tables(connection: sqlite3.Connection) -> None:
    """Connect virtual tables now: their modules do what the authorizer will not allow later."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
    ).fetchall()
    names = [name.replace('"', '""') for (name,) in found]
    for source in ("json_each('[]')", "json_tree('[]')", *(f'"{name}"' for name in names)):
        # A module that is not there fails the queries that use it, and no others.
        with suppress(sqlite3.Error):
            connection.execute(f"SELECT 1 FROM {source} LIMIT 1").fetchall()  # noqa: S608
