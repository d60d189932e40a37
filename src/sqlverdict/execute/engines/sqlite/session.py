"""One open SQLite file under every guard; see ``sqlite.py`` for how it is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from time import monotonic, perf_counter

from sqlverdict.execute.attempt import NO_RESULT, TOO_LARGE, timed_out, too_long, unfolding
from sqlverdict.execute.clock import freeze_clock
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.sqlite.sandbox import Guard, failure_of, not_a_query
from sqlverdict.execute.session import interleaved_seconds
from sqlverdict.execute.values.cell_bytes import encode_cells
from sqlverdict.files.digests import database_digest
from sqlverdict.files.sqlite import HEAP, heap_limit
from sqlverdict.parse.measure import SHORTEST_UNFOLDING
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

_LOOK = 1_000
"""Steps between two looks at the clock."""
_STEP = 20_000
"""Limits in steps are rounded up to the next multiple."""
_IN_FLIGHT = 2**28
_BATCH = 1_024
_PLAIN = 2**16


class SqliteSession:
    """One open SQLite file. Not for several threads at once."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        limits: Limits,
        file: Path | None = None,
        now: datetime | None = None,
        guard: Guard | None = None,
    ) -> None:
        self._connection = connection
        self._limits = limits
        self._file = file
        if now is not None:
            freeze_clock(connection, now)
        self._guard = guard or Guard(_views(connection).get, frozen=now is not None)
        self._ticks = (max(1, limits.steps // _STEP) + 1) * (_STEP // _LOOK) - 1
        self._ticks_left = 0
        self._deadline = 0.0
        self._late = False
        self._set_cell(_PLAIN)
        connection.set_authorizer(self._guard)
        connection.set_progress_handler(self._tick, _LOOK)

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
        self._ticks_left = self._ticks
        self._deadline = monotonic() + self._limits.seconds
        self._late = False

    def digest(self) -> str | None:
        """Digest of the file as it is now; a database in memory has none."""
        return database_digest(self._file) if self._file is not None else None

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        long = too_long(sql, self._limits)
        if long is not None:
            return long
        refusal = self._refusal(sql) if sql[:6].upper() != "SELECT" else None
        if refusal is not None:
            return refusal
        copies = unfolding(sql) if len(sql) >= SHORTEST_UNFOLDING else None
        if copies is not None:
            return copies
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
            if self._was_interrupted(error, sql):
                raise KeyboardInterrupt from error
            failure = self._failure(error, perf_counter() - began)
            # What chance or the clock brought about may not come again.
            return failure if self._guard.lasts(sql) else replace(failure, repeatable=False)
        except MemoryError:
            return self._out_of_memory()
        except ValueError as error:
            return Failure(Reason.PARSE_ERROR, f"the SQL text cannot be sent: {error}")

    def _refusal(self, sql: str) -> Failure | None:
        """Why a text must not even be prepared."""
        return not_a_query(sql)

    def _no_result(self) -> Outcome:
        """What a statement without a result gives."""
        return NO_RESULT

    def _failure(self, error: sqlite3.Error | sqlite3.Warning, seconds: float) -> Failure:
        if self._late:
            return timed_out(self._limits.seconds, seconds)
        if self._ticks_left < 0:
            steps = f"{self._limits.steps:,}"
            return Failure(
                Reason.EXECUTION_TIMEOUT, f"stopped after {steps} steps", seconds=seconds
            )
        return failure_of(error, self._guard, seconds)

    def _out_of_memory(self) -> Failure:
        """What a query gives that took too much; Python's name for it is ``MemoryError``."""
        limit, lowest = min(self._limits.memory, HEAP), heap_limit()
        if lowest >= limit:
            return TOO_LARGE
        # In another process the query would have what was asked for.
        why = f"SQLite keeps the lowest limit of the process, {lowest:,} bytes of {limit:,}"
        return replace(TOO_LARGE, message=f"{TOO_LARGE.message}; {why}", repeatable=False)

    def _was_interrupted(self, error: sqlite3.Error | sqlite3.Warning, sql: str) -> bool:
        """Whether Ctrl-C struck inside a handler of ours, where sqlite3 swallows it.

        It looks as if the handler had said no: the progress handler, which did not, or the guard,
        which denied nothing and has nothing against the query when it is compiled again.
        """
        code = getattr(error, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_INTERRUPT:
            return not self._late and self._ticks_left >= 0
        if code != sqlite3.SQLITE_AUTH or self._guard.denied is not None:
            return False
        try:
            self._connection.execute(f"EXPLAIN {sql}").close()
        except (sqlite3.Error, sqlite3.Warning) as again:
            return getattr(again, "sqlite_errorcode", 0) != sqlite3.SQLITE_AUTH
        return True

    def _fetch(self, sql: str, began: float) -> Outcome:
        limits = self._limits
        cursor = self._connection.execute(sql)
        described = cursor.description
        if described is None:
            return self._no_result()
        # So few rows at a time that even the largest cells stay within bounds until counted.
        largest = self._cell * len(described)
        count = max(1, min(_BATCH, _IN_FLIGHT // largest))
        rows: list[Row] = cursor.fetchmany(count)
        if len(rows) == count or len(rows) * largest > limits.bytes or len(rows) > limits.rows:
            size = len(encode_cells(rows))
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
                size += len(encode_cells(batch))
                rows += batch
                got = len(batch)
        columns = tuple([column[0] for column in described])
        seconds = perf_counter() - began
        guard = self._guard
        if guard.saw_no_clock:
            return Answer(columns, rows, seconds)
        volatile, lasting = guard.depends_on_clock(sql), guard.lasts(sql)
        return Answer(columns, rows, seconds, volatile, lasting)

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

        def run(sql: str) -> None:
            self._start()
            # It was answered before, so only a limit can stop it now.
            with suppress(sqlite3.Error):
                self._connection.execute(sql).fetchall()

        self._set_cell(self._limits.cell)
        seconds = interleaved_seconds(queries, rounds, run)
        self._set_cell(_PLAIN)
        return seconds

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _views(connection: sqlite3.Connection) -> dict[str, str]:
    """The SQL of every view, by name."""
    views: dict[str, str] = {}
    # A file without a readable schema fails its queries, each with the reason.
    with suppress(sqlite3.Error):
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'")
        views.update((name, sql) for name, sql in rows if isinstance(sql, str))
    return views
