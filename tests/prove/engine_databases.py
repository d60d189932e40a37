"""Engines for tests of proofs: their names, and where their scratch databases are made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager

import pytest

from engine_examples import examples_of
from sqlverdict.execute.engine import ENGINES, Limits, Scratch, ScratchEngine
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.rule import EVERYWHERE

DIALECTS = tuple(dialect for dialect in EVERYWHERE if dialect != "sqlite")
"""The dialects in which rules claim to hold, beside SQLite's."""


def engine_of(dialect: str) -> str:
    """The engine of a dialect; skips where this installation has none."""
    name = next((name for name in ENGINES.names() if ENGINES.get(name).dialect == dialect), None)
    if name is None:
        pytest.skip(f"there is no engine with the dialect {dialect}")
    if name == "duckdb":
        pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    return name


def server_of(dialect: str) -> AbstractContextManager[str | None]:
    """A database on whose server scratch databases are made; ``None`` where there is no server."""
    return examples_of(engine_of(dialect)).server()


@contextmanager
def scratch_of(dialect: str, schema: Schema) -> Iterator[Scratch]:
    """A scratch database with the tables of a schema, on the engine of a dialect."""
    engine = ENGINES.get(engine_of(dialect))
    assert isinstance(engine, ScratchEngine)
    with server_of(dialect) as near, closing(engine.scratch(schema, Limits(), near)) as scratch:
        yield scratch
