"""Whole queries of PostgreSQL in other words: proved equal, and equal where they run; near misses are not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_prove_native_random import _TABLES, broken_pairs

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

pytest.importorskip("postgast", reason="postgast is not installed: extra 'postgres'")

SCHEMA = read_ddl(_TABLES, "postgres")
_EXTRACT, _PART = "EXTRACT(YEAR FROM {0})", "DATE_PART('year', {0})"


def _dated(text: str) -> tuple[str, str]:
    return text.replace("#", _EXTRACT.format("ts")), text.replace("#", _PART.format("ts"))


SAME = [
    # DISTINCT ON
    (
        "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC NULLS LAST",
        "SELECT a, MAX(b) FROM t GROUP BY a ORDER BY a",
    ),
    ("SELECT DISTINCT ON (s) s FROM t", "SELECT DISTINCT s FROM t"),
    (
        "SELECT DISTINCT ON (1) a, b FROM t ORDER BY 1 DESC, 2, id",
        "SELECT a, MIN(b) FROM t GROUP BY a ORDER BY a DESC",
    ),
    (
        "SELECT DISTINCT ON (x) a AS x, b FROM t WHERE id > 1 ORDER BY x, b",
        "SELECT a, MIN(b) FROM t WHERE id > 1 GROUP BY a ORDER BY 1",
    ),
    ("SELECT DISTINCT ON (a, b) b, a FROM t", "SELECT DISTINCT b, a FROM t"),
    (
        "SELECT COUNT(*) FROM (SELECT DISTINCT ON (a) a FROM t) q",
        "SELECT COUNT(*) FROM (SELECT a FROM t GROUP BY a) q",
    ),
    # equal values that are the same
    ("SELECT DISTINCT c FROM t", "SELECT c FROM t GROUP BY c"),
    ("SELECT c, COUNT(*) FROM t GROUP BY c", "SELECT t.c, COUNT(1) FROM t GROUP BY 1"),
    # DISTINCT without two equal rows
    ("SELECT MAX(ts) - MIN(ts) FROM t", "SELECT DISTINCT MAX(ts) - MIN(ts) FROM t"),
    ("SELECT CURRENT_DATE - MAX(d) FROM t", "SELECT DISTINCT CURRENT_DATE - MAX(d) FROM t"),
    (
        "SELECT a, MAX(ts) - MIN(ts) FROM t GROUP BY a",
        "SELECT DISTINCT a, MAX(ts) - MIN(ts) FROM t GROUP BY a",
    ),
    # DATE_PART and EXTRACT
    _dated("SELECT # FROM t"),
    _dated("SELECT DISTINCT # FROM t"),
    _dated("SELECT id FROM t WHERE # = 2020"),
    _dated("SELECT id FROM t WHERE # IN (2020, 2021) OR # BETWEEN 1 AND 2019"),
    _dated("SELECT id FROM t WHERE # >= EXTRACT(YEAR FROM d)"),
    _dated("SELECT # AS y, COUNT(*) FROM t GROUP BY # ORDER BY # DESC"),
    _dated("SELECT SUM(CASE WHEN # = 2020 THEN 1 ELSE 0 END) FROM t"),
    ("SELECT DATE_PART('Month', d) FROM t", "SELECT EXTRACT(MONTH FROM d) FROM t"),
]
NEAR = [
    (
        "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b DESC",
        "SELECT a, MAX(b) FROM t GROUP BY a ORDER BY a",
    ),
    (
        "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b NULLS FIRST",
        "SELECT a, MIN(b) FROM t GROUP BY a ORDER BY a",
    ),
    (
        "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, id, b",
        "SELECT a, MIN(b) FROM t GROUP BY a ORDER BY a",
    ),
    ("SELECT DISTINCT ON (a) b FROM t ORDER BY a, b", "SELECT MIN(b) FROM t GROUP BY b"),
    (
        "SELECT DISTINCT ON (a) id AS a, b FROM t ORDER BY a, b",
        "SELECT a, MIN(b) FROM t GROUP BY a",
    ),
    ("SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b", "SELECT DISTINCT a, b FROM t"),
    ("SELECT DISTINCT b - a FROM t", "SELECT b - a FROM t GROUP BY a, b"),
    (
        "SELECT MAX(ts) - MIN(ts) FROM t GROUP BY a, b",
        "SELECT DISTINCT MAX(ts) - MIN(ts) FROM t GROUP BY a, b",
    ),
    ("SELECT DATE_PART('month', ts) FROM t", "SELECT EXTRACT(DAY FROM ts) FROM t"),
    ("SELECT DATE_PART('year', ts) FROM t", "SELECT EXTRACT(YEAR FROM d) FROM t"),
]
REFUSALS = [
    ("SELECT DISTINCT iv FROM t", "SELECT iv FROM t GROUP BY iv"),
    (
        "SELECT DISTINCT ON (a) a, iv FROM t ORDER BY a, iv",
        "SELECT a, MIN(iv) FROM t GROUP BY a ORDER BY a",
    ),
    ("SELECT DISTINCT ON (a) * FROM t ORDER BY a", "SELECT DISTINCT * FROM t ORDER BY a"),
    ('SELECT DISTINCT ON (a) "A" FROM t', "SELECT DISTINCT a FROM t"),
    _dated("SELECT # / 7 FROM t"),
    _dated("SELECT CAST(# AS TEXT) FROM t"),
    _dated("SELECT AVG(#) FROM t"),
    _dated("SELECT y / 7 FROM (SELECT # AS y FROM t) q"),
    _dated("SELECT # FROM t UNION SELECT a FROM t"),
    _dated("SELECT id FROM t WHERE # = r"),
    ("SELECT DATE_PART('hour', d) FROM t", "SELECT EXTRACT(HOUR FROM d) FROM t"),
    ("SELECT DATE_PART('epoch', ts) FROM t", "SELECT EXTRACT(EPOCH FROM ts) FROM t"),
]
"""Equal on these rows, or in the eyes of one version: nobody proves it."""


@pytest.mark.parametrize(("one", "other"), SAME)
def test_other_words_for_a_query_are_proved(one: str, other: str) -> None:
    for pair in ((one, other), (other, one)):
        proof = prove(*pair, SCHEMA, dialect="postgres")
        assert isinstance(proof, Proof), proof
        assert check_proof(proof, SCHEMA).holds


@pytest.mark.parametrize(("one", "other"), [*NEAR, *REFUSALS])
def test_words_for_another_query_are_not(one: str, other: str) -> None:
    for pair in ((one, other), (other, one)):
        assert not isinstance(prove(*pair, SCHEMA, dialect="postgres"), Proof)


def _columns(pair: tuple[str, str]) -> tuple[int, ...]:
    proof = prove(*pair, SCHEMA, dialect="postgres")
    assert isinstance(proof, Proof)
    return proof.columns


@pytest.mark.slow
def test_other_words_for_a_query_give_the_same_rows() -> None:
    assert list(broken_pairs([(*pair, _columns(pair)) for pair in SAME], 12)) == []


@pytest.mark.slow
def test_words_for_another_query_give_other_rows() -> None:
    pairs: list[tuple[str, str, tuple[int, ...]]] = [(*pair, ()) for pair in NEAR]
    broken = "\n".join(broken_pairs(pairs, 12))
    assert [one for one, _, _ in pairs if one not in broken] == []
