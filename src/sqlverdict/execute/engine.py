"""What an engine is: opens databases and runs untrusted queries on them.

An engine never raises for what a query does: it returns a
:class:`~sqlverdict.records.Answer` or a :class:`~sqlverdict.records.Failure`.
``sqlverdict.testing.check_engine`` holds every engine to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqlverdict.files.sqlite import HEAP
from sqlverdict.records import Outcome
from sqlverdict.registry import Registry


@dataclass(frozen=True)
class Limits:
    """What one query may spend. Steps come first: they are the same on every machine.

    Attributes:
        steps: Virtual-machine instructions; deterministic, so a verdict can be repeated. An
            idle machine does as many in 9 to 30 seconds.
        seconds: Wall clock: the safety net, far above what the steps take, so that a busy machine
            changes no verdict. What it cuts says so (``cut_by_time``), is never cached, and is
            done again when a run is resumed.
        rows: Rows kept; one more is ``ROW_LIMIT``.
        bytes: Size of the kept rows; above it is ``MEMORY_LIMIT``.
        memory: The engine's own heap; above it is ``MEMORY_LIMIT``.
        cell: The largest text or blob the engine may build.
        sql_length: The longest SQL text that is tried at all, in characters.
    """

    steps: int = 1_000_000_000
    seconds: float = 120.0
    rows: int = 500_000
    bytes: int = 128 * 2**20
    memory: int = HEAP
    cell: int = 32 * 2**20
    sql_length: int = 1_000_000

    def key(self) -> str:
        """The limits as they enter a cache key; wall-clock time does not change an answer."""
        sizes = f"{self.bytes}/{self.memory}/{self.cell}/{self.sql_length}"
        return f"{self.steps}/{self.rows}/{sizes}"


class Session(Protocol):
    """An open database, kept open between queries."""

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        ...

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, ``rounds`` times, interleaved, after one warm-up each.

        Only for queries that ``run`` answered.
        """
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


class Engine(Protocol):
    """A database system that can run a benchmark's queries."""

    @property
    def name(self) -> str:
        """The engine's name: its file's name."""
        ...

    @property
    def dialect(self) -> str:
        """The sqlglot dialect of its queries."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of its database files, the usual one first."""
        ...

    @property
    def version(self) -> str:
        """The engine's version; it changes answers, so it is in every log and cache key."""
        ...

    def open(self, database: Path, limits: Limits) -> Session:
        """Open a database read-only.

        Raises:
            DatabaseError: it is missing, unreadable or not a database.
        """
        ...

    def digest(self, database: Path) -> str:
        """A digest of the database's content."""
        ...


ENGINES: Registry[Engine] = Registry("engine", "sqlverdict.execute.engines", "sqlverdict.engines")
