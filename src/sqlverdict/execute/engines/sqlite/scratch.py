"""A warm in-memory SQLite on which instances are tried, thousands a second.

Tables are made once for a schema and emptied between instances. Constraints are the facts:
a row that breaks one is not accepted. Queries run under the same guard as everywhere; only
our own inserts may write.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache, partial
from operator import is_, itemgetter
from typing import NamedTuple

from sqlverdict.execute.attempt import NO_RESULT
from sqlverdict.execute.engines.sqlite.declarations import scratch_declaration, unique_indexes
from sqlverdict.execute.engines.sqlite.sandbox import (
    Guard,
    failure_of,
    not_a_query,
    use_virtual_tables,
)
from sqlverdict.execute.in_memory import CELL, is_filled, is_virtual
from sqlverdict.execute.insertion_order import unmade_views
from sqlverdict.execute.session import TableRows
from sqlverdict.files.sqlite import open_in_memory, quote_name
from sqlverdict.parse.facts import Fact, NotNull, affinity, facts_of
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer, Cell, Failure, Outcome, Reason, Row

_STEPS = 2_000
"""Steps of the engine in one tick of the guard."""
_TICKS = 400
"""Ticks that one query may take; instances are tiny."""


class _WriteGuard(Guard):
    """The usual guard, opened while we write ourselves."""

    opened = False

    def __call__(
        self, action: int, first: str | None, second: str | None, db: str | None, by: str | None
    ) -> int:
        return 0 if self.opened else super().__call__(action, first, second, db, by)


@lru_cache(maxsize=4_096)
def _insertion(
    table: str, holds: tuple[bool, ...], columns: str
) -> tuple[str, Callable[[Row], Row]]:
    """The statement that fills those columns that hold something, and what picks their cells.

    Columns that are NULL throughout stand in the text: to bind a NULL takes sqlite3 several
    times as long as to bind a value, and most cells are NULL.
    """
    values = ", ".join("?" if bound else "NULL" for bound in holds)
    sql = f"INSERT OR IGNORE INTO {quote_name(table)}{columns} VALUES ({values})"
    indexes = [n for n, bound in enumerate(holds) if bound]
    if len(indexes) > 1:
        return sql, itemgetter(*indexes)
    return sql, lambda row: tuple([row[n] for n in indexes])


class _Insertion(NamedTuple):
    """The columns of a table that can be written to, where not all can."""

    indexes: tuple[int, ...]
    columns: str


_Filling = tuple[tuple[Row, ...], int]
"""What a table was given, and how many of these rows it took in."""


def _is_same(rows: Sequence[Row], filling: _Filling) -> bool:
    """Whether these are the very same rows: 1 and 1.0 are equal, yet not the same."""
    before = filling[0]
    return rows is before or (len(rows) == len(before) and all(map(is_, rows, before)))


def _make_view(connection: sqlite3.Connection, view: Table) -> None:
    """Make a view that can be read; SQLite makes one over what is not there."""
    try:
        connection.execute(view.sql or "")
        connection.execute(f"EXPLAIN SELECT 1 FROM {quote_name(view.name)}")
    except sqlite3.Error:
        connection.execute(f"DROP VIEW IF EXISTS {quote_name(view.name)}")
        raise


class SqliteScratch:
    """One schema's tables in memory, made when they are first needed.

    A table or view that the engine cannot make is left out: only queries that read it are
    lost. The engine itself fills generated columns.

    Args:
        schema: The tables.
        facts: The constraints to keep; ``None``: all that the schema declares.
        backwards: Let SQLite walk unordered rows the other way round.
    """

    def __init__(
        self, schema: Schema, facts: frozenset[Fact] | None = None, *, backwards: bool = False
    ) -> None:
        self.schema = schema
        self.work = 0
        self._guard = _WriteGuard()
        self._ticks = 0
        self._mark = ""
        self._begun = 0
        self._filled: dict[str, _Filling | None] = {}
        self._answered: dict[str, tuple[tuple[str, ...], bool]] = {}
        self._facts, self._backwards = facts, backwards
        self._deletes: dict[str, str] = {}
        self._insertions: dict[str, _Insertion] = {}
        self._widths: dict[str, int] = {}
        self._keys: dict[str, tuple[int, ...]] = {}
        self._missing: dict[str, str] = {}

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        """The engine with the tables. Most pairs need one scratch database of three."""
        connection = open_in_memory(cached_statements=512)
        if self._backwards:
            connection.execute("PRAGMA reverse_unordered_selects=1")
        # What is in it is never rolled back.
        connection.execute("PRAGMA journal_mode=OFF")
        self._create(connection)
        # Not before: the tables are ours, and to make many of them takes many steps.
        connection.set_progress_handler(self._tick, _STEPS)
        use_virtual_tables(connection)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_authorizer(self._guard)
        return connection

    @property
    def missing(self) -> Mapping[str, str]:
        """Why a table or view could not be made, by its name."""
        _ = self._connection  # made by now
        return self._missing

    def _create(self, connection: sqlite3.Connection) -> None:
        facts = self._facts
        known = facts_of(self.schema) if facts is None else facts
        never_null = {(f.table, f.column) for f in known if isinstance(f, NotNull)}
        for table in self.schema.tables:
            if is_virtual(table):
                self._missing[table.name] = f"{table.name!r} is a virtual table"
            elif is_filled(table):
                self._make(connection, table, known, facts is None)
                # SQLite itself would let these be NULL.
                self._keys[table.name] = tuple(
                    n
                    for n, column in enumerate(table.columns)
                    if column.name in table.primary_key
                    and not column.not_null
                    and (table.name, column.name) in never_null
                )
        views = filter(is_view, self.schema.tables)
        for view, error in unmade_views(views, partial(_make_view, connection), sqlite3.Error):
            self._missing[view.name] = f"view {view.name!r} cannot be made: {error}"

    def _make(
        self, connection: sqlite3.Connection, table: Table, known: Iterable[Fact], whole: bool
    ) -> None:
        execute = connection.execute
        try:
            execute(scratch_declaration(table, known, whole))
            for index in (*table.indexes, *unique_indexes(connection, table)) if whole else ():
                execute(index)
        except sqlite3.Error as error:
            self._missing[table.name] = f"table {table.name!r} cannot be made: {error}"
            return
        self._deletes[table.name] = f"DELETE FROM {quote_name(table.name)}"
        column_rows = execute(f"PRAGMA table_xinfo({quote_name(table.name)})").fetchall()
        computed = {row[1] for row in column_rows if row[6]}
        self._widths[table.name] = len(table.columns) - len(computed)
        if computed:
            names = [column.name for column in table.columns]
            indexes = tuple(n for n, name in enumerate(names) if name not in computed)
            columns = ", ".join(quote_name(names[n]) for n in indexes)
            self._insertions[table.name] = _Insertion(indexes, f" ({columns})")

    def _tick(self) -> int:
        self._ticks -= 1
        return self._ticks < 0

    def begin(self) -> None:
        """A new pair of queries: count its work from nothing, whatever ran here before.

        SQLite counts the steps of a prepared statement over all its runs, and asks to go on
        at every so many of them. A text of its own for each pair makes a new statement.
        """
        self.work = 0
        # What the last pair left is loaded again: work must not depend on what was tried before.
        self._filled = dict.fromkeys(self._filled)
        self._begun += 1
        self._mark = f"/*{self._begun:x}*/"

    def load(self, rows: TableRows) -> None:
        """Make these rows the content; a table that holds the very same is left as it is."""
        connection, filled = self._connection, self._filled
        execute = connection.execute
        self._guard.opened = True
        self._ticks = 100_000
        try:
            if not connection.in_transaction:
                # Nothing is ever rolled back: a transaction for each statement is work for nothing.
                execute("BEGIN")
            if not filled.keys() <= rows.keys():
                for table in filled.keys() - rows.keys():
                    execute(self._deletes[table])
                    del filled[table]
            for table, content in rows.items():
                delete = self._deletes[table]
                if table in filled:
                    before = filled[table]
                    if before is not None and _is_same(content, before):
                        continue
                    execute(delete)
                # After an error nobody knows what the table holds.
                filled[table] = None
                filled[table] = (tuple(content), self._insert(table, content))
        finally:
            self._guard.opened = False

    def _insert(self, table: str, rows: Sequence[Row]) -> int:
        """Put rows into a table; how many it took in."""
        for n in self._keys[table]:
            rows = [row for row in rows if row[n] is not None]
        insertion = self._insertions.get(table)
        if insertion is not None:
            rows = [tuple([row[n] for n in insertion.indexes]) for row in rows]
        count = len(rows)
        if not count:
            return 0
        self.work += CELL * count * len(rows[0])
        nothing = (None,) * count
        holds = tuple([cells != nothing for cells in zip(*rows, strict=False)])
        sql, pick = _insertion(table, holds, insertion.columns if insertion is not None else "")
        try:
            return self._connection.executemany(sql, map(pick, rows)).rowcount
        except (sqlite3.Error, OverflowError, UnicodeEncodeError):
            if len(holds) != self._widths[table]:
                raise
            # A STRICT type or an error inside an expression: OR IGNORE does not pass over these.
            self._connection.execute(self._deletes[table])
            return sum(self._takes(sql, pick(row)) for row in rows)

    def _takes(self, sql: str, cells: Row) -> bool:
        """Put one row into a table; whether it was accepted."""
        try:
            return self._connection.execute(sql, cells).rowcount > 0
        except (sqlite3.Error, OverflowError, UnicodeEncodeError):
            return False

    @property
    def whole(self) -> bool:
        """Whether every row was accepted: none broke a constraint."""
        return all(
            filling is not None and len(filling[0]) == filling[1]
            for filling in self._filled.values()
        )

    def orphaned(self, parents: Iterable[str]) -> bool:
        """Whether a row references one of these tables and has no parent there, to the engine.

        A key that the engine cannot check, for want of an index on the parent, is passed over.
        """
        known = {fold(parent) for parent in parents}
        self._guard.opened = True
        self._ticks = 100_000
        try:
            for table in self._filled:
                with suppress(sqlite3.Error):
                    rows = self._connection.execute(
                        f"PRAGMA foreign_key_check({quote_name(table)})"
                    )
                    if any(fold(row[2]) in known for row in rows):
                        return True
        finally:
            self._guard.opened = False
        return False

    @property
    def literal(self) -> bool:
        """Whether the tables hold the very rows that were given: none computes a column."""
        return not self._insertions or self._insertions.keys().isdisjoint(self._filled)

    def stored(self, tables: Iterable[str]) -> dict[str, tuple[Row, ...]]:
        """The rows that were accepted, as the engine stores them."""
        self._ticks = 100_000
        return {
            table: tuple(self._connection.execute(f"SELECT * FROM {quote_name(table)}").fetchall())
            for table in tables
        }

    def accepts(self, check: str, column: str, kind: str, value: Cell) -> bool:
        """Whether a CHECK of one column lets a value pass."""
        # CAST makes a number of any text; a column of such an affinity keeps what is none.
        bare = affinity(kind) in ("NUMERIC", "BLOB")
        operand = "?" if bare else f"CAST(? AS {kind})"
        probe = f"SELECT {check} FROM (SELECT {operand} AS {quote_name(column)})"
        self._ticks = _TICKS
        try:
            row = self._connection.execute(probe, (value,)).fetchone()
        except (sqlite3.Error, sqlite3.Warning, OverflowError):
            return False
        return row[0] is None or bool(row[0])

    def rows(self, sql: str) -> list[Row] | Failure:
        """The rows of a query; the fast way for trusted repetition of a checked text."""
        self._ticks = _TICKS
        try:
            return self._connection.execute(self._mark + sql).fetchmany(10_000)
        except (sqlite3.Error, sqlite3.Warning) as error:
            if self._ticks < 0:
                return Failure(Reason.EXECUTION_TIMEOUT, "stopped at the step limit")
            return self._failed(error)
        except (ValueError, MemoryError) as error:
            return Failure(Reason.EXECUTION_ERROR, str(error))
        finally:
            self.work += _STEPS * (_TICKS - self._ticks)

    def run(self, sql: str) -> Outcome:
        """The outcome of any query, with its column names."""
        answered = self._answered.get(sql)
        if answered is None:
            problem = not_a_query(sql)
            if problem is not None:
                return problem
            self._guard.reset()
        self._ticks = _TICKS
        try:
            cursor = self._connection.execute(self._mark + sql)
            rows = cursor.fetchmany(10_000)
        except (sqlite3.Error, sqlite3.Warning) as error:
            if self._ticks < 0:
                return Failure(Reason.EXECUTION_TIMEOUT, "stopped at the step limit")
            return self._failed(error)
        except (ValueError, MemoryError) as error:
            return Failure(Reason.EXECUTION_ERROR, str(error))
        finally:
            self.work += _STEPS * (_TICKS - self._ticks)
        if answered is None:
            if cursor.description is None:
                return NO_RESULT
            # The guard is asked when a text is first prepared, and never again while it is cached.
            columns = tuple([column[0] for column in cursor.description])
            answered = self._answered[sql] = (columns, self._guard.depends_on_clock(sql))
        return Answer(answered[0], rows, 0.0, answered[1])

    def _failed(self, error: sqlite3.Error | sqlite3.Warning) -> Failure:
        failure = failure_of(error, self._guard, 0.0)
        # What was denied to one query must not count against the next one.
        self._guard.reset()
        return failure

    def close(self) -> None:
        """Close the database, which frees its memory."""
        if "_connection" in self.__dict__:
            self._connection.close()
