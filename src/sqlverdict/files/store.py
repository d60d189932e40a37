"""One SQLite file of entries that several processes share.

:class:`SharedStore` is the file: a write-ahead log, so that a killed process loses nothing that
it committed; processes that begin a new file at once take turns; an application number and a
version in the file's header, so that another program's database is left alone and a file of
another version is refused.

:class:`OptionalStore` is a store that its owner can do without: a damaged file is set aside under
another name and a new one begun; where the file cannot be used at all, nothing is stored and
``problem`` says why.

:func:`seal` joins a checksum to an entry. It covers the key too: in a damaged file another
entry, whole in itself, may lie under the key.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from pathlib import Path
from random import random
from typing import Any

from sqlverdict.errors import DataError

STORE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What an unusable file raises. SQLite's message about a damaged file may contain bytes that are
no text."""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SECONDS_TO_OPEN = 60.0
_CHECKSUM = 8


@dataclass(frozen=True)
class StoreLayout:
    """What a store's file contains.

    Attributes:
        name: What the store is, for messages.
        application: The number in the file's header that marks it as ours.
        version: The version of the tables.
        tables: The statements that make them.
        durable: Whether a commit outlives a power cut, which costs a wait for the disk. A process
            that is killed loses no commit either way.
        lenient: Whether a text that is damaged is read with replacement characters, where
            checksums tell it. Otherwise reading it is an error.
        seconds: How long a statement waits for another process.
    """

    name: str
    application: int
    version: int
    tables: tuple[str, ...]
    durable: bool = False
    lenient: bool = False
    seconds: float = 10.0


