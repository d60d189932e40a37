"""Connects to a server, and sets what must be the same for every session.

The URL goes to libpq as it is: passwords, certificates and host names come from its environment
variables and files (``PGPASSWORD``, ``~/.pgpass``, ``PGSERVICE``). Dates, numbers and zones are
written in one form, whatever the server's own settings are, and nothing that depends on load
(parallel workers, shared scans) changes the order of rows or the last digits of sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.servers.statements import (
    database_errors,
    rows_of,
    server_reason,
    undo_on_error,
)
from sqlverdict.files.references import Reference

_CONNECT_SECONDS = 10
_LOCK_SECONDS = 10
TEMPORARY_BYTES: Final = 4 * 2**30
"""What one session may write to temporary files, where its role lets us say so."""
_MOST_MEMORY = 256 * 2**20
"""What one sort or hash may take, whatever the server allows."""
READ_ALL: Final = 140000
"""The first version with a role that reads everything, and with a check for clients that left."""
_OLDEST = 120000

Connection = psycopg.Connection[tuple[Any, ...]]
server_errors = partial(database_errors, psycopg.Error, str)
"""Raises the driver's errors as ours; takes what could not be done, and advice."""


def quoted(*names: str) -> str:
    """A name in quotes, with what it belongs to before it."""
    return sql.Identifier(*names).as_string(None)


def server_literal(value: str | int) -> str:
    """A value as a text of SQL."""
    return sql.Literal(value).as_string(None)


def connect(
    database: Reference,
    seconds: float,
    login: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> Connection:
    """A connection whose settings are ours, outside of any transaction.

    Args:
        database: The URL.
        seconds: What one statement may take.
        login: Another name and password than the URL's.
        settings: Further settings of the session.

    Raises:
        DatabaseError: the server does not answer, or refuses.
    """
    try:
        options = {**conninfo_to_dict(str(database)), **(login or {})}
        options.setdefault("connect_timeout", str(_CONNECT_SECONDS))
        options.setdefault("application_name", "sqlverdict")
        connection = psycopg.connect(**options, autocommit=True)  # type: ignore[arg-type]
    except psycopg.Error as error:
        raise DatabaseError(
            f"{database} cannot be opened ({' '.join(str(error).split())}). Check the name, that "
            "the server runs, and the credentials in PGUSER, PGPASSWORD or ~/.pgpass",
            reason=server_reason(error),
        ) from error
    with undo_on_error(connection.close), server_errors(f"{database} cannot be used"):
        if connection.info.server_version < _OLDEST:
            version = connection.info.parameter_status("server_version")
            raise DatabaseError(
                f"{database} is PostgreSQL {version}; 12 or newer is needed", reason="unsupported"
            )
        _set_options(connection, seconds, settings or {})
    return connection


def server_version(database: Reference) -> str:
    """The version of a database's server."""
    with connect(database, Limits().seconds) as connection:
        return connection.info.parameter_status("server_version") or ""


OURS: Final = (
    *("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "jit"),
    *("client_encoding", "TimeZone", "DateStyle", "IntervalStyle", "bytea_output", "work_mem"),
    *("extra_float_digits", "standard_conforming_strings", "cursor_tuple_fraction"),
    *("max_parallel_workers_per_gather", "synchronize_seqscans", "idle_session_timeout"),
    *("client_connection_check_interval", "temp_file_limit", "role", "session_authorization"),
)
"""Settings that are the same for every session, or that no session takes from a role."""


def _set_options(connection: Connection, seconds: float, settings: Mapping[str, str]) -> None:
    version = connection.info.server_version
    options = {
        **settings,
        "statement_timeout": f"{max(1, int(seconds * 1000))}ms",
        "lock_timeout": f"{_LOCK_SECONDS}s",
        "idle_in_transaction_session_timeout": "0",
        "client_encoding": "UTF8",
        "TimeZone": "UTC",
        "DateStyle": "ISO, MDY",
        "IntervalStyle": "postgres",
        "bytea_output": "hex",
        "extra_float_digits": "1",
        "standard_conforming_strings": "on",
        "cursor_tuple_fraction": "1.0",
        "max_parallel_workers_per_gather": "0",
        "synchronize_seqscans": "off",
        "jit": "off",
    }
    if version >= READ_ALL:
        options["client_connection_check_interval"] = "500ms"
        options["idle_session_timeout"] = "0"
    ((is_superuser, memory),) = rows_of(
        connection,
        "SELECT current_setting('is_superuser') = 'on',"
        " pg_catalog.pg_size_bytes(current_setting('work_mem'))",
    )
    options["work_mem"] = f"{min(memory, _MOST_MEMORY) // 1024}kB"
    if is_superuser:
        options["temp_file_limit"] = f"{TEMPORARY_BYTES // 1024}kB"
    calls = ", ".join(["set_config(%s, %s, false)"] * len(options))
    values = [part for item in options.items() for part in item]
    connection.execute(f"SELECT {calls}", values)
