"""Connects to a server, and sets what must be the same for every session.

The URL goes to libpq as it is: passwords, certificates and host names come from its environment
variables and files (``PGPASSWORD``, ``~/.pgpass``, ``PGSERVICE``). Dates, numbers and zones are
written in one form, whatever the server's own settings are, and nothing that depends on load
(parallel workers, shared scans) changes the order of rows or the last digits of sums.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from sqlverdict.errors import DatabaseError
from sqlverdict.files.references import Reference

_CONNECT_SECONDS = 10
_LOCK_SECONDS = 10
_TEMPORARY_BYTES = 4 * 2**30
_READ_ALL = 140000
"""The first version with a role that reads everything, and with a check for clients that left."""
_OLDEST = 120000

Connection = psycopg.Connection[tuple[Any, ...]]


def connect(database: Reference, seconds: float) -> Connection:
    """A connection whose settings are ours, outside of any transaction.

    Args:
        database: The URL.
        seconds: What one statement may take.

    Raises:
        DatabaseError: the server does not answer, or refuses.
    """
    try:
        options = conninfo_to_dict(str(database))
        options.setdefault("connect_timeout", str(_CONNECT_SECONDS))
        options.setdefault("application_name", "sqlverdict")
        connection = psycopg.connect(**options, autocommit=True)  # type: ignore[arg-type]
    except psycopg.Error as error:
        raise DatabaseError(
            f"{database} cannot be opened ({' '.join(str(error).split())}). Check the name, that "
            "the server runs, and the credentials in PGUSER, PGPASSWORD or ~/.pgpass"
        ) from error
    try:
        if connection.info.server_version < _OLDEST:
            version = connection.info.parameter_status("server_version")
            raise DatabaseError(f"{database} is PostgreSQL {version}; 12 or newer is needed")
        _set_options(connection, seconds)
    except psycopg.Error as error:
        connection.close()
        raise DatabaseError(f"{database} cannot be used: {error}") from error
    except DatabaseError:
        connection.close()
        raise
    return connection


READER = "SET ROLE pg_read_all_data"
"""Makes a superuser's session act as a role that reads, and does nothing else."""


def reads_as_another(connection: Connection) -> bool:
    """Whether queries of this session can run as the reading role: it is a superuser's.

    Not where policies hide rows from other roles: the superuser sees them.
    """
    if connection.info.server_version < _READ_ALL:
        return False
    row = connection.execute(
        "SELECT current_setting('is_superuser') = 'on'"
        " AND NOT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relrowsecurity)"
    ).fetchone()
    return row is not None and bool(row[0])


def _set_options(connection: Connection, seconds: float) -> None:
    version = connection.info.server_version
    options = {
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
    if version >= _READ_ALL:
        options["client_connection_check_interval"] = "500ms"
        options["idle_session_timeout"] = "0"
    row = connection.execute("SELECT current_setting('is_superuser')").fetchone()
    if row is not None and row[0] == "on":
        options["temp_file_limit"] = f"{_TEMPORARY_BYTES // 1024}kB"
    calls = ", ".join(["set_config(%s, %s, false)"] * len(options))
    values = [part for item in options.items() for part in item]
    connection.execute(f"SELECT {calls}", values)