class SharedStore:
    """An open file of entries. Open it in the process that uses it; its threads may share it.

    Args:
        path: The file; it is made, with its folder, where it is missing.
        layout: What the file contains.

    Raises:
        DataError: the file is another program's, or of a version that this release cannot read.
        OSError: the folder cannot be made.
        sqlite3.Error: the file is damaged or cannot be used (see :data:`STORE_ERRORS`).
    """

    def __init__(self, path: Path, layout: StoreLayout) -> None:
        self.path = path
        self._lock = threading.RLock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = _open_in_turn(path, layout)

    def first(self, sql: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or ``None``."""
        with self._lock:
            row: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
            return row

    def rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection, alone with it, in one transaction: all of it or nothing."""
        with self._lock, _transaction(self._connection):
            yield self._connection

    @property
    def size(self) -> int:
        """The size of the content in bytes, without free pages."""
        pages, free, page = (
            int(self.rows(f"PRAGMA {name}")[0][0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * page

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


class OptionalStore:
    """A store that its owner can do without. Whatever happens to its file, nothing is raised.

    Args:
        path: The file.
        layout: What it contains.
        unused: What does not happen without it, for messages: "answers are not cached".
        on_failure: Is called when the file fails, before a new one is begun: what is remembered
            of the old one is then worth nothing.
        on_problem: Is told what ``problem`` says, when that happens.

    ``problem`` says why the store is not used, or that it was damaged.
    """

    def __init__(
        self,
        path: Path,
        layout: StoreLayout,
        unused: str,
        on_failure: Callable[[], None] = lambda: None,
        on_problem: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.path = path
        self._on_problem = on_problem
        self.problem: str | None = None
        self._layout = layout
        self._unused = unused
        self._on_failure = on_failure
        self._store: SharedStore | None = None
        self._file = _file_number(path)
        try:
            self._open()
        except (OSError, DataError, *STORE_ERRORS) as error:
            self._fail(error)

    def _open(self) -> None:
        self._store = SharedStore(self.path, self._layout)
        self._file = _file_number(self.path)

    @property
    def usable(self) -> bool:
        """Whether there is a file to read and write."""
        return self._store is not None

    def first(self, sql: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or ``None``."""
        if self._store is None:
            return None
        try:
            return self._store.first(sql, values)
        except STORE_ERRORS as error:
            self._fail(error)
            return None

    def rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; none where the store cannot be used."""
        if self._store is None:
            return []
        try:
            return self._store.rows(sql, values)
        except STORE_ERRORS as error:
            self._fail(error)
            return []

    def write(self, statements: Callable[[sqlite3.Connection], object]) -> bool:
        """Run statements in one transaction.

        Returns:
            Whether they were committed.
        """
        if self._store is None:
            return False
        try:
            with self._store.transaction() as connection:
                statements(connection)
        except STORE_ERRORS as error:
            self._fail(error)
            return False
        return True

    @property
    def size(self) -> int:
        """The size of the content in bytes; 0 where the store cannot be used."""
        if self._store is None:
            return 0
        try:
            return self._store.size
        except STORE_ERRORS as error:
            self._fail(error)
            return 0

    def close(self) -> None:
        """Close the file."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _fail(self, error: Exception) -> None:
        """Begin a new file where the old one is damaged; otherwise go on without one."""
        try:
            self._replace(error)
        finally:
            if self.problem is not None:
                self._on_problem(self.problem)

    def _replace(self, error: Exception) -> None:
        self.close()
        self._on_failure()
        if not is_damaged(error):
            self.problem = f"{self._unused}: {self.path}: {error}"
            return
        try:
            self._set_aside()
            self._open()
        except (OSError, DataError, *STORE_ERRORS) as worse:
            self.problem = f"{self._unused}: {self.path}: {worse}"

    def _set_aside(self) -> None:
        """Keep the damaged file under another name."""
        if _file_number(self.path) != self._file:
            # Another process was here first; what lies there now is the new file.
            self.problem = f"{self._layout.name} was damaged; another process set it aside"
            return
        aside = _free_name(self.path)
        self.path.replace(aside)
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.problem = (
            f"{self._layout.name} was damaged; it is kept as {aside} and a new one was begun"
        )


def stored_file(variable: str, name: str) -> Path:
    """Where a store lies: what the variable says, else its name in the cache folder."""
    path = os.environ.get(variable)
    return Path(path) if path else cache_folder() / name


def cache_folder() -> Path:
    """The folder of the file ``SQLVERDICT_CACHE``, else ``sqlverdict`` in the user's caches."""
    answers = os.environ.get("SQLVERDICT_CACHE")
    if answers:
        return Path(answers).parent
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sqlverdict"


def seal(key: bytes, body: bytes) -> bytes:
    """An entry with a checksum of its key and itself in front."""
    return _checksum(key, body) + body


def unseal(key: bytes, entry: bytes) -> bytes | None:
    """The body of a sealed entry; ``None`` where it is damaged or another key's."""
    body = entry[_CHECKSUM:]
    return body if _checksum(key, body) == entry[:_CHECKSUM] else None


def _checksum(key: bytes, body: bytes) -> bytes:
    return blake2b(body, digest_size=_CHECKSUM, key=key).digest()


def is_damaged(error: Exception) -> bool:
    """Whether an error says that a file is no whole SQLite file."""
    if isinstance(error, sqlite3.DatabaseError):
        return _code(error) in _DAMAGED
    return isinstance(error, UnicodeDecodeError)


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _open_in_turn(path: Path, layout: StoreLayout) -> sqlite3.Connection:
    """Open a file; where several processes begin it at once, SQLite does not wait by itself."""
    until = time.monotonic() + _SECONDS_TO_OPEN
    while True:
        connection = sqlite3.connect(
            path, timeout=layout.seconds, isolation_level=None, check_same_thread=False
        )
        try:
            if layout.lenient:
                connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            _prepare(connection, path, layout)
        except (DataError, *STORE_ERRORS) as error:
            connection.close()
            busy = isinstance(error, sqlite3.Error) and _code(error) in _BUSY
            if not busy or time.monotonic() > until:
                raise
            time.sleep(0.05 * random())  # noqa: S311 - chance keeps the processes apart
        else:
            return connection


def _prepare(connection: sqlite3.Connection, path: Path, layout: StoreLayout) -> None:
    """Check that a file is ours and of this version; make the tables of a new one."""
    # One transaction: another process may be making the file between two looks.
    connection.execute("BEGIN")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.execute("COMMIT")
    if tables and application != layout.application:
        raise DataError(
            f"{path} is another program's database; name another file for {layout.name}",
            reason="wrong_kind",
        )
    if tables and version != layout.version:
        raise DataError(
            f"{layout.name} {path} is of version {version}; expected {layout.version}. "
            "Name another file, or use the release that made it",
            reason="another_version",
        )
    connection.execute("PRAGMA journal_mode=WAL")
    # Under a write-ahead log FULL alone makes a commit outlive a power cut.
    connection.execute(f"PRAGMA synchronous={'FULL' if layout.durable else 'OFF'}")
    if not tables:
        with _transaction(connection):
            # Another process may have made them meanwhile.
            for statement in layout.tables:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={layout.application}")
            connection.execute(f"PRAGMA user_version={layout.version}")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Whatever it was, Ctrl-C included, it is raised on; only what was half done goes.
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def _file_number(path: Path) -> tuple[int, int] | None:
    """What tells a file from another under the same name."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _free_name(path: Path) -> Path:
    """A name for a damaged file that no other file has."""
    base = f"{path.name}.damaged-{os.getpid()}"
    names = (path.with_name(f"{base}-{number}" if number else base) for number in count())
    return next(name for name in names if not name.exists())
