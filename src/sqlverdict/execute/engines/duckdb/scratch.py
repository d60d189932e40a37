"""A DuckDB database in memory with the tables of a schema, for instances of a few rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import duckdb
from duckdb import DuckDBPyConnection

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.connect import open_empty, set_guards
from sqlverdict.execute.engines.duckdb.session import DuckdbSession
from sqlverdict.execute.insertion_order import (
    generations,
    insertion_order,
    orphans_query,
)
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import ForeignKey, Schema, Table, is_view
from sqlverdict.parse.schemas.create_table import (
    column_part,
    create_table,
    foreign_key_part,
    name_list,
    primary_key_part,
    unique_part,
)
from sqlverdict.records import Failure, Outcome, Row


class DuckdbScratch:
    """A schema's tables in memory, with their constraints.

    The rows of an instance are never committed: a rollback removes them, which is faster than to
    delete them, and leaves no key behind in an index.

    Args:
        schema: The tables, with types that DuckDB knows.
        limits: What one query may spend.

    Raises:
        DatabaseError: a table or view cannot be made.
    """

    def __init__(self, schema: Schema, limits: Limits) -> None:
        self._schema = schema
        self._limits = limits
        views = [table for table in schema.tables if is_view(table)]
        order = insertion_order(t for t in schema.tables if not is_view(t))
        self._tables, self._circular = order.tables, order.circular
        self._views = views
        self._rows: Mapping[str, Sequence[Row]] = {}
        self._session = DuckdbSession(self._connect, limits, macros=False)

    def load(self, rows: Mapping[str, Sequence[Row]]) -> bool:
        """Make these rows the content; false where one breaks a type or a constraint."""
        connection = self._session.connection
        with suppress(duckdb.Error):
            # There is no transaction before the first instance.
            connection.execute("ROLLBACK")
        self._rows = rows
        connection.execute("BEGIN TRANSACTION")
        try:
            for table in self._tables:
                _insert(connection, table, rows.get(table.name, ()))
            return not any(
                connection.execute(orphans_query(table, key)).fetchall()
                for table, key in self._circular
            )
        except (duckdb.Error, TypeError, ValueError, OverflowError):
            return False

    def refusal(self, sql: str) -> Failure | None:
        """Why a text is not even parsed."""
        return self._session.refusal(sql)

    def is_plain(self, sql: str) -> bool:
        """Whether a query is sure to stop when it is told to."""
        return self._session.is_plain(sql)

    def run_on(self, rows: Mapping[str, Sequence[Row]], sql: str) -> Outcome:
        """Run one untrusted query on content that was loaded somewhere else before."""
        if rows != self._rows:
            self.load(rows)
        return self.run(sql)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        outcome = self._session.run(sql)
        if isinstance(outcome, Failure):
            # A query that fails ends the transaction, and the rows with it.
            self.load(self._rows)
        return outcome

    def close(self) -> None:
        """Close the database."""
        self._session.close()

    def _connect(self) -> DuckDBPyConnection:
        connection = open_empty(self._limits)
        try:
            for table in self._tables:
                later = [key for child, key in self._circular if child is table]
                connection.execute(_declaration(table, later))
                for index in table.indexes:
                    connection.execute(index)
            for view in _makeable(connection, self._views):
                raise DatabaseError(
                    f"DuckDB cannot make the view {view.name!r}: {view.sql}", reason="failed"
                )
        except duckdb.Error as error:
            connection.close()
            raise DatabaseError(
                f"DuckDB cannot make the tables of {self._schema.db_id!r}: {error}",
                reason="failed",
            ) from error
        set_guards(connection, None)
        return connection


def _makeable(connection: DuckDBPyConnection, views: Sequence[Table]) -> list[Table]:
    """Make the views, each after those that it reads; returns those that cannot be made."""
    waiting = list(views)
    while waiting:
        left = []
        for view in waiting:
            try:
                connection.execute(view.sql or "")
            except duckdb.Error:
                left.append(view)
        if len(left) == len(waiting):
            return left
        waiting = left
    return []


def _declaration(table: Table, later: Sequence[ForeignKey]) -> str:
    """A table without the foreign keys whose parents come later: DuckDB cannot add them then."""
    parts = [
        f"{quote_name(column.name)} {column.type} GENERATED ALWAYS AS ({column.generated})"
        if column.generated is not None
        else column_part(
            column.name, column.type or "VARCHAR", not_null=column.not_null, default=column.default
        )
        for column in table.columns
    ]
    if table.primary_key:
        parts.append(primary_key_part(table.primary_key))
    parts += [unique_part(columns) for columns in table.uniques]
    parts += [f"CHECK ({check})" for check in table.checks]
    parts += [foreign_key_part(key) for key in table.foreign_keys if key not in later]
    return create_table(table.name, parts)


def _insert(connection: DuckDBPyConnection, table: Table, rows: Sequence[Row]) -> None:
    own = [index for index, column in enumerate(table.columns) if column.generated is None]
    names = name_list(table.columns[index].name for index in own)
    marks = ", ".join("?" for _ in own)
    for generation in generations(table, rows):
        values = ", ".join(f"({marks})" for _ in generation)
        connection.execute(
            f"INSERT INTO {quote_name(table.name)} ({names}) VALUES {values}",  # noqa: S608
            [row[index] for row in generation for index in own],
        )
