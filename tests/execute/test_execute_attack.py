"""A short, fixed part of the attack on the sandboxes of all engines (bench/attack_engines.py)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine_examples import examples_of
from sqlverdict.execute.engine import ENGINES
from sqlverdict.records import Answer, Failure
from tiers import sampled
from timeouts import cpu_limit

sys.path.append(str(Path(__file__).parents[2] / "bench"))
from attack_engines import TARGETS, Attack, attack

pytestmark = pytest.mark.slow


@contextmanager
def attacked(engine: str, seed: str = "fixed") -> Iterator[Attack]:
    """An attack on an engine; it skips the test where it has a server, and none answers."""
    with examples_of(engine).server() as server, attack(engine, server, seed) as each:
        yield each


def test_every_engine_is_attacked() -> None:
    assert TARGETS.keys() == set(ENGINES.names())


@pytest.mark.parametrize("engine", ENGINES.names())
def test_nothing_passes_and_nothing_changes(engine: str) -> None:
    with attacked(engine) as each:
        # DuckDB's statements take their time limits, and have a test of their own.
        each.run(float("inf"), 1_500, corpus=engine != "duckdb")
    assert each.passed == []
    assert each.counts["soup: answer"] > 10


@pytest.mark.parametrize("engine", ENGINES.names())
def test_ordinary_queries_are_answered(engine: str) -> None:
    with attacked(engine) as each:
        outcome = each.target.session.run("SELECT name FROM item WHERE id = 2 -- a comment")
    assert isinstance(outcome, Answer)
    assert outcome.rows == [("ink",)]


@pytest.mark.parametrize("engine", ["postgres", "mysql"])
def test_the_server_gets_what_the_guard_read(engine: str) -> None:
    with attacked(engine, "literals") as each:
        each.run(float("inf"), 4_000, corpus=False)
    assert each.passed == []
    assert each.counts["soup: literals compared"] > 50
    assert each.counts["soup: original compared"] > 20


SHORTER = sampled(2, 1)
"""The texts have one part in so many of their length. A reader whose time grows with the square of it
takes as much longer than its limit, whatever the length."""
GUARD_SECONDS = 60 / SHORTER**2
LONG_TEXTS = {
    "operators": "SELECT 1" + "`1" * (70_000 // SHORTER),
    "columns": "SELECT " + "'', " * (300_000 // SHORTER) + "1",
    "names": "SELECT a" + ".a" * (400_000 // SHORTER),
    "hints": "SELECT " + "/*+ */" * (100_000 // SHORTER) + "1",
    "brackets": "SELECT " + "(" * (400_000 // SHORTER),
}


@pytest.mark.sampled
@pytest.mark.parametrize("engine", ENGINES.names())
def test_the_guard_itself_ends_soon(engine: str) -> None:
    with attacked(engine) as each:
        for name, text in LONG_TEXTS.items():
            with cpu_limit(GUARD_SECONDS):
                outcome = each.target.session.run(text)
            assert isinstance(outcome, Answer | Failure), name
