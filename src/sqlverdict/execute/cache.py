"""Answers by content, in one SQLite file that several processes share.

The key is made of the database's digest, the SQL text, the limits and the engine's name
and version: whatever can change an answer. Entries are added in batches, each one
transaction under a write-ahead log, so a killed process loses its last batch and nothing
else. The cache is never needed: where its file cannot be used, evaluation goes on without
it and says so.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from random import random
from time import sleep
from typing import Any

import msgspec

from sqlverdict.records import Answer, Failure, Outcome, Reason

_VERSION = 2
_CHECKSUM = 8
_COMPRESS_ABOVE = 16_384
_REMEMBERED_KEYS = 200_000
_ATTEMPTS = 200
_LARGEST = 32 * 2**20
_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""A damaged file makes SQLite speak of names that are no text."""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


def default_path() -> Path:
    """``SQLVERDICT_CACHE``, else ``sqlverdict/answers.sqlite`` in the user's cache folder."""
    chosen = os.environ.get("SQLVERDICT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sqlverdict" / "answers.sqlite"


def answer_key(scope: bytes, sql: str) -> bytes:
    """The key of a query within a scope (see :func:`scope_key`)."""
    return blake2b(sql.encode("utf-8", "surrogatepass"), digest_size=16, key=scope).digest()


def scope_key(database_digest: str, limits_key: str, engine: str, version: str) -> bytes:
    """What all queries of one database share: digest, limits, engine and its version."""
    text = f"{_VERSION}|{database_digest}|{limits_key}|{engine}|{version}"
    return blake2b(text.encode(), digest_size=16).digest()


class AnswerCache:
    """The shared file of answers.

    Args:
        path: The file; made, with its folder, where it is missing.
        limit: Size in bytes above which the oldest entries are dropped.

    ``problem`` says why the cache is not used, where it is not. ``is_current`` is asked before
    anything is written, whether a scope still belongs to its database's content.
    """

    def __init__(self, path: Path, limit: int = 4 * 2**30) -> None:
        self.path = path
        self.limit = limit
        self.problem: str | None = None
        self.hits = 0
        self.is_current: Callable[[bytes], bool] | None = None
        self._pending: dict[bytes, tuple[bytes, bytes, bytes]] = {}
        self._pending_size = 0
        self._known: dict[bytes, set[bytes]] = {}
        self._connection: sqlite3.Connection | None = None
        self._open()

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect_in_turn()
        except (OSError, *_ERRORS) as error:
            self._fail(error)

    def _connect_in_turn(self) -> sqlite3.Connection:
        """Where several processes begin a new file at once, SQLite does not wait by itself."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._connect()
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or attempt == _ATTEMPTS - 1:
                    raise
                sleep(random() * 0.05)  # noqa: S311 - chance keeps the processes apart
        raise AssertionError("the last attempt returns or raises")

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=10)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            # Losing power may cost the file, which is then set aside; killing a process cannot.
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY,"
                " scope BLOB NOT NULL, key BLOB NOT NULL, payload BLOB NOT NULL,"
                " UNIQUE (scope, key))"
            )
        except _ERRORS:
            connection.close()
            raise
        return connection

    def _fail(self, error: Exception) -> None:
        """Begin a new file where the old one is damaged; otherwise go on without a cache."""
        self._pending.clear()
        self._pending_size = 0
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if _is_damaged(error):
            self._known.clear()
            self._set_aside()
        else:
            self._give_up(error)

    def _set_aside(self) -> None:
        """A damaged file is kept under another name and a new one begun."""
        aside = self.path.with_name(f"{self.path.name}.damaged-{os.getpid()}")
        try:
            self.path.replace(aside)
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            self._connection = self._connect_in_turn()
            self.problem = f"the cache was damaged; it is kept as {aside} and a new one was begun"
        except (OSError, *_ERRORS) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.problem = f"answers are not cached: {self.path}: {error}"
        self._connection = None

    def get(self, scope: bytes, key: bytes) -> Outcome | None:
        """The stored outcome, or ``None``."""
        waiting = self._pending.get(key)
        if waiting is not None:
            return _unpack(*waiting)
        if self._connection is None or key not in self._keys(scope):
            return None
        try:
            row = self._connection.execute(
                "SELECT payload FROM answers WHERE scope = ? AND key = ?", (scope, key)
            ).fetchone()
        except _ERRORS as error:
            self._fail(error)
            return None
        outcome = _unpack(scope, key, row[0]) if row else None
        self.hits += outcome is not None
        return outcome

    def is_new(self, scope: bytes) -> bool:
        """Whether the file held nothing of a scope when that was first asked for."""
        return self._connection is None or not self._keys(scope)

    def put(self, scope: bytes, key: bytes, outcome: Outcome) -> None:
        """Store an outcome that will be the same next time."""
        if self._connection is None or not _is_lasting(outcome):
            return
        payload = _pack(scope, key, outcome)
        if len(payload) > _LARGEST:
            return
        self._pending[key] = (scope, key, payload)
        self._pending_size += len(payload)
        if self._pending_size > 8 * 2**20:
            self.flush()

    def forget(self, scope: bytes) -> None:
        """Drop what is pending of a scope: its database is not what it was."""
        kept = {key: row for key, row in self._pending.items() if row[0] != scope}
        self._pending = kept
        self._pending_size = sum(len(payload) for _, _, payload in kept.values())

    def flush(self) -> None:
        """Write what is pending, in one transaction."""
        if self._connection is None or not self._pending:
            return
        if self.is_current is not None:
            for scope in {scope for scope, _, _ in self._pending.values()}:
                if not self.is_current(scope):
                    self.forget(scope)
        rows = list(self._pending.values())
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR REPLACE INTO answers (scope, key, payload) VALUES (?, ?, ?)", rows
            )
            self._connection.execute("COMMIT")
        except _ERRORS as error:
            self._fail(error)
            return
        for scope, key, _ in rows:
            known = self._known.get(scope)
            # Beyond that many, a query may be run again: cheaper than remembering every key.
            if known is not None and len(known) < _REMEMBERED_KEYS:
                known.add(key)
        self._pending.clear()
        self._pending_size = 0

    def trim(self) -> None:
        """Drop the oldest entries until the file's content fits the limit."""
        if self._connection is None:
            return
        try:
            size = self._size()
            while size > self.limit:
                self._connection.execute(
                    "DELETE FROM answers WHERE number IN"
                    " (SELECT number FROM answers ORDER BY number LIMIT 1000)"
                )
                smaller = self._size()
                if smaller >= size:
                    break
                size = smaller
        except _ERRORS as error:
            self._fail(error)

    def _size(self) -> int:
        assert self._connection is not None
        pages, free, page = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * page)

    def _keys(self, scope: bytes) -> set[bytes]:
        """The keys of a scope when it was first asked for: one look instead of one a query."""
        known = self._known.get(scope)
        if known is None:
            known = self._known[scope] = self._stored_keys(scope)
        return known

    def _stored_keys(self, scope: bytes) -> set[bytes]:
        assert self._connection is not None
        try:
            found = self._connection.execute(
                "SELECT key FROM answers WHERE scope = ? LIMIT ?", (scope, _REMEMBERED_KEYS)
            )
            return {key for (key,) in found}
        except _ERRORS as error:
            self._fail(error)
            return set()

    def close(self) -> None:
        """Write what is pending and let go of the file."""
        self.flush()
        self.trim()
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _is_damaged(error: Exception) -> bool:
    if isinstance(error, sqlite3.DatabaseError):
        return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return isinstance(error, UnicodeDecodeError)


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _is_lasting(outcome: Outcome) -> bool:
    if isinstance(outcome, Answer):
        return outcome.lasting and not outcome.volatile
    return outcome.repeatable


