"""Tables in a database of our own on the server, where rows cannot be written into queries.

Rows are never committed. Queries come from a second connection, which is read-only and reads what
is not committed; a rollback removes an instance. Where tables refer to each other in a circle, the
server does not check the foreign keys of an instance, and a query does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import pymysql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits, Scratch
from sqlverdict.execute.engines.mysql.columns import whole_type
from sqlverdict.execute.engines.mysql.connection import (
    database_name,
    quote_in_backticks,
    server_message,
)
from sqlverdict.execute.engines.mysql.own_database import OwnDatabase
from sqlverdict.execute.engines.mysql.scratch import MysqlScratch
from sqlverdict.execute.engines.mysql.session import MysqlSession
from sqlverdict.execute.insertion_order import (
    insertion_order,
    insertions,
    orphans_query,
    unmade_views,
)
from sqlverdict.execute.servers.patience import is_passing
from sqlverdict.execute.servers.statements import rows_of, server_reason
from sqlverdict.execute.session import TableRows
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.schemas.create_table import table_text
from sqlverdict.records import Failure, Outcome

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

PREFIX: Final = "sqlverdict_scratch_"
_UNCOMMITTED: Final = (
    "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
    "START TRANSACTION READ ONLY",
)
_TEXT: Final = "VARCHAR(255)"
_MISSED: Final = "No database selected"
"""What MariaDB says where it does not find the rows that are written into a query."""


class ScratchTables(Scratch):
    """A schema's tables in a database of their own, with their constraints.

    Args:
        schema: The tables, with types that the server knows.
        limits: What one query may spend.
        near: The URL of a database on the server.

    Raises:
        DatabaseError: it cannot be made; the user needs the right to CREATE databases.
    """

    def __init__(self, schema: Schema, limits: Limits, near: Reference) -> None:
        views = [table for table in schema.tables if is_view(table)]
        self._tables, self._circular = insertion_order(
            table for table in schema.tables if not is_view(table)
        )
        self._own = OwnDatabase.of_kind(near, limits, PREFIX)
        self._connection = self._own.connection
        try:
            self._make(schema, views, near)
            reader = self._own.reader()
            self._session = MysqlSession(
                near, limits, name=self._own.name, reader=reader, begin=_UNCOMMITTED
            )
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; no database stays behind.
            self._own.close()
            raise

    def _make(self, schema: Schema, views: Sequence[Table], near: Reference) -> None:
        connection = self._connection
        try:
            rows_of(connection, "SET SESSION foreign_key_checks = 0")
            for table in self._tables:
                rows_of(connection, _declaration(table, schema))
            if not self._circular:
                rows_of(connection, "SET SESSION foreign_key_checks = 1")
            make_views(connection, views)
            rows_of(connection, "SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
        except pymysql.Error as error:
            raise DatabaseError(
                f"the tables of {schema.db_id!r} cannot be made near {near}: "
                f"{server_message(error)}",
                reason=server_reason(error),
            ) from error

    def declaration(self, schema: Schema) -> Schema:
        """A schema whose types tell their collations, as the server declares them elsewhere."""
        return replace(schema, tables=tuple(map(_whole_table, schema.tables)))

    def load(self, rows: TableRows) -> bool:
        """Make these rows the content; false where one breaks a type or a constraint."""
        try:
            rows_of(self._connection, "ROLLBACK")
            rows_of(self._connection, "START TRANSACTION")
            for table in self._tables:
                own_rows = rows.get(table.name, ())
                for sql, values in insertions(table, own_rows, "%s", quote_in_backticks):
                    rows_of(self._connection, sql, *values)
            if self._circular:
                return not any(
                    rows_of(self._connection, orphans_query(table, key, quote_in_backticks))
                    for table in self._tables
                    for key in table.foreign_keys
                )
        except (pymysql.Error, UnicodeError, TypeError, ValueError):
            return False
        return True

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        return self._session.run(sql)

    def close(self) -> None:
        """Drop the database."""
        self._session.close()
        self._own.close()


def make_views(connection: Connection, views: Sequence[Table]) -> None:
    """Make the views, each after those that it reads.

    Raises:
        pymysql.Error: one cannot be made.
    """
    for _, error in unmade_views(
        views, lambda view: rows_of(connection, view.sql or ""), pymysql.Error
    ):
        raise error


def _whole_table(table: Table) -> Table:
    columns = (
        replace(column, type=whole_type(table, column, "").rstrip()) if column.type else column
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _declaration(table: Table, schema: Schema) -> str:
    if schema.source == "catalogue" and table.sql:
        return table.sql
    return table_text(table, text_type=_TEXT, write=quote_in_backticks)


class NestedRowsScratch(MysqlScratch):
    """Rows that are written into queries, and tables for queries that do not find them there.

    MariaDB 10.11 looks for the tables of a WITH that stands inside another query in the database of
    the session, which is in none, and not among the rows that the statement begins with.

    Args:
        schema: The tables, with types that the server knows.
        limits: What one query may spend.
        near: The URL of a database on the server.

    Raises:
        DatabaseError: the server does not answer.
    """

    def __init__(self, schema: Schema, limits: Limits, near: Reference) -> None:
        super().__init__(schema, limits, near)
        self._open_beside = partial(ScratchTables, schema, limits, near)
        self._beside: ScratchTables | None = None
        self._may_make_tables = True
        self._rows: TableRows = {}
        self._is_beside = False

    def load(self, rows: TableRows) -> bool:
        """Make these rows the content; false where one breaks a type or a constraint."""
        self._rows, self._is_beside = rows, False
        return super().load(rows)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        outcome = super().run(sql)
        if not isinstance(outcome, Failure) or outcome.message != _MISSED:
            return outcome
        tables = self._filled_tables()
        return outcome if tables is None else tables.run(sql)

    def _filled_tables(self) -> ScratchTables | None:
        """Tables with the rows that are the content; ``None`` where they cannot be made."""
        if self._beside is None and self._may_make_tables:
            try:
                self._beside = self._open_beside()
            except DatabaseError:
                self._may_make_tables = False
        if self._beside is not None and not self._is_beside:
            self._is_beside = self._beside.load(self._rows)
        return self._beside if self._is_beside else None

    def close(self) -> None:
        """Disconnect, and drop the tables."""
        super().close()
        if self._beside is not None:
            self._beside.close()


def open_scratch(schema: Schema, limits: Limits, near: Reference | None) -> Scratch:
    """A scratch database on a server.

    Args:
        schema: The tables, with types that the server knows.
        limits: What one query may spend.
        near: The URL of a database on the server.

    Raises:
        DatabaseError: the server does not answer, or has neither a way to write rows nor to make
            tables.
    """
    if near is None:
        raise DatabaseError(
            "MySQL answers on a server: give the URL of a database there", reason="missing"
        )
    if not database_name(near):
        # Nobody reads nothing: there is no role to make.
        return ScratchTables(schema, limits, near)
    scratch = NestedRowsScratch(schema, limits, near)
    if not scratch.has_odd_columns:
        return scratch
    try:
        tables = ScratchTables(schema, limits, near)
    except DatabaseError as error:
        if is_passing(error):
            scratch.close()
            raise
        return scratch
    scratch.close()
    return tables
