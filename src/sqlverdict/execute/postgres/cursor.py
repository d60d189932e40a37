"""Untrusted queries on one transaction: each is the body of a cursor behind a savepoint.

Rows come in batches, so that a limit is noticed before the answer fills the memory. A query is
rolled back when the next one comes, or at once where its rows are not wanted.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from time import monotonic, perf_counter

import msgspec
from psycopg.pq.abc import PGresult

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.postgres.catalogue import Catalogue
from sqlverdict.execute.postgres.connection import Connection
from sqlverdict.execute.postgres.exchange import ConnectionLost, PostgresExchange, ServerError
from sqlverdict.execute.postgres.sandbox import failure_of, refusal, timed_out
from sqlverdict.execute.postgres.values import RowLoader
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

SAVEPOINT = "SAVEPOINT clean"
"""To be set before the first query; every query begins with a way back to it."""
ROLL_BACK = "ROLLBACK TO SAVEPOINT clean"
_FIRST = 200
_MOST = 4_096
_IN_FLIGHT = 8 * 2**20
"""Bytes of one batch after the first, by the rows before it."""
_ROLL_BACK_TEXT = ROLL_BACK.encode()
_SIZE = msgspec.msgpack.Encoder()


class GuardedCursor:
    """Runs queries on a connection in a transaction that has the savepoint.

    Args:
        connection: The connection.
        catalogue: What the database says about functions and views.
        limits: What one query may spend.
        frozen: The clock words of texts are replaced already.
        driver_values: Answers also hold the driver's values.
    """

    def __init__(
        self,
        connection: Connection,
        catalogue: Catalogue,
        limits: Limits,
        *,
        frozen: bool = False,
        driver_values: bool = False,
    ) -> None:
        self._catalogue = catalogue
        self._limits = limits
        self._frozen = frozen
        self._driver_values = driver_values
        self._exchange = PostgresExchange(connection)
        self._loader = RowLoader(connection, driver_values=driver_values)

    def refusal(self, sql: str) -> Failure | None:
        """Why a text is not sent to the server; ``None`` where it may be."""
        if len(sql) > self._limits.sql_length:
            return Failure(
                Reason.PARSE_ERROR,
                f"the SQL text has {len(sql):,} characters; "
                f"at most {self._limits.sql_length:,} are tried",
            )
        try:
            text = sql.encode()
        except UnicodeEncodeError as error:
            return Failure(Reason.PARSE_ERROR, f"the SQL text cannot be sent: {error}")
        if b"\0" in text:
            return Failure(Reason.PARSE_ERROR, "the SQL text contains a NUL byte")
        return refusal(sql, self._catalogue.blocked)

    def run(self, sql: str) -> Outcome:
        """The outcome of a query that is not refused.

        Raises:
            ConnectionLost: the connection ended.
        """
        began = perf_counter()
        deadline = monotonic() + self._limits.seconds
        volatile, lasting = self._catalogue.volatility(sql, frozen=self._frozen)
        try:
            outcome = self._fetch(sql, began, deadline)
        except ServerError as error:
            seconds = perf_counter() - began
            if error.cancelled:
                return timed_out(self._limits.seconds, seconds)
            failure = failure_of(error.state, error.message, seconds)
            # What chance or the clock brought about may not come again.
            return failure if lasting else replace(failure, repeatable=False)
        except MemoryError:
            self._roll_back()
            return Failure(Reason.MEMORY_LIMIT, "the answer does not fit into the memory limit")
        if isinstance(outcome, Failure):
            self._roll_back()
            return outcome
        columns, rows, driver_rows = outcome
        return Answer(
            columns,
            rows,
            perf_counter() - began,
            volatile,
            lasting,
            driver_rows if self._driver_values else None,
        )

    def _fetch(
        self, sql: str, began: float, deadline: float
    ) -> tuple[tuple[str, ...], list[Row], list[tuple[object, ...]]] | Failure:
        limits = self._limits
        count = min(_FIRST, limits.rows + 1)
        cursor = f"DECLARE answer NO SCROLL CURSOR FOR {sql}".encode()
        *_, result = self._exchange.ask((_ROLL_BACK_TEXT, cursor, _fetch_text(count)), deadline)
        rows: list[Row] = []
        driver_rows: list[tuple[object, ...]] = []
        size = 0
        while True:
            batch = self._loader.cells(result)
            driver_rows += self._loader.driver_rows(result)
            rows += batch
            weight = len(_SIZE.encode(batch))
            size += weight
            if len(rows) > limits.rows:
                return Failure(Reason.ROW_LIMIT, f"more than {limits.rows:,} rows")
            if size > limits.bytes:
                return Failure(Reason.MEMORY_LIMIT, f"more than {limits.bytes:,} bytes of rows")
            if weight > limits.cell and _has_longer(batch, limits.cell):
                return Failure(Reason.MEMORY_LIMIT, f"a value of more than {limits.cell:,} bytes")
            if len(batch) < count:
                return column_names(result), rows, driver_rows
            # The server's own limit counts for each statement, ours for all of them.
            if monotonic() > deadline:
                return timed_out(limits.seconds, perf_counter() - began)
            fitting = _IN_FLIGHT * len(batch) // max(1, weight)
            count = max(1, min(_MOST, fitting, limits.rows + 1 - len(rows)))
            (result,) = self._exchange.ask((_fetch_text(count),), deadline)

    def _roll_back(self) -> None:
        """Give up a query whose rows are not wanted, so that it holds nothing on the server."""
        # A connection that is lost by now is noticed by the next query.
        with suppress(ConnectionLost, ServerError):
            self._exchange.ask((_ROLL_BACK_TEXT,), monotonic() + self._limits.seconds)

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._exchange.close()


def _fetch_text(count: int) -> bytes:
    return b"FETCH FORWARD %d FROM answer" % count


def column_names(result: PGresult) -> tuple[str, ...]:
    """The names of the columns of a result; none where a statement has no result."""
    names = [result.fname(column) or b"" for column in range(result.nfields)]
    return tuple(name.decode("utf-8", "backslashreplace") for name in names)


def _has_longer(rows: list[Row], most: int) -> bool:
    return any(isinstance(cell, str | bytes) and len(cell) > most for row in rows for cell in row)
