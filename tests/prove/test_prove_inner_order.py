"""An ORDER BY inside a query: where it counts as one outside, engine by engine, with rows that show it."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import DIALECTS, engine_of, server_of

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.engine import ENGINES, Limits, ScratchEngine
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer

SCHEMA = read_ddl("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, w INTEGER)", "inner_order")
ROWS = {"t": tuple((k, k * 37 % 101, k % 5 or None) for k in range(1, 90))}

SAME = [
    ("SELECT v FROM t ORDER BY v DESC", "SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d"),
    (
        "SELECT k FROM t ORDER BY v",
        "WITH d AS (SELECT k, v FROM t ORDER BY v), e AS (SELECT * FROM d) SELECT k FROM e",
    ),
    (
        "SELECT k FROM t WHERE w > 1 ORDER BY v",
        "SELECT k FROM (SELECT k, w FROM t ORDER BY v) AS d WHERE w > 1",
    ),
    (
        "SELECT w, COUNT(*) FROM t GROUP BY w ORDER BY w DESC",
        "SELECT d.a, d.b FROM (SELECT w AS a, COUNT(*) AS b FROM t GROUP BY w ORDER BY w DESC) AS d",
    ),
]
OPEN = [
    ("SELECT v FROM t ORDER BY v", "SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d"),
    ("SELECT v FROM t ORDER BY v", "SELECT DISTINCT v FROM (SELECT v FROM t ORDER BY v) AS d"),
    (
        "SELECT d.v FROM t AS d, t AS e WHERE d.k = e.w ORDER BY d.v",
        "SELECT d.v FROM (SELECT k, v FROM t ORDER BY v) AS d, t AS e WHERE d.k = e.w",
    ),
    (
        "SELECT k FROM t WHERE k IN (SELECT w FROM t) ORDER BY v",
        "SELECT k FROM (SELECT k FROM t ORDER BY v) AS d WHERE k IN (SELECT w FROM t)",
    ),
    (
        "SELECT v FROM t ORDER BY v",
        "SELECT v FROM (SELECT v FROM t ORDER BY v) AS d UNION ALL SELECT v FROM t WHERE k < 0",
    ),
]
HANDED_ON = [name for name in ("sqlite", *DIALECTS) if dialect_of(name).hands_on_order]
DROPPED = [name for name in DIALECTS if not dialect_of(name).hands_on_order]


def derive(pair: tuple[str, str], dialect: str) -> bool:
    """Whether the pair is proved; a proof is done again."""
    proof = prove(*pair, SCHEMA, dialect=dialect)
    if isinstance(proof, Proof):
        assert check_proof(proof, SCHEMA).holds
    return isinstance(proof, Proof)


@pytest.mark.parametrize("dialect", HANDED_ON)
@pytest.mark.parametrize("pair", SAME)
def test_an_order_that_is_handed_on_is_one(pair: tuple[str, str], dialect: str) -> None:
    assert derive(pair, dialect)


@pytest.mark.parametrize("dialect", [*HANDED_ON, *DROPPED])
@pytest.mark.parametrize("pair", OPEN)
def test_an_order_that_may_get_lost_is_none(pair: tuple[str, str], dialect: str) -> None:
    assert not derive(pair, dialect)


@pytest.mark.parametrize("dialect", HANDED_ON)
def test_a_gold_without_an_order_of_its_own_asks_for_none(dialect: str) -> None:
    assert derive(
        ("SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d", "SELECT v FROM t"), dialect
    )


@pytest.mark.parametrize("dialect", DROPPED)
def test_an_inner_order_counts_nowhere_where_it_is_dropped(dialect: str) -> None:
    one = "SELECT v FROM t ORDER BY v DESC LIMIT 1"
    other = "SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d LIMIT 1"
    assert not derive((one, other), dialect)
    assert not any(derive(pair, dialect) for pair in SAME)


def test_sqlite_hands_an_inner_order_on() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, w INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS["t"])
        for one, other in SAME:
            assert connection.execute(one).fetchall() == connection.execute(other).fetchall()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_engines_do_with_an_inner_order_what_their_record_says(dialect: str) -> None:
    engine = ENGINES.get(engine_of(dialect))
    assert isinstance(engine, ScratchEngine)
    with ExitStack() as stack:
        near = stack.enter_context(server_of(dialect))
        scratch = engine.scratch(SCHEMA, Limits(), near)
        stack.callback(scratch.close)
        assert scratch.load(ROWS)
        equalities = []
        for pair in SAME:
            answers = [scratch.run(sql) for sql in pair]
            rows = [each.rows for each in answers if isinstance(each, Answer)]
            assert len(rows) == 2, answers
            equalities.append(rows[0] == rows[1])
        assert all(equalities) is dialect_of(dialect).hands_on_order