def _pack(scope: bytes, key: bytes, outcome: Outcome) -> bytes:
    if isinstance(outcome, Answer):
        record: tuple[Any, ...] = (outcome.columns, outcome.rows, outcome.seconds)
    else:
        record = (outcome.reason.value, outcome.message, outcome.seconds)
    packed = _encode(record)
    body = b"z" + zlib.compress(packed, 1) if len(packed) > _COMPRESS_ABOVE else b"p" + packed
    return _checksum(scope, key, body) + body


def _checksum(scope: bytes, key: bytes, body: bytes) -> bytes:
    """Covers the key too: in a damaged file another query's whole entry may stand under it."""
    return blake2b(body, digest_size=_CHECKSUM, key=scope + key).digest()


def _unpack(scope: bytes, key: bytes, payload: bytes) -> Outcome | None:
    """The stored outcome; ``None`` where the entry cannot be read, which re-runs the query."""
    try:
        body = payload[_CHECKSUM:]
        if _checksum(scope, key, body) != payload[:_CHECKSUM]:
            return None
        packed = zlib.decompress(body[1:]) if body[:1] == b"z" else body[1:]
        first, second, seconds = _decode(packed)
        if isinstance(first, str):
            return Failure(Reason(first), second, seconds=seconds)
        return Answer(tuple(first), [tuple(row) for row in second], seconds)
    except (ValueError, TypeError, zlib.error, msgspec.DecodeError):
        return None


def open_cache(path: Path | None) -> AnswerCache | None:
    """The cache in a file; ``None`` where nothing is to be cached."""
    return AnswerCache(path) if path is not None else None


def cache_problem(path: Path | None) -> tuple[str, ...]:
    """Why a cache cannot be used, or was set aside, so that a manifest says it."""
    cache = open_cache(path)
    if cache is None:
        return ()
    cache.close()
    return (cache.problem,) if cache.problem is not None else ()
