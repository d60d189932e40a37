"""What an engine is: opens databases and runs untrusted queries on them.

A database is a reference: the path of a file, or the URL of a database on a server (see
``files/references.py``). An engine never raises for what a query does: it returns a
:class:`~sqlverdict.records.Answer` or a :class:`~sqlverdict.records.Failure`.
``sqlverdict.testing.check_engine`` holds every engine to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from sqlverdict.errors import DatabaseError, OptionName, UsageError
from sqlverdict.execute.servers.server_engine import ServerEngine as ServerEngine
from sqlverdict.execute.session import LONGEST as LONGEST
from sqlverdict.execute.session import Limits as Limits
from sqlverdict.execute.session import Scratch as Scratch
from sqlverdict.execute.session import Session as Session
from sqlverdict.execute.session import Workspace as Workspace
from sqlverdict.files.references import (
    Reference,
    add_file_schemes,
    file_of,
    is_server,
    scheme_of,
)
from sqlverdict.files.sqlite import is_sqlite
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case
from sqlverdict.registry import Registry

Search = Literal["in_memory", "scratch", "none"]
Enforced = Literal["types", "keys", "references"]
MemoryLimit = Literal["counted", "process", "watched", "no"]


class Engine(Protocol):
    """A database system that can run a benchmark's queries, and the record of what it can do.

    A member inherits from this class, and sets the attributes that differ from the defaults here:
    they promise nothing. Others read these attributes, and compare no engine's name. What its SQL
    means stands in the record of its dialect (``dialects.py``): the order of NULLs, whether equal
    texts are the same, how it divides, which groups of the prover's rules hold in it.
    """

    @property
    def name(self) -> str:
        """The engine's name: its folder's name, and that of its extra."""
        ...

    @property
    def dialect(self) -> str:
        """The sqlglot dialect of its queries."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of its database files, the usual one first; empty for a server."""
        return ()

    @property
    def folders(self) -> bool:
        """Whether a database is a folder of files with its ``suffixes``, and no file."""
        return False

    @property
    def schemes(self) -> tuple[str, ...]:
        """The schemes of its URLs, the usual one first.

        They name files if it has ``suffixes``, and otherwise databases on servers: those are waited
        for, keep a snapshot, and have no digest of a file.
        """
        return ()

    @property
    def in_python(self) -> bool:
        """Whether Python's ``sqlite3`` opens its files: schemas, facts and rows are read from them.

        Otherwise they are asked for by queries.
        """
        return False

    @property
    def search(self) -> Search:
        """How witnesses are searched: on instances in memory, in its own scratch databases, or not.

        ``in_memory``: instances are tried on SQLite's (``execute/in_memory.py``). ``scratch``: the
        engine is a :class:`ScratchEngine`, on which SQLite's proposals are tried.
        """
        return "none"

    @property
    def enforces(self) -> frozenset[Enforced]:
        """What of a schema no content breaks; the rest is checked before a proof counts."""
        return frozenset()

    @property
    def rules_checked(self) -> bool:
        """Whether the rules of its dialect were checked on it; otherwise none of them counts."""
        return False

    @property
    def repeats_names(self) -> bool:
        """Whether it answers a query two of whose columns have one name."""
        return False

    @property
    def counts_steps(self) -> bool:
        """Whether it keeps the limit in steps; otherwise the clock alone ends a query."""
        return False

    @property
    def limits_memory(self) -> MemoryLimit:
        """How it keeps the limit of memory, above which a query fails: ``MEMORY_LIMIT``.

        ``counted``: the engine counts what it takes. ``process``: the operating system does, for a
        process apart; only Linux keeps such a limit. ``watched``: its process is looked at, where
        it runs on this machine. ``no``: it takes what it wants; give it a limit from outside.
        """
        return "no"

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
            DatabaseError: it is missing, damaged or not a database.
        """
        ...

    def digest(self, database: Reference) -> str | None:
        """A digest of the database's content; ``None`` where it is not known.

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


@runtime_checkable
class FileEngine(Engine, Protocol):
    """An engine that makes database files; those of SQLite are made by ``sqlite3``."""

    def write_file(self, file: Path, statements: Iterable[str]) -> None:
        """Make a database file.

        Args:
            file: A file that does not exist yet.
            statements: What makes its content.

        Raises:
            MissingExtra: the engine is not installed.
            DatabaseError: the engine does not take the content.
        """
        ...


