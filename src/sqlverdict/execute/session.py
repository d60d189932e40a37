"""What an open database is: a session, a scratch database or a workspace; and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from sqlverdict.errors import UsageError
from sqlverdict.files.sqlite import HEAP
from sqlverdict.records import Outcome, Row

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Schema

TableRows = Mapping[str, Sequence[Row]]
"""Rows by the names of their tables."""
Run = Callable[[str], Outcome]
"""Runs one query on a database."""
LONGEST = 1_000_000_000
"""Seconds that a limit may be at most: clocks and logs know no longer time."""


@dataclass(frozen=True)
class Limits:
    """What one query may spend. Steps come first: they are the same on every machine.

    Attributes:
        steps: Virtual-machine instructions; deterministic, so a verdict can be repeated. An
            idle machine does as many in 9 to 30 seconds.
        seconds: Wall clock: the safety net, far above what the steps take. What it cuts says so
            (``cut_by_time``), is never cached, and is done again when a run is resumed.
        rows: Rows kept; one more is ``ROW_LIMIT``.
        bytes: Size of the kept rows; above it is ``MEMORY_LIMIT``.
        memory: The engine's own heap; above it is ``MEMORY_LIMIT``. SQLite has one limit for a
            process, which can only be lowered: more than the default has no effect there, and
            less holds until the process ends.
        cell: The largest text or blob the engine may build.
        sql_length: The longest SQL text that is tried at all, in characters.
        trust_role: On a server, queries run as the role of the URL, even if it may write.
    """

    steps: int = 1_000_000_000
    seconds: float = 120.0
    rows: int = 500_000
    bytes: int = 128 * 2**20
    memory: int = HEAP
    cell: int = 32 * 2**20
    sql_length: int = 1_000_000
    trust_role: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no limit.

        Raises:
            UsageError: the time is none that a clock counts to, another limit is no whole number
                above 0, or ``trust_role`` is neither true nor false.
        """
        seconds: object = self.seconds
        is_number = isinstance(seconds, Real) and not isinstance(seconds, bool)
        # NaN is neither more nor less.
        if not (is_number and 0 < self.seconds <= LONGEST):
            raise UsageError(
                f"the time limit is {seconds!r} (seconds of Limits); expected seconds, more than "
                f"0 and at most {LONGEST:,}"
            )
        for name in ("steps", "rows", "bytes", "memory", "cell", "sql_length"):
            count: object = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
                raise UsageError(
                    f"{name} of Limits is {count!r}; expected a whole number, 1 or more"
                )
        trust_role: object = self.trust_role
        if not isinstance(trust_role, bool):
            raise UsageError(f"trust_role of Limits is {trust_role!r}; expected True or False")

    def key(self) -> str:
        """The limits as they enter a cache key; wall-clock time does not change an answer."""
        sizes = f"{self.bytes}/{self.memory}/{self.cell}/{self.sql_length}"
        return f"{self.steps}/{self.rows}/{sizes}{'/trust_role' * self.trust_role}"


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

    def digest(self) -> str | None:
        """A digest of the snapshot that this session reads; ``None`` where it is not known."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...


def interleaved_seconds(
    queries: Sequence[str], rounds: int, run: Callable[[str], object]
) -> list[list[float]]:
    """The seconds of each query, ``rounds`` times, interleaved, after one warm-up each."""
    seconds: list[list[float]] = [[] for _ in queries]
    for turn in range(rounds + 1):
        for index, sql in enumerate(queries):
            began = perf_counter()
            run(sql)
            if turn:
                seconds[index].append(perf_counter() - began)
    return seconds


class Scratch(Protocol):
    """A database of ours with the tables of a schema, for instances of a few rows.

    It is empty when it is made, and gone when it is closed. Queries on it are untrusted, and run
    under the same guards as in a :class:`Session`. An engine's own inherits from this class.
    """

    def declaration(self, schema: Schema) -> Schema:
        """A schema with all that makes a column's type, so that another server gives the same."""
        return schema

    def load(self, rows: TableRows) -> bool:
        """Make these rows the content of the tables, parents and children in any order.

        Returns:
            Whether every row was accepted: none breaks a type or a constraint. The content is
            undefined where one does.
        """
        ...

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query on the content."""
        ...

    def close(self) -> None:
        """Remove everything that was made."""
        ...


class Workspace(Protocol):
    """A throw-away copy of a database, or a transaction that is rolled back; it may be written.

    The database itself never changes. Files, the network, extensions, settings and administration
    stay as closed as in a :class:`Session`.
    """

    def run(self, sql: str) -> Outcome:
        """Run one untrusted statement; one that has no result gives an answer without columns."""
        ...

    def tables(self) -> list[str]:
        """The names of its tables, sorted.

        Raises:
            DatabaseError: they cannot be read.
        """
        ...

    def close(self) -> None:
        """Drop the copy with all that was written."""
        ...
