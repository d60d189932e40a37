"""Tables in a database of our own on the server, for types that no query can write.

Rows are never committed. Queries come from a second connection, which is read-only and reads what
is not committed; a rollback removes an instance. Where tables refer to each other in a circle, the
server does not check the foreign keys of an instance, and a query does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import pymysql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import quote_in_backticks, rows_of, server_message
from sqlverdict.execute.engines.mysql.own_database import OwnDatabase
from sqlverdict.execute.engines.mysql.session import MysqlSession
from sqlverdict.execute.insertion_order import (
    generations,
    insertion_order,
    orphans_query,
)
from sqlverdict.files.references import Reference
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.schemas.create_table import (
    column_part,
    create_table,
    foreign_key_part,
    name_list,
    primary_key_part,
    unique_part,
)
from sqlverdict.records import Outcome, Row

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

PREFIX: Final = "sqlverdict_scratch_"
_UNCOMMITTED: Final = (
    "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
    "START TRANSACTION READ ONLY",
)
_TEXT: Final = "VARCHAR(255)"


class ScratchTables:
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
        order = insertion_order(table for table in schema.tables if not is_view(table))
        self._tables, self._circular = order.tables, order.circular
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
                f"{server_message(error)}"
            ) from error

    def load(self, rows: Mapping[str, Sequence[Row]]) -> bool:
        """Make these rows the content; false where one breaks a type or a constraint."""
        try:
            rows_of(self._connection, "ROLLBACK")
            rows_of(self._connection, "START TRANSACTION")
            for table in self._tables:
                _insert(self._connection, table, rows.get(table.name, ()))
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
    waiting = list(views)
    while waiting:
        left: list[Table] = []
        problem: pymysql.Error | None = None
        for view in waiting:
            try:
                rows_of(connection, view.sql or "")
            except pymysql.Error as error:
                left.append(view)
                problem = error
        if problem is not None and len(left) == len(waiting):
            raise problem
        waiting = left


def _declaration(table: Table, schema: Schema) -> str:
    if schema.source == "catalogue" and table.sql:
        return table.sql
    parts = [
        f"{quote_in_backticks(column.name)} {column.type or _TEXT} AS ({column.generated})"
        if column.generated is not None
        else column_part(
            column.name,
            column.type or _TEXT,
            not_null=column.not_null,
            default=column.default,
            write=quote_in_backticks,
        )
        for column in table.columns
    ]
    if table.primary_key:
        parts.append(primary_key_part(table.primary_key, quote_in_backticks))
    parts += [unique_part(columns, quote_in_backticks) for columns in table.uniques]
    parts += [f"CHECK ({check})" for check in table.checks]
    parts += [foreign_key_part(key, quote_in_backticks) for key in table.foreign_keys]
    return create_table(table.name, parts, write=quote_in_backticks)


def _insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    own = [index for index, column in enumerate(table.columns) if column.generated is None]
    names = name_list((table.columns[index].name for index in own), quote_in_backticks)
    marks = ", ".join("%s" for _ in own)
    for generation in generations(table, rows):
        values = ", ".join(f"({marks})" for _ in generation)
        rows_of(
            connection,
            f"INSERT INTO {quote_in_backticks(table.name)} ({names}) VALUES {values}",  # noqa: S608
            *[row[index] for row in generation for index in own],
        )
