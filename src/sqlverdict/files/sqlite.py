"""The one way to open a SQLite file for reading, or an empty database in memory.

The file is never written to, nothing appears beside it, and its write-ahead log is read: what
a query sees, the schema reader, the search and the checks see too. A file that is not whole
is refused, because SQLite fills what is missing with zeros and answers from them.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, TypeVar
from urllib.parse import quote

from sqlverdict.error_reasons import DatabaseReason
from sqlverdict.errors import DatabaseError
from sqlverdict.files.other_engines import file_hint
from sqlverdict.files.regular import NOT_REGULAR, open_regular, os_reason

MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_LOCKLESS = "unix-none" if os.name == "posix" else "win32-none"
_HOT = bytes.fromhex("d9d505f920a163d7")
_LARGEST_PAGE = 65_536

HEAP = 768 * 2**20
"""What SQLite may take of this process' memory, all connections together; also the memory that a
query may use on any engine, unless its ``Limits`` say otherwise."""
_PAGES = 65_536
"""The most pages of a database in memory: 256 MiB."""


NO_TEXT = "an error whose message is no text"
"""What an error says whose message quotes bytes that are no text."""


_Result = TypeVar("_Result")
_Arguments = ParamSpec("_Arguments")


def _plainly(method: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    r"""A method of a cursor whose errors are all SQLite's.

    SQLite's message may quote a name of a damaged file, or a value that is no text: ``bad JSON
    path: '\\xff'``. Python cannot decode such a message, and raises that instead of the error.
    """

    def call(*args: _Arguments.args, **more: _Arguments.kwargs) -> _Result:
        try:
            return method(*args, **more)
        except UnicodeDecodeError as error:
            raise sqlite3.OperationalError(NO_TEXT) from error

    return call


class _PlainCursor(sqlite3.Cursor):
    """A cursor whose errors are all SQLite's."""

    execute = _plainly(sqlite3.Cursor.execute)
    executemany = _plainly(sqlite3.Cursor.executemany)
    executescript = _plainly(sqlite3.Cursor.executescript)
    fetchone = _plainly(sqlite3.Cursor.fetchone)
    fetchmany = _plainly(sqlite3.Cursor.fetchmany)
    fetchall = _plainly(sqlite3.Cursor.fetchall)
    __next__ = _plainly(sqlite3.Cursor.__next__)  # type: ignore[arg-type]


_execute, _executemany = sqlite3.Cursor.execute, sqlite3.Cursor.executemany


class _QuietConnection(sqlite3.Connection):
    """A connection that only reads a file, or has none; it ends with its last user.

    Caches hold some until a thread or the process ends, and a ``Scorer`` need not be closed.
    Nothing can be lost then, but Python 3.13 and later would warn of each.
    """

    _error: ClassVar = sqlite3.Error

    def cursor(self, factory: Any = _PlainCursor) -> Any:
        """A cursor whose errors are all SQLite's."""
        return super().cursor(factory)

    # Called thousands of times a second: the cursor's own methods are one call more.
    def execute(self, *args: Any) -> sqlite3.Cursor:
        """Run a statement."""
        try:
            return _execute(_PlainCursor(self), *args)
        except UnicodeDecodeError as error:
            raise sqlite3.OperationalError(NO_TEXT) from error

    def executemany(self, *args: Any) -> sqlite3.Cursor:
        """Run a statement for many rows."""
        try:
            return _executemany(_PlainCursor(self), *args)
        except UnicodeDecodeError as error:
            raise sqlite3.OperationalError(NO_TEXT) from error

    def executescript(self, script: str) -> sqlite3.Cursor:
        """Run several statements."""
        return _PlainCursor(self).executescript(script)

    def __del__(self) -> None:
        """Close it before Python does, which warns."""
        # When the process ends there may be no names of modules any more: none is used here.
        try:  # noqa: SIM105
            self.close()
        except self._error:
            pass  # Another thread made it.
        # Since Python 3.12 this is what closes the file, whoever made it.
        close_anyhow = getattr(super(), "__del__", None)
        if close_anyhow is not None:
            close_anyhow()


def open_read_only(path: Path, *, cached_statements: int = 128) -> sqlite3.Connection:
    """Open a SQLite file for reading alone.

    Args:
        path: The database file.
        cached_statements: How many prepared statements the connection keeps.

    Raises:
        DatabaseError: the file is missing, empty, no SQLite file, cut short, or was left in
            the middle of a transaction.
    """
    require_whole(path)
    bound_heap()
    try:
        connection = sqlite3.connect(
            address(path),
            uri=True,
            isolation_level=None,
            cached_statements=cached_statements,
            # One thread at a time uses it, not always the same.
            check_same_thread=False,
            factory=_QuietConnection,
        )
    except sqlite3.Error as error:
        raise DatabaseError(
            f"{path} cannot be opened as SQLite ({error}); check or restore the file",
            reason=sqlite_reason(error),
        ) from error
    hold_alone(connection)
    return connection


