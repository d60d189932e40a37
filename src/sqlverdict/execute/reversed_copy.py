"""A copy of a database with the rows of every table stored in reverse order.

SQL leaves the order of stored rows open, so an answer that changes on this copy is one that
the query does not determine. Keys and indexes are left out, because an INTEGER PRIMARY KEY
fixes the order of storage and an index the order of reading; types and collations stay, for
they decide how values compare.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from types import TracebackType

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import DEFAULT_ENGINE, ENGINES, Limits, Session
from sqlverdict.files.sqlite import address, hold_alone, quote_name, require_whole
from sqlverdict.parse.facts import affinity
from sqlverdict.parse.tokens import has_word, solid
from sqlverdict.records import Answer

_LIMITS = Limits(steps=200_000_000, seconds=10.0)
"""Without indexes a query may be slow; then nothing is said, at little cost."""

_REMEMBERED = 4
_STORAGE_WORDS = frozenset(("rowid", "oid", "_rowid_"))


class ReversedCopy:
    """The copy, made when first asked for and removed at the end.

    Args:
        database: The original file; it is only read.
        largest: Files above this size, in bytes, are not copied.
    """

    def __init__(self, database: Path, largest: int) -> None:
        self.database = database
        self.largest = largest
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._session: Session | None = None
        self._attempted = False
        self._recent: dict[str, Answer | None] = {}

    def __enter__(self) -> ReversedCopy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            self._session.close()
        if self._folder is not None:
            self._folder.cleanup()

    def run(self, sql: str) -> Answer | None:
        """The answer of a query on the copy; ``None`` where there is none to compare."""
        # Several checks ask for the same gold, one after the other.
        if sql not in self._recent:
            if len(self._recent) >= _REMEMBERED:
                self._recent.clear()
            self._recent[sql] = self._answer(sql)
        return self._recent[sql]

    def _answer(self, sql: str) -> Answer | None:
        words = {word.strip('"`[]').lower() for word in solid(sql)}
        # What a query says about storage itself differs on the copy by design.
        if words & _STORAGE_WORDS or any(word.startswith("sqlite_") for word in words):
            return None
        if not self._attempted:
            self._attempted = True
            self._session = self._open()
        outcome = self._session.run(sql) if self._session is not None else None
        return outcome if isinstance(outcome, Answer) else None

    def _open(self) -> Session | None:
        if not self.database.is_file() or self.database.stat().st_size > self.largest:
            return None
        self._folder = tempfile.TemporaryDirectory(prefix="sqlverdict-")
        copy = Path(self._folder.name) / "backwards.sqlite"
        try:
            reverse_copy(self.database, copy)
            return ENGINES.get(DEFAULT_ENGINE).open(copy, _LIMITS)
        except (sqlite3.Error, DatabaseError, OSError, UnicodeError):
            # A broken database is the finding of another check.
            return None


def reverse_copy(database: Path, copy: Path) -> None:
    """Write a copy of a SQLite database with the rows of each table in reverse order.

    Raises:
        DatabaseError: the database is not whole.
        sqlite3.Error: the database cannot be read, or has virtual tables.
    """
    require_whole(database)
    with closing(sqlite3.connect(copy, uri=True, isolation_level=None)) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        hold_alone(connection)
        connection.execute("ATTACH ? AS source", (address(database),))
        tables = connection.execute(
            "SELECT l.name, l.type, l.wr, l.strict, m.sql FROM pragma_table_list AS l "
            "JOIN source.sqlite_master AS m ON m.name = l.name AND m.type IN ('table', 'view') "
            "WHERE l.schema = 'source' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
            "ORDER BY l.type = 'view', m.rowid"
        ).fetchall()
        connection.execute("BEGIN")
        for name, kind, without_rowid, strict, sql in tables:
            if kind == "view":
                connection.execute(sql)
            elif kind == "table":
                _copy_table(connection, name, bool(without_rowid), bool(strict), sql)
            else:
                raise sqlite3.NotSupportedError(f"{name} is a {kind} table")
        connection.execute("COMMIT")


def _copy_table(
    connection: sqlite3.Connection, name: str, without_rowid: bool, strict: bool, sql: str
) -> None:
    columns = connection.execute(
        "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?, 'source')", (name,)
    ).fetchall()
    generated = any(hidden for _, _, _, hidden in columns)
    # Collations and STRICT types are kept by keeping the declaration, keys and all.
    verbatim = strict or has_word(sql, "collate")
    if verbatim and generated:
        raise sqlite3.NotSupportedError(f"{name} has generated columns")
    if verbatim:
        connection.execute(sql)
    else:
        declared = ", ".join(f"{quote_name(column[0])} {affinity(column[1])}" for column in columns)
        connection.execute(f"CREATE TABLE main.{quote_name(name)} ({declared})")
    names = ", ".join(quote_name(column[0]) for column in columns)
    keys = sorted((column for column in columns if column[2]), key=lambda column: column[2])
    order = (
        ", ".join(f"{quote_name(key[0])} DESC" for key in keys) if without_rowid else "rowid DESC"
    )
    connection.execute(
        f"INSERT INTO main.{quote_name(name)} ({names}) "  # noqa: S608 (names are quoted)
        f"SELECT {names} FROM source.{quote_name(name)} ORDER BY {order}"
    )
