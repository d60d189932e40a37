"""Connects to MySQL and MariaDB, and sets what must be the same for every session.

The URL is ``mysql://user@host:port/database``. The password comes from the environment variable
``MYSQL_PWD`` or the file ``~/.my.cnf``, which may also name the user, the host and the port.

Fixed for every session: the time zone UTC, the character set utf8mb4 and the mode
``NO_ENGINE_SUBSTITUTION`` alone, whatever the server's default. So a query may select columns that
are not in its GROUP BY, ``"x"`` is a text, ``||`` means OR, and a backslash escapes. Recursion and
GROUP_CONCAT go as far as the limits: the server would otherwise cut answers without an error.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import pymysql
from pymysql.connections import Connection as DriverConnection
from pymysql.cursors import SSCursor

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.servers.statements import (
    database_errors,
    rows_of,
    server_reason,
    undo_on_error,
)
from sqlverdict.files.references import Reference, scheme_of

if TYPE_CHECKING:
    from ssl import SSLContext

    Connection = DriverConnection[SSCursor]
    _Base = Connection
else:
    _Base = DriverConnection

MODE: Final = "NO_ENGINE_SUBSTITUTION"
_CHARSET: Final = "utf8mb4"
_CHARSETS: Final = ("utf8mb4", "utf8mb3", "utf8")
"""What a URL may ask for, as SQLAlchemy's do: it is what every connection has anyway."""
_MOST_ON_DISK: Final = 2**30
"""Bytes of temporary tables on the server's disk."""
_PORT: Final = 3306
_PATIENCE: Final = 10
_MARGIN: Final = 30.0
"""Seconds after a query's limit in which the server must have answered."""
_OPTIONS: Final = ("unix_socket", "ssl_ca")
LOST: Final = frozenset({0, 1053, 1077, 1158, 1159, 1160, 1161, 1927, 2003, 2006, 2013, 2014, 2055})
"""Errors after which a connection is gone."""


class ServerConnection(_Base):
    """A connection that reads the system's certificates once a process.

    The driver reads them for every connection, which takes longer than all else about it, though
    nothing is checked against them where the URL and ~/.my.cnf say nothing of TLS.
    """

    _unchecked: ClassVar[SSLContext | None] = None

    def _create_ssl_ctx(self, options: object) -> SSLContext:
        if options:
            return super()._create_ssl_ctx(options)  # type: ignore[misc, no-any-return]
        if ServerConnection._unchecked is None:
            ServerConnection._unchecked = super()._create_ssl_ctx(options)  # type: ignore[misc]
        return ServerConnection._unchecked


class Login(NamedTuple):
    """Who logs in, where that is not the user of the URL."""

    user: str
    password: str


def connect(
    database: Reference, limits: Limits, *, name: str | None = None, login: Login | None = None
) -> Connection:
    """A new connection.

    Args:
        database: The URL.
        limits: What one query may spend.
        name: Another database on that server; empty: none.
        login: Who logs in; else the user of the URL.

    Raises:
        DatabaseError: there is no such server or database, or it refuses the user.
    """
    url = str(database)
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    charset = options.pop("charset", _CHARSET)
    if charset.lower() not in _CHARSETS:
        raise DatabaseError(
            f"{url} asks for the character set {charset}; a connection has {_CHARSET} here, which "
            "holds the characters of all others. Remove charset from the URL",
            reason="not_a_database",
        )
    unknown = [key for key in options if key not in _OPTIONS]
    schema = database_name(database) if name is None else name
    if scheme_of(url) not in ("mysql", "mariadb") or unknown or "/" in schema:
        raise DatabaseError(
            f"{url} is not a MySQL database; expected mysql://user@host:port/database, with "
            f"{' and '.join(_OPTIONS)} as options (and charset={_CHARSET})",
            reason="not_a_database",
        )
    file = Path.home() / ".my.cnf"
    user = unquote(parts.username) if parts.username else None
    try:
        connection = ServerConnection(
            host=parts.hostname,
            port=parts.port or _PORT,
            user=user if login is None else login.user,
            password=os.environ.get("MYSQL_PWD", "") if login is None else login.password,
            database=schema or None,
            unix_socket=options.get("unix_socket"),
            ssl_ca=options.get("ssl_ca"),
            # As MySQL's own client does; the driver would only encrypt.
            ssl_verify_cert=True if options.get("ssl_ca") else None,
            read_default_file=str(file) if file.is_file() else None,
            charset=_CHARSET,
            connect_timeout=_PATIENCE,
            read_timeout=limits.seconds + _MARGIN,
            # The same: the driver would set the socket's anew before every write and read.
            write_timeout=limits.seconds + _MARGIN,
            cursorclass=SSCursor,
            autocommit=True,
        )
    except (pymysql.Error, OSError, ValueError, RuntimeError) as error:
        # A RuntimeError: some ways to log in need one more package.
        raise DatabaseError(
            f"{url} cannot be opened: {server_message(error)}. Check the URL, that the server "
            "runs, and the password in MYSQL_PWD or ~/.my.cnf",
            reason=server_reason(error),
        ) from error
    with undo_on_error(connection.close), server_errors(f"{url} cannot be used"):
        _set_up(connection, limits)
    return connection


