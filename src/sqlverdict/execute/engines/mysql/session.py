"""One snapshot of a MySQL or MariaDB database, and untrusted queries on it.

A session is one read-only transaction with a consistent snapshot: all its queries see the same
content of InnoDB tables, whoever writes meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import pymysql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import too_long
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    LOST,
    connect,
    number_of,
    rows_of,
    server_message,
)
from sqlverdict.execute.engines.mysql.cursor import LimitedCursor
from sqlverdict.execute.engines.mysql.digest import read_digest
from sqlverdict.execute.engines.mysql.reader import (
    ReaderUser,
    forget,
    is_denied,
    reader_of,
)
from sqlverdict.execute.engines.mysql.routines import Routine, routines_of, users_of
from sqlverdict.execute.engines.mysql.sandbox import (
    DIALECT,
    Reach,
    canonical,
    may_change,
    names_in,
    reads_session,
)
from sqlverdict.execute.frozen_text import clock_use, freeze_text
from sqlverdict.execute.servers.refusals import write_blocked
from sqlverdict.execute.servers.session import ServerLost, ServerSession
from sqlverdict.files.references import Reference
from sqlverdict.parse.measure import unfolds_beyond
from sqlverdict.records import Failure, Outcome, Reason

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

SNAPSHOT: Final = (
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
)


class MysqlSession(ServerSession):
    """A snapshot of one database. Not for several threads at once.

    Args:
        database: Its URL.
        limits: What one query may spend.
        now: What the clock shows to queries; ``None``: the time it is.
        driver_values: Answers also hold the driver's values.
        name: Another database on that server.
        reader: As whom, in another database; else as whoever may read the URL's.
        begin: The statements that begin the transaction.

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
        name: str | None = None,
        reader: ReaderUser | None = None,
        begin: Sequence[str] = SNAPSHOT,
    ) -> None:
        self._name = name
        self._reader = reader
        self._begin = begin
        super().__init__(database, limits, now, driver_values=driver_values)

    def _open(self) -> None:
        connection = self._connect(self._name)
        try:
            if self._now is not None:
                rows_of(connection, f"SET SESSION timestamp = {epoch(self._now)}")
            for statement in self._begin:
                rows_of(connection, statement)
            routines = self._routines(connection)
            self._reach = reach_of(connection, routines)
            views = _views(connection)
            self._volatile = _volatile_names(views, routines, frozen=self._now is not None)
            setters = {each.name.lower() for each in routines if each.sets_variables}
            self._setting_views = users_of(setters, views) & views.keys() if setters else ()
        except pymysql.Error as error:
            connection.close()
            raise DatabaseError(
                f"{self._database} cannot be read: {server_message(error)}"
            ) from error
        self._cursor = LimitedCursor(
            connection,
            self._connect_beside,
            self._limits,
            driver_values=self._driver_values,
        )

    def _connect(self, name: str | None) -> Connection:
        """As whoever may read; as a new user where the server forgot the last one."""
        if self._name is None:
            self._reader = reader_of(self._database, self._limits)
        if self._reader is None:
            return connect(self._database, self._limits, name=name)
        try:
            return connect(self._database, self._limits, name=name, login=self._reader.login)
        except DatabaseError as error:
            if self._name is not None or not is_denied(error):
                raise
        forget(self._database)
        self._reader = reader_of(self._database, self._limits)
        login = None if self._reader is None else self._reader.login
        return connect(self._database, self._limits, name=name, login=login)

    def _connect_beside(self) -> Connection:
        """To end a query: as the same user, who may; else as that of the URL, who may, too."""
        login = None if self._reader is None else self._reader.login
        try:
            return connect(self._database, self._limits, name="", login=login)
        except DatabaseError:
            return connect(self._database, self._limits, name="")

    def _content_digest(self) -> str | None:
        connection = self._cursor.connection
        try:
            routines = self._routines(connection)
            return read_digest(connection, [routine[:3] for routine in routines])
        except pymysql.Error as error:
            if number_of(error) in LOST:
                raise ServerLost(server_message(error)) from error
            return None
        except (OSError, EOFError, AttributeError) as error:
            # PyMySQL reads from None where the connection was closed.
            raise ServerLost(server_message(error)) from error

    def _routines(self, connection: Connection) -> tuple[Routine, ...]:
        """The functions of the database; a short-lived user does not see their texts."""
        if self._reader is not None:
            return self._reader.routines()
        return routines_of(connection, str(rows_of(connection, "SELECT database()")[0][0]))

    def run(self, sql: str) -> Outcome:
        """Run one untrusted query within the limits."""
        long = too_long(sql, self._limits)
        if long is not None:
            return long
        text = canonical(sql.lstrip("\ufeff"), self._reach)
        if isinstance(text, Failure):
            return text
        if unfolds_beyond(text):
            return Failure(
                Reason.MEMORY_LIMIT, "common table expressions that expand into too many copies"
            )
        for name in sorted(names_in(text).intersection(self._setting_views)):
            return write_blocked(f"{name}, which calls a function that sets variables")
        volatile = self._is_volatile(text)
        if self._now is not None and "sysdate" in text.lower():
            # The session's clock stands still, but not for this function.
            text = canonical(freeze_text(text, self._now, DIALECT), self._reach)
            if isinstance(text, Failure):
                return text
        try:
            return self._with_retry(lambda: self._cursor.run(text, volatile=volatile))
        finally:
            if self._reach.functions or self._reach.owned:
                self._release_locks()

    def _release_locks(self) -> None:
        """A function of the database may have taken some; nothing else keeps anything."""
        with suppress(pymysql.Error, OSError, AttributeError):
            rows_of(self._cursor.connection, "DO RELEASE_ALL_LOCKS()")

    def _is_volatile(self, sql: str) -> bool:
        if may_change(sql, frozen=self._now is not None):
            return True
        return bool(self._volatile) and not self._volatile.isdisjoint(names_in(sql))

    def close(self) -> None:
        """Disconnect; the server rolls back."""
        self._cursor.close()


