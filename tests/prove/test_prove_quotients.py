"""Shares and their guards against zero: proved equal where they are, and refuted where not."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.refute.witness import NotRefuted, Witness

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER, v INTEGER NOT NULL, w INTEGER)"
ALL = ("sqlite", "duckdb", "postgres", "mysql")
NULL_BY_ZERO = ("sqlite", "mysql")
_ONES = "SUM(CASE WHEN w > 1 THEN 1 ELSE 0 END)"
_COUNT = "COUNT(CASE WHEN w > 1 THEN 1 END)"

EQUAL = [
    (ALL, f"ROUND(100.0 * {_COUNT} / COUNT(*), 2)", f"ROUND({_COUNT} * 100.0 / COUNT(id), 2)", ""),
    (ALL, f"ROUND(100.0 * {_ONES} / COUNT(*), 2)", f"ROUND({_ONES} * 100.0 / COUNT(id), 2)", ""),
    (ALL, f"100.0 * {_COUNT} / NULLIF(COUNT(*), 0)", f"{_ONES} * 100.0 / COUNT(*)", "GROUP BY g"),
    (
        ALL,
        f"ROUND(100.0 * {_ONES} / NULLIF(COUNT(*), 0), 2)",
        f"ROUND({_COUNT} * 100.0 / COUNT(*), 2)",
        "GROUP BY g",
    ),
    (("postgres",), f"{_ONES} * 1.0 / NULLIF(COUNT(*), 0)", f"{_ONES} * 1.0 / COUNT(*)", ""),
    (
        ("sqlite", "postgres"),
        f"CASE WHEN COUNT(*) = 0 THEN 0 ELSE ROUND({_ONES} * 100.0 / COUNT(*), 1) END",
        f"COALESCE(ROUND(100.0 * {_ONES} / NULLIF(COUNT(*), 0), 1), 0)",
        "",
    ),
    (
        ("sqlite", "postgres"),
        "CASE WHEN COUNT(w) > 0 THEN ROUND(COUNT(*) * 1.0 / COUNT(w), 1) END",
        "ROUND(COUNT(*) * 1.0 / NULLIF(COUNT(w), 0), 1)",
        "",
    ),
    (NULL_BY_ZERO, "COUNT(*) / NULLIF(COUNT(w), 0)", "COUNT(*) / COUNT(w)", ""),
    (NULL_BY_ZERO, "ROUND(SUM(v) / NULLIF(SUM(w), 0), 1)", "ROUND(SUM(v) / SUM(w), 1)", ""),
    (("sqlite",), "v % NULLIF(w, 0)", "CASE WHEN w <> 0 THEN v % w END", ""),
]
DIFFERENT = [
    (ALL, f"ROUND({_COUNT} * 100 / COUNT(*), 2)", f"ROUND({_COUNT} / COUNT(*) * 101, 2)", ""),
    (ALL, "COUNT(*) * 1.0 / NULLIF(COUNT(w), 0)", "COUNT(*) * 1.0 / COUNT(*)", "GROUP BY g"),
    (
        ALL,
        "CASE WHEN COUNT(w) = 0 THEN 0 ELSE SUM(w) * 1.0 / COUNT(w) END",
        "SUM(w) * 1.0 / NULLIF(COUNT(w), 0)",
        "",
    ),
    (
        ALL,
        "CASE WHEN COUNT(*) = 0 THEN 0 ELSE SUM(w) * 1.0 / COUNT(*) END",
        "COALESCE(SUM(w) * 1.0 / NULLIF(COUNT(*), 0), 0)",
        "",
    ),
    (("postgres",), "COUNT(*) / NULLIF(COUNT(w), 0)", "COUNT(*) / COUNT(w)", ""),
    (("mysql",), "ROUND(1 / NULLIF(COUNT(w), 0) ^ 2)", "ROUND(1 / COUNT(w) ^ 2)", ""),
    (("postgres",), "v / NULLIF(COUNT(w), 0)", "v / COUNT(w)", "GROUP BY v"),
    (NULL_BY_ZERO, "CASE WHEN w > 0 THEN v / w END", "v / NULLIF(w, 0)", ""),
    (
        ("postgres",),
        "CASE WHEN COUNT(w) = 0 THEN 0 ELSE NULLIF(COUNT(*), 3) * 1.0 / COUNT(w) END",
        "COALESCE(NULLIF(COUNT(*), 3) * 1.0 / NULLIF(COUNT(w), 0), 0)",
        "",
    ),
    (
        ("postgres",),
        "CASE WHEN COUNT(*) = 0 THEN 0 ELSE ROUND(1.0 * COUNT(w) / COUNT(*), NULLIF(1, 1)) END",
        "COALESCE(ROUND(1.0 * COUNT(w) / NULLIF(COUNT(*), 0), NULLIF(1, 1)), 0)",
        "",
    ),
]


def _cases(pairs: list[tuple[tuple[str, ...], str, str, str]]) -> list[tuple[str, str, str]]:
    return [
        (engine, *(f"SELECT {value} FROM t {behind}".strip() for value in (one, other)))
        for engines, one, other, behind in pairs
        for engine in engines
    ]


@pytest.mark.parametrize(("engine", "one", "other"), _cases(EQUAL))
def test_shares_are_proved_equal(engine: str, one: str, other: str) -> None:
    pytest.importorskip({"postgres": "postgast", "duckdb": "duckdb"}.get(engine, "sqlite3"))
    schema = read_ddl(TABLE, "t")
    proof = prove(one, other, schema, dialect=engine)
    assert isinstance(proof, Proof), proof.message
    assert check_proof(proof, schema).holds


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "one", "other"), _cases(EQUAL))
def test_no_database_tells_equal_shares_apart(
    engine: str, one: str, other: str, tmp_path: Path
) -> None:
    with database_of(engine, tmp_path, TABLE) as db:
        assert isinstance(sv.refute_pair(one, other, db=db), NotRefuted)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "one", "other"), _cases(DIFFERENT))
def test_other_shares_are_told_apart(engine: str, one: str, other: str, tmp_path: Path) -> None:
    assert not isinstance(prove(one, other, read_ddl(TABLE, "t"), dialect=engine), Proof)
    with database_of(engine, tmp_path, TABLE) as db:
        assert isinstance(sv.refute_pair(one, other, db=db), Witness)


@pytest.mark.parametrize(
    ("engine", "one", "other"),
    [
        (
            "postgres",
            "SELECT ROUND(2 * v, 1) FROM t GROUP BY 1",
            "SELECT ROUND(v * 3, 1) FROM t GROUP BY 1",
        ),
        ("mysql", "SELECT ROUND(2 * w ^ 3, 1) FROM t", "SELECT ROUND(w * 2 ^ 3, 1) FROM t"),
        (
            "mysql",
            "SELECT ROUND(v), 2 * DATE '2020-01-01' FROM t",
            "SELECT ROUND(v), 2 * `date` '2020-01-01' FROM t",
        ),
        (
            "mysql",
            "SELECT ROUND(2 * COUNT(*) OVER (ORDER BY g), 1) FROM t",
            "SELECT ROUND(COUNT(*) * 2, 1) FROM t",
        ),
        (
            "postgres",
            "SELECT v FROM t UNION ALL SELECT ROUND(2 * g) FROM t GROUP BY ROUND(2 * g)",
            "SELECT v FROM t UNION ALL SELECT ROUND(2 * g) FROM t GROUP BY ROUND(g * 2)",
        ),
        (
            "postgres",
            "SELECT ROUND(2 * g) FROM t GROUP BY ROUND(2 * g) UNION ALL SELECT v FROM t",
            "SELECT ROUND(2 * g) FROM t GROUP BY ROUND(g * 2) UNION ALL SELECT v FROM t",
        ),
    ],
)
def test_a_number_stays_with_its_product(engine: str, one: str, other: str) -> None:
    table = TABLE.replace(")", ", date INTEGER)")
    assert not isinstance(prove(one, other, read_ddl(table, "t"), dialect=engine), Proof)
