"""A transaction on PostgreSQL in which statements may write, and which is rolled back.

Tables, views, indexes, types and rows may change; nothing of it is ever committed. What a
transaction does not undo stays closed: files, settings, functions in other languages, other
databases. So do the tables of the catalogue: who may write there gives a function another name.
Two things are felt outside all the same: rows that were changed and sequences are locked until the
end, and a sequence of another role does not take back the numbers that it gave.

A number that a sequence gave is gone, whatever becomes of the transaction. But a sequence that was
restarted in the transaction is a new one until the end: the numbers are taken from that. So two
workspaces give the same numbers, and the sequence of the database gives none.

Statements run as the role of the URL: only the owner of a table may alter it. A role that may
administrate the server is refused, unless it is trusted: give one that owns the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, perf_counter
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.pq.abc import PGresult

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import too_long
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.catalogue import read_catalogue
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.engines.postgres.cursor import column_names
from sqlverdict.execute.engines.postgres.exchange import PostgresExchange, ServerError
from sqlverdict.execute.engines.postgres.guard.contents import (
    Contents,
    DepthError,
    NodeError,
    contents,
)
from sqlverdict.execute.engines.postgres.guard.parser import CHANGE_NODES, CHANGES, QUERY_NODES
from sqlverdict.execute.engines.postgres.reader import connect_writer
from sqlverdict.execute.engines.postgres.sandbox import DIALECT, failure_of, parse_text
from sqlverdict.execute.engines.postgres.values import RowLoader
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.lexemes import Lex, solid_lexemes
from sqlverdict.execute.servers.refusals import change_blocked, timed_out
from sqlverdict.execute.servers.session import ServerLost, unavailable
from sqlverdict.files.references import Reference
from sqlverdict.records import Answer, Failure, Outcome, Reason

_OBJECTS: Final = frozenset(
    f"OBJECT_{name}"
    for name in (
        *("TABLE", "VIEW", "MATVIEW", "INDEX", "SEQUENCE", "TYPE", "DOMAIN", "COLUMN"),
        *("ATTRIBUTE", "TABCONSTRAINT", "DOMCONSTRAINT"),
    )
)
"""What may be altered, renamed, dropped or described."""
_OBJECT_FIELDS: Final = ("removeType", "renameType", "objtype")
_TABLE_CHANGES: Final = frozenset(
    f"AT_{name}"
    for name in (
        *("AddColumn", "DropColumn", "AlterColumnType", "ColumnDefault", "SetNotNull"),
        *("DropNotNull", "SetExpression", "DropExpression", "AddConstraint", "AlterConstraint"),
        *("ValidateConstraint", "DropConstraint", "AddIdentity", "SetIdentity", "DropIdentity"),
        *("SetStatistics", "AttachPartition", "DetachPartition", "AddInherit", "DropInherit"),
    )
)


@dataclass(frozen=True)
class WriteStatement:
    """A statement as it is sent, and what it names.

    Attributes:
        text: The text, as the parser writes it.
        contents: Its functions, relations and types.
        only_reads: It is a query that writes nothing.
    """

    text: str
    contents: Contents
    only_reads: bool


def read_write_statement(sql: str, system_tables: frozenset[str]) -> WriteStatement | Failure:
    """A statement that may write as it is sent, or why it is not.

    Args:
        sql: The text.
        system_tables: The names of the server's own tables.

    Raises:
        MissingExtra: the parser is not installed.
    """
    tree = parse_text(sql)
    if isinstance(tree, Failure):
        return tree
    if len(tree.statements) > 1:
        return Failure(Reason.UNSUPPORTED_FEATURE, "several statements in one")
    ((kind, statement),) = tree.statements
    first = " ".join(tree.text.split(maxsplit=2)[:2]).upper()[:40]
    if kind != "SelectStmt" and kind not in CHANGES:
        return change_blocked(first)
    try:
        try:
            result = contents(kind, statement, QUERY_NODES)
            return WriteStatement(tree.text, result, only_reads=True)
        except NodeError:
            result = contents(kind, statement, CHANGE_NODES)
    except NodeError as error:
        return change_blocked(f"{first} ({error.node})")
    except DepthError:
        return Failure(Reason.PARSE_ERROR, "the text is nested too deeply")
    if not _changes_tables(statement):
        return change_blocked(first)
    parts = solid_lexemes(tree.text, DIALECT)
    names = {part.name for part in parts if part.kind in (Lex.WORD, Lex.NAME)}
    for name in sorted(names & (system_tables | {"information_schema"})):
        return change_blocked(f"the catalogue ({name})")
    return WriteStatement(tree.text, result, only_reads=False)


def _changes_tables(statement: Mapping[str, Any]) -> bool:
    """Whether what a statement alters is a table, or belongs to one."""
    if any(statement.get(name, "OBJECT_TABLE") not in _OBJECTS for name in _OBJECT_FIELDS):
        return False
    commands = statement.get("cmds", ())
    return all(each["AlterTableCmd"].get("subtype") in _TABLE_CHANGES for each in commands)


_SEQUENCES: Final = (
    "SELECT schemaname::text, sequencename::text, increment_by, min_value, max_value"
    " FROM pg_catalog.pg_sequences WHERE schemaname !~ '^pg_'"
    " AND pg_catalog.pg_has_role(sequenceowner, 'USAGE') ORDER BY 1, 2"
)
_NEXT: Final = sql.SQL("SELECT last_value + CASE WHEN is_called THEN {} ELSE 0 END FROM {}")
_RESTART: Final = sql.SQL("ALTER SEQUENCE {} RESTART WITH {}")


def hold_sequences(connection: Connection) -> None:
    """Let every sequence that the role owns go on from where it is, until the transaction ends.

    Another transaction that does the same waits; so does one that takes a number.

    Raises:
        psycopg.Error: another transaction does not end in time.
    """
    for schema, name, step, least, most in connection.execute(_SEQUENCES).fetchall():
        sequence = sql.Identifier(schema, name)
        try:
            connection.execute("SAVEPOINT sequence")
            row = connection.execute(_NEXT.format(sql.Literal(step), sequence)).fetchone()
            # One that is used up fails, or begins again, as it does in the database.
            if row is not None and least <= row[0] <= most:
                connection.execute(_RESTART.format(sequence, sql.Literal(row[0])))
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.NumericValueOutOfRange):
            connection.execute("ROLLBACK TO SAVEPOINT sequence")


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
