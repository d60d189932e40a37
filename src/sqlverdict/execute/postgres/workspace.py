"""A transaction on PostgreSQL in which statements may write, and which is rolled back.

Tables, views, indexes, types and rows may change; nothing of it is ever committed. What a
transaction does not undo stays closed: files, settings, functions in other languages, other
databases. So do the tables of the catalogue: who may write there gives a function another name.
Two things are felt outside all the same: rows that were changed and sequences are locked until the
end, and a sequence of another role does not take back the numbers that it gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from time import monotonic, perf_counter

import psycopg
from psycopg.pq.abc import PGresult

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.lexemes import Lex, solid_lexemes
from sqlverdict.execute.postgres.catalogue import read_catalogue
from sqlverdict.execute.postgres.connection import connect
from sqlverdict.execute.postgres.cursor import column_names
from sqlverdict.execute.postgres.exchange import PostgresExchange, ServerError
from sqlverdict.execute.postgres.sandbox import (
    DIALECT,
    blocked_name,
    failure_of,
    timed_out,
)
from sqlverdict.execute.postgres.sequences import hold_sequences
from sqlverdict.execute.postgres.values import RowLoader
from sqlverdict.execute.server_session import ServerLost, unavailable
from sqlverdict.files.references import Reference
from sqlverdict.parse.tokens import word_set
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
_QUERIES = word_set("select with values table")
_ROWS = word_set("insert update delete merge truncate")
_CHANGES = word_set("create alter drop comment")
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
        outcome = self._answer(_TABLES, monotonic() + self._limits.seconds)
        return [str(row[0]) for row in outcome.rows] if isinstance(outcome, Answer) else []

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._exchange.close()

    def _answer(self, sql: str, deadline: float) -> Outcome:
        text = sql.encode()
        if b"\0" in text:
            return Failure(Reason.PARSE_ERROR, "the SQL text contains a NUL byte")
        if not _is_query(sql):
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

    def _refusal(self, sql: str) -> Failure | None:
        if len(sql) > self._limits.sql_length:
            most = f"{self._limits.sql_length:,}"
            message = f"the SQL text has {len(sql):,} characters; at most {most} are tried"
            return Failure(Reason.PARSE_ERROR, message)
        parts = solid_lexemes(sql, DIALECT)
        words = [part.name for part in parts if part.text != "("]
        if not words:
            return Failure(Reason.NO_SQL_PRODUCED, "the text holds no SQL")
        if words[0] in _CHANGES:
            kind = next((word for word in words[1:] if word not in _BEFORE_OBJECT), "")
            allowed = kind in _OBJECTS
        else:
            allowed = words[0] in _QUERIES | _ROWS
        if not allowed:
            what = " ".join(words[:2]).upper()[:40]
            return Failure(Reason.WRITE_BLOCKED, f"only tables may be changed; blocked: {what}")
        if not _only_reads(words):
            names = [part.name for part in parts if part.kind in (Lex.WORD, Lex.NAME)]
            system = next((name for name in names if name in self._system_tables), None)
            if system is not None:
                message = f"only tables may be changed; blocked: the catalogue ({system})"
                return Failure(Reason.WRITE_BLOCKED, message)
        return blocked_name(parts, self._blocked)


def _is_query(sql: str) -> bool:
    """Whether a text only reads, so that its rows can be fetched through a cursor."""
    return _only_reads([part.name for part in solid_lexemes(sql, DIALECT) if part.text != "("])


def _only_reads(words: Sequence[str]) -> bool:
    return words[0] in _QUERIES and (words[0] != "with" or not _ROWS.intersection(words))
