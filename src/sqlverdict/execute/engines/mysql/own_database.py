"""A database of our own on a server of MySQL, which is dropped at the end.

The connection that made it holds a lock of its name for as long as it lives. Whoever makes the next
one of the same kind drops those whose lock is free: their process died.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from secrets import token_hex
from typing import TYPE_CHECKING, Final

import pymysql

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    connect,
    is_mariadb,
    quote_in_backticks,
    server_errors,
    server_message,
)
from sqlverdict.execute.engines.mysql.reader import (
    READ,
    ReaderUser,
    beside,
    drop_stale,
    unlocked,
)
from sqlverdict.execute.servers.statements import rows_of, server_reason
from sqlverdict.files.references import Reference, with_database

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

_NAME_END: Final = r"[0-9a-f]{8,16}(_\w+)?"
"""What stands behind the prefix in names of ours; nobody else's database is dropped."""
_EXACT: Final = {True: "utf8mb4_nopad_bin", False: "utf8mb4_0900_bin"}
"""Where equal texts are the same texts, as in SQLite; on MariaDB, and on MySQL."""


class OwnDatabase:
    """An empty database; ``connection`` is in it.

    Args:
        near: The URL of any database on the server.
        limits: What one statement may spend.
        name: Its name.
        options: What stands behind CREATE DATABASE.

    Raises:
        DatabaseError: it cannot be made.
    """

    def __init__(self, near: Reference, limits: Limits, name: str, options: str = "") -> None:
        self.name = name
        self._near, self._trusts = near, limits.trust_role
        self._reader: ReaderUser | None = None
        self.connection = connect(near, limits, name="")
        try:
            rows_of(self.connection, "SELECT GET_LOCK(%s, 0)", name)
            rows_of(self.connection, f"CREATE DATABASE {quote_in_backticks(name)}{options}")
            rows_of(self.connection, f"USE {quote_in_backticks(name)}")
        except pymysql.Error as error:
            self.connection.close()
            raise DatabaseError(
                f"no database can be made near {near}: {server_message(error)}. The user needs the "
                "right to create databases whose names begin with sqlverdict_",
                reason=server_reason(error),
            ) from error
        except BaseException:
            # Whatever it was, Ctrl-C included, it is raised on; no database stays behind.
            self.close()
            raise

    @classmethod
    def of_kind(
        cls, near: Reference, limits: Limits, prefix: str, options: str = ""
    ) -> OwnDatabase:
        """One with a name that nobody has; those of processes that died are dropped.

        Raises:
            DatabaseError: it cannot be made.
        """
        own = cls(near, limits, f"{prefix}{token_hex(8)}", options)
        # Who may not drop them leaves them: they disturb nobody.
        with suppress(pymysql.Error):
            _drop_stale(own.connection, prefix)
        return own

    def reader(self, rights: Sequence[str] = READ) -> ReaderUser | None:
        """A short-lived user with rights on it alone; ``None`` where that of the URL is used.

        Raises:
            DatabaseError: the URL's user may do more than read, and may not make users.
        """
        if not self._trusts:
            self._reader = beside(self.connection, self._near, self.name, rights)
        return self._reader

    def close(self) -> None:
        """Drop it, and disconnect."""
        with suppress(pymysql.Error, OSError):
            rows_of(self.connection, "ROLLBACK")
            if self._reader is not None:
                self._reader.drop()
            self._end_others()
            rows_of(self.connection, f"DROP DATABASE IF EXISTS {quote_in_backticks(self.name)}")
        with suppress(pymysql.Error, OSError):
            self.connection.close()

    def _end_others(self) -> None:
        """End other connections to it: an open transaction would keep it from being dropped."""
        threads = rows_of(
            self.connection,
            "SELECT id FROM information_schema.processlist WHERE db = %s AND id <> connection_id()",
            self.name,
        )
        for (thread,) in threads:
            # It may be gone by itself.
            with suppress(pymysql.err.OperationalError):
                rows_of(self.connection, f"KILL {thread}")


@contextmanager
def own_database(server: Reference, name: str, statements: Iterable[str]) -> Iterator[str]:
    """Make a database, fill it, and drop it at the end.

    Raises:
        DatabaseError: it cannot be made, or does not take the content.
    """
    limits = Limits()
    with connect(server, limits, name="") as connection:
        options = f" CHARACTER SET utf8mb4 COLLATE {_EXACT[is_mariadb(connection)]}"
    with closing(OwnDatabase(server, limits, name, options)) as own:
        with server_errors(f"MySQL does not accept the content of {name}"):
            for statement in statements:
                rows_of(own.connection, statement)
        yield with_database(str(server), name)


def drop_leftovers(server: Reference, prefix: str) -> tuple[str, ...]:
    """Drop databases of ours whose lock is free.

    Raises:
        DatabaseError: the server does not answer.
    """
    with connect(server, Limits(), name="") as connection:
        drop_stale(connection)
        try:
            return tuple(_drop_stale(connection, prefix))
        except pymysql.Error:
            # Who may not drop them leaves them: they disturb nobody.
            return ()


def _drop_stale(connection: Connection, prefix: str) -> list[str]:
    dropped: list[str] = []
    query = "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE %s"
    for (name,) in unlocked(connection, query, prefix, _NAME_END):
        rows_of(connection, f"DROP DATABASE IF EXISTS {quote_in_backticks(name)}")
        dropped.append(name)
    return dropped
