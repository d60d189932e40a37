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
from duckdb import DuckDBPyConnection, Statement, StatementType

from sqlverdict.execute.attempt import (
    NO_RESULT,
    NO_SQL,
    SEVERAL,
    timed_out,
    too_long,
    unfolding,
    write_blocked,
)
from sqlverdict.execute.deadline import Deadline
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.guard import NameGuard, failure_of, not_a_query
from sqlverdict.execute.engines.duckdb.tree import tree_refusal
from sqlverdict.execute.engines.duckdb.values.exact_columns import ExactColumns
from sqlverdict.execute.session import interleaved_seconds
from sqlverdict.execute.values.arriving_rows import BATCH, ArrivingRows
from sqlverdict.execute.values.driver_values import cells_of_rows
from sqlverdict.records import Failure, Outcome, Reason

QUERIES = (StatementType.SELECT, StatementType.MULTI)
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
        files: What is open; no message tells where they are.
    """

    def __init__(
        self,
        connect: Connect,
        limits: Limits,
        *,
        frozen: bool = False,
        macros: bool = True,
        driver_values: bool = False,
        files: Sequence[Path] = (),
    ) -> None:
        self._connect = connect
        self.connection = connect()
        self._limits = limits
        self._driver_values = driver_values
        self._files = files
        self._names = NameGuard(self.connection, frozen=frozen, macros=macros)
        self._deadline = Deadline(limits.seconds, self._interrupt)

    def refusal(self, sql: str) -> Failure | None:
        """Why a text is not even parsed."""
        return too_long(sql, self._limits) or self._text_refusal(sql) or unfolding(sql)

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
                return self._fetch(statements[0], volatile)
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

    def _fetch(self, statement: Statement, volatile: bool) -> Outcome:
        cursor = self.connection.execute(statement)
        described = cursor.description or []
        if not described:
            return self._no_result()
        exact = ExactColumns(described if statement.type in QUERIES else ())
        rows = None if exact.lose_always else self._rows(cursor, exact)
        if rows is None:
            rows = self._exact_rows(self.connection.execute(exact.query(statement.query)), exact)
        if isinstance(rows, Failure):
            return rows
        columns = [str(column[0]) for column in described]
        return rows.answer(columns, volatile=volatile, lasting=not volatile)

    def _rows(
        self, cursor: DuckDBPyConnection, exact: ExactColumns
    ) -> ArrivingRows | Failure | None:
        """The rows as the driver gives them; ``None`` where it lost a part of them."""
        rows = ArrivingRows(self._limits, driver_values=self._driver_values)
        while batch := cursor.fetchmany(BATCH):
            cells = cells_of_rows(batch)
            if exact.lose(batch, cells):
                return None
            failure = rows.add(cells, batch)
            if failure is not None:
                return failure
        return rows

    def _exact_rows(
        self, cursor: DuckDBPyConnection, exact: ExactColumns
    ) -> ArrivingRows | Failure:
        """The rows of a query that asks for texts instead of what the driver loses."""
        rows = ArrivingRows(self._limits, driver_values=self._driver_values)
        while batch := cursor.fetchmany(BATCH):
            failure = rows.add(exact.cells(batch), exact.driver_rows(batch))
            if failure is not None:
                return failure
        return rows

    def _text_refusal(self, sql: str) -> Failure | None:
        """Why a text is not even parsed."""
        return not_a_query(sql)

    def _statement_refusal(self, statements: list[Statement]) -> Failure | None:
        """Why the statements of a text are not run; ``None`` for one query."""
        if not statements:
            return NO_SQL
        if len(statements) > 1:
            return SEVERAL
        kind = statements[0].type
        return None if kind in QUERIES else write_blocked(kind.name)

    def _tree_refusal(self, sql: str) -> Failure | None:
        """Why a query is not run; ``None`` where all parts of it are allowed."""
        return tree_refusal(self.connection, sql)

    def _no_result(self) -> Outcome:
        """What a statement without a result gives."""
        return NO_RESULT

    def _failure(self, error: Exception, seconds: float) -> Failure:
        if isinstance(error, duckdb.InterruptException):
            if not self._deadline.late:
                # We did not stop it: Ctrl-C struck inside the driver.
                raise KeyboardInterrupt from error
            return timed_out(self._limits.seconds, seconds)
        if isinstance(error, duckdb.FatalException | duckdb.InternalException):
            self.connection.close()
            self.connection = self._connect()
        failure = failure_of(error, seconds)
        for file in self._files:
            failure = replace(failure, message=failure.message.replace(str(file), file.name))
        return failure

    def _interrupt(self) -> None:
        # A connection that is closed runs nothing.
        with suppress(duckdb.Error):
            self.connection.interrupt()

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""

        def run(sql: str) -> None:
            # It was answered before, so only a limit can stop it now.
            with suppress(duckdb.Error), self._deadline:
                self.connection.execute(sql).fetchall()

        return interleaved_seconds(queries, rounds, run)

    def close(self) -> None:
        """Close the connection."""
        self._deadline.close()
        self.connection.close()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
