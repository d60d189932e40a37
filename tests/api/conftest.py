"""A small shop, and nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (name TEXT, n INTEGER)")
        connection.execute("INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3)")
    return path
