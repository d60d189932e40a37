"""One open DuckDB database under every guard, in this process; ``connect`` opens it.

Interrupts do not reach into a function: see ``bounded`` for what keeps its time then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import duckdb
import msgspec
from duckdb import DuckDBPyConnection, Statement, StatementType

from sqlverdict.execute.attempt import too_long
from sqlverdict.execute.deadline import Deadline
from sqlverdict.execute.driver_values import cells_of_rows
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.guard import NameGuard, failure_of, not_a_query
from sqlverdict.execute.engines.duckdb.tree import tree_refusal
from sqlverdict.parse.measure import unfolds_beyond
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

_BATCH = 1_024
_SIZE = msgspec.msgpack.Encoder()
_QUERIES = (StatementType.SELECT, StatementType.MULTI)
"""PIVOT without a list of values is several statements inside."""

Connect = Callable[[], DuckDBPyConnection]


class DuckdbSession:
    """One open DuckDB database. Not for several threads at once.

    Args:
        connect: Opens the database with its guards; called again after an internal error, which
            makes DuckDB refuse everything else.
        limits: What one query may spend.
        frozen: Whether the clock stands still.
        macros: Whether the database may have macros.
        driver_values: Answers also hold the values as the driver gives them.
        file: What is open; no message tells where it is.
    """

    def __init__(
        self,
        connect: Connect,
        limits: Limits,
        *,
        frozen: bool = False,
        macros: bool = True,
        driver_values: bool = False,
        file: Path | None = None,
    ) -> None:
        self._connect = connect
        self.connection = connect()
        self._limits = limits
        self._driver_values = driver_values
        self._file = file
        self._names = NameGuard(self.connection, frozen=frozen, macros=macros)
        self._deadline = Deadline(limits.seconds, self._interrupt)

    def refusal(self, sql: str) -> Failure | None:
        """Why a text is not even parsed."""
        refusal = too_long(sql, self._limits) or self._text_refusal(sql)
        if refusal is None and unfolds_beyond(sql):
            text = "common table expressions that expand into too many copies"
            refusal = Failure(Reason.MEMORY_LIMIT, text)
        return refusal

    def is_plain(self, sql: str) -> bool:
        """Whether a query is sure to stop when it is told to."""
        return self._names.is_plain(sql)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits.

        Whatever is not plain must run in a process that somebody else can kill.
        """
        refusal = self.refusal(sql)
        return self.run_text(sql) if refusal is None else refusal

    def run_text(self, sql: str) -> Outcome:
        """Run a text that is not refused."""
        began = perf_counter()
        volatile = False
        try:
            with self._deadline:
                statements = self.connection.extract_statements(sql)
                refusal = self._statement_refusal(statements) or self._tree_refusal(sql)
                if refusal is not None:
                    return refusal
                volatile = self._names.is_volatile(sql)
                return self._fetch(statements[0], volatile, began)
        except (duckdb.Error, MemoryError) as error:
            failure = self._failure(error, perf_counter() - began)
            # What chance or the clock brought about may not come again.
            return replace(failure, repeatable=False) if volatile else failure
        except (TypeError, UnicodeError) as error:
            # Half of a surrogate pair is no text to DuckDB.
            return Failure(Reason.PARSE_ERROR, f"the SQL text cannot be sent: {_first_line(error)}")
        except (ValueError, OverflowError, RuntimeError) as error:
            return Failure(
                Reason.EXECUTION_ERROR, f"the answer cannot be read: {_first_line(error)}"
            )

    def _fetch(self, statement: Statement, volatile: bool, began: float) -> Outcome:
        limits = self._limits
        cursor = self.connection.execute(statement)
        described = cursor.description or []
        if not described:
            return self._no_result()
        rows: list[Row] = []
        driver_rows: list[tuple[object, ...]] = []
        size = 0
        while batch := cursor.fetchmany(_BATCH):
            cells = cells_of_rows(batch)
            weight = len(_SIZE.encode(cells))
            size += weight
            rows += cells
            if self._driver_values:
                driver_rows += batch
            if len(rows) > limits.rows:
                return Failure(Reason.ROW_LIMIT, f"more than {limits.rows:,} rows")
            if size > limits.bytes or (weight > limits.cell and _has_long(cells, limits.cell)):
                return Failure(Reason.MEMORY_LIMIT, f"more than {limits.bytes:,} bytes of rows")
        return Answer(
            tuple([str(column[0]) for column in described]),
            rows,
            perf_counter() - began,
            volatile,
            not volatile,
            driver_rows if self._driver_values else None,
        )

    def _text_refusal(self, sql: str) -> Failure | None:
        """Why a text is not even parsed."""
        return not_a_query(sql)

    def _statement_refusal(self, statements: list[Statement]) -> Failure | None:
        """Why the statements of a text are not run; ``None`` for one query."""
        if not statements:
            return Failure(Reason.NO_SQL_PRODUCED, "the text holds no SQL")
        if len(statements) > 1:
            message = "several statements; exactly one is expected"
            return Failure(Reason.UNSUPPORTED_FEATURE, message)
        kind = statements[0].type
        if kind not in _QUERIES:
            return Failure(Reason.WRITE_BLOCKED, f"only reading is allowed; blocked: {kind.name}")
        return None

    def _tree_refusal(self, sql: str) -> Failure | None:
        """Why a query is not run; ``None`` where all parts of it are allowed."""
        return tree_refusal(self.connection, sql)

    def _no_result(self) -> Outcome:
        """What a statement without a result gives."""
        return Failure(Reason.UNSUPPORTED_FEATURE, "the statement returns no result")

    def _failure(self, error: Exception, seconds: float) -> Failure:
        if isinstance(error, duckdb.InterruptException):
            if not self._deadline.late:
                # We did not stop it: Ctrl-C struck inside the driver.
                raise KeyboardInterrupt from error
            return Failure(
                Reason.EXECUTION_TIMEOUT,
                f"stopped after {self._limits.seconds:g} s",
                seconds=seconds,
                repeatable=False,
            )
        if isinstance(error, duckdb.FatalException | duckdb.InternalException):
            self.connection.close()
            self.connection = self._connect()
        failure = failure_of(error, seconds)
        if self._file is None:
            return failure
        return replace(failure, message=failure.message.replace(str(self._file), self._file.name))

    def _interrupt(self) -> None:
        # A connection that is closed runs nothing.
        with suppress(duckdb.Error):
            self.connection.interrupt()

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""
        seconds: list[list[float]] = [[] for _ in queries]
        for turn in range(rounds + 1):
            for index, sql in enumerate(queries):
                began = perf_counter()
                # It was answered before, so only a limit can stop it now.
                with suppress(duckdb.Error), self._deadline:
                    self.connection.execute(sql).fetchall()
                if turn:
                    seconds[index].append(perf_counter() - began)
        return seconds

    def close(self) -> None:
        """Close the connection."""
        self._deadline.close()
        self.connection.close()


def _has_long(rows: Sequence[Row], most: int) -> bool:
    return any(isinstance(cell, str | bytes) and len(cell) > most for row in rows for cell in row)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
