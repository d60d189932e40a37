"""The seam between the search for witnesses and the engine that tries instances in memory.

Every engine but one tries a few instances on a :class:`~sqlverdict.execute.session.Scratch`. SQLite
tries thousands a second, and the search asks it more: how much work a query took, which rows were
accepted and how they are stored, and whether the order of rows matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol, runtime_checkable

from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, Limits, Session
from sqlverdict.execute.session import TableRows
from sqlverdict.files.thread_cache import cache_by_thread
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.records import Cell, Failure, Outcome, Row

CELL = 100
"""To make a cell, load it and look at it costs about as much as so many steps of the engine."""


class ScratchDatabase(Protocol):
    """One schema's tables in memory, emptied between instances.

    A table or view that the engine cannot make is left out: only queries that read it are lost.
    Constraints are the facts: a row that breaks one is not accepted. Queries run under the same
    guards as in a :class:`~sqlverdict.execute.session.Session`.
    """

    schema: Schema
    work: int
    """Steps of the engine since :meth:`begin`, with those that its cells stand for."""

    @property
    def missing(self) -> Mapping[str, str]:
        """Why a table or view could not be made, by its name."""
        ...

    def begin(self) -> None:
        """A new pair of queries: count its work from nothing, whatever ran here before."""
        ...

    def load(self, rows: TableRows) -> None:
        """Make these rows the content.

        Raises:
            sqlite3.Error: a table cannot take rows of that width.
            KeyError: there is no such table.
        """
        ...

    @property
    def whole(self) -> bool:
        """Whether every row was accepted: none broke a constraint."""
        ...

    def orphaned(self, parents: Iterable[str]) -> bool:
        """Whether a row references one of these tables and has no parent there, to the engine."""
        ...

    @property
    def literal(self) -> bool:
        """Whether the tables hold the very rows that were given: none computes a column."""
        ...

    def stored(self, tables: Iterable[str]) -> dict[str, tuple[Row, ...]]:
        """The rows that were accepted, as the engine stores them."""
        ...

    def accepts(self, check: str, column: str, kind: str, value: Cell) -> bool:
        """Whether a CHECK of one column lets a value pass."""
        ...

    def rows(self, sql: str) -> list[Row] | Failure:
        """The rows of a query; the fast way for trusted repetition of a checked text."""
        ...

    def run(self, sql: str) -> Outcome:
        """The outcome of any query, with its column names."""
        ...

    def close(self) -> None:
        """Close the database, which frees its memory."""
        ...


class RebuiltInstance(Protocol):
    """An instance as a database in memory, of the schema's own declarations; it may become a file.

    Nothing guards it: no query runs here, but in :meth:`session`.
    """

    @property
    def declared(self) -> Mapping[str, str]:
        """The CREATE statement of each table, in order."""
        ...

    @property
    def columns(self) -> Mapping[str, tuple[int, ...]]:
        """The columns of each table that take values; generated ones do not."""
        ...

    def literal(self, cell: Cell) -> str:
        """A value as an expression that the engine reads back exactly."""
        ...

    def add_notes(self, table: str, notes: Mapping[str, str]) -> None:
        """Make a table of names and values, which is none of the schema's."""
        ...

    def file_bytes(self) -> bytes:
        """The database as the bytes of a file."""
        ...

    def session(self, limits: Limits) -> Session:
        """The database, ready for untrusted queries: from here on it is only read."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...


@runtime_checkable
class InMemoryEngine(Protocol):
    """An engine that tries instances in memory: its ``search`` is ``in_memory``.

    It tries thousands a second, so all searches begin on it.
    """

    def scratch_database(
        self, schema: Schema, facts: frozenset[Fact] | None = None, *, backwards: bool = False
    ) -> ScratchDatabase:
        """Empty tables for instances.

        Args:
            schema: The tables.
            facts: The constraints to keep; ``None``: all that the schema declares.
            backwards: Unordered rows come the other way round.
        """
        ...

    def rebuild(
        self,
        schema: Schema,
        tables: Sequence[Table],
        rows: TableRows,
        *,
        bare: bool = False,
    ) -> RebuiltInstance:
        """Tables with rows.

        Where the rows do not obey a declaration, its table has columns and types alone.

        Args:
            schema: The schema.
            tables: Which of its tables to make, views last.
            rows: The rows.
            bare: Make every table of its columns and types alone.
        """
        ...

    def session_of_script(self, statements: Iterable[str], limits: Limits) -> Session:
        """A database in memory that untrusted statements make; they may CREATE and INSERT.

        Raises:
            DatabaseError: one does something else, fails or takes too long.
        """
        ...


@lru_cache(maxsize=1)
def in_memory_engine() -> InMemoryEngine:
    """The engine of the package that tries instances in memory."""
    engine = ENGINES.get(DEFAULT_ENGINE)
    assert isinstance(engine, InMemoryEngine)
    return engine


@cache_by_thread(64)
def warm_scratch(schema: Schema, facts: frozenset[Fact] | None, backwards: bool) -> ScratchDatabase:
    """A scratch database that is kept for the next pair of the same schema."""
    return in_memory_engine().scratch_database(schema, facts, backwards=backwards)


def is_virtual(table: Table) -> bool:
    """Whether a table of a schema is one whose module decides what it holds."""
    return (table.sql or "").lstrip()[:15].upper().startswith("CREATE VIRTUAL")


def is_filled(table: Table) -> bool:
    """Whether rows can be put in: no view, and no table that the engine or a module keeps."""
    return not (is_view(table) or is_virtual(table) or table.name.startswith("sqlite_"))
