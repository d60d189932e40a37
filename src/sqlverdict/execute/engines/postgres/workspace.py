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
from datetime import datetime
from time import monotonic
from typing import Any, Final

import psycopg

from sqlverdict.execute.attempt import SEVERAL_CHANGES, unavailable
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.catalogue import read_catalogue
from sqlverdict.execute.engines.postgres.connection import (
    Connection,
    quoted,
    server_errors,
    server_literal,
)
from sqlverdict.execute.engines.postgres.cursor import GuardedCursor
from sqlverdict.execute.engines.postgres.exchange import ServerError
from sqlverdict.execute.engines.postgres.guard.contents import DepthError, NodeError, contents
from sqlverdict.execute.engines.postgres.guard.parser import CHANGE_NODES, CHANGES, QUERY_NODES
from sqlverdict.execute.engines.postgres.reader import connect_writer
from sqlverdict.execute.engines.postgres.sandbox import DIALECT, Reading, parse_text
from sqlverdict.execute.lexemes import Lex, solid_lexemes
from sqlverdict.execute.servers.refusals import change_blocked
from sqlverdict.execute.servers.session import ServerLost, ServerWorkspace
from sqlverdict.execute.servers.statements import rows_of, undo_on_error
from sqlverdict.files.references import Reference
from sqlverdict.records import Failure, Outcome, Reason

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


def _read_statement(sql: str, system_tables: frozenset[str]) -> Reading | Failure:
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
        return SEVERAL_CHANGES
    ((kind, statement),) = tree.statements
    first = " ".join(tree.text.split(maxsplit=2)[:2]).upper()[:40]
    if kind != "SelectStmt" and kind not in CHANGES:
        return change_blocked(first)
    try:
        try:
            return Reading(tree.text, contents(kind, statement, QUERY_NODES))
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
    return Reading(tree.text, result, writes=True)


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
_NEXT: Final = "SELECT last_value + CASE WHEN is_called THEN {} ELSE 0 END FROM {}"


def _hold_sequences(connection: Connection) -> None:
    """Let every sequence that the role owns go on from where it is, until the transaction ends.

    Another transaction that does the same waits; so does one that takes a number.

    Raises:
        psycopg.Error: another transaction does not end in time.
    """
    for schema, name, step, least, most in rows_of(connection, _SEQUENCES):
        sequence = quoted(schema, name)
        try:
            connection.execute("SAVEPOINT sequence")
            ((number,),) = rows_of(connection, _NEXT.format(server_literal(step), sequence))
            # One that is used up fails, or begins again, as it does in the database.
            if least <= number <= most:
                rows_of(connection, f"ALTER SEQUENCE {sequence} RESTART WITH {number}")
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.NumericValueOutOfRange):
            connection.execute("ROLLBACK TO SAVEPOINT sequence")


_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"
_TABLES: Final = (
    "SELECT relname::text FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p')"
    " AND relnamespace = 'public'::regnamespace"
)
_SYSTEM_TABLES: Final = (
    "SELECT relname::text FROM pg_catalog.pg_class WHERE relkind IN ('r', 'v')"
    " AND relnamespace = 'pg_catalog'::regnamespace"
)


class WriteCursor(GuardedCursor):
    """Runs statements that may write; one that fails leaves nothing.

    Args:
        connection: The connection.
        limits: What one statement may spend.

    Raises:
        psycopg.Error: the catalogue cannot be read.
    """

    def __init__(self, connection: Connection, limits: Limits) -> None:
        super().__init__(connection, read_catalogue(connection), limits)
        rows = rows_of(connection, _SYSTEM_TABLES)
        self._system_tables = frozenset(name for (name,) in rows)

    def _reading(self, sql: str) -> Reading | Failure:
        return _read_statement(sql, self._system_tables)

    def run(self, reading: Reading, text: str | None = None) -> Outcome:
        """The outcome of a statement that is not refused.

        Raises:
            ServerLost: the connection ended.
        """
        outcome = super().run(reading, text)
        if isinstance(outcome, Failure):
            with suppress(ServerError, ServerLost):
                self._exchange.ask((b"ROLLBACK TO SAVEPOINT statement",), monotonic() + 10)
        return outcome

    def _statements(self, sql: str) -> tuple[bytes, ...]:
        return b"SAVEPOINT statement", sql.encode()

    def _volatility(self, reading: Reading) -> tuple[bool, bool]:
        """What a statement that may write answers is used once."""
        del reading
        return False, True


class PostgresWorkspace(ServerWorkspace[Reading]):
    """One transaction that is rolled back. Not for several threads at once.

    Args:
        database: The URL.
        limits: What one statement may spend.
        now: What the clock shows.

    Raises:
        DatabaseError: it cannot be opened.
    """

    dialect = DIALECT

    def __init__(self, database: Reference, limits: Limits, now: datetime | None) -> None:
        super().__init__(limits, now)
        connection = connect_writer(database, limits)
        problem = f"{database} cannot be written to for a trial"
        with undo_on_error(connection.close), server_errors(problem):
            connection.execute(_BEGIN)
            self._cursor = WriteCursor(connection, limits)
        self._connection = connection
        self._holds_sequences = False

    def _read(self, sql: str) -> Reading | Failure:
        return self._cursor.read(sql)

    def _run(self, statement: Reading) -> Outcome:
        if statement.writes and not self._holds_sequences:
            try:
                _hold_sequences(self._connection)
            except psycopg.Error as error:
                return unavailable(f"the sequences of the database cannot be held: {error}")
            self._holds_sequences = True
        return self._cursor.run(statement)

    def tables(self) -> list[str]:
        """The names of the tables in the schema ``public``, sorted."""
        with server_errors("the tables cannot be listed"):
            return sorted(name for (name,) in rows_of(self._connection, _TABLES))

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._cursor.close()
