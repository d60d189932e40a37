"""Untrusted queries in one transaction, each behind a savepoint.

Rows come in chunks, so that a limit is noticed before the answer fills the memory. A query is
rolled back when the next one comes. Tables of our own can be written in a read-only transaction:
there a query is the body of a cursor, which takes nothing that writes.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic, perf_counter

import msgspec
from psycopg.pq.abc import PGresult

from sqlverdict.execute.attempt import too_long
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.catalogue import Catalogue
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.engines.postgres.exchange import PostgresExchange, ServerError
from sqlverdict.execute.engines.postgres.sandbox import Reading, failure_of, read
from sqlverdict.execute.engines.postgres.values import RowLoader
from sqlverdict.execute.servers.refusals import timed_out
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

SAVEPOINT = "SAVEPOINT clean"
"""To be set before the first query; every query begins with a way back to it."""
ROLL_BACK = "ROLLBACK TO SAVEPOINT clean"
_HEADROOM = 64 * 2**20
"""Bytes that the process may grow by anyway while rows arrive."""
_CLEAN = (ROLL_BACK.encode(), b"SELECT pg_catalog.pg_advisory_unlock_all()")
"""What the query before may have left: settings go back with the transaction, locks of the session
do not."""
_SIZE = msgspec.msgpack.Encoder()


class GuardedCursor:
    """Runs queries on a connection in a transaction that has the savepoint.

    Args:
        connection: The connection.
        catalogue: What the database says about functions and views.
        limits: What one query may spend.
        frozen: The clock words of texts are replaced already.
        own_tables: The tables are temporary ones of ours.
        driver_values: Answers also hold the driver's values.
    """

    def __init__(
        self,
        connection: Connection,
        catalogue: Catalogue,
        limits: Limits,
        *,
        frozen: bool = False,
        own_tables: bool = False,
        driver_values: bool = False,
    ) -> None:
        self._catalogue = catalogue
        self._limits = limits
        self._frozen = frozen
        self._own_tables = own_tables
        self._driver_values = driver_values
        self._exchange = PostgresExchange(connection, limits.seconds, limits.memory)
        self._loader = RowLoader(connection, driver_values=driver_values)

    def read(self, sql: str) -> Reading | Failure:
        """A text as it is sent to the server, or why it is not."""
        long = too_long(sql, self._limits)
        if long is not None:
            return long
        reading = read(sql)
        if isinstance(reading, Failure):
            return reading
        failure = self._catalogue.refusal(reading.contents)
        return reading if failure is None else failure

    def run(self, reading: Reading) -> Outcome:
        """The outcome of a query that is not refused.

        Raises:
            ServerLost: the connection ended.
        """
        began = perf_counter()
        deadline = monotonic() + self._limits.seconds
        self._exchange.send(self._statements(reading.text))
        # The server is at work meanwhile.
        volatile, lasting = self._catalogue.volatility(reading, frozen=self._frozen)
        try:
            outcome = self._fetch(deadline)
        except ServerError as error:
            seconds = perf_counter() - began
            if error.cancelled:
                return timed_out(self._limits.seconds, seconds)
            failure = failure_of(error.state, error.message, seconds)
            # What chance or the clock brought about may not come again.
            return failure if lasting else replace(failure, repeatable=False)
        if isinstance(outcome, Failure):
            self._exchange.drop()
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

    def _statements(self, sql: str) -> tuple[bytes, ...]:
        if not self._own_tables:
            return *_CLEAN, sql.encode()
        declaration = f"DECLARE answer NO SCROLL CURSOR FOR {sql}".encode()
        return (
            *_CLEAN,
            declaration,
            b"FETCH FORWARD %d FROM answer" % (self._limits.rows + 1),
        )

    def _fetch(
        self, deadline: float
    ) -> tuple[tuple[str, ...], list[Row], list[tuple[object, ...]]] | Failure:
        limits = self._limits
        rows: list[Row] = []
        driver_rows: list[tuple[object, ...]] = []
        columns: tuple[str, ...] = ()
        size = 0
        memory = 2 * limits.bytes + limits.cell + _HEADROOM
        for result in self._exchange.rows(deadline, memory):
            columns = columns or column_names(result)
            try:
                batch = self._loader.cells(result)
                driver_rows += self._loader.driver_rows(result)
            except MemoryError:
                return Failure(Reason.MEMORY_LIMIT, "the answer does not fit into memory")
            rows += batch
            weight = len(_SIZE.encode(batch))
            size += weight
            if len(rows) > limits.rows:
                return Failure(Reason.ROW_LIMIT, f"more than {limits.rows:,} rows")
            if size > limits.bytes:
                return Failure(Reason.MEMORY_LIMIT, f"more than {limits.bytes:,} bytes of rows")
            if weight > limits.cell and _has_longer(batch, limits.cell):
                return Failure(Reason.MEMORY_LIMIT, f"a value of more than {limits.cell:,} bytes")
        return columns, rows, driver_rows

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._exchange.close()


def column_names(result: PGresult) -> tuple[str, ...]:
    """The names of the columns of a result; none where a statement has no result."""
    names = [result.fname(column) or b"" for column in range(result.nfields)]
    return tuple(name.decode("utf-8", "backslashreplace") for name in names)


def _has_longer(rows: list[Row], most: int) -> bool:
    return any(isinstance(cell, str | bytes) and len(cell) > most for row in rows for cell in row)
