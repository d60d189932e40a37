"""Pairs of which one query always fails on its engine: about these nothing is proved.

The pairs stand in ``failing_pairs.tsv``, with some beside them that do run and are proved. Each first
query is run on its engine: a pair whose query no longer does what its line says fails here.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import engine_of, server_of

from sqlverdict.execute.engine import ENGINES, Limits, Scratch, ScratchEngine
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer, Outcome, Row

TABLES = """
CREATE TABLE u (k INTEGER PRIMARY KEY, w INTEGER, nm VARCHAR(20) UNIQUE, g INTEGER NOT NULL);
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER NOT NULL, d DATE, s VARCHAR(20),
    f INTEGER REFERENCES u (k), o INTEGER NOT NULL REFERENCES u (k));
CREATE TABLE x (p INTEGER NOT NULL, q INTEGER NOT NULL, z INTEGER, PRIMARY KEY (p, q));
CREATE TABLE v (id INTEGER PRIMARY KEY, d DATE, ts TIMESTAMP, tm TIME, iv INTERVAL,
    tz TIMESTAMP WITH TIME ZONE, uu UUID, bo BOOLEAN, ar INTEGER[])
"""
OWN_TABLES = {
    "postgres": """;
CREATE TABLE y (id INTEGER PRIMARY KEY, js JSON, jb JSONB, po POINT, xd XID, oi OID, ip INET,
    rg INT4RANGE, m MONEY, c CHAR(5), bx BOX)
"""
}
ROWS: dict[str, tuple[Row, ...]] = {"v": ((2, *[None] * 8),)}
"""DuckDB reads a text in quotes where there is a row to compare it with."""


def _pairs() -> list[tuple[str, ...]]:
    lines = Path(__file__).with_name("failing_pairs.tsv").read_text("utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


PAIRS = _pairs()


@pytest.fixture(scope="module")
def answer_of() -> Iterator[Callable[[str, str], Outcome]]:
    """Run a query of a dialect on its engine."""
    databases: dict[str, Scratch] = {}
    with ExitStack() as stack:

        def run(dialect: str, sql: str) -> Outcome:
            if dialect not in databases:
                engine = ENGINES.get(engine_of(dialect))
                assert isinstance(engine, ScratchEngine)
                near = stack.enter_context(server_of(dialect))
                databases[dialect] = engine.scratch(_schema(dialect), Limits(), near)
                stack.callback(databases[dialect].close)
                assert databases[dialect].load(ROWS)
            return databases[dialect].run(sql)

        yield run


def _schema(dialect: str) -> Schema:
    return read_ddl(TABLES + OWN_TABLES.get(dialect, ""), dialect)


@pytest.mark.parametrize(
    ("what", "dialect", "name", "gold", "other"),
    PAIRS,
    ids=[f"{each[2]}, on {each[1]}" for each in PAIRS],
)
def test_a_query_that_always_fails_is_not_proved_equal(
    what: str,
    dialect: str,
    name: str,
    gold: str,
    other: str,
    answer_of: Callable[[str, str], Outcome],
) -> None:
    proofs = [
        prove(one, two, _schema(dialect), dialect=dialect)
        for one, two in itertools.permutations((gold, other))
    ]
    assert [isinstance(proof, Proof) for proof in proofs] == [what == "runs"] * 2, name
    assert isinstance(answer_of(dialect, gold), Answer) == (what == "runs"), name
