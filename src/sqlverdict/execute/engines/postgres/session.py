"""One snapshot of a PostgreSQL database, and untrusted queries on it.

A session is one read-only transaction at the level REPEATABLE READ, so that all its queries see
the same content, whoever writes meanwhile. A lost connection is made again, if it shows the same
content.
"""

from __future__ import annotations

import psycopg

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engines.postgres.catalogue import read_catalogue
from sqlverdict.execute.engines.postgres.connection import Connection
from sqlverdict.execute.engines.postgres.cursor import ROLL_BACK, SAVEPOINT, GuardedCursor
from sqlverdict.execute.engines.postgres.digest import read_digest
from sqlverdict.execute.engines.postgres.reader import connect_reader
from sqlverdict.execute.engines.postgres.sandbox import DIALECT
from sqlverdict.execute.frozen_text import freeze_text
from sqlverdict.execute.servers.session import ServerLost, ServerSession
from sqlverdict.records import Failure, Outcome

BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresSession(ServerSession):
    """A snapshot of one database. Not for several threads at once."""

    def _open(self) -> None:
        connection = connect_reader(self._database, self._limits)
        try:
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

    def _content_digest(self) -> str | None:
        try:
            self._connection.execute(ROLL_BACK)
            digest = read_digest(self._connection)
            self._connection.execute(ROLL_BACK)
        except psycopg.Error as error:
            if self._connection.closed:
                raise ServerLost(str(error)) from error
            return None
        return digest

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        reading = self._cursor.read(sql.lstrip("\ufeff"))
        if not isinstance(reading, Failure) and self._now is not None:
            frozen = freeze_text(reading.text, self._now, DIALECT)
            if frozen != reading.text:
                reading = self._cursor.read(frozen)
        if isinstance(reading, Failure):
            return reading
        return self._with_retry(lambda: self._cursor.run(reading))

    def close(self) -> None:
        """Roll back and disconnect."""
        self._cursor.close()
