"""Replies by content address, in one SQLite file that threads and processes share.

A reply is written the moment it arrives, as a transaction of its own that reaches the disk
before the call returns: a run that is killed loses what is still in flight and nothing else.
The file holds replies and token counts. It holds no prompts, no keys, and of a server's address
only a digest together with the request's. Since replies cost money, a damaged file is an error and
not a reason to begin a new one; a damaged reply is asked for again.

One question is never paid for twice at the same time (:class:`Claims`). Within a process a set is
enough. Between processes a claim is a lock on one byte of a file beside the cache, the byte that
the content address names: the system lets go of it when its process ends, however it ends, so that
a killed run blocks nobody. Where the system has no such locks (Windows), only the threads of one
process are kept apart.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.files.store import STORE_ERRORS, SharedStore, StoreLayout, stored_file
from sqlverdict.llm.request import ReceivedReply, TokenChoice

_COLUMNS = (
    "text, finish, prompt_tokens, completion_tokens, discounted_tokens, counted, seconds, "
    "logprobs, served, batch"
)
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
_BATCH_OF = "SELECT name FROM waiting JOIN batches ON name = batch WHERE address = ?"
_LAYOUT = StoreLayout(
    name="the cache of replies",
    application=0x5351564A,  # "SQVJ", in the file's header
    version=2,
    tables=_TABLES,
    durable=True,
    lenient=True,
    seconds=60.0,
)


def reply_cache_path() -> Path:
    """``SQLVERDICT_REPLIES``, else ``replies.sqlite`` beside the cache of answers."""
    return stored_file("SQLVERDICT_REPLIES", "replies.sqlite")


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
        try:
            self._store = SharedStore(path, _LAYOUT)
            self.claims = Claims(path.with_name(path.name + ".claims"))
        except (OSError, *STORE_ERRORS) as error:
            raise DataError(
                f"the cache of replies {path} cannot be used: {error}. Restore it, move it away, "
                "or name another file",
                reason="unreadable",
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

    def put(self, address: str, model: str, purpose: str, received: ReceivedReply) -> None:
        """Store a reply, on the disk before this returns. The first one at an address stays.

        Args:
            address: The content address of its request.
            model: The request's model.
            purpose: The request's purpose.
            received: The reply.
        """
        logprobs = msgspec.msgpack.encode(received.logprobs) if received.logprobs else None
        content = (received.text, received.finish, received.prompt_tokens,
                   received.completion_tokens, received.discounted_tokens,
                   int(received.tokens_known), float(received.seconds), logprobs, received.served,
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
        row = self._first(f"{_BATCH_OF} AND state != 'done'", address)
        return str(row[0]) if row else None

    def is_unanswered(self, address: str) -> bool:
        """Whether a batch of this cache is over that had the address, and brought nothing for it.

        A batch of another cache is not known here: its requests may have been charged for.
        """
        return self._first(f"{_BATCH_OF} AND state = 'done'", address) is not None

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
        try:
            return self._store.first(statement, values)
        except STORE_ERRORS as error:
            problem = f"the cache of replies {self.path} cannot be read: {error}"
            raise DataError(problem, reason="unreadable") from error

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """The connection, alone with it, in one transaction: all of it or nothing."""
        return self._store.transaction()

    def close(self) -> None:
        """Close the file."""
        self._store.close()
        self.claims.close()


def _checksum(address: str, content: tuple[Any, ...]) -> bytes:
    """Covers the address too: in a damaged file another reply may stand at it."""
    return blake2b(msgspec.msgpack.encode((address, content)), digest_size=16).digest()


def _received(row: tuple[Any, ...]) -> ReceivedReply:
    text, finish, prompt, completion, discounted, known, seconds, logprobs, served, batch = row
    return ReceivedReply(
        text,
        finish,
        prompt,
        completion,
        seconds,
        discounted_tokens=discounted,
        tokens_known=bool(known),
        logprobs=_choices(logprobs) if logprobs else (),
        served=served,
        batch=bool(batch),
    )


def _choices(packed: bytes) -> tuple[TokenChoice, ...]:
    return tuple(
        TokenChoice(each["token"], each["logprob"], tuple((t, p) for t, p in each["alternatives"]))
        for each in msgspec.msgpack.decode(packed)
    )


try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

_HEX_DIGITS = 15  # 60 bits: the largest offset a lock may have is below 2**63


class Claims:
    """The claims of this process.

    Args:
        path: The lock file; made where it is missing. ``None``: this process only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._addresses: set[str] = set()
        self._changed = threading.Condition()
        self._file = None
        if path is not None and fcntl is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            # One descriptor for good: closing any descriptor of a file drops all its locks.
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def take(self, address: str, wait: float, stop: threading.Event) -> bool:
        """Claim an address; false where it is still somebody else's after about ``wait`` seconds.

        Args:
            address: What is claimed.
            wait: How long to wait before the caller had better look for a reply.
            stop: Ends the waiting.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: address not in self._addresses, wait):
                return False
            self._addresses.add(address)
        if self._lock(address):
            return True
        self.release(address)
        stop.wait(wait)
        return False

    def release(self, address: str) -> None:
        """Release the lock on a request's key."""
        self._unlock(address)
        with self._changed:
            self._addresses.discard(address)
            self._changed.notify_all()

    def _lock(self, address: str) -> bool:
        if self._file is None:
            return True
        try:
            # Never wait inside the lock: the system takes two processes whose threads wait for
            # each other's other claims for a deadlock.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(address))
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            # A file system without locks: better two calls than none.
            return True
        return True

    def _unlock(self, address: str) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(address))

    def close(self) -> None:
        """Close all files."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _byte(address: str) -> int:
    return int(address[:_HEX_DIGITS], 16)
