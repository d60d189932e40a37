"""A pair that stays open says where the two normal forms part, in words."""

from __future__ import annotations

import pytest

from sqlverdict.evidence import Undecided
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.evidence import derivation_evidence
from sqlverdict.prove.proof import NotProved
from sqlverdict.prove.prover import prove

SCHEMA = read_ddl("CREATE TABLE t (k INTEGER, v INTEGER, s TEXT); CREATE TABLE u (k INTEGER)", "d")
REASONS = [
    (
        "SELECT k FROM t WHERE v > 3",
        "SELECT k FROM t",
        "only the gold asks for t.v > 3",
    ),
    (
        "SELECT k FROM t WHERE v > 3",
        "SELECT k FROM t WHERE v > 4",
        "the gold asks for t.v > 3, the prediction asks for t.v > 4",
    ),
    (
        "SELECT t.k FROM t, u WHERE t.k < u.k",
        "SELECT k FROM t",
        "the gold reads u once, the prediction not at all",
    ),
    (
        "SELECT k FROM t",
        "SELECT t.k FROM t LEFT JOIN u ON t.v = u.k",
        "the gold reads u not at all, the prediction once",
    ),
    ("SELECT k FROM t", "SELECT k, v FROM t", "the gold shows 1 column, the prediction 2"),
    ("SELECT k FROM t", "SELECT v FROM t", "the gold shows t.k, the prediction shows t.v"),
    ("SELECT k FROM t", "SELECT DISTINCT k FROM t", "only the prediction has DISTINCT"),
    (
        "SELECT MAX(v) FROM t GROUP BY k",
        "SELECT MAX(v) FROM t GROUP BY s",
        "the gold groups by t.k, the prediction groups by t.s",
    ),
    (
        "SELECT k FROM t ORDER BY v LIMIT 1",
        "SELECT k FROM t ORDER BY v LIMIT 2",
        "the gold has LIMIT 1, the prediction LIMIT 2",
    ),
    (
        "SELECT k FROM t ORDER BY v LIMIT 1",
        "SELECT k FROM t ORDER BY s LIMIT 1",
        "the gold orders by t.v, the prediction orders by t.s",
    ),
    (
        "SELECT k FROM t UNION SELECT k FROM u",
        "SELECT k FROM t",
        "the gold is a UNION, the prediction a single SELECT",
    ),
    (
        "SELECT k FROM t UNION ALL SELECT k FROM u",
        "SELECT k FROM t UNION ALL SELECT k FROM u WHERE k > 1",
        "in query 2 of them only the prediction asks for u.k > 1",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT k FROM t LIMIT 3)",
        "SELECT COUNT(*) FROM (SELECT k FROM t LIMIT 4)",
        "inside a derived table the gold has LIMIT 3, the prediction LIMIT 4",
    ),
]


@pytest.mark.parametrize(("gold", "prediction", "reason"), REASONS)
def test_an_open_pair_says_where_the_forms_part(gold: str, prediction: str, reason: str) -> None:
    derivation = prove(gold, prediction, SCHEMA)
    assert isinstance(derivation, NotProved)
    assert derivation.message == f"the normal forms differ: {reason}"


def test_the_evidence_has_the_reason() -> None:
    evidence = derivation_evidence(prove("SELECT k FROM t", "SELECT v FROM t", SCHEMA))
    assert isinstance(evidence, Undecided)
    assert evidence.message.endswith("the gold shows t.k, the prediction shows t.v")


def test_a_long_part_is_cut() -> None:
    texts = " OR ".join(f"(v > {n} AND s LIKE 'text number {n}')" for n in range(9))
    derivation = prove(f"SELECT k FROM t WHERE {texts}", "SELECT k FROM t", SCHEMA)
    assert isinstance(derivation, NotProved)
    assert derivation.message.endswith("...")
    assert len(derivation.message) < 150
