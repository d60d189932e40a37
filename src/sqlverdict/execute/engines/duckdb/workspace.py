"""A copy of a DuckDB file on which statements may write; it is removed afterwards."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

import duckdb
from duckdb import DuckDBPyConnection, Statement, StatementType

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.apart.remote import Remote
from sqlverdict.execute.attempt import NO_SQL, SEVERAL_CHANGES, too_long
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.connect import open_file, set_guards
from sqlverdict.execute.engines.duckdb.session import QUERIES, DuckdbSession
from sqlverdict.execute.engines.duckdb.tree import text_refusal
from sqlverdict.files.regular import os_reason
from sqlverdict.records import Answer, Failure, Outcome, Reason

_LARGEST = 1 * 2**30
"""A larger file is not copied."""
_ROWS = frozenset(
    (
        StatementType.INSERT,
        StatementType.UPDATE,
        StatementType.DELETE,
        StatementType.MERGE_INTO,
    )
)
_ALLOWED = {*QUERIES} | _ROWS | {StatementType.CREATE, StatementType.ALTER, StatementType.DROP}


class CopySession(DuckdbSession):
    """A copy that may be written, in this process.

    Raises:
        DatabaseError: the copy cannot be opened.
    """

    def __init__(
        self, copy: Path, attached: Mapping[str, Path], limits: Limits, now: datetime | None
    ) -> None:
        def connect() -> DuckDBPyConnection:
            connection = open_file(copy, limits, attached=attached, read_only=False)
            set_guards(connection, now)
            return connection

        files = (copy, *attached.values())
        super().__init__(connect, limits, files=files, frozen=now is not None)

    def tables(self) -> list[str]:
        """The names of the tables in the schema ``main``, sorted."""
        try:
            rows = self.connection.execute(
                "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' "
                "AND database_name = current_database() "
                "ORDER BY table_name"
            ).fetchall()
        except duckdb.Error as error:
            raise DatabaseError(f"the tables cannot be listed: {error}", reason="failed") from error
        return [str(name) for (name,) in rows]

    def _text_refusal(self, sql: str) -> Failure | None:
        """Nothing is refused by its first word: ``_statement_refusal`` looks at kinds."""
        del sql
        return None

    def _statement_refusal(self, statements: list[Statement]) -> Failure | None:
        if not statements:
            return NO_SQL
        if len(statements) > 1:
            return SEVERAL_CHANGES
        kind = statements[0].type
        if kind not in _ALLOWED:
            message = f"only the copy may be changed; blocked: {kind.name}"
            return Failure(Reason.WRITE_BLOCKED, message)
        return None

    def _tree_refusal(self, sql: str) -> Failure | None:
        """Only queries have a tree."""
        return text_refusal(sql)

    def _fetch(self, statement: Statement, volatile: bool) -> Outcome:
        """A count of the rows that were written is no result: other engines have none."""
        outcome = super()._fetch(statement, volatile)
        return outcome if isinstance(outcome, Failure) or _has_result(statement) else Answer((), [])

    def _no_result(self) -> Outcome:
        return Answer((), [])


class DuckdbWorkspace:
    """One copy, in a process that can be killed. Not for several threads at once.

    Raises:
        DatabaseError: the file cannot be copied or opened.
    """

    def __init__(
        self, file: Path, attached: Mapping[str, Path], limits: Limits, now: datetime | None
    ) -> None:
        self._limits = limits
        self._folder = tempfile.TemporaryDirectory(prefix="sqlverdict-copy-")
        copy = Path(self._folder.name) / file.name
        try:
            _copy(file, copy)
            open_file(copy, limits, attached=attached).close()
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; no copy stays behind.
            self._folder.cleanup()
            raise
        self._remote = Remote(partial(CopySession, copy, attached, limits, now), limits)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted statement on the copy."""
        long = too_long(sql, self._limits)
        if long is not None:
            return long
        outcome: Outcome = self._remote.call("run", sql, seconds=self._limits.seconds)
        return outcome

    def tables(self) -> list[str]:
        """The names of the tables in the schema ``main``, sorted."""
        tables: list[str] | Failure = self._remote.call("tables", seconds=self._limits.seconds)
        if isinstance(tables, Failure):
            raise DatabaseError(f"the tables cannot be listed: {tables.message}", reason="failed")
        return tables

    def close(self) -> None:
        """Close and remove the copy."""
        self._remote.close()
        self._folder.cleanup()


def _has_result(statement: Statement) -> bool:
    """Whether a statement gives rows of its own: a query, or one with RETURNING."""
    if statement.type in QUERIES:
        return True
    if statement.type not in _ROWS:
        return False
    data = statement.query.encode()
    return any(
        kind == duckdb.token_type.keyword and data[start : start + 9].lower() == b"returning"
        for start, kind in duckdb.tokenize(statement.query)
    )


def _copy(file: Path, copy: Path) -> None:
    try:
        if file.stat().st_size > _LARGEST:
            raise DatabaseError(
                f"{file} has more than {_LARGEST:,} bytes, and statements that write run on a "
                f"copy. Give a smaller database",
                reason="unsupported",
            )
        shutil.copyfile(file, copy)
        log = file.with_name(f"{file.name}.wal")
        if log.is_file():
            shutil.copyfile(log, copy.with_name(f"{copy.name}.wal"))
    except OSError as error:
        raise DatabaseError(
            f"{file} cannot be copied ({error.strerror or error})", reason=os_reason(error)
        ) from error
