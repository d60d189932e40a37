"""What a query may do in SQLite, and what its errors mean.

``mode=ro`` is no sandbox: ATTACH and VACUUM INTO still write files. The authorizer below
allows reading and nothing else, whatever the text looks like.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress

from sqlverdict.execute.attempt import NO_SQL, SEVERAL, damaged_file, out_of_memory, write_blocked
from sqlverdict.execute.clock import CLOCK_FUNCTIONS, may_read_clock, reads_clock
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.tokens import leading_keyword
from sqlverdict.records import Failure, Reason

_READ = sqlite3.SQLITE_READ
_FUNCTION = sqlite3.SQLITE_FUNCTION
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, _READ, _FUNCTION, getattr(sqlite3, "SQLITE_RECURSIVE", 33)}
)
_FORBIDDEN_FUNCTIONS = frozenset(
    {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "sqlite_log", "lsmode"}
)
_RESERVED = "sqlite_"
_SCHEMA_TABLES = frozenset(
    {
        *("sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"),
        *("sqlite_sequence", "sqlite_stat1", "sqlite_stat2", "sqlite_stat3", "sqlite_stat4"),
    }
)
"""What a query may read under reserved names; others show raw pages or the engine's state."""
_CHANCE_FUNCTIONS = frozenset({"random", "randomblob"})
_SESSION_FUNCTIONS = frozenset({"changes", "last_insert_rowid", "total_changes"})
"""What the connection itself has done: it tells a database of ours from the real one."""
_UNSTEADY_FUNCTIONS = _CHANCE_FUNCTIONS | _SESSION_FUNCTIONS
_VOLATILE_FUNCTIONS = _UNSTEADY_FUNCTIONS | {"current_date", "current_time", "current_timestamp"}

_ACTIONS = {
    getattr(sqlite3, name): name.removeprefix("SQLITE_").replace("_", " ")
    for name in dir(sqlite3)
    if re.fullmatch(
        r"SQLITE_(CREATE|DROP|ALTER)_\w+|SQLITE_(ATTACH|DETACH|PRAGMA|INSERT|UPDATE|DELETE"
        r"|ANALYZE|REINDEX|TRANSACTION|SAVEPOINT)",
        name,
    )
}

_SYNTAX = re.compile(
    r"syntax error|unrecognized token|incomplete input|parser stack overflow"
    r"|expression tree is too large|too many (terms|columns|arguments|sql variables)",
    re.IGNORECASE,
)


_WRITERS = frozenset(
    {
        *("ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH", "DROP"),
        *("END", "INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE", "ROLLBACK", "SAVEPOINT"),
        *("UPDATE", "VACUUM"),
    }
)


def not_a_query(sql: str) -> Failure | None:
    """Why a text must not even be prepared; ``None`` where it may be a query.

    VACUUM and transactions never reach the authorizer, so they are told by their first word.
    """
    word = leading_keyword(sql)
    if not word:
        return NO_SQL
    if word in _WRITERS:
        return write_blocked(word)
    if word == "EXPLAIN":
        return Failure(Reason.UNSUPPORTED_FEATURE, "EXPLAIN gives a plan, not an answer")
    return None


class Guard:
    """The authorizer of one connection; remembers what it denied and what it saw.

    Args:
        view_text: The SQL of a view by its name; ``None`` where there is no such view.
        frozen: The clock stands still, so that only chance changes an answer.
    """

    def __init__(
        self, view_text: Callable[[str], str | None] | None = None, *, frozen: bool = False
    ) -> None:
        self.denied: str | None = None
        self.volatile = False
        self._volatile_functions = _UNSTEADY_FUNCTIONS if frozen else _VOLATILE_FUNCTIONS
        self._clock_functions = frozenset() if frozen else CLOCK_FUNCTIONS
        self._view_text = view_text
        self._clock: set[str | None] = set()

    def reset(self) -> None:
        """Forget the last query."""
        self.denied = None
        self.volatile = False
        self._clock.clear()

    @property
    def saw_no_clock(self) -> bool:
        """Whether the last query calls no function of dates or of chance."""
        return not self.volatile and not self._clock

    def depends_on_clock(self, sql: str) -> bool:
        """Whether the last query's answer most likely changes by itself."""
        if self.volatile or not self._clock:
            return self.volatile
        return any(map(reads_clock, self._clock_texts(sql)))

    def lasts(self, sql: str) -> bool:
        """Whether the last query is sure to be answered the same next time."""
        if self.volatile or not self._clock:
            return not self.volatile
        return not any(map(may_read_clock, self._clock_texts(sql)))

    def _clock_texts(self, sql: str) -> set[str]:
        """The query, and the views whose date functions it calls."""
        views = {name: self._view_text(name) for name in self._clock if name and self._view_text}
        # A name that is no view's is a WITH query's, and stands in the text.
        inside = {text for text in views.values() if text is not None}
        return inside | {sql for name in self._clock if views.get(name or "") is None}

    def __call__(
        self, action: int, first: str | None, second: str | None, _db: str | None, by: str | None
    ) -> int:
        """Allow reading; deny all else."""
        if action == _READ:
            if first is None or not first.lower().startswith(_RESERVED):
                return 0
            # SQLite 3.40 asks before it makes such a table, newer versions do not.
            if first.lower() in _SCHEMA_TABLES:
                return 0
            self.denied = f"table {first}"
            return 1
        if action == _FUNCTION and second is not None:
            name = second.lower()
            if name in _FORBIDDEN_FUNCTIONS:
                self.denied = f"function {name}()"
                return 1
            if name in self._volatile_functions:
                self.volatile = True
            elif name in self._clock_functions:
                self._clock.add(by)
            return 0
        if action in _ALLOWED:
            return 0
        if action == sqlite3.SQLITE_PRAGMA and first == "data_version" and second is None:
            # Full-text tables ask it of themselves before they read; as a query it is refused.
            return 0
        what = _ACTIONS.get(action, f"action {action}")
        self.denied = f"{what} {first}" if first else what
        return 1


def use_virtual_tables(connection: sqlite3.Connection, names: Iterable[str] = ()) -> None:
    """Read virtual tables once: at first their modules do what the authorizer allows no query.

    Args:
        connection: A connection without an authorizer.
        names: The virtual tables of its database.
    """
    for source in ("json_each('[]')", "json_tree('[]')", *map(quote_name, names)):
        # A module that is not there fails the queries that use it, and no others.
        with suppress(sqlite3.Error):
            connection.execute(f"SELECT 1 FROM {source} LIMIT 1").fetchall()


def failure_of(error: sqlite3.Error | sqlite3.Warning, guard: Guard, seconds: float) -> Failure:
    """The failure for an error of SQLite: its reason and message."""
    text = str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if guard.denied is not None or code in (sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY):
        return write_blocked(guard.denied or text)
    if "one statement at a time" in text:
        return SEVERAL
    if "null character" in text:
        return Failure(Reason.PARSE_ERROR, "the SQL text contains a NUL byte")
    if code in (sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_NOMEM):
        return out_of_memory(text)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR):
        return damaged_file(text)
    if _SYNTAX.search(text):
        return Failure(Reason.PARSE_ERROR, text)
    return Failure(Reason.EXECUTION_ERROR, text, seconds=seconds)
