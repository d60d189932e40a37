"""Untrusted queries in one transaction, each behind a savepoint.

Rows come in chunks, so that a limit is noticed before the answer fills the memory. A query is
rolled back when the next one comes.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic, perf_counter

from psycopg.pq.abc import PGresult

from sqlverdict.execute.attempt import timed_out, too_long
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.catalogue import Catalogue
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.engines.postgres.exchange import PostgresExchange, ServerError
from sqlverdict.execute.engines.postgres.sandbox import Reading, failure_of, read
from sqlverdict.execute.engines.postgres.values import RowLoader
from sqlverdict.execute.values.arriving_rows import ArrivingRows
from sqlverdict.records import Failure, Outcome, Reason

SAVEPOINT = "SAVEPOINT clean"
"""To be set before the first query; every query begins with a way back to it."""
ROLL_BACK = "ROLLBACK TO SAVEPOINT clean"
_HEADROOM = 64 * 2**20
"""Bytes that the process may grow by anyway while rows arrive."""
_CLEAN = (ROLL_BACK.encode(), b"SELECT pg_catalog.pg_advisory_unlock_all()")
"""What the query before may have left: settings go back with the transaction, locks of the session
do not."""


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
        self._exchange = PostgresExchange(connection, limits.seconds, limits.memory)
        self._loader = RowLoader(connection, driver_values=driver_values)

    def read(self, sql: str) -> Reading | Failure:
        """A text as it is sent to the server, or why it is not."""
        long = too_long(sql, self._limits)
        if long is not None:
            return long
        reading = self._reading(sql)
        if isinstance(reading, Failure):
            return reading
        failure = self._catalogue.refusal(reading.contents)
        return reading if failure is None else failure

    def _reading(self, sql: str) -> Reading | Failure:
        """A text as the parser reads it."""
        return read(sql)

    def run(self, reading: Reading, text: str | None = None) -> Outcome:
        """The outcome of a query that is not refused.

        Args:
            reading: The query.
            text: What is sent, where that is more than the query.

        Raises:
            ServerLost: the connection ended.
        """
        began = perf_counter()
        deadline = monotonic() + self._limits.seconds
        rows = ArrivingRows(self._limits, driver_values=self._driver_values)
        sent = reading.text if text is None else text
        self._exchange.send(self._statements(sent))
        # The server is at work meanwhile.
        volatile, lasting = self._volatility(reading)
        try:
            columns = self._fetch(deadline, rows)
        except ServerError as error:
            seconds = perf_counter() - began
            if error.cancelled:
                return timed_out(self._limits.seconds, seconds)
            failure = failure_of(error.state, error.message, seconds)
            # What chance or the clock brought about may not come again.
            return failure if lasting else replace(failure, repeatable=False)
        if isinstance(columns, Failure):
            self._exchange.drop()
            return columns
        return rows.answer(columns, volatile=volatile, lasting=lasting)

    def _volatility(self, reading: Reading) -> tuple[bool, bool]:
        """Whether an answer is volatile, and whether it lasts."""
        return self._catalogue.volatility(reading, frozen=self._frozen)

    def _statements(self, sql: str) -> tuple[bytes, ...]:
        return *_CLEAN, sql.encode()

    def _fetch(self, deadline: float, rows: ArrivingRows) -> tuple[str, ...] | Failure:
        """The names of the columns; or why the rows are not taken."""
        limits = self._limits
        columns: tuple[str, ...] = ()
        memory = 2 * limits.bytes + limits.cell + _HEADROOM
        for result in self._exchange.rows(deadline, memory):
            columns = columns or column_names(result)
            try:
                cells, batch = self._loader.cells(result), self._loader.driver_rows(result)
            except MemoryError:
                return Failure(Reason.MEMORY_LIMIT, "the answer does not fit into memory")
            failure = rows.add(cells, batch)
            if failure is not None:
                return failure
        return columns

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._exchange.close()


def column_names(result: PGresult) -> tuple[str, ...]:
    """The names of the columns of a result; none where a statement has no result."""
    names = [result.fname(column) or b"" for column in range(result.nfields)]
    return tuple(name.decode("utf-8", "backslashreplace") for name in names)
