"""What may fail keeps its place: each pair was proved once, and one of its queries fails on legal rows."""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import engine_of, server_of

from sqlverdict.execute.engine import ENGINES, Limits, ScratchEngine
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer, Failure

TABLES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, m INTEGER NOT NULL, n INTEGER, s TEXT, r REAL, x);
CREATE TABLE u (k INTEGER PRIMARY KEY, f TEXT, w INTEGER);
"""


@pytest.mark.parametrize(
    "term",
    [
        *("json_extract(s, '$.a')", "s -> '$.a'", "json_type(s)", "(SELECT MAX(json(f)) FROM u)"),
        *("ntile(n) OVER (ORDER BY id)", "nth_value(s, n) OVER (ORDER BY id)"),
        *("SUM(m) OVER (ORDER BY id ROWS n PRECEDING)", "s MATCH 'a'", "zeroblob(m)"),
    ],
)
def test_what_may_fail_is_not_dropped(term: str) -> None:
    plain, ordered = "SELECT id FROM t", f"SELECT id FROM t ORDER BY {term}"
    derived = f"SELECT id FROM (SELECT id, {term} AS z FROM t) AS d"
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    connection.executescript("INSERT INTO t VALUES (1, 9e15, -1, 'x', 0, 0)")
    connection.executescript("INSERT INTO u VALUES (1, 'x', 0)")
    schema = read_ddl(TABLES, "shop")
    for other in (ordered, derived):
        assert not isinstance(prove(plain, other, schema), Proof)
    with pytest.raises(sqlite3.Error):
        connection.execute(ordered).fetchall()
    other = ordered.replace("FROM t", "FROM t AS x")
    assert isinstance(prove(ordered, other, schema), Proof)


@pytest.mark.parametrize(
    ("dialect", "term"),
    [("postgres", "1 / v"), ("postgres", "CAST(s AS INTEGER)"), ("duckdb", "CAST(s AS INTEGER)")],
)
def test_an_order_that_may_fail_is_not_dropped(dialect: str, term: str) -> None:
    ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER NOT NULL, s VARCHAR(9))"
    schema = read_ddl(ddl, dialect)
    plain, ordered = "SELECT id FROM t", f"SELECT id FROM t ORDER BY {term}"
    assert not isinstance(prove(plain, ordered, schema, dialect=dialect), Proof)
    proof = prove(plain, "SELECT id FROM t ORDER BY v", schema, dialect=dialect)
    assert isinstance(proof, Proof)
    # The checker, too, looks at the order before it is dropped.
    forged = replace(proof, prediction_sql=ordered, reading=2)
    assert not check_proof(forged, schema).holds
    engine = ENGINES.get(engine_of(dialect))
    assert isinstance(engine, ScratchEngine)
    with server_of(dialect) as near:
        scratch = engine.scratch(schema, Limits(), near)
        try:
            assert scratch.load({"t": ((1, 0, "x"), (2, 1, "y"))})
            assert isinstance(scratch.run(plain), Answer)
            assert isinstance(scratch.run(ordered), Failure)
        finally:
            scratch.close()


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_an_order_of_first_rows_that_may_fail_is_not_dropped(dialect: str) -> None:
    schema = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR(9))", dialect)
    plain = "SELECT DISTINCT s FROM t ORDER BY s"
    ordered = "SELECT DISTINCT ON (s) s FROM t ORDER BY s, CAST(s AS INTEGER)"
    assert not isinstance(prove(plain, ordered, schema, dialect=dialect), Proof)
    assert not isinstance(prove(ordered, plain, schema, dialect=dialect), Proof)


CUT_ROWS = {
    "a LIMIT": (
        "SELECT CAST(s AS INTEGER) FROM t ORDER BY v LIMIT 1",
        "SELECT CAST(s AS INTEGER) FROM (SELECT s, v FROM t ORDER BY v LIMIT 1) AS d",
    ),
    "a HAVING": (
        "SELECT CAST(s AS INTEGER) FROM t GROUP BY CAST(s AS INTEGER) HAVING MIN(v) < 1",
        "SELECT DISTINCT CAST(s AS INTEGER) FROM t WHERE v < 1",
    ),
}


@pytest.mark.parametrize("cut", CUT_ROWS)
def test_a_list_that_may_fail_is_computed_before_rows_are_cut_off(cut: str) -> None:
    schema = read_ddl("CREATE TABLE t (v INTEGER NOT NULL, s VARCHAR(9))", "postgres")
    before, behind = CUT_ROWS[cut]
    assert not isinstance(prove(before, behind, schema, dialect="postgres"), Proof)
    other = before.replace("t ", "t AS x ", 1)
    assert isinstance(prove(before, other, schema, dialect="postgres"), Proof)
    engine = ENGINES.get(engine_of("postgres"))
    assert isinstance(engine, ScratchEngine)
    with server_of("postgres") as near:
        scratch = engine.scratch(schema, Limits(), near)
        try:
            assert scratch.load({"t": ((0, "7"), (1, "x"))})
            assert isinstance(scratch.run(before), Failure)
            assert isinstance(scratch.run(behind), Answer)
        finally:
            scratch.close()


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_a_difference_from_the_end_of_64_bits_may_fail(dialect: str) -> None:
    schema = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, b BIGINT)", dialect)
    less = "SELECT id FROM t WHERE b - 9223372036854775807 < 0"
    plain = "SELECT id FROM t WHERE b < 9223372036854775807"
    assert not isinstance(prove(less, plain, schema, dialect=dialect), Proof)
    engine = ENGINES.get(engine_of(dialect))
    assert isinstance(engine, ScratchEngine)
    with server_of(dialect) as near:
        scratch = engine.scratch(schema, Limits(), near)
        try:
            assert scratch.load({"t": ((1, -5),)})
            assert isinstance(scratch.run(less), Failure)
            assert isinstance(scratch.run(plain), Answer)
        finally:
            scratch.close()
