"""A DuckDB database in memory with the tables of a schema, for instances of a few rows."""

from __future__ import annotations

from contextlib import suppress

import duckdb
from duckdb import DuckDBPyConnection

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits, Scratch
from sqlverdict.execute.engines.duckdb.connect import (
    close_files,
    execute_one,
    open_empty,
    set_guards,
)
from sqlverdict.execute.engines.duckdb.session import DuckdbSession
from sqlverdict.execute.insertion_order import (
    insertion_order,
    insertions,
    orphans_query,
    unmade_views,
)
from sqlverdict.execute.session import TableRows
from sqlverdict.parse.schema import Schema, is_view
from sqlverdict.parse.schemas.create_table import table_text
from sqlverdict.records import Failure, Outcome


class DuckdbScratch(Scratch):
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
        self._tables, self._circular = insertion_order(t for t in schema.tables if not is_view(t))
        self._views = views
        self._rows: TableRows = {}
        self._session = DuckdbSession(self._connect, limits, macros=False)

    def load(self, rows: TableRows) -> bool:
        """Make these rows the content; false where one breaks a type or a constraint."""
        connection = self._session.connection
        with suppress(duckdb.Error):
            # There is no transaction before the first instance.
            connection.execute("ROLLBACK")
        self._rows = rows
        connection.execute("BEGIN TRANSACTION")
        try:
            for table in self._tables:
                for sql, values in insertions(table, rows.get(table.name, ()), "?"):
                    connection.execute(sql, values)
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

    def run_on(self, rows: TableRows, sql: str) -> Outcome:
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
        close_files(connection)
        try:
            for table in self._tables:
                later = [key for child, key in self._circular if child is table]
                # DuckDB cannot add a foreign key whose parent comes later.
                keys = [key for key in table.foreign_keys if key not in later]
                execute_one(connection, table_text(table, keys=keys, text_type="VARCHAR"))
                for index in table.indexes:
                    execute_one(connection, index)
            for view, _ in unmade_views(
                self._views, lambda view: execute_one(connection, view.sql or ""), duckdb.Error
            ):
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
