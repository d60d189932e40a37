"""Answers that are at hand: in the memory of a process, and in one file that processes share.

No answer is served that is not of the content that the database has:

* The key in the file is made of the database's digest, the SQL text, the limits, the clock and the
  engine's name and version: whatever can change an answer. What the clock or chance decides, and
  what the wall clock cut, is never stored.
* The digest is taken before the first page is read. Before a batch is written, and whenever the
  runner is flushed (``QueryRunner.flush``), it is taken anew: where it is another one, the database
  changed, and its answers are dropped here, in the batch and with its session.
* Memory has the database for a key, not its digest. So whoever opens a database anew compares its
  digest with that of the answers in memory, and drops them where it is another one.
* A session on a server is one snapshot, whatever is written meanwhile. A connection that was lost
  is replaced only by one that shows the same content. Where the content is not known, nothing is
  stored in the file.
* Before a query is tried again, what another try may not have is forgotten (``forget_passing``).

Entries are added to the file in batches, each one transaction, so a killed process loses its last
batch and nothing else. The file is never needed: where it cannot be used, evaluation goes on
without it and says so.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.execute.values.cell_bytes import decode_cells, encode_cells
from sqlverdict.files.store import OptionalStore, StoreLayout, seal, stored_file, unseal
from sqlverdict.records import Answer, Failure, Outcome, Reason

_VERSION = 6
"""It changes where a guard or a setting of sessions does: earlier answers are not served."""
_COMPRESS_ABOVE = 16_384
_HEAVIEST = 32 * 2**20
_AT_LEAST = 4
"""What memory keeps: bytes, and in any case so many outcomes."""
_REMEMBERED_KEYS = 200_000
_LARGEST = 32 * 2**20
_PENDING = 8 * 2**20
_LAYOUT = StoreLayout(
    name="the cache",
    application=0x53515641,  # "SQVA", in the file's header
    version=1,
    tables=(
        "CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY,"
        " scope BLOB NOT NULL, key BLOB NOT NULL, payload BLOB NOT NULL,"
        " UNIQUE (scope, key))",
    ),
)
_DUE_ANSWERS = 256
_DUE_SECONDS = 0.5
"""Seconds that the pending answers took: as much is lost, at most, where the process is killed."""


def default_path() -> Path:
    """``SQLVERDICT_CACHE``, else ``sqlverdict/answers.sqlite`` in the user's cache folder."""
    return stored_file("SQLVERDICT_CACHE", "answers.sqlite")


@lru_cache(maxsize=1_024)
def scope_key(database_digest: str, limits_key: str, engine: str, version: str) -> bytes:
    """What all queries of one database share: digest, limits, engine and its version."""
    text = f"{_VERSION}|{database_digest}|{limits_key}|{engine}|{version}"
    return blake2b(text.encode(), digest_size=16).digest()


class AnswerMemory:
    """The latest outcomes of one process, by database and text, up to a weight."""

    def __init__(self) -> None:
        self._outcomes: OrderedDict[tuple[str, str], tuple[Outcome, int]] = OrderedDict()
        self._passing: set[tuple[str, str]] = set()
        """The keys of outcomes that another try may not have."""
        self._weight = self._added = 0

    def get(self, key: tuple[str, str]) -> Outcome | None:
        """The outcome of a text on a database, where it is known."""
        entry = self._outcomes.get(key)
        return entry[0] if entry is not None else None

    def add(self, key: tuple[str, str], outcome: Outcome, weight: int) -> None:
        """Keep an outcome; the oldest go where they are too heavy together."""
        before = self._outcomes.pop(key, None)
        if before is not None:
            self._weight -= before[1]
        self._outcomes[key] = (outcome, weight)
        # A date function over a column is no clock; the file is stricter still.
        if outcome.volatile if isinstance(outcome, Answer) else not outcome.repeatable:
            self._passing.add(key)
        self._weight += weight
        self._added += weight
        while self._weight > _HEAVIEST and len(self._outcomes) > _AT_LEAST:
            _, (_, lighter) = self._outcomes.popitem(last=False)
            self._weight -= lighter

    def room(self) -> Callable[[], bool]:
        """Asked later: whether all outcomes since then are sure to be still here."""
        before = self._added
        return lambda: self._added - before < _HEAVIEST // 2

    def forget(self, database: str) -> None:
        """Drop what a database answered."""
        for key in [key for key in self._outcomes if key[0] == database]:
            self._weight -= self._outcomes.pop(key)[1]

    def forget_passing(self) -> None:
        """Drop what another try may not have: what a clock cut or gave."""
        for key in self._passing:
            entry = self._outcomes.pop(key, None)
            self._weight -= entry[1] if entry is not None else 0
        self._passing.clear()


