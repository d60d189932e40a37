"""Replies by content address, in one SQLite file that threads and processes share.

A reply is written the moment it arrives, as a transaction of its own that reaches the disk
before the call returns: a run that is killed loses what is still in flight and nothing else.
The file holds replies and token counts. It holds no prompts, no keys, and of a server's address
only a digest together with the request's. Since replies cost money, a damaged file is an error and
not a reason to begin a new one; a damaged reply is asked for again.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from random import random
from typing import Any

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.execute.cache import default_path as answers_path
from sqlverdict.llm.claims import Claims
from sqlverdict.llm.http.wire import ReceivedReply
from sqlverdict.llm.request import Request, TokenChoice

_VERSION = 2
_APPLICATION = 0x5351564A  # "SQVJ", in the file's header
_PATIENCE = 60.0
_COLUMNS = (
    "text, finish, prompt_tokens, completion_tokens, discounted_tokens, counted, seconds, "
    "logprobs, served, batch"
)
_UPGRADE = "ALTER TABLE replies ADD COLUMN checksum BLOB"
"""From version 1, whose replies are at addresses without a server: none of them is served."""
_TABLES = (
    """CREATE TABLE IF NOT EXISTS replies (
        address TEXT PRIMARY KEY, model TEXT NOT NULL, purpose TEXT NOT NULL,
        arrived REAL NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
        discounted_tokens INTEGER NOT NULL, counted INTEGER NOT NULL, seconds REAL NOT NULL,
        logprobs BLOB, served TEXT NOT NULL, batch INTEGER NOT NULL, checksum BLOB)""",
    "CREATE INDEX IF NOT EXISTS by_purpose ON replies (model, purpose, completion_tokens)",
    """CREATE TABLE IF NOT EXISTS batches (
        name TEXT PRIMARY KEY, server TEXT NOT NULL, model TEXT NOT NULL, state TEXT NOT NULL,
        made REAL NOT NULL, file TEXT NOT NULL, file_id TEXT NOT NULL DEFAULT '',
        batch_id TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '')""",
    """CREATE TABLE IF NOT EXISTS waiting (
        address TEXT PRIMARY KEY, batch TEXT NOT NULL, purpose TEXT NOT NULL)""",
)


def default_path() -> Path:
    """``SQLVERDICT_REPLIES``, else ``replies.sqlite`` beside the cache of answers."""
    chosen = os.environ.get("SQLVERDICT_REPLIES")
    return Path(chosen) if chosen else answers_path().with_name("replies.sqlite")


class ReplyCache:
    """The file of replies. Open it in the process that uses it; its threads may share it.

    Args:
        path: The file; made, with its folder, where it is missing.

    Raises:
        DataError: the file is damaged, is not ours, or cannot be used.

    ``problem`` says why replies could not be stored, should that happen later.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem: str | None = None
        self._lock = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connect(path)
            self.claims = Claims(path.with_name(path.name + ".claims"))
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            raise DataError(
                f"the cache of replies {path} cannot be used: {error}. Restore it, move it away, "
                "or name another file"
            ) from error

    def __repr__(self) -> str:
        return f"ReplyCache({str(self.path)!r})"

    def get(self, address: str) -> ReceivedReply | None:
        """The reply at an address; ``None`` where there is none that is whole."""
        row = self._first(
            f"SELECT checksum, {_COLUMNS} FROM replies WHERE address = ?",  # noqa: S608
            address,
        )
        if row is None:
            return None
        if row[0] == _checksum(address, row[1:]):
            return _received(row[1:])
        self._drop(address)
        return None

    def _drop(self, address: str) -> None:
        """Make room for the reply that will be asked for in place of a damaged one."""
        self.problem = f"damaged replies in {self.path} were dropped and are asked for again"
        try:
            with self.transaction() as connection:
                connection.execute("DELETE FROM replies WHERE address = ?", (address,))
        except sqlite3.Error as error:
            self.problem = f"replies are not stored: {self.path}: {error}"

    def put(self, address: str, request: Request, received: ReceivedReply) -> None:
        """Store a reply, on the disk before this returns. The first one at an address stays."""
        self.put_as(address, request.model, request.purpose, received)

    def put_as(self, address: str, model: str, purpose: str, received: ReceivedReply) -> None:
        """The same, where only the request's model and purpose are at hand."""
        logprobs = msgspec.msgpack.encode(received.logprobs) if received.logprobs else None
        content = (received.text, received.finish, received.prompt_tokens,
                   received.completion_tokens, received.discounted_tokens, int(received.counted),
                   float(received.seconds), logprobs, received.served,
                   int(received.batch))  # fmt: skip
        row = (_checksum(address, content), address, model, purpose, time.time(), *content)
        try:
            with self.transaction() as connection:
                connection.execute(
                    "INSERT OR IGNORE INTO replies"  # noqa: S608
                    f" (checksum, address, model, purpose, arrived, {_COLUMNS})"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
        except sqlite3.Error as error:
            # The reply itself is at hand and is worth more than an exception.
            self.problem = f"replies are not stored: {self.path}: {error}"

    def batch_of(self, address: str) -> str | None:
        """The batch that an address waits in, or ``None``."""
        row = self._first("SELECT batch FROM waiting WHERE address = ?", address)
        return str(row[0]) if row else None

    def typical_reply(self, model: str, purpose: str) -> float | None:
        """The mean number of tokens of this model's replies to this prompt, where there are any."""
        row = self._first(
            "SELECT AVG(completion_tokens) FROM replies"
            " WHERE model = ? AND purpose = ? AND completion_tokens > 0",
            model,
            purpose,
        )
        return float(row[0]) if row and row[0] is not None else None

    def __len__(self) -> int:
        row = self._first("SELECT COUNT(*) FROM replies")
        return int(row[0]) if row else 0

    def __bool__(self) -> bool:
        """An empty cache is a cache."""
        return True

    def _first(self, statement: str, *values: str) -> tuple[Any, ...] | None:
        with self._lock:
            try:
                row = self._connection.execute(statement, values).fetchone()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                problem = f"the cache of replies {self.path} cannot be read: {error}"
                raise DataError(problem) from error
        return tuple(row) if row is not None else None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection, alone with it, in one transaction: all of it or nothing."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # Whatever it was, Ctrl-C included, it goes on; only what was half done goes.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()
        self.claims.close()


def _connect(path: Path) -> sqlite3.Connection:
    """An open connection; processes that all make the file at once take turns."""
    until = time.monotonic() + _PATIENCE
    while True:
        connection = sqlite3.connect(
            path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            # A damaged text is told by its checksum; it must not fail the whole file.
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            _prepare(connection, path)
        except sqlite3.OperationalError as error:
            connection.close()
            # Changing to a write-ahead log does not wait for others as other statements do.
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01 + 0.05 * random())  # noqa: S311
        except (sqlite3.Error, UnicodeDecodeError, DataError):
            # SQLite's word about a damaged file may be no text.
            connection.close()
            raise
        else:
            return connection


def _upgrade(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have done it meanwhile.
    if connection.execute("PRAGMA user_version").fetchone()[0] == 1:
        connection.execute(_UPGRADE)
        connection.execute(f"PRAGMA user_version={_VERSION}")
    connection.execute("COMMIT")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # One transaction: another process may be making the file between two looks.
    connection.execute("BEGIN")
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.execute("COMMIT")
    if tables and application != _APPLICATION:
        raise DataError(f"{path} is another program's database; name another file for the replies")
    if tables and version == 1:
        _upgrade(connection)
    elif tables and version != _VERSION:
        raise DataError(
            f"the cache of replies {path} is of version {version}; expected {_VERSION}. "
            "Name another file, or use the release that made it"
        )
    connection.execute("PRAGMA journal_mode=WAL")
    # Under a write-ahead log this alone makes a commit outlive a power cut.
    connection.execute("PRAGMA synchronous=FULL")
    if tables:
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id={_APPLICATION}")
    connection.execute(f"PRAGMA user_version={_VERSION}")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("COMMIT")


def _checksum(address: str, content: tuple[Any, ...]) -> bytes:
    """Covers the address too: in a damaged file another reply may stand at it."""
    return blake2b(msgspec.msgpack.encode((address, content)), digest_size=16).digest()


def _received(row: tuple[Any, ...]) -> ReceivedReply:
    text, finish, prompt, completion, discounted, counted, seconds, logprobs, served, batch = row
    return ReceivedReply(
        text,
        finish,
        prompt,
        completion,
        discounted,
        bool(counted),
        seconds,
        _choices(logprobs) if logprobs else (),
        served,
        bool(batch),
    )


def _choices(packed: bytes) -> tuple[TokenChoice, ...]:
    return tuple(
        TokenChoice(each["token"], each["logprob"], tuple((t, p) for t, p in each["alternatives"]))
        for each in msgspec.msgpack.decode(packed)
    )
