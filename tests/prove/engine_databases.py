"""Engines for tests of proofs: their names, and where their scratch databases are made."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from servers import postgres_server
from sqlverdict.execute.engine import ENGINES, Limits, Scratch, ScratchEngine
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.rule import EVERYWHERE

DIALECTS = tuple(dialect for dialect in EVERYWHERE if dialect != "sqlite")
"""The dialects in which rules claim to hold, beside SQLite's."""

_ENGINES = {"duckdb": "duckdb", "postgres": "postgres", "mysql": "mysql"}


def engine_of(dialect: str) -> str:
    """The engine of a dialect; skips where this installation has none."""
    name = _ENGINES[dialect]
    if name not in ENGINES.names():
        pytest.skip(f"there is no engine {name}")
    if name == "duckdb":
        pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    return name


@contextmanager
def server_of(dialect: str) -> Iterator[str | None]:
    """A database on whose server scratch databases are made; ``None`` where there is no server."""
    if dialect == "postgres":
        with postgres_server() as url:
            yield url
    elif dialect == "mysql":
        pytest.importorskip("pymysql", reason="PyMySQL is not installed: extra 'mysql'")
        sys.path.insert(0, str(Path(__file__).parents[1] / "execute"))
        from mysql_parts import server_database

        with server_database() as url:
            yield url
    else:
        yield None


@contextmanager
def scratch_of(dialect: str, schema: Schema) -> Iterator[Scratch]:
    """A scratch database with the tables of a schema, on the engine of a dialect."""
    engine = ENGINES.get(engine_of(dialect))
    assert isinstance(engine, ScratchEngine)
    with server_of(dialect) as near, closing(engine.scratch(schema, Limits(), near)) as scratch:
        yield scratch
