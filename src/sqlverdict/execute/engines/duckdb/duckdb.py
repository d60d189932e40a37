"""DuckDB files: no server is needed.

The file is attached for reading alone; access to files, the network and extensions is closed, and
the settings are locked. One statement, and only queries. What a query may call and read is decided
on DuckDB's own tree of it: table functions and tables of the system that tell files, settings or
paths are blocked, as are functions that sleep or write. Queries of quick functions run in this
process, where the time limit interrupts them; every other one runs in a warm process of its own,
which is killed where it overruns its time, and whose memory is limited. Rows, cells and text length
are limited. One thread, the time zone UTC. A frozen clock replaces DuckDB's own functions, so that
views see it too.

Without ORDER BY, DuckDB gives rows in an order of its own choice. With one thread the choice is
the same every time, which no release of DuckDB promises to keep: our presets compare such answers
without their order.

Needs the extra ``duckdb``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from importlib import metadata
from pathlib import Path

from sqlverdict.errors import DatabaseError, MissingExtra, SchemaError
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Scratch, Session, Workspace
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import Reference, file_of
from sqlverdict.parse.schema import Schema


@ENGINES.member
class Duckdb(Engine):
    """DuckDB through its Python package."""

    name = "duckdb"
    dialect = "duckdb"
    suffixes = (".duckdb", ".ddb", ".db")
    schemes = ("duckdb",)
    search = "scratch"
    enforces = frozenset({"types", "keys", "references"})
    limits_memory = True

    @property
    def version(self) -> str:
        """The version of the package."""
        try:
            return metadata.version("duckdb")
        except metadata.PackageNotFoundError as error:
            raise MissingExtra("the engine duckdb", "duckdb") from error

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open a DuckDB file read-only, with every guard set."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.bounded import BoundedSession

        file = _file(database)
        return BoundedSession(file, limits, now, driver_values, lambda: self.digest(file))

    def workspace(
        self, database: Reference, limits: Limits, *, now: datetime | None = None
    ) -> Workspace:
        """A copy of a DuckDB file, which may be written."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.workspace import DuckdbWorkspace

        return DuckdbWorkspace(_file(database), limits, now)

    def digest(self, database: Reference) -> str:
        """Digest of the file's bytes, and of its write-ahead log where there is one."""
        file = _file(database)
        log = file.with_name(f"{file.name}.wal")
        return sha256_file(file) + (f"+{sha256_file(log)}" if log.is_file() else "")

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The schema ``main`` as DuckDB's catalogue describes it."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.connect import open_file
        from sqlverdict.execute.engines.duckdb.schema import read_connection

        file = _file(database)
        try:
            with closing(open_file(file, Limits())) as connection:
                return read_connection(connection, db_id or file.stem)
        except DatabaseError as error:
            raise SchemaError(str(error)) from error

    def write_file(self, file: Path, statements: Iterable[str]) -> None:
        """Make a DuckDB file with the content that statements make."""
        _require_extra()
        import duckdb

        try:
            with closing(duckdb.connect(str(file))) as connection:
                for statement in statements:
                    connection.execute(statement)
        except duckdb.Error as error:
            raise DatabaseError(str(error)) from error

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """A database in memory with the tables of a schema."""
        del near
        _require_extra()
        from sqlverdict.execute.engines.duckdb.bounded import BoundedScratch

        return BoundedScratch(schema, limits)


def _require_extra() -> None:
    # DuckDB imports pytz by itself, for times with a zone.
    if any(importlib.util.find_spec(module) is None for module in ("duckdb", "pytz")):
        raise MissingExtra("the engine duckdb", "duckdb")


def _file(database: Reference) -> Path:
    file = file_of(database)
    if file is None:
        raise DatabaseError(f"{database} is not a DuckDB file. Use the engine of its server")
    return file
