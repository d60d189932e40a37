"""Pairs as a scorer was given them, and what is remembered of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from sqlverdict.api.arguments import Reply, read_golds
from sqlverdict.load.no_sql import read_prediction, without_sql
from sqlverdict.records import Case, Contract, Prediction

REMEMBERED = 2**28
"""How many characters and bytes all that is remembered may hold, about."""

T = TypeVar("T")


class ScoredPair(NamedTuple):
    """What decides a pair's result: the arguments, and the content of its database."""

    digest: str
    golds: str | tuple[str, ...]
    reply: Reply
    database: str | None
    name: str
    question: str
    knowledge: str
    contract: Contract | None
    id: str

    def read(self, no_sql: str) -> tuple[Case, Prediction]:
        """The case, and the prediction; ``no_sql`` says what a reply of text alone is."""
        golds = read_golds(self.golds) if isinstance(self.golds, str) else self.golds
        prediction = read_prediction(self.id, self.reply)
        if no_sql == "abstain":
            prediction = without_sql(prediction)
        case = Case(
            self.id,
            self.name,
            self.question,
            golds,
            database=self.database,
            answerable=bool(golds),
            knowledge=self.knowledge,
            contract=self.contract,
        )
        return case, prediction


class Memo(Generic[T]):
    """Remembers what was used last, by number and by size; for any thread.

    Args:
        most: How many entries there may be.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._size = 0

    def get(self, key: Hashable) -> T | None:
        """What is remembered under a key."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: T, size: int) -> None:
        """Remember something of so many characters and bytes."""
        with self._lock:
            before = self._entries.pop(key, None)
            self._size += size - (before[1] if before is not None else 0)
            self._entries[key] = value, size
            # A model may say anything: its texts and answers must not fill the memory.
            while len(self._entries) > self._most or self._size > REMEMBERED:
                self._size -= self._entries.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._entries.clear()
            self._size = 0
