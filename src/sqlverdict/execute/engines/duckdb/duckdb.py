"""DuckDB files, 1.4 or newer: no server is needed.

The file is attached for reading alone; access to files, the network and extensions is closed, and
the settings are locked. One statement, and only queries. Rows, cells and text length are limited.
One thread, and one more that reads, on any number of cores; the time zone UTC. A frozen clock
replaces DuckDB's own functions, so that views see it too.

What a query may do is decided on the tree that DuckDB's own parser makes (``json_serialize_sql``),
by a list of the parts that are allowed, wherever the text has a suspicious word at all, in strings
and comments too. The engine then runs what the same parser read. Table functions are blocked but
for those that read their arguments or tell the tables; so are tables of the system that tell paths
or settings (``duckdb_databases``, ``pragma_database_list``, ``pg_settings``), and functions that
read settings, wait, write, or plan a text. A ``PIVOT`` without a list of values has no tree: there
no such name may stand before a bracket.

DuckDB looks whether it is to stop between two batches of rows, and not inside a function:
``levenshtein`` of two long texts runs for minutes. Nor does it count the texts and lists that
functions make against its memory limit. So a query runs in the process that asks only where all
words of its text are known to be harmless: short, with functions whose time grows with the length
of their arguments and no faster, few joins, patterns that are short constants. Of Spider's golds
and predictions 99 % are. Every other query runs in a warm process beside it (``execute/apart``), in
every command and every function of the API:

- It is started when it is first needed, is shared by all sessions, and ends with the process that
  started it.
- It is killed 0.3 s after the time limit: ``EXECUTION_TIMEOUT``, by the clock, never cached. The
  time that it takes to start and to open the database is not the query's.
- Its address space is limited to the limits of a query and 512 MiB: above it is ``MEMORY_LIMIT``.
  Only Linux keeps such a limit. On macOS and Windows the clock alone ends a query that fills the
  memory.
- Where it dies, the query is tried once more in a new one. Killed from outside again, with less
  memory than the limit allows, is ``DATABASE_UNAVAILABLE``, the engine's fault, and not final.
  Ended by an error inside the engine again is ``MEMORY_LIMIT``.

The URL of a file may name further files: ``duckdb://shop.duckdb?attach=old.duckdb`` has the tables
of both, and ``?attach=before=2020/old.duckdb&attach=...`` gives a file another name than its own. A
path there is relative to the folder of the first file. Queries name the tables of a further file
``old.item`` or ``old.main.item``; a plain name is one of the first file. All files are read alone,
none but these can be opened, and answers are kept by the content of all. A statement that writes
changes a copy of the first file.

A known fault of DuckDB 2.0.0: where the statistics tell that no row of the right side of a LEFT
JOIN passes ON, it takes the join for empty: EXISTS is false though there are rows, and a LIMIT is
dropped (``SELECT d.id FROM d LEFT JOIN e ON e.d = d.id AND e.pay > 9 LIMIT 1`` gives all rows, with
no pay above 9). Where a DuckDB has this fault, our sessions run without its optimizer
``statistics_propagation``: the answer is the right one, and no proof or witness rests on the fault.
A grouping of millions of rows then takes up to twice the time. Run elsewhere, such a query may give
something else; ``SET disabled_optimizers = 'statistics_propagation'`` gives our answer there too.

Without ORDER BY, DuckDB gives rows in an order of its own choice. With one thread the choice is the
same every time, which no release of DuckDB promises to keep: our presets compare such answers
without their order.

Needs the extra ``duckdb``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from sqlverdict.errors import DatabaseError, MissingExtra, SchemaError
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Scratch, Session, Workspace
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import Reference, attached_files, file_of
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
    rules_checked = True
    repeats_names = True
    limits_memory = "process"

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
        attached = attached_files(database)
        return BoundedSession(
            file, attached, limits, now, driver_values, lambda: self.digest(database)
        )

    def workspace(
        self, database: Reference, limits: Limits, *, now: datetime | None = None
    ) -> Workspace:
        """A copy of a DuckDB file, which may be written."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.workspace import DuckdbWorkspace

        return DuckdbWorkspace(_file(database), attached_files(database), limits, now)

    def digest(self, database: Reference) -> str:
        """Digest of the file's bytes, and of its write-ahead log where there is one.

        Those of further files follow, with the names that queries have for them.
        """
        file = _file(database)
        others = attached_files(database)
        if not others:
            return _file_digest(file)
        # A query may name the first file, too.
        files = {file.stem: file, **others}
        return ", ".join(f"{name} {_file_digest(each)}" for name, each in files.items())

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The tables of all schemas and files, as DuckDB's catalogue describes them."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.connect import open_file
        from sqlverdict.execute.engines.duckdb.schema import read_connection

        file, attached = _file(database), attached_files(database)
        try:
            with closing(open_file(file, Limits(), attached=attached)) as connection:
                return read_connection(connection, db_id or file.stem)
        except DatabaseError as error:
            raise SchemaError(str(error), reason=error.reason) from error

    def write_file(self, file: Path, statements: Iterable[str]) -> None:
        """Make a DuckDB file with the content that statements make."""
        _require_extra()
        import duckdb

        from sqlverdict.execute.engines.duckdb.names import thread_settings

        try:
            settings = thread_settings()
            with closing(duckdb.connect(str(file), config=settings)) as connection:
                for statement in statements:
                    connection.execute(statement)
        except duckdb.Error as error:
            raise DatabaseError(str(error), reason="failed") from error

    def common_text(self, sql: str, arithmetic: bool, schema: Schema) -> str | None:
        """The query in common SQL, by DuckDB's own parser."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.common_text import write_common_text

        return write_common_text(sql, arithmetic, schema)

    def plain_text(self, sql: str) -> str | None:
        """None: DuckDB's writer of trees loses parts of a query."""
        del sql
        return None

    def syntax_error(self, sql: str) -> str | None:
        """What DuckDB's parser holds against a text."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.syntax import syntax_error

        return syntax_error(sql)

    def type_error(self, sql: str, schema: Schema) -> str | None:
        """Why a query always fails because of its types, as DuckDB's binder says."""
        _require_extra()
        from sqlverdict.execute.engines.duckdb.common.binding import binding_error

        return binding_error(sql, schema)

    def scratch(self, schema: Schema, limits: Limits, near: Reference | None = None) -> Scratch:
        """A database in memory with the tables of a schema."""
        del near
        _require_extra()
        from sqlverdict.execute.engines.duckdb.bounded import BoundedScratch

        return BoundedScratch(schema, limits)


@lru_cache(maxsize=1)
def _require_extra() -> None:
    """Once it is there it stays: to look for it takes as long as a short query."""
    # DuckDB imports pytz by itself, for times with a zone.
    if any(importlib.util.find_spec(module) is None for module in ("duckdb", "pytz")):
        raise MissingExtra("the engine duckdb", "duckdb")


def _file_digest(file: Path) -> str:
    log = file.with_name(f"{file.name}.wal")
    return sha256_file(file) + (f"+{sha256_file(log)}" if log.is_file() else "")


def _file(database: Reference) -> Path:
    file = file_of(database)
    if file is None:
        raise DatabaseError(
            f"{database} is not a DuckDB file. Use the engine of its server",
            reason="not_a_database",
        )
    return file
