"""What an engine is: opens databases and runs untrusted queries on them.

A database is a reference: the path of a file, or the URL of a database on a server (see
``files/references.py``). An engine never raises for what a query does: it returns a
:class:`~sqlverdict.records.Answer` or a :class:`~sqlverdict.records.Failure`.
``sqlverdict.testing.check_engine`` holds every engine to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from sqlverdict.errors import DatabaseError, OptionName, UsageError
from sqlverdict.execute.folders import engine_of_folder
from sqlverdict.files.references import Reference, file_of, is_server, scheme_of
from sqlverdict.files.sqlite import HEAP, is_sqlite
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case, Outcome, Row
from sqlverdict.registry import Registry

LONGEST = 1_000_000_000
"""Seconds that a limit may be at most: clocks and logs know no longer time."""


@dataclass(frozen=True)
class Limits:
    """What one query may spend. Steps come first: they are the same on every machine.

    Attributes:
        steps: Virtual-machine instructions; deterministic, so a verdict can be repeated. An
            idle machine does as many in 9 to 30 seconds.
        seconds: Wall clock: the safety net, far above what the steps take. What it cuts says so
            (``cut_by_time``), is never cached, and is done again when a run is resumed.
        rows: Rows kept; one more is ``ROW_LIMIT``.
        bytes: Size of the kept rows; above it is ``MEMORY_LIMIT``.
        memory: The engine's own heap; above it is ``MEMORY_LIMIT``.
        cell: The largest text or blob the engine may build.
        sql_length: The longest SQL text that is tried at all, in characters.
        trust_role: On a server, queries run as the role of the URL, even if it may write.
    """

    steps: int = 1_000_000_000
    seconds: float = 120.0
    rows: int = 500_000
    bytes: int = 128 * 2**20
    memory: int = HEAP
    cell: int = 32 * 2**20
    sql_length: int = 1_000_000
    trust_role: bool = False

    def __post_init__(self) -> None:
        """Refuse a time that no clock counts to.

        Raises:
            UsageError: it is longer than ``LONGEST``, or no number.
        """
        # NaN is neither more nor less.
        if not self.seconds <= LONGEST:
            raise UsageError(f"the time limit is {self.seconds} s; expected at most {LONGEST:,} s")

    def key(self) -> str:
        """The limits as they enter a cache key; wall-clock time does not change an answer."""
        sizes = f"{self.bytes}/{self.memory}/{self.cell}/{self.sql_length}"
        return f"{self.steps}/{self.rows}/{sizes}{'/trust_role' * self.trust_role}"


class Session(Protocol):
    """An open database, kept open between queries."""

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        ...

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, ``rounds`` times, interleaved, after one warm-up each.

        Only for queries that ``run`` answered.
        """
        ...

    def digest(self) -> str | None:
        """A digest of the snapshot that this session reads; ``None`` where it cannot be told."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class Scratch(Protocol):
    """A database of ours with the tables of a schema, for instances of a few rows.

    It is empty when it is made, and gone when it is closed. Queries on it are untrusted, and run
    under the same guards as in a :class:`Session`.
    """

    def load(self, rows: Mapping[str, Sequence[Row]]) -> bool:
        """Make these rows the content of the tables, parents and children in any order.

        Returns:
            Whether every row was accepted: none breaks a type or a constraint. The content is
            undefined where one does.
        """
        ...

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        ...

    def close(self) -> None:
        """Remove everything that was made."""
        ...


class Engine(Protocol):
    """A database system that can run a benchmark's queries."""

    @property
    def name(self) -> str:
        """The engine's name: its file's name."""
        ...

    @property
    def dialect(self) -> str:
        """The sqlglot dialect of its queries."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of its database files, the usual one first; empty for a server."""
        ...

    @property
    def schemes(self) -> tuple[str, ...]:
        """The schemes of its URLs, the usual one first."""
        ...

    @property
    def counts_steps(self) -> bool:
        """Whether it keeps the limit in steps; otherwise the clock alone ends a query."""
        ...

    @property
    def version(self) -> str:
        """The engine's version; it changes answers, so it is in every log and cache key.

        For a server it is the driver's version: the server's own is part of each digest.
        """
        ...

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open a database read-only.

        Args:
            database: The path of its file, or its URL.
            limits: What one query may spend.
            now: What the clock shows to queries; ``None``: the time it is.
            driver_values: Answers also hold the values as the driver gives them.

        Raises:
            DatabaseError: it is missing, unreadable or not a database.
        """
        ...

    def digest(self, database: Reference) -> str | None:
        """A digest of the database's content; ``None`` where it cannot be told.

        Raises:
            DatabaseError: it cannot be opened.
            OSError: it cannot be read.
        """
        ...

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The tables, columns, keys and constraints that the database declares.

        Raises:
            SchemaError: they cannot be read.
        """
        ...


class Workspace(Protocol):
    """A throw-away copy of a database, or a transaction that is rolled back; it may be written.

    The database itself never changes. Files, the network, extensions, settings and administration
    stay as closed as in a :class:`Session`.
    """

    def run(self, sql: str) -> Outcome:
        """Run one untrusted statement; one that has no result gives an answer without columns."""
        ...

    def tables(self) -> list[str]:
        """The names of its tables, sorted.

        Raises:
            DatabaseError: they cannot be read.
        """
        ...

    def close(self) -> None:
        """Throw everything away."""
        ...


