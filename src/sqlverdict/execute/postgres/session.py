"""One snapshot of a PostgreSQL database, and untrusted queries on it.

A session is one read-only transaction at the level REPEATABLE READ, so that all its queries see
the same content, whoever writes meanwhile. A lost connection is made again, if it shows the same
content.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from time import perf_counter

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.postgres.catalogue import read_catalogue
from sqlverdict.execute.postgres.connection import Connection, connect, drop_rights
from sqlverdict.execute.postgres.cursor import ROLL_BACK, SAVEPOINT, GuardedCursor
from sqlverdict.execute.postgres.digest import content_digest
from sqlverdict.execute.postgres.exchange import ConnectionLost
from sqlverdict.execute.postgres.sandbox import DIALECT, unavailable
from sqlverdict.files.references import Reference
from sqlverdict.records import Failure, Outcome

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresSession:
    """A snapshot of one database. Not for several threads at once.

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

    def _open(self) -> None:
        connection = connect(self._database, self._limits.seconds)
        try:
            drop_rights(connection)
            connection.execute(BEGIN)
            catalogue = read_catalogue(connection)
            connection.execute(SAVEPOINT)
        except psycopg.Error as error:
            connection.close()
            raise DatabaseError(f"{self._database} cannot be read: {error}") from error
        self._connection: Connection = connection
        self._cursor = GuardedCursor(
            connection,
            catalogue,
            self._limits,
            frozen=self._now is not None,
            driver_values=self._driver_values,
        )

    def digest(self) -> str | None:
        """Digest of the content that this session reads."""
        if not self._has_digest:
            self._digest = self._content_digest()
            self._has_digest = True
        return self._digest

    def _content_digest(self) -> str | None:
        try:
            self._connection.execute(ROLL_BACK)
            digest = content_digest(self._connection)
            self._connection.execute(ROLL_BACK)
        except psycopg.Error:
            return None
        return digest

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        sql = sql.lstrip("\ufeff")
        reply = self._cursor.refusal(sql)
        if reply is not None:
            return reply
        if self._now is not None:
            sql = freeze_text(sql, self._now, DIALECT)
        if self._fault is None:
            try:
                return self._cursor.run(sql)
            except ConnectionLost as error:
                self._fault = self._lost(error)
        if self._has_other_content:
            return self._fault
        return self._run_again(sql)

    def _run_again(self, sql: str) -> Outcome:
        """On a new connection, if that shows the same content."""
        self._cursor.close()
        try:
            self._open()
            if self._has_digest and (
                self._digest is None or self._content_digest() != self._digest
            ):
                self._has_other_content = True
                self._fault = unavailable(
                    f"the connection to {self._database} was lost, and the content is another "
                    "one now, or cannot be told. Run the same command again"
                )
                return self._fault
            outcome = self._cursor.run(sql)
        except (ConnectionLost, DatabaseError) as error:
            self._fault = self._lost(error)
            return self._fault
        self._fault = None
        return outcome

    def _lost(self, error: Exception) -> Failure:
        return unavailable(f"the connection to {self._database} was lost: {error}")

    def clock(self, queries: Sequence[str], rounds: int) -> list[list[float]]:
        """Seconds of each query, interleaved, after one warm-up each."""
        seconds: list[list[float]] = [[] for _ in queries]
        for turn in range(rounds + 1):
            for index, sql in enumerate(queries):
                began = perf_counter()
                self.run(sql)
                if turn:
                    seconds[index].append(perf_counter() - began)
        return seconds

    def close(self) -> None:
        """Roll back and disconnect."""
        self._cursor.close()
