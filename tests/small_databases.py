"""A small database of each engine, for tests that ask the same of all of them."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from engine_examples import examples_of
from sqlverdict.execute.engine import ENGINES

EVERY_ENGINE = [
    name if ENGINES.get(name).in_python else pytest.param(name, marks=pytest.mark.slow)
    for name in ENGINES.names()
]
"""The engines as parameters of a test: slow are those that start a process or need a server."""


def database_of(engine: str, folder: Path, *statements: str) -> AbstractContextManager[str]:
    """A database of an engine that the statements made; it skips where there is no server."""
    return examples_of(engine).database(folder, statements)


def sqlite_file(path: Path, *statements: str) -> Path:
    """A SQLite file that the statements made."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


def change_database(engine: str, database: str, *statements: str) -> None:
    """Change a database that others have open: a file is replaced by one that statements made."""
    examples_of(engine).change(database, statements)
