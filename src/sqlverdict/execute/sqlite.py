"""SQLite, as it comes with Python.

Read-only and immutable, an authorizer that allows reading alone, one statement, a step
budget and a deadline in the progress handler, limits on text length, rows, bytes and the
engine's heap. One opcode that runs for long (``hex(zeroblob(...))``) escapes the progress
handler: ``run/processes.py`` keeps the session in a process that can be killed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, perf_counter
from urllib.parse import quote

import msgspec

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.execute.sandbox import Guard, failure_of, not_a_query
from sqlverdict.load.digests import sha256_file
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

_STEP = 20_000
_IN_FLIGHT = 2**28
_BATCH = 1_024
_PLAIN = 2**16
_SIZE = msgspec.msgpack.Encoder()
_LOCKLESS = "unix-none" if os.name == "posix" else "win32-none"
_HOT = bytes.fromhex("d9d505f920a163d7")


class SqliteSession:
    """One open SQLite file. Not for several threads at once."""

    def __init__(self, connection: sqlite3.Connection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._guard = Guard()
        self._ticks_left = 0
        self._deadline = 0.0
        self._late = False
        self._set_cell(_PLAIN)
        connection.set_authorizer(self._guard)
        connection.set_progress_handler(self._tick, _STEP)

    def _tick(self) -> int:
        self._ticks_left -= 1
        if self._ticks_left < 0:
            return 1
        if monotonic() > self._deadline:
            self._late = True
            return 1
        return 0

    def _start(self) -> None:
        self._guard.reset()
        self._ticks_left = max(1, self._limits.steps // _STEP)
        self._deadline = monotonic() + self._limits.seconds
        self._late = False

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        if len(sql) > self._limits.sql_length:
            return Failure(
                Reason.PARSE_ERROR,
                f"the SQL text has {len(sql):,} characters; "
                f"at most {self._limits.sql_length:,} are tried",
            )
        if sql[:6].upper() != "SELECT":
            refused = not_a_query(sql)
            if refused is not None:
                return refused
        self._start()
        began = perf_counter()
        try:
            try:
                return self._fetch(sql, began)
            except (sqlite3.OperationalError, sqlite3.DataError) as error:
                too_big = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_TOOBIG
                if not too_big and "Could not decode to UTF-8" not in str(error):
                    raise
                if monotonic() > self._deadline:
                    self._late = True
                    raise
                return self._fetch_odd(sql, began)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self._failure(error, perf_counter() - began)
        except MemoryError:
            return Failure(Reason.MEMORY_LIMIT, "the answer does not fit into the memory limit")
        except ValueError as error:
            return Failure(Reason.PARSE_ERROR, f"the SQL text cannot be sent: {error}")

    def _failure(self, error: sqlite3.Error | sqlite3.Warning, seconds: float) -> Failure:
        if self._late:
            return Failure(
                Reason.EXECUTION_TIMEOUT,
                f"stopped after {self._limits.seconds:g} s",
                seconds=seconds,
                repeatable=False,
            )
        if self._ticks_left < 0:
            steps = f"{self._limits.steps:,}"
            return Failure(
                Reason.EXECUTION_TIMEOUT, f"stopped after {steps} steps", seconds=seconds
            )
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            # We did not stop it: Ctrl-C struck inside our handler, and sqlite3 swallowed it.
            raise KeyboardInterrupt from error
        return failure_of(error, self._guard, seconds)

    def _fetch(self, sql: str, began: float) -> Outcome:
        limits = self._limits
        cursor = self._connection.execute(sql)
        if cursor.description is None:
            return Failure(Reason.UNSUPPORTED_FEATURE, "the statement returns no result")
        # So few rows at a time that even the fattest cells stay within bounds until counted.
        fattest = self._cell * len(cursor.description)
        count = max(1, min(_BATCH, _IN_FLIGHT // fattest))
        rows: list[Row] = cursor.fetchmany(count)
        if len(rows) == count or len(rows) * fattest > limits.bytes or len(rows) > limits.rows:
            size = len(_SIZE.encode(rows))
            got = len(rows)
            while True:
                if len(rows) > limits.rows:
                    cursor.close()
                    return Failure(Reason.ROW_LIMIT, f"more than {limits.rows:,} rows")
                if size > limits.bytes:
                    cursor.close()
                    return Failure(Reason.MEMORY_LIMIT, f"more than {limits.bytes:,} bytes of rows")
                if got < count:
                    break
                batch = cursor.fetchmany(count)
                size += len(_SIZE.encode(batch))
                rows += batch
                got = len(batch)
        columns = tuple([column[0] for column in cursor.description])
        volatile = self._guard.depends_on_clock(sql)
        return Answer(columns, rows, perf_counter() - began, volatile)

    def _fetch_odd(self, sql: str, began: float) -> Outcome:
        """Again, for cells beyond the ordinary.

        Text that is not UTF-8 keeps its odd bytes visible and distinct; long cells get the
        full limit, and fewer rows are fetched at a time.
        """
        self._connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
        self._set_cell(self._limits.cell)
        try:
            return self._fetch(sql, began)
        finally:
            self._connection.text_factory = str
            self._set_cell(_PLAIN)

    def _set_cell(self, most: int) -> None:
        self._cell = min(most, self._limits.cell)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._cell)

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""
        seconds: list[list[float]] = [[] for _ in queries]
        self._set_cell(self._limits.cell)
        for turn in range(rounds + 1):
            for place, sql in enumerate(queries):
                self._start()
                began = perf_counter()
                # It was answered before, so only a limit can stop it now.
                with suppress(sqlite3.Error):
                    self._connection.execute(sql).fetchall()
                if turn:
                    seconds[place].append(perf_counter() - began)
        self._set_cell(_PLAIN)
        return seconds

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


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
