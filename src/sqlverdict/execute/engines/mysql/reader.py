"""As whom untrusted queries log in to MySQL: a short-lived user who may only read one database.

The user of the URL makes it, once a process and database, with a name that nobody has and a
password that nobody else knows, and drops it when the process ends. The connection that made it,
one a process and server, holds a lock of its name for as long as it lives. Whoever makes the next
one drops those whose lock is free: their process died. The lock is taken before the user is made,
so that nobody drops a user that was just made.

The user gets SELECT and SHOW VIEW on the database, and EXECUTE on those of its functions that run
with the rights of who calls them and set nothing in the session. It logs in from the host from
which the maker came; where the server sees another host at each login, from everywhere.

A user of a URL who may only read is used itself. One who may do more and may not make users is
refused, unless its role is to be trusted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex, token_urlsafe
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

import pymysql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    LOST,
    Login,
    connect,
    database_name,
    number_of,
    quote_in_backticks,
    server_message,
)
from sqlverdict.execute.engines.mysql.rights import reader_statements, rights_of
from sqlverdict.execute.engines.mysql.routines import Routine, routines_of
from sqlverdict.execute.servers.reader import PREFIX, call_at_end, excess_refusal
from sqlverdict.execute.servers.statements import rows_of, undo_on_error
from sqlverdict.files.references import Reference, with_database

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

READ: Final = ("SELECT", "SHOW VIEW")
WRITE: Final = (
    *("SELECT", "SHOW VIEW", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "INDEX"),
    *("REFERENCES", "CREATE VIEW", "CREATE TEMPORARY TABLES"),
)
"""What statements need that may write to a copy."""
_NAME_END: Final = "[0-9a-f]{12}"
_MOST_CONNECTIONS: Final = 100
_DENIED: Final = 1045
_EVERYWHERE: Final = "%"


class ReaderUser:
    """A short-lived user with rights on one database.

    Args:
        maker: A connection of somebody who may make users; it stays open as long as the user is.
        url: The URL of the maker.
        database: The name of the database.
        rights: What the user may do there.

    Raises:
        pymysql.Error: it cannot be made; nothing is left.
        DatabaseError: the server takes nobody for the user who was just made.
    """

    def __init__(
        self,
        maker: Connection,
        url: Reference,
        database: str,
        rights: Sequence[str] = READ,
    ) -> None:
        self.maker = maker
        self._url, self._database, self._rights = url, database, rights
        self._callable: set[str] = set()
        self.login = Login(
            f"{PREFIX}{token_hex(6)}",
            # Rules for passwords ask for a letter, a capital, a digit and a sign.
            f"{token_urlsafe(24)}-aA1",
        )
        rows_of(maker, "SELECT GET_LOCK(%s, 0)", self.login.user)
        host = str(rows_of(maker, "SELECT user()")[0][0]).rpartition("@")[2]
        for origin in dict.fromkeys((host, _EVERYWHERE)):
            self._host = origin
            with undo_on_error(self.drop):
                self._make()
                if self._can_log_in():
                    return
            self.drop()
        raise DatabaseError(
            f"{url}: the server refuses the user that was made for queries", reason="refused"
        )

    @property
    def _name(self) -> str:
        host = self._host.replace("'", "''")
        return f"'{self.login.user}'@'{host}'"

    def _make(self) -> None:
        scope = self._database.replace("\\", "\\\\")
        if not self._takes_names_as_they_are():
            scope = scope.replace("_", r"\_").replace("%", r"\%")
        rights = ", ".join(self._rights)
        with _without_replicas(self.maker):
            rows_of(
                self.maker,
                f"CREATE USER {self._name} IDENTIFIED BY '{self.login.password}' "
                f"WITH MAX_USER_CONNECTIONS {_MOST_CONNECTIONS}",
            )
            rows_of(self.maker, f"GRANT {rights} ON {quote_in_backticks(scope)}.* TO {self._name}")

    def _takes_names_as_they_are(self) -> bool:
        setting = rows_of(self.maker, "SHOW VARIABLES LIKE 'partial_revokes'")
        return [value for _, value in setting] == ["ON"]

    def _can_log_in(self) -> bool:
        """Whether the server takes the user for who it is, and not for an anonymous one."""
        try:
            connection = connect(self._url, Limits(), name=self._database, login=self.login)
        except DatabaseError as error:
            if is_denied(error):
                return False
            raise
        with connection:
            who = rows_of(connection, "SELECT current_user()")
        return who == [(f"{self.login.user}@{self._host}",)]

    def routines(self) -> tuple[Routine, ...]:
        """The functions and procedures of the database; the user may call what is harmless.

        Raises:
            pymysql.Error: the maker's connection is gone, and with it the lock.
        """
        with _lock:
            routines = routines_of(self.maker, self._database)
            # A function that is dropped takes the right to call it along.
            self._callable &= {routine.name for routine in routines}
            for routine in routines:
                if routine.is_harmless and routine.name not in self._callable:
                    name = (
                        f"{quote_in_backticks(self._database)}.{quote_in_backticks(routine.name)}"
                    )
                    with _without_replicas(self.maker):
                        rows_of(self.maker, f"GRANT EXECUTE ON FUNCTION {name} TO {self._name}")
                    self._callable.add(routine.name)
            return routines

    def drop(self) -> None:
        """Drop the user; the maker's connection stays open."""
        with _lock, suppress(pymysql.Error, OSError, AttributeError):
            rows_of(self.maker, f"DROP USER IF EXISTS {self._name}")


