"""One snapshot of a PostgreSQL database, and untrusted queries on it.

A session is one read-only transaction at the level REPEATABLE READ, so that all its queries see
the same content, whoever writes meanwhile. Each query is the body of a cursor behind a savepoint,
and is rolled back before the next one. Rows come in batches, so that a limit is noticed before
the answer fills the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from time import monotonic, perf_counter

import msgspec
import psycopg
from psycopg.pq.abc import PGresult

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.postgres.catalogue import Catalogue, read_catalogue
from sqlverdict.execute.postgres.connection import Connection, connect, drop_rights
from sqlverdict.execute.postgres.digest import content_digest
from sqlverdict.execute.postgres.exchange import ConnectionLost, PostgresExchange, ServerError
from sqlverdict.execute.postgres.sandbox import (
    DIALECT,
    failure_of,
    refusal,
    timed_out,
    unavailable,
)
from sqlverdict.execute.postgres.values import RowLoader
from sqlverdict.files.references import Reference
from sqlverdict.records import Answer, Failure, Outcome, Reason, Row

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_FIRST = 200
_MOST = 4_096
_IN_FLIGHT = 8 * 2**20
"""Bytes of one batch after the first, by the rows before it."""
_SAVEPOINT = b"SAVEPOINT clean"
_ROLL_BACK = b"ROLLBACK TO SAVEPOINT clean"
_SIZE = msgspec.msgpack.Encoder()


class PostgresSession:
    """A snapshot of one database. Not for several threads at once.

    Args:
        database: Its URL.
        limits: What one query may spend.
        now: What the clock shows to queries; ``None``: the time it is.
        driver_values: Answers also hold the driver's values.

    Raises:
        DatabaseError: it cannot be opened.
    """

    def __init__(
        self,
        database: Reference,
        limits: Limits,
        now: datetime | None = None,
        *,
        driver_values: bool = False,
    ) -> None:
        self._database = database
        self._limits = limits
        self._now = now
        self._driver_values = driver_values
        self._digest: str | None = None
        self._has_digest = False
        self._open()

    def _open(self) -> None:
        connection = connect(self._database, self._limits.seconds)
        try:
            drop_rights(connection)
            connection.execute(BEGIN)
            self._catalogue: Catalogue = read_catalogue(connection)
            connection.execute(_SAVEPOINT)
        except psycopg.Error as error:
            connection.close()
            raise DatabaseError(f"{self._database} cannot be read: {error}") from error
        self._connection: Connection = connection
        self._exchange = PostgresExchange(connection)
        self._loader = RowLoader(connection, driver_values=self._driver_values)

    def digest(self) -> str | None:
        """Digest of the content that this session reads."""
        if not self._has_digest:
            self._digest = self._content_digest()
            self._has_digest = True
        return self._digest

    def _content_digest(self) -> str | None:
        try:
            self._connection.execute(_ROLL_BACK)
            digest = content_digest(self._connection)
            self._connection.execute(_ROLL_BACK)
        except psycopg.Error:
            return None
        return digest

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
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
        sql = sql.lstrip("\ufeff")
        reply = refusal(sql, self._catalogue.blocked)
        if reply is not None:
            return reply
        if self._now is not None:
            sql = freeze_text(sql, self._now, DIALECT)
        try:
            return self._run(sql)
        except ConnectionLost:
            return self._run_again(sql)

    def _run_again(self, sql: str) -> Outcome:
        """Once more, on a new connection, if that shows the same content."""
        self._exchange.close()
        try:
            self._open()
            if self._has_digest and self._content_digest() != self._digest:
                return unavailable(
                    f"the connection to {self._database} was lost, and the content is another "
                    "one now. Run the same command again"
                )
            return self._run(sql)
        except (ConnectionLost, DatabaseError) as error:
            return unavailable(f"the connection to {self._database} was lost: {error}")

    def _run(self, sql: str) -> Outcome:
        began = perf_counter()
        deadline = monotonic() + self._limits.seconds
        volatile, lasting = self._catalogue.volatility(sql, frozen=self._now is not None)
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
        *_, result = self._exchange.ask((_ROLL_BACK, cursor, _fetch_text(count)), deadline)
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
                return _columns(result), rows, driver_rows
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
            self._exchange.ask((_ROLL_BACK,), monotonic() + self._limits.seconds)

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""
        seconds: list[list[float]] = [[] for _ in queries]
        for turn in range(rounds + 1):
            for index, sql in enumerate(queries):
                began = perf_counter()
                self.run(sql)
                if turn:
                    seconds[index].append(perf_counter() - began)
        return seconds

    def close(self) -> None:
        """Roll back and disconnect."""
        self._exchange.close()


def _fetch_text(count: int) -> bytes:
    return b"FETCH FORWARD %d FROM answer" % count


def _columns(result: PGresult) -> tuple[str, ...]:
    names = [result.fname(column) or b"" for column in range(result.nfields)]
    return tuple(name.decode("utf-8", "backslashreplace") for name in names)


def _has_longer(rows: list[Row], most: int) -> bool:
    return any(isinstance(cell, str | bytes) and len(cell) > most for row in rows for cell in row)