@runtime_checkable
class WorkspaceEngine(Protocol):
    """An engine on which statements that write can be tried.

    On others they fail: ``UNSUPPORTED_FEATURE``, by the engine's fault.
    """

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
    """An engine on which witnesses are tried: its ``search`` is ``scratch``.

    A trial takes two of its queries, so what SQLite finds in memory is tried first. A scratch
    database with ``declaration`` says what else makes a column's type; without it, a witness's
    script declares its columns as the schema does.
    """

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """An empty database with the tables of a schema.

        Args:
            schema: The tables, with their constraints.
            limits: What one query may spend.
            near: The reference of the real database; its server answers.

        Raises:
            DatabaseError: the server does not answer, or a right is missing.
        """
        ...


def _add_schemes(engine: Engine) -> None:
    """The URLs of an engine with files name files."""
    # What lacks a part of the record is refused by name later.
    if getattr(engine, "suffixes", ()):
        add_file_schemes(getattr(engine, "schemes", ()))


ENGINES: Registry[Engine] = Registry(
    "engine", "sqlverdict.execute.engines", "sqlverdict.engines", Engine, _add_schemes
)

DEFAULT_ENGINE = "sqlite"
"""The engine of a database that names none."""
_MOST_FILES = 20_000
"""So many files are looked at: the endings of a benchmark's databases are alike."""
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
            f"no engine opens {scheme}:// databases. Known schemes: {', '.join(known)}. Run the "
            "queries where they run, and give the results instead: gold_rows and prediction_rows "
            "in the file of cases, or a folder of ID.csv files as predictions (docs/inputs.md). Or "
            "install an engine for it as a plug-in, which the entry point sqlverdict.engines names "
            "(docs/engine-plugins.md says how to write one)"
        )
    file = file_of(reference)
    if file is not None and file.is_dir():
        return _engine_of_folder(file, {n: e.suffixes for n, e in ENGINES.items()}, DEFAULT_ENGINE)
    suffix = file.suffix.lower() if file is not None else ""
    if suffix in ENGINES.get(DEFAULT_ENGINE).suffixes:
        # The other engines take their time to load.
        return DEFAULT_ENGINE
    for name, engine in ENGINES.items():
        if suffix in engine.suffixes:
            return name
    return DEFAULT_ENGINE


def _engine_of_folder(folder: Path, suffixes: Mapping[str, tuple[str, ...]], usual: str) -> str:
    """The name of the engine whose files lie in a folder, or in the folders in it.

    Args:
        folder: The folder.
        suffixes: The endings of each engine's files, by its name.
        usual: The engine for endings that it shares with others, and for folders without files.

    Raises:
        UsageError: there are files of several engines.
    """
    endings = {file.suffix.lower() for file in islice(_files(folder), _MOST_FILES)}
    shared = {each for name, own in suffixes.items() for each in own if name != usual}
    shared &= set(suffixes[usual])
    owners = {
        name: own
        for name, those in suffixes.items()
        if (own := [each for each in those if each in endings and each not in shared])
    }
    if len(owners) > 1:
        kinds = ", ".join(f"{name} ({' '.join(own)})" for name, own in sorted(owners.items()))
        raise UsageError(
            f"{folder} holds databases of several engines: {kinds}. Say which is meant with ",
            OptionName("engine"),
            ", or give a folder with the files of one",
        )
    return next(iter(owners), usual)


def _files(folder: Path) -> Iterator[Path]:
    """Its files, and those of the folders in it; hidden ones are other programs' leftovers."""
    for child in _children(folder):
        if child.is_dir():
            yield from _children(child)
        else:
            yield child


def _children(folder: Path) -> Iterator[Path]:
    try:
        for child in folder.iterdir():
            if not child.name.startswith("."):
                yield child
    except OSError:
        # Whoever opens its databases says best what is wrong with it.
        return


def check_scratch(engine: str, reference: str | None) -> None:
    """Refuse a server for the search where the engine has none and would not use it.

    Raises:
        UsageError: the engine's databases are files, or the server is of another engine.
    """
    if reference is None:
        return
    member = ENGINES.get(engine)
    if not isinstance(member, ServerEngine):
        raise UsageError(
            OptionName("scratch", reference),
            f" names another server for the search, and {engine} has no server. Leave it out",
        )
    if scheme_of(reference) not in member.schemes:
        raise UsageError(
            OptionName("scratch", reference),
            f" is no database of the engine {engine}. Name one: {member.schemes[0]}://HOST/DATABASE",
        )


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