@contextmanager
def _without_replicas(maker: Connection) -> Iterator[None]:
    """Replicas need no such user; not everybody may say so."""
    try:
        rows_of(maker, "SET SESSION sql_log_bin = 0")
    except (pymysql.err.OperationalError, pymysql.err.InternalError):
        yield
        return
    try:
        yield
    finally:
        with suppress(pymysql.Error, OSError):
            rows_of(maker, "SET SESSION sql_log_bin = 1")


def is_denied(error: DatabaseError) -> bool:
    """Whether a server does not know a user, or its password."""
    return error.__cause__ is not None and number_of(error.__cause__) == _DENIED


_readers: dict[tuple[int, str], ReaderUser | None] = {}
"""The users that this process made, by process and URL; ``None`` where the URL's may only read."""
_makers: dict[tuple[int, str], Connection] = {}
"""The connections that made them, by process and server."""
_lock = RLock()
"""A connection is not for several threads at once."""


def reader_of(database: Reference, limits: Limits) -> ReaderUser | None:
    """The short-lived user for a URL; ``None`` where the URL's own is to be used.

    Raises:
        DatabaseError: the URL's user may do more than read, and may not make users; or the server
            does not answer.
    """
    if limits.trust_role:
        return None
    key, name = (os.getpid(), str(database)), database_name(database)
    if not name:
        raise DatabaseError(
            f"{database} names no database; expected mysql://user@host:port/database",
            reason="not_a_database",
        )
    with _lock:
        reader = _readers.get(key)
        if key in _readers and (reader is None or _is_alive(reader.maker)):
            return reader
        maker = _maker(database)
        reader = _readers[key] = beside(maker, database, name)
        if not any(each is not None and each.maker is maker for each in _readers.values()):
            # Nobody was made: there is nothing to hold a lock for.
            _close(_makers.pop((key[0], _server(database))))
        return reader


def _maker(database: Reference) -> Connection:
    """The connection that makes users on a server."""
    key = (os.getpid(), _server(database))
    maker = _makers.get(key)
    if maker is not None and not _is_alive(maker):
        _close(maker)
        # Whoever lost the lock may have lost the user.
        for each, reader in list(_readers.items()):
            if reader is not None and reader.maker is maker:
                del _readers[each]
        maker = None
    if maker is None:
        if not any(pid == key[0] for pid, _ in _makers):
            call_at_end(drop_readers)
        maker = _makers[key] = connect(database, Limits(), name="")
    return maker


def _is_alive(connection: Connection) -> bool:
    try:
        return rows_of(connection, "SELECT 1") == [(1,)]
    except (pymysql.Error, OSError, AttributeError):
        return False


def _close(connection: Connection) -> None:
    with suppress(pymysql.Error, OSError):
        connection.close()


def forget(database: Reference) -> None:
    """Make another user for a URL the next time: the server does not know this one any more."""
    with _lock:
        reader = _readers.pop((os.getpid(), str(database)), None)
        if reader is not None:
            reader.drop()


def beside(
    maker: Connection, database: Reference, name: str, rights: Sequence[str] = READ
) -> ReaderUser | None:
    """A new user for a database, made by a connection; ``None`` where the URL's is to be used.

    Args:
        maker: A connection of the URL's user.
        database: The URL.
        name: The database that the new user may read.
        rights: What it may do there.

    Raises:
        DatabaseError: the URL's user may do more than read, and may not make users.
    """
    excess = rights_of(maker, database)
    if not excess:
        return None
    try:
        reader = ReaderUser(maker, database, name, rights)
    except pymysql.Error as error:
        if number_of(error) in LOST:
            raise DatabaseError(
                f"{database} was lost: {server_message(error)}", reason="unreachable"
            ) from error
        raise excess_refusal(database, excess, reader_statements(database)) from error
    drop_stale(maker)
    return reader


def drop_readers() -> None:
    """Drop the users that this process made, and those of processes that died."""
    with _lock:
        for key, reader in list(_readers.items()):
            if key[0] == os.getpid():
                del _readers[key]
                if reader is not None:
                    reader.drop()
        for server, maker in list(_makers.items()):
            if server[0] == os.getpid():
                del _makers[server]
                drop_stale(maker)
                _close(maker)


def drop_stale(connection: Connection) -> list[str]:
    """Drop users of ours whose lock is free. Who may not see or drop them leaves them."""
    dropped: list[str] = []
    with suppress(pymysql.Error, OSError, AttributeError):
        query = "SELECT user, host FROM mysql.user WHERE user LIKE %s"
        for user, host in unlocked(connection, query, PREFIX, _NAME_END):
            rows_of(connection, "DROP USER IF EXISTS %s@%s", user, host)
            dropped.append(user)
    return dropped


def unlocked(
    connection: Connection, query: str, prefix: str, ending: str
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query that begin with a name of ours whose lock is free: its process died.

    Args:
        connection: A connection.
        query: Gives rows whose name is like a pattern.
        prefix: How the names begin.
        ending: What stands behind the prefix; nobody else's is named so.
    """
    pattern = re.compile(re.escape(prefix) + ending)
    for name, *others in rows_of(connection, query, prefix.replace("_", r"\_") + "%"):
        if not pattern.fullmatch(name):
            continue
        if rows_of(connection, "SELECT IS_FREE_LOCK(%s)", name) == [(1,)]:
            yield name, *others


def _server(database: Reference) -> str:
    return with_database(str(database), "")
