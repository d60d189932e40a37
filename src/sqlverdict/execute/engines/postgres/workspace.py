"""A transaction on PostgreSQL in which statements may write, and which is rolled back.

Tables, views, indexes, types and rows may change; nothing of it is ever committed. What a
transaction does not undo stays closed: files, settings, functions in other languages, other
databases. So do the tables of the catalogue: who may write there gives a function another name.
Two things are felt outside all the same: rows that were changed and sequences are locked until the
end, and a sequence of another role does not take back the numbers that it gave.

Statements run as the role of the URL: only the owner of a table may alter it. A role that may
administrate the server is refused, unless it is trusted: give one that owns the tables.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from time import monotonic, perf_counter

import psycopg
from psycopg.pq.abc import PGresult

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import too_long
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.catalogue import read_catalogue
from sqlverdict.execute.engines.postgres.cursor import column_names
from sqlverdict.execute.engines.postgres.exchange import PostgresExchange, ServerError
from sqlverdict.execute.engines.postgres.guard.changes import WriteStatement, read_write_statement
from sqlverdict.execute.engines.postgres.reader import connect_writer
from sqlverdict.execute.engines.postgres.sandbox import DIALECT, failure_of
from sqlverdict.execute.engines.postgres.sequences import hold_sequences
from sqlverdict.execute.engines.postgres.values import RowLoader
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.servers.refusals import timed_out
from sqlverdict.execute.servers.session import ServerLost, unavailable
from sqlverdict.files.references import Reference
from sqlverdict.records import Answer, Failure, Outcome, Reason

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"
_TABLES = (
    "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p')"
    " AND relnamespace = 'public'::regnamespace ORDER BY relname"
)
_SYSTEM_TABLES = (
    "SELECT relname::text FROM pg_catalog.pg_class WHERE relkind IN ('r', 'v')"
    " AND relnamespace = 'pg_catalog'::regnamespace"
)


class PostgresWorkspace:
    """One transaction that is rolled back. Not for several threads at once.

    Args:
        database: The URL.
        limits: What one statement may spend.
        now: What the clock shows.

    Raises:
        DatabaseError: it cannot be opened.
    """

    def __init__(self, database: Reference, limits: Limits, now: datetime | None) -> None:
        self._limits, self._now = limits, now
        connection = connect_writer(database, limits)
        try:
            connection.execute(BEGIN)
            self._catalogue = read_catalogue(connection)
            rows = connection.execute(_SYSTEM_TABLES).fetchall()
            self._system_tables = frozenset(name for (name,) in rows)
        except psycopg.Error as error:
            connection.close()
            raise DatabaseError(f"{database} cannot be written to for a trial: {error}") from error
        self._connection = connection
        self._holds_sequences = False
        self._exchange = PostgresExchange(connection, limits.seconds, limits.memory)
        self._loader = RowLoader(connection, driver_values=False)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted statement; one that has no result gives an answer without columns."""
        change = self._read(sql)
        if not isinstance(change, Failure) and self._now is not None:
            frozen = freeze_text(change.text, self._now, DIALECT)
            if frozen != change.text:
                change = self._read(frozen)
        if isinstance(change, Failure):
            return change
        began, deadline = perf_counter(), monotonic() + self._limits.seconds
        try:
            return self._answer(change.text, deadline, only_reads=change.only_reads)
        except ServerError as error:
            seconds = perf_counter() - began
            with suppress(ServerError, ServerLost):
                self._exchange.ask((b"ROLLBACK TO SAVEPOINT statement",), monotonic() + 10)
            if error.cancelled:
                return timed_out(self._limits.seconds, seconds)
            return failure_of(error.state, error.message, seconds)
        except ServerLost as error:
            return unavailable(f"the connection was lost: {error}")

    def _read(self, sql: str) -> WriteStatement | Failure:
        """A statement as it is sent, or why it is not."""
        reply = too_long(sql, self._limits)
        if reply is not None:
            return reply
        change = read_write_statement(sql, self._system_tables)
        if isinstance(change, Failure):
            return change
        failure = self._catalogue.refusal(change.contents)
        return change if failure is None else failure

    def tables(self) -> list[str]:
        """The names of the tables in the schema ``public``, sorted."""
        try:
            outcome = self._answer(_TABLES, monotonic() + self._limits.seconds, only_reads=True)
        except (ServerError, ServerLost) as error:
            raise DatabaseError(f"the tables cannot be listed: {error}") from error
        if isinstance(outcome, Failure):
            raise DatabaseError(f"the tables cannot be listed: {outcome.message}")
        return [str(row[0]) for row in outcome.rows]

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._exchange.close()

    def _answer(self, sql: str, deadline: float, *, only_reads: bool) -> Outcome:
        text = sql.encode()
        if not only_reads:
            failure = self._hold_sequences()
            if failure is not None:
                return failure
            *_, result = self._exchange.ask((b"SAVEPOINT statement", text), deadline)
            return self._rows(result)
        # One row more than is allowed, so that the server never sends more than that.
        fetch = b"FETCH FORWARD %d FROM answer" % (self._limits.rows + 1)
        cursor = b"DECLARE answer NO SCROLL CURSOR FOR " + text
        statements = (b"SAVEPOINT statement", cursor, fetch, b"CLOSE answer")
        *_, result, _ = self._exchange.ask(statements, deadline)
        return self._rows(result)

    def _hold_sequences(self) -> Failure | None:
        """Before the first statement that writes; why it cannot be done."""
        if self._holds_sequences:
            return None
        try:
            hold_sequences(self._connection)
        except psycopg.Error as error:
            return unavailable(f"the sequences of the database cannot be held: {error}")
        self._holds_sequences = True
        return None

    def _rows(self, result: PGresult) -> Outcome:
        rows = self._loader.cells(result)
        if len(rows) > self._limits.rows:
            return Failure(Reason.ROW_LIMIT, f"more than {self._limits.rows:,} rows")
        return Answer(column_names(result), rows)
