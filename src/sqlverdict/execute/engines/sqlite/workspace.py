"""A throw-away copy of a SQLite file, in memory, on which statements may write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import NO_SQL
from sqlverdict.execute.engine import Limits, Workspace
from sqlverdict.execute.engines.sqlite.sandbox import Guard
from sqlverdict.execute.engines.sqlite.session import SqliteSession
from sqlverdict.files.sqlite import open_in_memory, open_read_only, sqlite_reason
from sqlverdict.parse.tokens import leading_keyword
from sqlverdict.records import Answer, Failure, Outcome, Reason

_LARGEST = 256 * 2**20
"""A larger file is not copied into memory."""
_DENIED = frozenset((sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA))
_WRITES_FILES = ("VACUUM", "ATTACH", "DETACH", "PRAGMA")


class CopyGuard(Guard):
    """Allows to change the copy; files, settings and extensions stay closed."""

    def __call__(
        self, action: int, first: str | None, second: str | None, db: str | None, by: str | None
    ) -> int:
        """Allow what changes the copy alone."""
        if action not in _DENIED and action != sqlite3.SQLITE_FUNCTION:
            return 0
        return super().__call__(action, first, second, db, by)


class SqliteWorkspace(SqliteSession):
    """One copy. Not for several threads at once."""

    def _refusal(self, sql: str) -> Failure | None:
        word = leading_keyword(sql)
        if not word:
            return NO_SQL
        if word in _WRITES_FILES:
            # VACUUM INTO writes a file and never reaches the authorizer.
            return Failure(Reason.WRITE_BLOCKED, f"only the copy may be changed; blocked: {word}")
        return None

    def _no_result(self) -> Outcome:
        return Answer((), [])

    def tables(self) -> list[str]:
        """The names of its tables, sorted."""
        outcome = self.run(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
            "ESCAPE '\\' ORDER BY name"
        )
        if isinstance(outcome, Failure):
            raise DatabaseError(f"the tables cannot be listed: {outcome.message}", reason="failed")
        return [str(name) for (name,) in outcome.rows]


def open_workspace(file: Path, limits: Limits, now: datetime | None) -> Workspace:
    """Copy a file into memory.

    Raises:
        DatabaseError: it is missing, no SQLite file, or too large.
    """
    with closing(open_read_only(file)) as original:
        if file.stat().st_size > _LARGEST:
            raise DatabaseError(
                f"{file} has more than {_LARGEST:,} bytes, and statements that write run on a "
                f"copy in memory. Give a smaller database",
                reason="unsupported",
            )
        copy = open_in_memory(cached_statements=0)
        try:
            original.backup(copy)
            copy.execute("PRAGMA temp_store=2")
            copy.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        except sqlite3.Error as error:
            copy.close()
            raise DatabaseError(
                f"{file} cannot be copied ({error}); check the file", reason=sqlite_reason(error)
            ) from error
    return SqliteWorkspace(copy, limits, None, now, CopyGuard(frozen=now is not None))
