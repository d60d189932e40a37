"""SQLite, as it comes with Python.

Read-only and immutable, an authorizer that allows reading alone, one statement, a step
budget and a deadline in the progress handler, limits on text length, rows, bytes and the
engine's heap. One opcode that runs for long (``hex(zeroblob(...))``) escapes the progress
handler: whatever is not brief (``apart/brief``) runs in a process that can be killed.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.apart.brief import BRIEF_CELL, is_brief
from sqlverdict.execute.engine import ENGINES, Engine, Limits, Session, Workspace
from sqlverdict.execute.engines.sqlite.sandbox import use_virtual_tables
from sqlverdict.execute.engines.sqlite.session import SqliteSession
from sqlverdict.execute.engines.sqlite.workspace import open_workspace
from sqlverdict.execute.session import TableRows
from sqlverdict.files.digests import database_digest
from sqlverdict.files.references import Reference, file_of
from sqlverdict.files.sqlite import open_read_only, sqlite_reason
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.schemas.sqlite import read_sqlite

if TYPE_CHECKING:
    from sqlverdict.execute.in_memory import RebuiltInstance, ScratchDatabase
    from sqlverdict.parse.facts import Fact

_ARGUMENTS = 127
"""The most arguments of a function, as in SQLite before it allowed 1,000."""

_HARMLESS = re.compile(r"ok$|CHECK constraint failed|(NULL|NUMERIC|TEXT|non-\S+) value in ")
"""What the check says of a file that can be read, whatever its values are."""
_VIRTUAL_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0"


@ENGINES.member
class Sqlite(Engine):
    """SQLite through Python's ``sqlite3`` module."""

    name = "sqlite"
    dialect = "sqlite"
    suffixes = (".sqlite", ".db", ".sqlite3")
    schemes = ("sqlite",)
    in_python = True
    search = "in_memory"
    rules_checked = True
    repeats_names = True
    counts_steps = True
    limits_memory = "counted"
    brief_cell = BRIEF_CELL

    @property
    def version(self) -> str:
        """The linked SQLite library's version."""
        return sqlite3.sqlite_version

    def open(
        self,
        database: Reference,
        limits: Limits,
        *,
        now: datetime | None = None,
        driver_values: bool = False,
    ) -> Session:
        """Open a SQLite file read-only, with every guard set.

        The driver's values are the cells of an answer: nothing is added for ``driver_values``.
        """
        del driver_values
        file = _file(database)
        connection = open_read_only(file, cached_statements=0)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.sql_length * 4)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
            # Newer versions of SQLite allow 1,000: the same texts are answered by all.
            connection.setlimit(sqlite3.SQLITE_LIMIT_FUNCTION_ARG, _ARGUMENTS)
            for pragma in (
                "query_only=1",
                # Views may call the functions of a frozen clock, which are the only ones of ours.
                f"trusted_schema={int(now is not None)}",
                "temp_store=2",
                f"hard_heap_limit={limits.memory}",
            ):
                connection.execute(f"PRAGMA {pragma}")
            virtual = connection.execute(_VIRTUAL_TABLES).fetchall()
            use_virtual_tables(connection, (name for (name,) in virtual))
        except sqlite3.Error as error:
            connection.close()
            raise DatabaseError(
                f"{database} cannot be opened as SQLite ({error}); check or restore the file",
                reason=sqlite_reason(error),
            ) from error
        return SqliteSession(connection, limits, file, now)

    def workspace(
        self, database: Reference, limits: Limits, *, now: datetime | None = None
    ) -> Workspace:
        """A copy of a SQLite file in memory, which may be written."""
        return open_workspace(_file(database), limits, now)

    def scratch_database(
        self, schema: Schema, facts: frozenset[Fact] | None = None, *, backwards: bool = False
    ) -> ScratchDatabase:
        """Empty tables in memory, on which thousands of instances are tried a second."""
        from sqlverdict.execute.engines.sqlite.scratch import SqliteScratch

        return SqliteScratch(schema, facts, backwards=backwards)

    def rebuild(
        self,
        schema: Schema,
        tables: Sequence[Table],
        rows: TableRows,
        *,
        bare: bool = False,
    ) -> RebuiltInstance:
        """Tables in memory with the rows of an instance."""
        from sqlverdict.execute.engines.sqlite.instance import instance_of_rows

        return instance_of_rows(schema, tables, rows, bare=bare)

    def session_of_script(self, statements: Iterable[str], limits: Limits) -> Session:
        """A database in memory that the statements of a file make."""
        from sqlverdict.execute.engines.sqlite.instance import session_of_script

        return session_of_script(statements, limits)

    def is_brief(self, sql: str) -> bool:
        """Whether no step of the query takes long, with cells of ``brief_cell`` bytes."""
        return is_brief(sql)

    def digest(self, database: Reference) -> str:
        """Digest of the file's bytes, and of its write-ahead log where there is one."""
        return database_digest(_file(database))

    def damage(self, database: Reference, limits: Limits) -> str | None:
        """What SQLite's own check of the whole file complains of first."""
        deadline = monotonic() + limits.seconds
        with closing(open_read_only(_file(database))) as connection:
            connection.set_progress_handler(lambda: monotonic() > deadline, 100_000)
            try:
                lines = connection.execute("PRAGMA integrity_check").fetchall()
            except sqlite3.OperationalError as error:
                late = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT
                return None if late else f"the file cannot be checked: {error}"
            except sqlite3.Error as error:
                return f"the file is damaged: {error}"
        complaints = (line for (line,) in lines if not _HARMLESS.match(line))
        return next((f"the file is damaged: {complaint}" for complaint in complaints), None)

    def schema(self, database: Reference, db_id: str | None = None) -> Schema:
        """The schema as SQLite describes it."""
        return read_sqlite(_file(database), db_id)


def _file(database: Reference) -> Path:
    file = file_of(database)
    if file is None:
        raise DatabaseError(
            f"{database} is not a SQLite file. Use the engine of its server",
            reason="not_a_database",
        )
    return file
