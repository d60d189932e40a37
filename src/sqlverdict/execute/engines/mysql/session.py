"""One snapshot of a MySQL or MariaDB database: its digest, and untrusted queries on it.

A session is one read-only transaction with a consistent snapshot: all its queries see the same
content of InnoDB tables, whoever writes meanwhile.

The digest holds the server's version and collations, the declaration of every table, view and
function, and of each table the number of its rows and two sums of hashes over them, which do not
depend on their order. The server computes them. There is no digest of a database of more than a
gigabyte, of one with tables that keep no snapshots (MyISAM, Aria, MEMORY ...), or of one whose
views or tables the user may not read: name its content by the setting ``database-version`` then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pymysql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.attempt import too_long, unfolding, write_blocked
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    LOST,
    connect,
    number_of,
    quote_in_backticks,
    server_errors,
    server_message,
)
from sqlverdict.execute.engines.mysql.cursor import LimitedCursor
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
from sqlverdict.execute.servers.session import ServerLost, ServerSession, snapshot_digest
from sqlverdict.execute.servers.statements import rows_of, undo_on_error
from sqlverdict.files.references import Reference
from sqlverdict.records import Failure, Outcome

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

SNAPSHOT: Final = (
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
)
_SNAPSHOT_ENGINES: Final = ("innodb", "rocksdb")
_COUNTER: Final = re.compile(r" AUTO_INCREMENT=\d+")
_SETTINGS: Final = (
    "SELECT version(), @@lower_case_table_names, @@collation_connection, @@collation_database"
)
_TABLES: Final = (
    "SELECT table_name, table_type, lower(engine), coalesce(data_length, 0) "
    "FROM information_schema.tables WHERE table_schema = database() ORDER BY 1"
)
_COLUMNS: Final = (
    "SELECT column_name, data_type FROM information_schema.columns "
    "WHERE table_schema = database() AND table_name = %s ORDER BY ordinal_position"
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
        with undo_on_error(connection.close), server_errors(f"{self._database} cannot be read"):
            if self._now is not None:
                rows_of(connection, f"SET SESSION timestamp = {epoch(self._now)}")
            for statement in self._begin:
                rows_of(connection, statement)
            routines = self._routines(connection)
            self._reach = reach_of(connection, routines)
            views = view_texts(connection)
            self._volatile = _volatile_names(views, routines, frozen=self._now is not None)
            setters = {each.name.lower() for each in routines if each.sets_variables}
            self._setting_views = users_of(setters, views) & views.keys() if setters else ()
        self._cursor = LimitedCursor(
            connection,
            self._connect_beside,
            self._limits,
            driver_values=self._driver_values,
            views=views,
        )

    @property
    def connection(self) -> Connection:
        """The connection on which queries run."""
        return self._cursor.connection

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
            return _read_digest(connection, routines)
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
        text = self.checked(sql)
        if isinstance(text, Failure):
            return text
        volatile = self.is_volatile(text)
        if self._now is not None and "sysdate" in text.lower():
            # The session's clock stands still, but not for this function.
            text = canonical(freeze_text(text, self._now, DIALECT), self._reach)
            if isinstance(text, Failure):
                return text
        return self.send(text, volatile=volatile)

    def checked(self, sql: str) -> str | Failure:
        """An untrusted query as it is sent, or why it is not."""
        long = too_long(sql, self._limits)
        if long is not None:
            return long
        text = canonical(sql.lstrip("\ufeff"), self._reach)
        if isinstance(text, Failure):
            return text
        copies = unfolding(text)
        if copies is not None:
            return copies
        for name in sorted(names_in(text).intersection(self._setting_views)):
            return write_blocked(f"{name}, which calls a function that sets variables")
        return text

    def send(self, text: str, *, volatile: bool) -> Outcome:
        """The outcome of a statement that was checked; after a lost connection, once more."""
        try:
            return self._with_retry(lambda: self._cursor.run(text, volatile=volatile))
        finally:
            if self._reach.functions or self._reach.owned:
                self._release_locks()

    def _release_locks(self) -> None:
        """A function of the database may have taken some; nothing else keeps anything."""
        with suppress(pymysql.Error, OSError, AttributeError):
            rows_of(self._cursor.connection, "DO RELEASE_ALL_LOCKS()")

    def is_volatile(self, sql: str) -> bool:
        """Whether the answer to a query depends on the clock, on chance or on the session."""
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


def view_texts(connection: Connection) -> dict[str, str]:
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


def _read_digest(connection: Connection, routines: Sequence[Routine]) -> str | None:
    """The digest of what the connection's snapshot shows; ``None`` where it is not known.

    Args:
        connection: Its connection.
        routines: Its functions and procedures.

    Raises:
        pymysql.Error: the role may not read it, or the connection is gone.
    """
    tables = rows_of(connection, _TABLES)
    if any(kind == "BASE TABLE" and by not in _SNAPSHOT_ENGINES for _, kind, by, _ in tables):
        return None
    sizes = [int(size) for *_, size in tables]
    return snapshot_digest("mysql", sizes, _content(connection, tables, routines))


def _content(
    connection: Connection, tables: Sequence[tuple[Any, ...]], routines: Sequence[Routine]
) -> Iterator[object]:
    """What a digest is made of; ``None`` where something of it has no hash."""
    yield rows_of(connection, _SETTINGS)
    # The name, the kind and the text of each.
    yield [routine[:3] for routine in routines]
    for name, kind, *_ in tables:
        declaration = rows_of(connection, f"SHOW CREATE TABLE {quote_in_backticks(name)}")[0][1]
        yield _COUNTER.sub("", str(declaration))
        if kind == "BASE TABLE":
            checksum = rows_of(connection, _checksum(connection, name))[0]
            # A row longer than what the server sends at once has no hash.
            yield (name, checksum) if checksum[0] == checksum[1] else None


def _checksum(connection: Connection, table: str) -> str:
    # A FLOAT is written with six digits, and has more.
    texts = ", ".join(
        f"QUOTE({quote_in_backticks(name)}{' + 0e0' if kind == 'float' else ''})"
        for name, kind in rows_of(connection, _COLUMNS, table)
    )
    hashed = f"MD5(CONCAT_WS(',', {texts}))"
    sums = ", ".join(
        f"SUM(CAST(CONV(SUBSTRING(h, {start}, 15), 16, 10) AS DECIMAL(20)))" for start in (1, 17)
    )
    return (
        f"SELECT COUNT(*), COUNT(h), {sums} "  # noqa: S608
        f"FROM (SELECT {hashed} AS h FROM {quote_in_backticks(table)}) AS hashes"
    )
