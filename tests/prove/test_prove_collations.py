"""A declared collation counts where its column is compared, and nowhere else."""

from __future__ import annotations

import pytest

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove

DDL = "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, c TEXT{}, d TEXT)"
COLLATED = read_ddl(DDL.format(" COLLATE NOCASE"), "d")
PLAIN = read_ddl(DDL.format(""), "d")

OUTPUTS = [
    ("SELECT id FROM t WHERE v BETWEEN 1 AND 2", "SELECT id FROM t WHERE v >= 1 AND v <= 2"),
    ("SELECT * FROM t WHERE v BETWEEN 1 AND 2", "SELECT * FROM t WHERE v >= 1 AND v <= 2"),
    ("SELECT COUNT(c) FROM t", "SELECT COUNT(*) FROM t WHERE c IS NOT NULL"),
    ("SELECT x FROM (SELECT c AS x, v FROM t) WHERE v = 1", "SELECT c FROM t WHERE v = 1"),
    ("SELECT DISTINCT id, d FROM t", "SELECT id, d FROM t"),
    (
        "SELECT id FROM t WHERE LOWER(c) = 'a' AND v = 1",
        "SELECT id FROM t WHERE v = 1 AND LOWER(c) = 'a'",
    ),
]
COMPARED = [
    ("SELECT id FROM t WHERE c = 'a' AND v = 1", "SELECT id FROM t WHERE v = 1 AND c = 'a'"),
    ("SELECT DISTINCT c FROM t", "SELECT c FROM t GROUP BY c"),
    ("SELECT id FROM t WHERE c IN ('a', 'b')", "SELECT id FROM t WHERE c = 'b' OR c = 'a'"),
    ("SELECT MIN(c) FROM t WHERE v IN (1)", "SELECT MIN(c) FROM t WHERE v = 1"),
    ("SELECT id FROM t WHERE v IN (1) ORDER BY c", "SELECT id FROM t WHERE v = 1 ORDER BY c"),
    ("SELECT c FROM t UNION SELECT d FROM t", "SELECT d FROM t UNION SELECT c FROM t"),
    ("SELECT a.id FROM t a JOIN t b ON a.c = b.d", "SELECT a.id FROM t a, t b WHERE a.c = b.d"),
    (
        "SELECT x FROM (SELECT c AS x, v FROM t) WHERE x = 'a'",
        "SELECT c FROM t WHERE c = 'a'",
    ),
    (
        "SELECT id FROM t WHERE d = (SELECT c FROM t WHERE id = 1)",
        "SELECT id FROM t WHERE (SELECT c FROM t WHERE id = 1) = d",
    ),
]


@pytest.mark.parametrize(("one", "other"), OUTPUTS)
def test_a_column_that_is_shown_may_have_a_collation(one: str, other: str) -> None:
    proof = prove(one, other, COLLATED)
    assert isinstance(proof, Proof), proof
    assert check_proof(proof, COLLATED).holds


@pytest.mark.parametrize(("one", "other"), COMPARED)
def test_a_column_that_is_compared_may_not(one: str, other: str) -> None:
    refusal = prove(one, other, COLLATED)
    assert isinstance(refusal, NotProved)
    assert "has a collation" in refusal.message
    assert prove(one, other, PLAIN).proved


@pytest.mark.parametrize("dialect", ["postgres", "duckdb", "mysql"])
def test_elsewhere_only_folding_is_refused(dialect: str) -> None:
    schema = read_ddl(DDL.format(" COLLATE NOCASE"), "d")
    pair = ("SELECT c FROM t WHERE v IN (1) AND c = 'a'", "SELECT c FROM t WHERE c = 'a' AND v = 1")
    assert prove(*pair, schema, dialect=dialect).proved
    folded = ("SELECT MIN(c) FROM t WHERE v IN (1)", "SELECT MIN(c) FROM t WHERE v = 1")
    assert not prove(*folded, schema, dialect=dialect).proved
    # A server's own collation may do as it likes; those of MySQL are known to be weights.
    distinct = ("SELECT DISTINCT c FROM t WHERE v IN (1)", "SELECT DISTINCT c FROM t WHERE v = 1")
    assert prove(*distinct, schema, dialect=dialect).proved == (dialect == "mysql")
