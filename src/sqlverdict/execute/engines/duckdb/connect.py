"""How DuckDB files are opened for reading, and databases in memory made.

A file is attached to a database in memory: two sessions of one process may then have different
limits, which DuckDB does not allow for one file that is opened twice. Nothing is written beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

import duckdb
from duckdb import DuckDBPyConnection

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.guard import clock_macros
from sqlverdict.execute.engines.duckdb.names import Settings, thread_settings
from sqlverdict.files.regular import open_regular, os_reason
from sqlverdict.files.sqlite import quote_name

_SETTINGS: Settings = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "temp_directory": "",
}
_TWO: Final = "CREATE TABLE two AS SELECT v FROM (VALUES (1), (2)) AS two(v)"
_NO_PARTNERS: Final = "SELECT EXISTS (SELECT 1 FROM two LEFT JOIN two AS other ON other.v > 2)"
_RESERVED = ("information_schema", "main", "memory", "pg_catalog", "system", "temp")
"""Names of databases and schemas that every session has."""
_HEADER = 12
_MAGIC_AT = 8
MAGIC = b"DUCK"


def open_empty(limits: Limits) -> DuckDBPyConnection:
    """An empty database in memory, without guards yet."""
    memory = f"{max(limits.memory // 2**20, 16)}MiB"
    settings = _SETTINGS | thread_settings() | {"memory_limit": memory}
    connection = duckdb.connect(":memory:", config=settings)
    connection.execute("SET TimeZone = 'UTC'")
    # Names in a query are those of tables, never of Python's variables.
    with suppress(duckdb.Error):
        connection.execute("SET python_enable_replacements = false")
    with suppress(duckdb.Error):
        connection.execute("SET enable_progress_bar = false")
    if _miscounts_left_joins():
        connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    return connection


@lru_cache(maxsize=1)
def _miscounts_left_joins() -> bool:
    """Whether this DuckDB takes a LEFT JOIN for empty where its right side is, as 2.0.0 does.

    Its optimizer then drops a LIMIT, and EXISTS is false, though there are rows.
    """
    with duckdb.connect(":memory:", config={**_SETTINGS}) as connection:
        connection.execute(_TWO)
        return connection.execute(_NO_PARTNERS).fetchone() != (True,)


def open_file(
    file: Path, limits: Limits, *, attached: Mapping[str, Path], read_only: bool = True
) -> DuckDBPyConnection:
    """A DuckDB file with what is attached to it, without the other guards yet.

    Args:
        file: The file; it is opened for reading alone unless it is a copy.
        limits: What one query may spend.
        attached: Further files by the names of their databases, for reading alone.
        read_only: Whether the first file is no copy.

    Raises:
        DatabaseError: one is missing, no DuckDB file, or another program writes to it.
    """
    connection = open_empty(limits)
    try:
        # The first file of all that are one for DuckDB is the one that may be written.
        _attach(connection, file.stem, file, read_only=read_only)
        for name, other in attached.items():
            _attach(connection, name, other)
        connection.execute(f"USE {_catalogue(file.stem)}.main")
    except BaseException:
        # Whatever it was, Ctrl-C included, it is raised on; the files are closed.
        connection.close()
        raise
    return connection


def _attach(
    connection: DuckDBPyConnection, name: str, file: Path, *, read_only: bool = True
) -> None:
    _require_duckdb(file)
    path = str(file).replace("'", "''")
    mode = " (READ_ONLY)" if read_only else ""
    try:
        connection.execute(f"ATTACH '{path}' AS {_catalogue(name)}{mode}")
    except duckdb.Error as error:
        raise _problem(file, str(error).partition("\n")[0]) from error


def _catalogue(name: str) -> str:
    return quote_name(f"{name}_db" if name.lower() in _RESERVED else name)


def _problem(file: Path, text: str) -> DatabaseError:
    """What is wrong with a file, by what DuckDB says."""
    if re.search(r"\block\b", text):
        return DatabaseError(
            f"{file} is in use: another program has it open for writing ({text}). Close it there, "
            "or give a copy",
            reason="locked",
        )
    if "version" in text:
        return DatabaseError(
            f"{file} was written by another version of DuckDB than {duckdb.__version__}, which is "
            f"installed here ({text}). Install that version, such as: pip install -U duckdb",
            reason="unsupported",
        )
    return DatabaseError(
        f"{file} cannot be opened as DuckDB ({text}); check or restore the file", reason="damaged"
    )


def set_guards(connection: DuckDBPyConnection, now: datetime | None) -> None:
    """Close files, the network and the settings to all queries that follow."""
    for statement in clock_macros(now):
        connection.execute(statement)
    close_files(connection)
    connection.execute("SET lock_configuration = true")


def close_files(connection: DuckDBPyConnection) -> None:
    """Close files and the network, for good."""
    connection.execute("SET enable_external_access = false")


def execute_one(connection: DuckDBPyConnection, text: str) -> None:
    """Run the one statement of a text; a schema's types and views may come from anywhere.

    Raises:
        duckdb.Error: it fails, or the text holds several.
    """
    statements = connection.extract_statements(text)
    if len(statements) != 1:
        raise duckdb.InvalidInputException(f"{len(statements)} statements; one is expected")
    connection.execute(statements[0])


def _require_duckdb(file: Path) -> None:
    try:
        with open_regular(file) as stream:
            header = stream.read(_HEADER)
    except OSError as error:
        raise DatabaseError(
            f"{file} cannot be opened: {error.strerror}. Give the path of a DuckDB file",
            reason=os_reason(error),
        ) from error
    if header[_MAGIC_AT:] != MAGIC:
        kind = (
            "a SQLite file; use the engine sqlite" if header[:6] == b"SQLite" else "no DuckDB file"
        )
        raise DatabaseError(f"{file} is {kind}", reason="not_a_database")
