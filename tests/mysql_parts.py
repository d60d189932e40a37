"""Databases on a MySQL or MariaDB server for tests, where one is reachable."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from servers import MYSQL as SERVER
from servers import PATIENCE, mysql_server
from sqlverdict.execute.engines.mysql.connection import ServerConnection


def connect(database: str | None = None) -> Any:
    """A connection with all rights, to prepare a test and to look behind the engine's back."""
    parts = urlsplit(SERVER)
    return ServerConnection(
        host=parts.hostname,
        port=parts.port or 3306,
        user=parts.username,
        password=os.environ.get("MYSQL_PWD", ""),
        database=database,
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=PATIENCE,
    )


def execute(database: str | None, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements; the rows of the last one."""
    connection = connect(database)
    try:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall()) if statements else []
    finally:
        connection.close()


@contextmanager
def server_database(*statements: str) -> Iterator[str]:
    """The URL of a new database that the statements fill; it is dropped afterwards."""
    mysql_server()
    name = f"sqlverdict_test_{token_hex(6)}"
    execute(None, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    try:
        execute(name, *statements)
        yield f"{SERVER}/{name}"
    finally:
        execute(None, f"DROP DATABASE {name}")
