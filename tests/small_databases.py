"""A small database of each engine, for tests that ask the same of all of them."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from servers import fresh_postgres, postgres_server
from sqlverdict.execute.engine import ENGINES

EVERY_ENGINE = [
    name if ENGINES.get(name).in_python else pytest.param(name, marks=pytest.mark.slow)
    for name in ENGINES.names()
]
"""The engines as parameters of a test: slow are those that start a process or need a server."""


@contextmanager
def database_of(engine: str, folder: Path, *statements: str) -> Iterator[str]:
    """A database of an engine that the statements made; it skips where there is no server."""
    with ExitStack() as stack:
        if engine == "mysql":
            pytest.importorskip("pymysql", reason="PyMySQL is not installed: extra 'mysql'")
            sys.path.insert(0, str(Path(__file__).parent / "execute"))
            from mysql_parts import server_database

            yield stack.enter_context(server_database(*statements))
        elif engine == "postgres":
            url = stack.enter_context(fresh_postgres(stack.enter_context(postgres_server())))
            import psycopg

            with psycopg.connect(url, autocommit=True) as connection:
                for statement in statements:
                    connection.execute(statement)
            yield url
        elif engine == "duckdb":
            duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
            path = folder / "t.duckdb"
            with closing(duckdb.connect(str(path))) as connection:
                for statement in statements:
                    connection.execute(statement)
            yield str(path)
        else:
            yield str(sqlite_file(folder / "t.sqlite", *statements))


def sqlite_file(path: Path, *statements: str) -> Path:
    """A SQLite file that the statements made."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def change_database(engine: str, database: str, *statements: str) -> None:
    """Change a database that others have open: a file is replaced by one that statements made."""
    if engine == "mysql":
        from mysql_parts import execute

        execute(database.rpartition("/")[2], *statements)
    elif engine == "postgres":
        import psycopg

        with psycopg.connect(database, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)
    else:
        path = Path(database)
        other = path.with_name("other")
        other.mkdir()
        with database_of(engine, other, *statements) as changed:
            Path(changed).replace(path)
        other.rmdir()
