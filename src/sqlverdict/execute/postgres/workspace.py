"""A transaction on PostgreSQL in which statements may write, and which is rolled back.

Tables, views, indexes, types and rows may change; nothing of it is ever committed. What a
transaction does not undo stays closed: files, settings, functions in other languages, other
databases. So do the tables of the catalogue: who may write there gives a function another name.
Two things are felt outside all the same: rows that were changed and sequences are locked until the
end, and a sequence of another role does not take back the numbers that it gave.

Statements that write run as the role of the URL: only the owner of a table may alter it. Queries of
a superuser run as a role that reads. Best give a role that owns the database and is no superuser.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from time import monotonic, perf_counter

import psycopg
from psycopg.pq.abc import PGresult

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits, too_long
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.lexemes import Lex, Lexeme, solid_lexemes
from sqlverdict.execute.postgres.catalogue import read_catalogue
from sqlverdict.execute.postgres.connection import READER, connect, reads_as_another
from sqlverdict.execute.postgres.cursor import column_names
from sqlverdict.execute.postgres.exchange import PostgresExchange, ServerError
from sqlverdict.execute.postgres.sandbox import DIALECT, blocked_name, failure_of
from sqlverdict.execute.postgres.sequences import hold_sequences
from sqlverdict.execute.postgres.values import RowLoader
from sqlverdict.execute.servers.refusals import QUERIES, change_blocked, change_refusal, timed_out
from sqlverdict.execute.servers.session import ServerLost, unavailable
from sqlverdict.files.references import Reference
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Answer, Failure, Outcome, Reason

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"
_SELF = b"RESET ROLE"
_TABLES = (
    "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p')"
    " AND relnamespace = 'public'::regnamespace ORDER BY relname"
)
_SYSTEM_TABLES = (
    "SELECT relname::text FROM pg_catalog.pg_class WHERE relkind IN ('r', 'v')"
    " AND relnamespace = 'pg_catalog'::regnamespace"
)
_ROWS = word_set("insert update delete merge truncate")
_WRITES = _ROWS | {"into"}
"""Words of which one is in every query that writes: WITH x AS (DELETE ...), SELECT ... INTO t."""
_OBJECTS = word_set("table view index sequence type domain column")
_BEFORE_OBJECT = word_set(
    "or replace unique temp temporary unlogged materialized concurrently recursive if on"
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
        connection = connect(database, limits.seconds)
        try:
            connection.execute(BEGIN)
            self._blocked = read_catalogue(connection).blocked
            rows = connection.execute(_SYSTEM_TABLES).fetchall()
            self._system_tables = frozenset(name for (name,) in rows)
            self._as_reader = (READER.encode(),) if reads_as_another(connection) else ()
        except psycopg.Error as error:
            connection.close()
            raise DatabaseError(f"{database} cannot be written to for a trial: {error}") from error
        self._connection = connection
        self._holds_sequences = False
        self._exchange = PostgresExchange(connection)
        self._loader = RowLoader(connection, driver_values=False)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted statement; one that has no result gives an answer without columns."""
        refusal = self._refusal(sql)
        if refusal is not None:
            return refusal
        if self._now is not None:
            sql = freeze_text(sql, self._now, DIALECT)
        began, deadline = perf_counter(), monotonic() + self._limits.seconds
        try:
            return self._answer(sql, deadline)
        except ServerError as error:
            seconds = perf_counter() - began
            with suppress(ServerError, ServerLost):
                self._exchange.ask((b"ROLLBACK TO SAVEPOINT statement",), monotonic() + 10)
            if error.cancelled:
                return timed_out(self._limits.seconds, seconds)
            return failure_of(error.state, error.message, seconds)
        except ServerLost as error:
            return unavailable(f"the connection was lost: {error}")
        except UnicodeEncodeError as error:
            return Failure(Reason.PARSE_ERROR, f"the SQL text cannot be sent: {error}")

    def tables(self) -> list[str]:
        """The names of the tables in the schema ``public``, sorted."""
        try:
            outcome = self._answer(_TABLES, monotonic() + self._limits.seconds)
        except (ServerError, ServerLost) as error:
            raise DatabaseError(f"the tables cannot be listed: {error}") from error
        if isinstance(outcome, Failure):
            raise DatabaseError(f"the tables cannot be listed: {outcome.message}")
        return [str(row[0]) for row in outcome.rows]

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._exchange.close()

    def _answer(self, sql: str, deadline: float) -> Outcome:
        text = sql.encode()
        if b"\0" in text:
            return Failure(Reason.PARSE_ERROR, "the SQL text contains a NUL byte")
        if not _only_reads(solid_lexemes(sql, DIALECT)):
            failure = self._hold_sequences()
            if failure is not None:
                return failure
            *_, result = self._exchange.ask((b"SAVEPOINT statement", text), deadline)
            return self._rows(result)
        # One row more than is allowed, so that the server never sends more than that.
        fetch = b"FETCH FORWARD %d FROM answer" % (self._limits.rows + 1)
        cursor = b"DECLARE answer NO SCROLL CURSOR FOR " + text
        statements = (b"SAVEPOINT statement", *self._as_reader, cursor, fetch)
        *_, result, _, _ = self._exchange.ask((*statements, b"CLOSE answer", _SELF), deadline)
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

    def _refusal(self, sql: str) -> Failure | None:
        reply = too_long(sql, self._limits)
        if reply is not None:
            return reply
        parts = solid_lexemes(sql, DIALECT)
        while parts and parts[-1].text == ";":
            parts.pop()
        reply = change_refusal(parts, _ROWS, _OBJECTS, _BEFORE_OBJECT)
        if reply is not None:
            return reply
        if not _only_reads(parts):
            names = [part.name for part in parts if part.kind in (Lex.WORD, Lex.NAME)]
            system = next((name for name in names if name in self._system_tables), None)
            if system is not None:
                return change_blocked(f"the catalogue ({system})")
        return blocked_name(parts, self._blocked)


def _only_reads(parts: Sequence[Lexeme]) -> bool:
    """Whether a statement only reads, so that its rows can be fetched through a cursor."""
    words = [part.name for part in parts if part.kind is Lex.WORD]
    return words[0] in QUERIES and _WRITES.isdisjoint(words)