def server_version(database: Reference) -> str:
    """The version of a database's server, with the name of the product."""
    with connect(database, Limits()) as connection:
        return str(connection.get_server_info())  # type: ignore[no-untyped-call]


def is_mariadb(connection: Connection) -> bool:
    """Whether the server is MariaDB."""
    info: str = connection.get_server_info()  # type: ignore[no-untyped-call]
    return "mariadb" in info.lower()


def quote_in_backticks(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def database_name(database: Reference) -> str:
    """The name of the database in a URL; empty where it has none."""
    return unquote(urlsplit(str(database)).path.strip("/"))


def server_message(error: BaseException) -> str:
    """What an error says, without its number."""
    return str(error.args[-1] if error.args else error) or type(error).__name__


def number_of(error: BaseException) -> int:
    """The number of an error of the server or the driver; 0 where it has none."""
    first = error.args[0] if error.args else 0
    return first if isinstance(first, int) else 0


server_errors = partial(database_errors, (pymysql.Error, OSError), server_message)
"""Raises the driver's errors as ours; takes what could not be done, and advice."""


def _set_up(connection: Connection, limits: Limits) -> None:
    settings = {
        "sql_mode": f"'{MODE}'",
        "time_zone": "'+00:00'",
        "group_concat_max_len": f"{limits.cell}",
    }
    optional = {
        "tmp_table_size": limits.memory,
        "max_heap_table_size": limits.memory,
    }
    if is_mariadb(connection):
        settings["max_statement_time"] = f"{limits.seconds:f}"
        settings["max_recursive_iterations"] = "4294967295"
        optional["max_session_mem_used"] = limits.memory
        optional["tmp_disk_table_size"] = _MOST_ON_DISK
        if _has_space_limit(connection):
            optional["max_tmp_session_space_usage"] = _MOST_ON_DISK
    else:
        settings["max_execution_time"] = f"{max(1, round(limits.seconds * 1000))}"
        settings["cte_max_recursion_depth"] = "4294967295"
        optional["connection_memory_limit"] = limits.memory
    rows_of(connection, _set_session(settings))
    # What is set here, no text can change: the guard refuses SET, variables and hints.
    set_up = rows_of(connection, "SELECT @@sql_mode, @@character_set_client")
    if set_up != [(MODE, _CHARSET)]:
        raise pymysql.err.OperationalError(0, f"its sessions keep other settings: {set_up[0]}")
    try:
        rows_of(connection, _set_session(optional))
    except pymysql.Error:
        # Some servers lack one of these settings, or keep it to administrators.
        for name, size in optional.items():
            with suppress(pymysql.err.OperationalError, pymysql.err.InternalError):
                rows_of(connection, _set_session({name: size}))


def _set_session(settings: Mapping[str, object]) -> str:
    return "SET " + ", ".join(f"SESSION {name} = {value}" for name, value in settings.items())


def _has_space_limit(connection: Connection) -> bool:
    """Whether the server limits the temporary files of a session: MariaDB does from 11.5 on."""
    info: str = connection.get_server_info()  # type: ignore[no-untyped-call]
    version = re.search(r"(\d+)\.(\d+)\.\d+-mariadb", info.lower())
    return version is not None and (int(version[1]), int(version[2])) >= (11, 5)