@runtime_checkable
class WorkspaceEngine(Protocol):
    """An engine on which statements that write can be tried."""

    def workspace(
        self, database: Reference, limits: Limits, *, now: datetime | None = None
    ) -> Workspace:
        """A copy of a database that may be written.

        Raises:
            DatabaseError: the database cannot be opened or copied.
        """
        ...


@runtime_checkable
class ScratchEngine(Protocol):
    """An engine on which witnesses are tried.

    SQLite is none: ``refute`` has a faster scratch database of its own for it.
    """

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """An empty database with the tables of a schema.

        Args:
            schema: The tables, with their constraints.
            limits: What one query may spend.
            near: The reference of the real database; a scratch database is made on its server.

        Raises:
            DatabaseError: it cannot be made, because a right is missing for example.
        """
        ...


@runtime_checkable
class ServerEngine(Protocol):
    """An engine whose databases are on servers, where a role may do more than read."""

    def own_database(
        self, server: Reference, name: str, statements: Iterable[str]
    ) -> AbstractContextManager[str]:
        """A new database on a server, which is dropped at the end; gives its URL.

        Args:
            server: The URL of any database there.
            name: The name of the new one.
            statements: What makes its content.

        Raises:
            DatabaseError: it cannot be made, or does not take the content; nothing is left.
        """
        ...

    def drop_leftovers(self, server: Reference, prefix: str) -> tuple[str, ...]:
        """Drop databases that :meth:`own_database` made in processes that were killed.

        Only those whose name begins with the prefix, that we made, and that nobody uses. What the
        role may not drop is left.

        Args:
            server: The URL of any database there.
            prefix: How their names begin.

        Returns:
            Their names.

        Raises:
            DatabaseError: the server does not answer.
        """
        ...

    def excess_rights(self, database: Reference) -> tuple[str, ...]:
        """What the role could do more than read: "is a superuser", "may write to 3 tables".

        Raises:
            DatabaseError: the server does not answer.
        """
        ...

    def reader_statements(self, database: Reference) -> tuple[str, ...]:
        """What an administrator can run to make a role that may only read this database."""
        ...


ENGINES: Registry[Engine] = Registry(
    "engine", "sqlverdict.execute.engines", "sqlverdict.engines", Engine
)

DEFAULT_ENGINE = "sqlite"
MISSING = "missing"
"""Stands for the digest of a file that cannot be read."""


def engine_of(reference: str) -> str:
    """The name of the engine that opens a reference, by its scheme or its ending.

    Raises:
        UsageError: no engine has its scheme, or a folder has files of several.
    """
    scheme = scheme_of(reference)
    if scheme:
        for name, engine in ENGINES.items():
            if scheme in engine.schemes:
                return name
        known = sorted(each for _, engine in ENGINES.items() for each in engine.schemes)
        raise UsageError(
            f"no engine opens {scheme}:// databases. Known schemes: {', '.join(known)}"
        )
    file = file_of(reference)
    if file is not None and file.is_dir():
        return engine_of_folder(file, {n: e.suffixes for n, e in ENGINES.items()}, DEFAULT_ENGINE)
    suffix = file.suffix.lower() if file is not None else ""
    if suffix in ENGINES.get(DEFAULT_ENGINE).suffixes:
        # The other engines take their time to load.
        return DEFAULT_ENGINE
    for name, engine in ENGINES.items():
        if suffix in engine.suffixes:
            return name
    return DEFAULT_ENGINE


def engine_of_cases(cases: Iterable[Case]) -> str:
    """The name of the engine that opens the database of the first case; else the usual one."""
    first = next(iter(cases), None)
    database = first.database if first is not None else None
    return DEFAULT_ENGINE if database is None else engine_of(database)


def engine_for(usual: Engine, reference: str) -> Engine:
    """The usual engine of a run; for a database that only another one opens, that.

    A file whose ending no engine has is for the usual one, unless it is SQLite's by its content.
    """
    if scheme_of(reference) in ("", *usual.schemes):
        file = file_of(reference)
        if file is None or file.suffix in ("", *usual.suffixes):
            return usual
        if usual.suffixes and not _has_known_ending(file) and not is_sqlite(file):
            return usual
    return ENGINES.get(engine_of(reference))


def content_digest(engine: Engine, reference: str) -> str:
    """The digest of a file as it is now, by the engine that opens it.

    ``missing`` where it cannot be read. Empty for a server, whose snapshot stays.
    """
    if is_server(reference):
        return ""
    try:
        return engine.digest(reference) or ""
    except (DatabaseError, OSError, ValueError):
        return MISSING


def _has_known_ending(file: Path) -> bool:
    return any(file.suffix.lower() in engine.suffixes for _, engine in ENGINES.items())


def check_fits(engine: str, reference: str) -> None:
    """Refuse a reference of another engine: ``UsageError`` names the right engine and option."""
    scheme = scheme_of(reference)
    if scheme and scheme not in ENGINES.get(engine).schemes:
        right = engine_of(reference)
        raise UsageError(
            f"{scheme}:// is a database of the engine {right}, and the engine is to be {engine}. "
            "Use ",
            OptionName("engine", right),
            ", or leave it out",
        )