def open_in_memory(*, cached_statements: int = 128, any_thread: bool = False) -> sqlite3.Connection:
    """An empty database in memory that cannot grow beyond bounds, whatever is run on it.

    Args:
        cached_statements: How many prepared statements the connection keeps.
        any_thread: Whether threads may share it, one at a time.
    """
    bound_heap()
    connection = sqlite3.connect(
        ":memory:",
        isolation_level=None,
        cached_statements=cached_statements,
        check_same_thread=not any_thread,
        factory=_QuietConnection,
    )
    connection.execute(f"PRAGMA max_page_count={_PAGES}")
    return connection


@lru_cache(maxsize=1)
def bound_heap() -> None:
    """Bound SQLite's heap in this process and its children, compiling a text included.

    SQLite lets the limit only be lowered, so to ask again changes nothing.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA hard_heap_limit={HEAP}")


def heap_limit() -> int:
    """What SQLite may take of this process' memory now: the lowest limit that anybody set."""
    with closing(sqlite3.connect(":memory:")) as connection:
        return int(connection.execute("PRAGMA hard_heap_limit").fetchone()[0])


def hold_alone(connection: sqlite3.Connection) -> None:
    """Let a connection, and what it attaches later, read a log without a file for its index."""
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")


def address(path: Path) -> str:
    """The URI that opens a file for reading; for ATTACH, :func:`hold_alone` comes first.

    An immutable file needs no lock and no side file, but its write-ahead log is not read.
    Without locks, and held by one connection alone, SQLite reads the log and makes no side
    file either.
    """
    flags = f"mode=ro&vfs={_LOCKLESS}" if log_of(path) is not None else "mode=ro&immutable=1"
    return f"file:{quote(str(path.resolve()))}?{flags}"


def log_of(path: Path) -> Path | None:
    """The write-ahead log that belongs to a database, where it holds something."""
    # Asked for every pair, and there rarely is one: a Path is made where there is.
    file = path.resolve() if os.path.islink(path) else path  # noqa: PTH114
    log = f"{file}-wal"
    try:
        state = os.stat(log)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Path(log) if stat.S_ISREG(state.st_mode) and state.st_size else None


def is_sqlite(path: Path) -> bool:
    """Whether a file begins as SQLite's do, whatever its name is."""
    try:
        with open_regular(path) as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def side_file(path: Path, ending: str) -> Path:
    """A side file of a database: SQLite looks beside the file itself, not beside a link to it."""
    # To resolve a path takes a look at each of its folders; only a link needs it.
    file = path.resolve() if path.is_symlink() else path
    return file.with_name(file.name + ending)


def require_whole(path: Path) -> None:
    """Refuse a file that SQLite would read, but not as it was written.

    The checks look at the header and at the file's size alone.

    Raises:
        DatabaseError: see :func:`open_read_only`.
    """
    if not path.is_file():
        special = f" ({NOT_REGULAR})" if path.exists() and not path.is_dir() else ""
        raise DatabaseError(
            f"no database at {path}{special}; expected a SQLite file there",
            reason="not_a_database" if path.exists() else "missing",
        )
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER)
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise DatabaseError(
            f"{path} cannot be read ({error.strerror}); check the file and its permissions",
            reason=os_reason(error),
        ) from error
    if not size:
        raise DatabaseError(
            f"{path} is empty; expected a SQLite file. An empty file is made when a wrong path is "
            "opened: copy the real database there",
            reason="not_a_database",
        )
    if not header.startswith(MAGIC):
        advice = file_hint(header) or "Check or restore the file"
        raise DatabaseError(
            f"{path} cannot be opened as SQLite (it begins with {header[:16]!r}). {advice}",
            reason="not_a_database",
        )
    _refuse_half_written(path)
    expected = _size_in_header(header)
    # A log may hold the pages that the file does not have yet.
    if size < expected and log_of(path) is None:
        raise DatabaseError(
            f"{path} is cut short: it has {size:,} bytes, and its header says {expected:,}. "
            "Get it again",
            reason="damaged",
        )


def _size_in_header(header: bytes) -> int:
    """The size in bytes that the header states; the least there is where it states none."""
    if len(header) < _HEADER:
        return _HEADER
    page = int.from_bytes(header[16:18], "big")
    page = _LARGEST_PAGE if page == 1 else page
    # Writers from before version 3.7.0 leave the number of pages as it was.
    has_size = header[24:28] == header[92:96]
    return page * max(1, int.from_bytes(header[28:32], "big") if has_size else 1)


def _refuse_half_written(path: Path) -> None:
    """A hot journal means that a writer died half-way; reading past it gives torn data."""
    journal = side_file(path, "-journal")
    if not journal.is_file():
        return
    with journal.open("rb") as stream:
        hot = stream.read(len(_HOT)) == _HOT
    if hot:
        raise DatabaseError(
            f"{path} was left in the middle of a transaction ({journal.name} is there). Open it "
            "once with the sqlite3 shell to roll it back",
            reason="damaged",
        )


def sqlite_reason(error: sqlite3.Error) -> DatabaseReason:
    """Why a file cannot be used, by what SQLite says."""
    # The low byte is the kind of an error, the others say more.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "locked"
        case sqlite3.SQLITE_CORRUPT:
            return "damaged"
        case sqlite3.SQLITE_NOTADB:
            return "not_a_database"
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return "unreadable"
        case _:
            return "failed"


def quote_name(name: str) -> str:
    """A name as SQL writes it, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text as SQL writes it, where a backslash is itself."""
    return "'" + text.replace("'", "''") + "'"
