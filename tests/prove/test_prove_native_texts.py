"""Texts that are the same to PostgreSQL's own parser: proved, whatever is in them."""

from __future__ import annotations

import pytest

from sqlverdict.execute.common_text import is_same_query
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

pytest.importorskip("postgast", reason="postgast is not installed: extra 'postgres'")

SCHEMA = read_ddl(
    "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, c CHAR(3), d DATE)", "postgres"
)
MEDIAN = (
    "SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) AS m FROM t GROUP BY k ORDER BY m"
)
RANKS = "SELECT k, rank() OVER (ORDER BY v) FROM t"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (MEDIAN, f"WITH x(a, b) AS ({MEDIAN}) SELECT * FROM x"),
        (MEDIAN, f"WITH x(a, b) AS ({MEDIAN}) SELECT a AS k, b FROM x WHERE 7 % 7 = 0"),
        (RANKS, f"SELECT * FROM (SELECT * FROM ({RANKS}) y) z"),
        (RANKS, f"SELECT k, rank FROM ({RANKS}) z"),
        (RANKS, "select K, RANK() over(order by V)\nfrom T -- all of them"),
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
