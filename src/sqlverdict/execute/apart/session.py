"""A session for engines that run inside a process: each query runs in one that can be killed.

A plug-in gives a function that opens its database, and gets a session that keeps its time whatever
a query does, and whose memory is limited. What opens the database is called in the other process,
and again where one had to be killed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.apart.remote import Remote
from sqlverdict.execute.attempt import too_long, unfolding
from sqlverdict.execute.session import Limits, interleaved_seconds
from sqlverdict.records import Failure, Outcome


class OpenDatabase(Protocol):
    """What a plug-in opens: it runs queries, in the process where it was made."""

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query; it need not end in time."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...


class ApartSession:
    """An open database in another process. Not for several threads at once.

    Args:
        make: Opens the database; it can be pickled, and raises ``DatabaseError`` where it cannot.
        limits: What one query may spend.
        digest: Tells the digest of what is read.

    Raises:
        DatabaseError: it cannot be opened.
    """

    def __init__(
        self,
        make: Callable[[], OpenDatabase],
        limits: Limits,
        digest: Callable[[], str | None],
    ) -> None:
        self._apart = Remote(partial(_ClockedDatabase, make), limits)
        self._limits = limits
        self._digest = digest
        problem = self._apart.call("run", None, seconds=limits.seconds)
        if isinstance(problem, Failure):
            raise DatabaseError(problem.message, reason=self._apart.reason)

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        refusal = too_long(sql, self._limits) or unfolding(sql)
        if refusal is not None:
            return refusal
        outcome: Outcome = self._apart.call("run", sql, seconds=self._limits.seconds)
        return outcome

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query in its process, interleaved, after one warm-up each."""
        most = self._limits.seconds * (rounds + 1) * len(queries)
        seconds = self._apart.call("clock", queries, rounds, seconds=most)
        return [[] for _ in queries] if isinstance(seconds, Failure) else seconds

    def digest(self) -> str | None:
        """Digest of the database as it is now."""
        return self._digest()

    def close(self) -> None:
        """Close the database."""
        self._apart.close()


class _ClockedDatabase:
    """The database in its own process."""

    def __init__(self, make: Callable[[], OpenDatabase]) -> None:
        self._database = make()

    def run(self, sql: str | None) -> Outcome | None:
        """What a query gives; without one it is seen that the database is open."""
        return None if sql is None else self._database.run(sql)

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""
        return interleaved_seconds(queries, rounds, self._database.run)

    def close(self) -> None:
        """Close the database."""
        self._database.close()
