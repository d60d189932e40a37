"""What sessions and workspaces on servers share: one snapshot, more tries, a frozen clock.

A query whose connection is lost is run again on a new one, but only if that shows the same content:
answers of one session belong to one digest. A server that restarts is waited for
(:mod:`~sqlverdict.execute.servers.patience`). A query that loses one connection after the other is
not tried for ever. Another query may have ended the server each time: whose fault it is, a probe
tells (:mod:`~sqlverdict.execute.fault_probe`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import ClassVar, Generic, Protocol, TypeVar

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import too_long, unavailable
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.servers.patience import (
    attempts,
    has_answered,
    is_passing,
    patiently,
    reach,
)
from sqlverdict.execute.session import interleaved_seconds
from sqlverdict.files.references import Reference
from sqlverdict.records import Failure, Outcome

_MOST_LOSSES = 3
"""So many connections may one query lose."""
MOST_BYTES = 2**30
"""Tables of more bytes together have no digest."""


class ServerLost(Exception):
    """The server, or the way to it, is gone."""


class ServerSession(ABC):
    """A snapshot of one database on a server. Not for several threads at once.

    Args:
        database: Its URL.
        limits: What one query may spend.
        now: What the clock shows to queries; ``None``: the time it is.
        driver_values: Answers also hold the driver's values.

    Raises:
        DatabaseError: it cannot be opened.
    """

    def __init__(
        self,
        database: Reference,
        limits: Limits,
        now: datetime | None = None,
        *,
        driver_values: bool = False,
    ) -> None:
        self._database = database
        self._limits = limits
        self._now = now
        self._driver_values = driver_values
        self._digest: str | None = None
        self._has_digest = False
        self._fault: Failure | None = None
        """Why the last query had no connection."""
        self._has_other_content = False
        self._open()

    @abstractmethod
    def _open(self) -> None:
        """Connect, and begin the snapshot.

        Raises:
            DatabaseError: the server does not answer, or refuses.
        """

    @abstractmethod
    def _content_digest(self) -> str | None:
        """Digest of what the open snapshot shows; ``None`` where it is not known.

        Raises:
            ServerLost: the connection ended meanwhile.
        """

    @abstractmethod
    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""

    @abstractmethod
    def close(self) -> None:
        """Disconnect; the server rolls back."""

    def digest(self) -> str | None:
        """Digest of the content that this session reads. Ask for it before the first query.

        Raises:
            DatabaseError: the connection was lost, and the server does not answer.
        """
        if not self._has_digest:
            try:
                self._digest = self._content_digest()
            except ServerLost:
                # A server that restarts meanwhile has a content that can be told.
                has_answered(self._database)
                self._digest = patiently(self._database, self._digest_of_new_connection)
            self._has_digest = True
        return self._digest

    def _digest_of_new_connection(self) -> str | None:
        self.close()
        self._open()
        try:
            return self._content_digest()
        except ServerLost as error:
            raise DatabaseError(
                self._lost(error).message, reason="unreachable"
            ) from ConnectionResetError(str(error))

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""
        return interleaved_seconds(queries, rounds, self.run)

    def _with_retry(self, work: Callable[[], Outcome]) -> Outcome:
        """Run a query; after a lost connection, again on a new one."""
        losses = 0
        if self._fault is None:
            try:
                return work()
            except ServerLost as error:
                self._fault = self._lost(error)
                losses = 1
        return self._fault if self._has_other_content else self._run_again(work, losses)

    def _run_again(self, work: Callable[[], Outcome], losses: int) -> Outcome:
        """On a new connection, if that shows the same content; ``losses`` are the query's own."""
        has_answered(self._database)
        for _ in attempts(self._database):
            self.close()
            try:
                self._open()
                if not self._shows_same_content():
                    if self._has_other_content:
                        break
                    continue
                reach(self._database)
                if losses >= _MOST_LOSSES:
                    return self._given_up(losses)
                outcome = work()
            except DatabaseError as error:
                self._fault = unavailable(
                    f"the server of {self._database} does not answer: {error}"
                )
                if not is_passing(error):
                    break
            except ServerLost as error:
                self._fault = self._lost(error)
                losses += 1
            else:
                self._fault = None
                return outcome
        return self._fault or unavailable(f"the server of {self._database} does not answer")

    def _shows_same_content(self) -> bool:
        """Whether a new connection shows what the first one did; the fault says what is wrong."""
        if not self._has_digest:
            return True
        try:
            digest = None if self._digest is None else self._content_digest()
        except ServerLost as error:
            self._fault = self._lost(error)
            return False
        if digest is not None and digest == self._digest:
            return True
        self._has_other_content = digest is not None or self._digest is None
        what = "is another one now" if digest is not None else "cannot be told"
        self._fault = unavailable(
            f"the connection to {self._database} was lost, and the content {what}. "
            "Run the same command again"
        )
        return False

    def _given_up(self, losses: int) -> Failure:
        """The server answers, but not to this query."""
        why = self._fault.message if self._fault is not None else ""
        self._fault = None
        return unavailable(
            f"the connection was lost {losses} times while it ran, and the server answers ({why})"
        )

    def _lost(self, error: Exception) -> Failure:
        return unavailable(f"the connection to {self._database} was lost: {error}")


class SentText(Protocol):
    """A text that is not refused."""

    @property
    def text(self) -> str:
        """The text as it is sent."""
        ...


S = TypeVar("S", bound=SentText)


def read_frozen(
    sql: str, read: Callable[[str], S | Failure], now: datetime | None, dialect: str
) -> S | Failure:
    """What is sent for a text whose clock words are replaced, or why nothing is sent.

    Args:
        sql: The untrusted text.
        read: Reads a text; also the one that was written anew.
        now: What the clock shows; ``None``: the time it is.
        dialect: That of the text.
    """
    reading = read(sql)
    if now is None or isinstance(reading, Failure):
        return reading
    frozen = freeze_text(reading.text, now, dialect)
    return reading if frozen == reading.text else read(frozen)


class ServerWorkspace(ABC, Generic[S]):
    """What may be written on a server. Not for several threads at once.

    Args:
        limits: What one statement may spend.
        now: What the clock shows.
    """

    dialect: ClassVar[str]
    """That of its statements."""

    def __init__(self, limits: Limits, now: datetime | None) -> None:
        self._limits, self._now = limits, now

    @abstractmethod
    def _read(self, sql: str) -> S | Failure:
        """What is sent for a text, or why nothing is."""

    @abstractmethod
    def _run(self, statement: S) -> Outcome:
        """Run what is not refused.

        Raises:
            ServerLost: the connection ended.
        """

    def run(self, sql: str) -> Outcome:
        """Run one untrusted statement; one that has no result gives an answer without columns."""
        long = too_long(sql, self._limits)
        if long is not None:
            return long
        statement = read_frozen(sql, self._read, self._now, self.dialect)
        if isinstance(statement, Failure):
            return statement
        try:
            return self._run(statement)
        except ServerLost as error:
            # It may have been done: a second time might do it twice.
            return unavailable(f"the connection was lost: {error}")


def snapshot_digest(engine: str, sizes: Iterable[int], content: Iterable[object]) -> str | None:
    """The digest of a content; ``None`` where it is not known.

    Args:
        engine: The engine, which the digest begins with.
        sizes: The bytes of each table.
        content: What the digest is made of: declarations, and sums over rows, which the server
            computes. ``None`` where one has no value.
    """
    if sum(sizes) > MOST_BYTES:
        return None
    digest = sha256()
    for part in content:
        if part is None:
            return None
        digest.update(repr(part).encode())
    return f"{engine}-{digest.hexdigest()}"
