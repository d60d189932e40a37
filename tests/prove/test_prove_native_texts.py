"""Texts that are the same to PostgreSQL's own parser: proved, whatever is in them."""

from __future__ import annotations

import pytest

from servers import postgres_server
from sqlverdict.execute.common_text import is_same_query
from sqlverdict.execute.engine import ENGINES
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer
from sqlverdict.refute.target.trial import Scratches

pytest.importorskip("postgast", reason="postgast is not installed: extra 'postgres'")

SCHEMA = read_ddl(
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, c CHAR(3), d DATE)", "postgres"
)
MEDIAN = (
    "SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) AS m FROM t GROUP BY k ORDER BY m"
)
AGES = "SELECT date_part('day', CURRENT_DATE - to_timestamp(v)) AS n FROM t ORDER BY v LIMIT 1"
RANKS = "SELECT k, rank() OVER (ORDER BY v) FROM t"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (MEDIAN, f"WITH x(a, b) AS ({MEDIAN}) SELECT * FROM x"),
        (MEDIAN, f"WITH x(a, b) AS ({MEDIAN}) SELECT a AS k, b FROM x WHERE 7 % 7 = 0"),
        (RANKS, f"SELECT * FROM (SELECT * FROM ({RANKS}) y) z"),
        (RANKS, f"SELECT k, rank FROM ({RANKS}) z"),
        (RANKS, "select K, RANK() over(order by V)\nfrom T -- all of them"),
        (AGES, f"WITH x(a) AS ({AGES}) SELECT * FROM x WHERE 7 % 7 = 0"),
    ],
)
def test_a_query_that_passes_rows_on_is_the_query_inside(gold: str, prediction: str) -> None:
    proof = prove(gold, prediction, SCHEMA, dialect="postgres")
    assert isinstance(proof, Proof)
    assert check_proof(proof, SCHEMA).holds


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (MEDIAN, f"WITH x(a, b) AS ({MEDIAN}) SELECT b, a FROM x"),
        (MEDIAN, f"WITH x(a, b) AS ({MEDIAN}) SELECT a, a FROM x"),
        (MEDIAN, f"WITH x(a, b) AS ({MEDIAN}) SELECT a FROM x"),
        (RANKS, f"SELECT DISTINCT * FROM ({RANKS}) z"),
        (RANKS, f"SELECT * FROM ({RANKS}) z LIMIT 3"),
        (RANKS, f"SELECT * FROM ({RANKS}) z WHERE 1 = 0"),
        (RANKS, f"SELECT * FROM ({RANKS}) z, t"),
        (MEDIAN, f"SELECT * FROM ({MEDIAN}) z ORDER BY 1"),
        (MEDIAN, f"WITH z AS ({MEDIAN}), t AS (SELECT 1 AS k, 2 AS v) SELECT * FROM z"),
        (RANKS, RANKS.replace("FROM t", 'FROM "T"')),
        (f"{RANKS} WHERE c ILIKE 'ab'", f"{RANKS} WHERE LOWER(c) LIKE 'ab'"),
        (f"{RANKS} WHERE d = ANY (ARRAY['2020-01-01'])", f"{RANKS} WHERE d IN ('2020-01-01')"),
        (
            "SELECT k FROM t WHERE d = ANY (ARRAY['2020-01-01'])",
            "SELECT k FROM t WHERE d IN ('2020-01-01')",
        ),
        ("SELECT random()", "SELECT * FROM (SELECT random()) x"),
        ("SELECT * FROM t TABLESAMPLE system (50)", "select * from t tablesample system (50)"),
        ("SELECT mine.round(k) FROM t", "SELECT * FROM (SELECT mine.round(k) FROM t) x"),
        ("SELECT mine.date_trunc('A', d) FROM t", "SELECT mine.date_trunc('a', d) FROM t"),
        ("SELECT mine(k) FROM t", "SELECT * FROM (SELECT mine(k) FROM t) x"),
    ],
)
def test_a_query_that_does_more_is_not(gold: str, prediction: str) -> None:
    assert not is_same_query(gold, prediction, "postgres")
    assert not isinstance(prove(gold, prediction, SCHEMA, dialect="postgres"), Proof)


ONE_MEDIAN = "percentile_cont(0.5) WITHIN GROUP (ORDER BY v)"
IDLE = [
    f"{ONE_MEDIAN} AS m FROM t",
    f"{ONE_MEDIAN}, COUNT(*), 'x' FROM t WHERE v > 1 HAVING COUNT(*) > 1",
    "CAST((SELECT v FROM t WHERE k = 1) AS FLOAT) / NULLIF((SELECT v FROM t WHERE k = 2), 0)",
    f"c, {ONE_MEDIAN} AS m FROM t GROUP BY c ORDER BY m",
    f"t.d, t.c, {ONE_MEDIAN} FROM t GROUP BY t.c, t.d",
]
"""SELECT lists and what follows, under which DISTINCT drops nothing."""
NOT_IDLE = [
    f"{ONE_MEDIAN} FROM t GROUP BY c",
    f"c, {ONE_MEDIAN} FROM t GROUP BY c, d",
    "rank() OVER (ORDER BY c) FROM t",
    "unnest(ARRAY[1, 1])",
    "CAST(unnest(ARRAY[1, 1]) AS INTEGER)",
    "json_agg(v) FROM t",
    "(SELECT json_agg(v) FROM t)",
    "array_agg(to_json(v)) FROM t",
    f"c, {ONE_MEDIAN} FROM t GROUP BY c LIMIT 1",
    "'x' FROM t",
]
"""Those under which it drops rows, fails or may choose others; or that are not known."""


@pytest.mark.parametrize("rest", IDLE)
def test_distinct_that_drops_no_row_is_idle(rest: str) -> None:
    proof = prove(f"SELECT {rest}", f"SELECT DISTINCT {rest}", SCHEMA, dialect="postgres")
    assert isinstance(proof, Proof)
    assert check_proof(proof, SCHEMA).holds


@pytest.mark.parametrize("rest", NOT_IDLE)
def test_distinct_that_may_drop_rows_or_fail_is_not(rest: str) -> None:
    assert not is_same_query(f"SELECT {rest}", f"SELECT DISTINCT {rest}", "postgres")
    other = f"SELECT DISTINCT {rest}"
    assert not isinstance(prove(f"SELECT {rest}", other, SCHEMA, dialect="postgres"), Proof)


@pytest.mark.slow
def test_the_server_drops_nothing_where_distinct_is_idle() -> None:
    with postgres_server() as near:
        scratches = Scratches(ENGINES.get("postgres"), near)
        scratch = scratches.of(SCHEMA)
        for rows in ((), ((1, 5, "a", None), (2, 5, "a", None), (3, None, None, "2020-01-01"))):
            assert scratch.load({"t": rows})
            for rest in IDLE:
                one, other = (scratch.run(f"SELECT {word}{rest}") for word in ("", "DISTINCT "))
                assert isinstance(one, Answer), one
                assert isinstance(other, Answer), other
                assert sorted(map(repr, one.rows)) == sorted(map(repr, other.rows)), rest
        scratches.close()