def epoch(now: datetime) -> str:
    """A time as the session's clock is set to it."""
    moment = now.astimezone(UTC) if now.tzinfo is not None else now.replace(tzinfo=UTC)
    return f"{moment.timestamp():.6f}"


def reach_of(connection: Connection, routines: Sequence[Routine] = ()) -> Reach:
    """What queries in the connection's database may name."""
    ((name, fold),) = rows_of(connection, "SELECT database(), @@lower_case_table_names")
    functions = [routine for routine in routines if routine.kind == "FUNCTION"]
    return Reach(
        str(name or ""),
        fold != 0,
        frozenset(each.name.lower() for each in functions if each.is_harmless),
        frozenset(each.name.lower() for each in functions if not each.is_callers),
        frozenset(each.name.lower() for each in functions if each.sets_variables),
    )


def other_databases(connection: Connection) -> frozenset[str]:
    """The names of all databases but the connection's, in lower case."""
    rows = rows_of(
        connection,
        "SELECT lower(schema_name) FROM information_schema.schemata "
        "WHERE schema_name <> coalesce(database(), '')",
    )
    return frozenset(str(name) for (name,) in rows)


def _views(connection: Connection) -> dict[str, str]:
    """The text of each view by its name in lower case; empty where this user may not see it."""
    return {
        str(name).lower(): str(text or "")
        for name, text in rows_of(
            connection,
            "SELECT table_name, view_definition FROM information_schema.views "
            "WHERE table_schema = database()",
        )
    }


def _volatile_names(
    views: Mapping[str, str], routines: Sequence[Routine], *, frozen: bool
) -> frozenset[str]:
    """The names of views and functions that use the clock, chance or the session.

    One whose text this user may not see may do so too. A frozen clock is seen by all of them, but
    not by SYSDATE().
    """
    texts = {
        **views,
        **{each.name.lower(): each.text or "" for each in routines if each.kind == "FUNCTION"},
    }
    return users_of([name for name in texts if _reads_clock(texts[name], frozen=frozen)], texts)


def _reads_clock(text: str, *, frozen: bool) -> bool:
    use = clock_use(text, DIALECT)
    clock = use.reads and (not frozen or "sysdate" in text.lower())
    return not text or use.chance or clock or reads_session(text)