class AnswerCache:
    """The shared file of answers.

    Args:
        path: The file; made, with its folder, where it is missing.
        limit: Size in bytes above which the oldest entries are dropped.
        on_problem: Is told why answers are not cached, when that happens.

    ``is_current`` is asked before anything is written, whether a scope still belongs to its
    database's content.
    """

    def __init__(
        self,
        path: Path,
        limit: int = 4 * 2**30,
        on_problem: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.limit = limit
        self.hits = 0
        self.is_current: Callable[[bytes], bool] | None = None
        self._pending: dict[bytes, tuple[bytes, bytes, bytes]] = {}
        self._pending_size = 0
        self._pending_seconds = 0.0
        self._known: dict[bytes, set[bytes]] = {}
        self._store = OptionalStore(
            path, _LAYOUT, "answers are not cached", self._forget_all, on_problem
        )

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    @property
    def problem(self) -> str | None:
        """Why the cache is not used, or that it was damaged."""
        return self._store.problem

    def _forget_all(self) -> None:
        self._pending.clear()
        self._pending_size = 0
        self._known.clear()

    def get(self, scope: bytes, key: bytes) -> Outcome | None:
        """The stored outcome, or ``None``."""
        waiting = self._pending.get(key)
        if waiting is not None:
            return _unpack(*waiting)
        if key not in self._keys(scope):
            return None
        row = self._store.first(
            "SELECT payload FROM answers WHERE scope = ? AND key = ?", (scope, key)
        )
        outcome = _unpack(scope, key, row[0]) if row else None
        self.hits += outcome is not None
        return outcome

    def is_new(self, scope: bytes) -> bool:
        """Whether the file held nothing of a scope when that was first asked for."""
        return not self._keys(scope)

    def put(self, scope: bytes, key: bytes, outcome: Outcome) -> None:
        """Store an outcome that will be the same next time."""
        if not self._store.usable or not _is_lasting(outcome):
            return
        payload = _pack(scope, key, outcome)
        if len(payload) > _LARGEST:
            return
        self._pending[key] = (scope, key, payload)
        self._pending_size += len(payload)
        self._pending_seconds += outcome.seconds
        if self._pending_size > _PENDING:
            self.flush()

    def forget(self, scope: bytes) -> None:
        """Drop what is pending of a scope: its database is not what it was."""
        others = {key: row for key, row in self._pending.items() if row[0] != scope}
        self._pending = others
        self._pending_size = sum(len(payload) for _, _, payload in others.values())

    @property
    def is_due(self) -> bool:
        """Whether what is pending is worth a transaction: many answers, or slow ones."""
        return len(self._pending) >= _DUE_ANSWERS or self._pending_seconds >= _DUE_SECONDS

    def flush(self) -> None:
        """Write what is pending, in one transaction."""
        self._pending_seconds = 0.0
        if not self._store.usable or not self._pending:
            return
        if self.is_current is not None:
            for scope in {scope for scope, _, _ in self._pending.values()}:
                if not self.is_current(scope):
                    self.forget(scope)
        rows = list(self._pending.values())

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT OR REPLACE INTO answers (scope, key, payload) VALUES (?, ?, ?)", rows
            )

        if not self._store.write(insert):
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
        size = self._store.size
        while size > self.limit:
            self._store.write(_drop_oldest)
            smaller = self._store.size
            if smaller >= size:
                break
            size = smaller

    def _keys(self, scope: bytes) -> set[bytes]:
        """The keys of a scope when it was first asked for: one look instead of one a query."""
        known = self._known.get(scope)
        if known is None:
            rows = self._store.rows(
                "SELECT key FROM answers WHERE scope = ? LIMIT ?", (scope, _REMEMBERED_KEYS)
            )
            known = self._known[scope] = {key for (key,) in rows}
        return known

    def close(self) -> None:
        """Write what is pending and let go of the file."""
        self.flush()
        self.trim()
        self._store.close()


def _drop_oldest(connection: sqlite3.Connection) -> None:
    connection.execute(
        "DELETE FROM answers WHERE number IN"
        " (SELECT number FROM answers ORDER BY number LIMIT 1000)"
    )


def _is_lasting(outcome: Outcome) -> bool:
    """Whether the same query is sure to have the same outcome next time."""
    if isinstance(outcome, Answer):
        return outcome.lasting and not outcome.volatile
    return outcome.repeatable


def _pack(scope: bytes, key: bytes, outcome: Outcome) -> bytes:
    if isinstance(outcome, Answer):
        record: tuple[Any, ...] = (outcome.columns, outcome.rows, outcome.seconds)
    else:
        record = (outcome.reason.value, outcome.message, outcome.seconds)
    packed = encode_cells(record)
    body = b"z" + zlib.compress(packed, 1) if len(packed) > _COMPRESS_ABOVE else b"p" + packed
    return seal(scope + key, body)


def _unpack(scope: bytes, key: bytes, payload: bytes) -> Outcome | None:
    """The stored outcome; ``None`` where the entry cannot be read, which re-runs the query."""
    try:
        body = unseal(scope + key, payload)
        if body is None:
            return None
        packed = zlib.decompress(body[1:]) if body[:1] == b"z" else body[1:]
        first, second, seconds = decode_cells(packed)
        if isinstance(first, str):
            return Failure(Reason(first), second, seconds=seconds)
        return Answer(tuple(first), list(map(tuple, second)), seconds)
    except (ValueError, TypeError, zlib.error, msgspec.DecodeError):
        return None


def open_cache(
    path: Path | None, on_problem: Callable[[str], None] = lambda _: None
) -> AnswerCache | None:
    """The cache in a file; ``None`` where nothing is to be cached."""
    return AnswerCache(path, on_problem=on_problem) if path is not None else None


def cache_problem(path: Path | None) -> tuple[str, ...]:
    """Why a cache cannot be used, or was set aside, so that a manifest says it."""
    cache = open_cache(path)
    if cache is None:
        return ()
    cache.close()
    return (cache.problem,) if cache.problem is not None else ()
