"""Other words for the same on PostgreSQL: proved equal, and equal where they run; near misses are not."""

from __future__ import annotations

import re
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
_DIVIDED = "t.a / 2"
"""What our own parser does not vouch for, so that PostgreSQL's reads the whole query."""

SAME = [
    ("s ILIKE 'A%'", "LOWER(s) LIKE 'a%'"),
    ("s NOT ILIKE '%b'", "NOT (s ILIKE '%B')"),
    ("s ~ '^a'", "s LIKE 'a%'"),
    ("s ~ 'b$'", "s LIKE '%b'"),
    ("s !~ 'a'", "s NOT LIKE '%a%'"),
    ("a = ANY (ARRAY[1, 2])", "a IN (2, 1)"),
    ("a <> ALL (ARRAY[1, 2])", "a NOT IN (1, 2)"),
    ("a = ANY ('{1,2}'::int[])", "a IN (2, 1)"),
    ("big = ANY (CAST('{1, 2,0}' AS bigint[]))", "big IN (0, 1, 2)"),
    ("n <> ALL ('{1,2}'::integer[])", "n NOT IN (2, 1)"),
    ("a = ANY ('{0}'::int[])", "a = 0"),
    ("c ~ 'b$'", "c LIKE '%b'"),
    ("c = 'ab'", "c = 'ab    '"),
    ("c <> 'ab '", "'ab' <> c"),
    ("c IN ('a ', 'ab')", "c IN ('ab ', 'a')"),
    ("c BETWEEN 'a ' AND 'b'", "c >= 'a' AND c <= 'b  '"),
    ("DATE(ts) = d", "ts::date = d"),
    ("DATE(tz) < DATE(now())", "CAST(tz AS DATE) < CURRENT_DATE"),
    ("tz < now()", "tz < CURRENT_TIMESTAMP"),
    ("EXTRACT(YEAR FROM age(d)) > 3", "date_part('year', age(CURRENT_DATE, d)) > 3"),
    ("age(tz) > interval '1 day'", "age(CURRENT_DATE, tz) > interval '1 day'"),
    (
        "EXTRACT(YEAR FROM tz) IN (2020, 2021)",
        "date_part('year', tz) = 2020 OR 2021 = EXTRACT(YEAR FROM tz)",
    ),
    (
        "EXTRACT(DAY FROM d) BETWEEN 1 AND 5",
        "EXTRACT(DAY FROM d) >= 1 AND 5 >= EXTRACT(DAY FROM d)",
    ),
    ("NOT to_char(tz, 'YYYY-MM') = '2020-03'", "to_char(tz, 'YYYY-MM') <> '2020-03'"),
    (
        "tz::date BETWEEN '2020-01-01' AND '2020-01-31'",
        "DATE(tz) >= '2020-01-01' AND tz::date < DATE '2020-02-01'",
    ),
    ("j->>'a' IN ('x', 'y')", "j->>'a' = 'x' OR j->>'a' = 'y'"),
    ("DATE_TRUNC('MONTH', ts) = ts", "date_trunc('month', ts) = ts"),
    ("EXTRACT(YEAR FROM d) = 2020", "extract('year' FROM d) = 2020"),
    ("ts - d > interval '2 weeks'", "ts - d > interval '14 days'"),
    ("iv >= interval '24 hours'", "iv >= interval '1440 minutes'"),
    ("DATE '2020-03-01' - 30 < d", "d > DATE '2020-03-01' - 30"),
    ("CURRENT_DATE - 30 < d AND a > 1", "a > 1 AND d > CURRENT_DATE - 30"),
    ("CURRENT_DATE >= d", "d <= CURRENT_DATE"),
    ("DATE(ts + interval '1 day') = d", "d = DATE(ts + interval '1 day')"),
    ("a / 2 < big / 3", "big / 3 > a / 2"),
    ("CASE WHEN now() > tz THEN a ELSE b END = 1", "CASE WHEN tz < now() THEN a ELSE b END = 1"),
    ("STRPOS(s, 'b') = 2", "POSITION('b' IN s) = 2"),
    ("STRPOS(s, c) > a", "POSITION(c IN s) > a"),
    ("MOD(a, 3) = 1", "a % 3 = 1"),
    ("MOD(big, 7 % 4) = 1", "big % 3 = 1"),
]
PLAIN_SAME = [
    ("s = ANY (ARRAY['a', 'ab '])", "s IN ('ab ', 'a')"),
    ("s <> ALL ((ARRAY['a', 'ab']))", "s <> 'ab' AND s <> 'a'"),
    ("a <> ALL (ARRAY[1, 2])", "a NOT IN (2, 1)"),
    ("STRPOS(s, 'b') > 0", "s LIKE '%b%'"),
    ("POSITION('b' IN s) = 0", "s NOT LIKE '%b%'"),
    ("ts::date = '2020-02-29'", "ts >= '2020-02-29' AND ts < '2020-03-01'"),
    ("DATE(ts) <= DATE '2020-01-31'", "ts < '2020-02-01'"),
    ("'2020-01-31' < CAST(ts AS DATE)", "ts >= '2020-02-01'"),
    ("ts::date >= '2020-02-29'", "NOT ts::date < '2020-02-29'"),
    ("DATE_TRUNC('month', ts) = '2020-02-01'", "ts >= '2020-02-01' AND ts < '2020-03-01'"),
    ("DATE_TRUNC('year', d) = '2020-01-01'", "EXTRACT(YEAR FROM d) = 2020"),
    ("DATE_TRUNC('day', ts) = '2020-02-29'", "ts::date = '2020-02-29'"),
    ("a > ANY (SELECT u.t_id FROM u)", "a > (SELECT MIN(t_id) FROM u)"),
    ("a <= SOME (SELECT u.a FROM u WHERE u.a < 3)", "a <= (SELECT MAX(a) FROM u WHERE a < 3)"),
]
"""Pairs that are read without PostgreSQL's own parser."""
PLAIN_NEAR = [
    ("c = ANY (ARRAY['a', 'ab '])", "c IN ('ab ', 'a')"),
    ("s <> ANY (ARRAY['a', 'ab'])", "s NOT IN ('ab', 'a')"),
    ("s = ALL (ARRAY['a', 'ab'])", "s IN ('ab', 'a')"),
    ("STRPOS(s, 'b') > 2", "s LIKE '%b%'"),
    ("STRPOS(s, 'b') > 0", "s LIKE 'b%'"),
    ("ts::date = '2020-01-31'", "ts = '2020-01-31'"),
    ("ts::date <= '2020-01-31'", "ts <= '2020-01-31'"),
    ("DATE_TRUNC('month', ts) = '2020-02-29'", "ts >= '2020-02-01' AND ts < '2020-03-01'"),
    ("DATE_TRUNC('month', d) = '2020-01-01'", "DATE_TRUNC('year', d) = '2020-01-01'"),
    ("NOT a > ANY (SELECT u.t_id FROM u)", "NOT a > (SELECT MIN(t_id) FROM u)"),
    ("a > ANY (SELECT u.t_id FROM u)", "a > (SELECT MAX(t_id) FROM u)"),
]
SAME_QUERIES = [
    ("SELECT id FROM t ORDER BY id LIMIT ALL", "SELECT id FROM t ORDER BY id"),
    ("SELECT id FROM t ORDER BY id LIMIT NULL", "SELECT id FROM t ORDER BY id"),
    ("SELECT DISTINCT ON (id) id, s FROM t", "SELECT id, s FROM t"),
    ("SELECT b, BOOL_OR(a > 1) FROM t GROUP BY b", "SELECT b, MAX(a) > 1 FROM t GROUP BY b"),
    ("SELECT BOOL_AND(a > 1) FROM t", "SELECT NOT BOOL_OR(a <= 1) FROM t"),
    ("SELECT BOOL_OR(ok) FROM t", "SELECT BOOL_OR(ok = TRUE) FROM t"),
    ("SELECT a FROM t GROUP BY a HAVING BOOL_OR(b > 1)", "SELECT DISTINCT a FROM t WHERE b > 1"),
    (
        "SELECT a FROM t GROUP BY a HAVING NOT BOOL_AND(b > 1)",
        "SELECT a FROM t GROUP BY a HAVING MIN(b) <= 1",
    ),
    (
        "SELECT DISTINCT ON (a) a, s FROM t ORDER BY a, b DESC, id",
        "SELECT a, s FROM (SELECT a, s, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC, id) AS n"
        " FROM t) x WHERE n = 1 ORDER BY a",
    ),
    (
        "SELECT z + 1 FROM (SELECT DISTINCT ON (1) a AS z, id AS i FROM t ORDER BY z, i DESC) x",
        "SELECT a + 1 FROM (SELECT a, ROW_NUMBER() OVER (PARTITION BY a ORDER BY id DESC) AS n"
        " FROM t) x WHERE n = 1",
    ),
]
NEAR_QUERIES = [
    ("SELECT BOOL_OR(a > 1) FROM t", "SELECT BOOL_AND(a > 1) FROM t"),
    ("SELECT BOOL_OR(a > 1) FROM t", "SELECT COUNT(*) > 0 FROM t WHERE a > 1"),
    (
        "SELECT a FROM t GROUP BY a HAVING NOT BOOL_OR(b > 1)",
        "SELECT a FROM t GROUP BY a HAVING COUNT(CASE WHEN b > 1 THEN 1 END) = 0",
    ),
    ("SELECT id FROM t ORDER BY id LIMIT 2", "SELECT id FROM t ORDER BY id LIMIT ALL"),
    (
        "SELECT DISTINCT ON (a) a, id FROM t ORDER BY a, b DESC, id",
        "SELECT DISTINCT ON (a) a, id FROM t ORDER BY a, b, id",
    ),
    (
        "SELECT DISTINCT ON (a) a, id FROM t ORDER BY a, b, id",
        "SELECT a, id FROM (SELECT a, id, ROW_NUMBER() OVER (PARTITION BY a, b ORDER BY id) AS n"
        " FROM t) x WHERE n = 1 ORDER BY a",
    ),
]
NEAR = [
    ("STRPOS(s, c) > 0", "STRPOS(c, s) > 0"),
    ("MOD(a, 3) = 1", "MOD(a, 2) = 1"),
    ("c ILIKE 'ab'", "LOWER(c) LIKE 'ab'"),
    ("c = ANY (ARRAY['ab '])", "c IN ('ab ')"),
    ("c = 'ab'", "c = ' ab'"),
    ("c LIKE 'ab%'", "c LIKE 'ab  %'"),
    ("s = 'ab'", "s = 'ab '"),
    ("s IN ('a', 'ab')", "s IN ('a', 'ab ')"),
    ("s ~ '^a|b'", "s LIKE 'a|b%'"),
    ("s ~ 'a.'", "s LIKE '%a.%'"),
    ("s ~* 'a'", "s ~ 'a'"),
    ("a <> ANY (ARRAY[1, 2])", "a NOT IN (1, 2)"),
    ("a = ANY ('{1,2}'::int[])", "a IN (1, 3)"),
    ("a <> ALL ('{1,NULL}'::int[])", "a <> 1"),
    ("a <> ANY ('{1,2}'::int[])", "a NOT IN (1, 2)"),
    ("s = ANY ('{1,2}'::text[])", "s IN ('1', 'ab')"),
    ("a = ALL (ARRAY[1, 2])", "a IN (1, 2)"),
    ("iv = interval '1 month'", "iv = interval '30 seconds'"),
    ("DATE_TRUNC('MONTH', ts) = ts", "date_trunc('day', ts) = ts"),
    ("EXTRACT(YEAR FROM tz) IN (2020, 2021)", "EXTRACT(YEAR FROM tz) = 2020"),
    ("tz::date <= '2020-02-01'", "tz::date < DATE '2020-02-01'"),
    ("age(d) > interval '1 day'", "age(tz, d) > interval '1 day'"),
    ("DATE '2020-03-01' - 30 < d", "d < DATE '2020-03-01' - 30"),
    ("DATE '2020-03-01' - 30 < d", "d > DATE '2020-03-31' - 30"),
    ("DATE '2020-03-01' - 1 <= d", "d > DATE '2020-03-01' - 1"),
]
MIRRORED_APART = [
    ("SELECT COUNT(*) FROM t GROUP BY {one} HAVING {two}", "HAVING {one}"),
    ("SELECT {one} AS x, COUNT(*) FROM t GROUP BY x HAVING {two}", "HAVING {one}"),
    ("SELECT {one}, COUNT(*) FROM t GROUP BY 1 HAVING {two}", "HAVING {one}"),
    ("SELECT DISTINCT {one} FROM t ORDER BY {two}", "ORDER BY {one}"),
]
"""PostgreSQL refuses the first query of each: it takes the two for different expressions."""


def queries(one: str, other: str) -> tuple[str, str]:
    """Two queries whose conditions are these."""
    return (
        f"SELECT id, {_DIVIDED} FROM t WHERE {one}",
        f"SELECT id, {_DIVIDED} FROM t WHERE {other}",
    )


def filters(one: str, other: str) -> tuple[str, str]:
    """The same in plain words."""
    return f"SELECT id FROM t WHERE {one}", f"SELECT id FROM t WHERE {other}"


ALL_SAME = [*(queries(*p) for p in SAME), *(filters(*p) for p in PLAIN_SAME), *SAME_QUERIES]
ALL_NEAR = [*(queries(*p) for p in NEAR), *(filters(*p) for p in PLAIN_NEAR), *NEAR_QUERIES]


@pytest.mark.parametrize(("one", "other"), ALL_SAME)
def test_other_words_for_the_same_are_proved(one: str, other: str) -> None:
    proof = prove(one, other, SCHEMA, dialect="postgres")
    assert isinstance(proof, Proof), proof
    assert check_proof(proof, SCHEMA).holds


@pytest.mark.parametrize(("one", "other"), ALL_NEAR)
def test_words_for_something_else_are_not(one: str, other: str) -> None:
    assert not isinstance(prove(one, other, SCHEMA, dialect="postgres"), Proof)


@pytest.mark.parametrize(("failing", "end"), MIRRORED_APART)
def test_a_mirrored_comparison_is_another_term_of_group_by(failing: str, end: str) -> None:
    terms = {"one": "d > CURRENT_DATE", "two": "CURRENT_DATE < d"}
    start = failing.partition(end.partition(" ")[0])[0]
    pair = failing.format(**terms), (start + end).format(**terms)
    assert not isinstance(prove(*pair, SCHEMA, dialect="postgres"), Proof)


def _columns(sql: str) -> tuple[int, ...]:
    """The columns that a query shows, which DISTINCT ON does not."""
    outputs = re.sub(r"DISTINCT ON \(\w+\)", "", sql).partition(" FROM ")[0]
    return tuple(range(outputs.count(",") + 1))


@pytest.mark.slow
def test_other_words_for_the_same_give_the_same_rows() -> None:
    pairs = [(*pair, _columns(pair[0])) for pair in ALL_SAME]
    assert list(broken_pairs(pairs, 12)) == []


@pytest.mark.slow
def test_words_for_something_else_give_other_rows() -> None:
    pairs = [(*pair, _columns(pair[0])) for pair in ALL_NEAR]
    broken = "\n".join(broken_pairs(pairs, 12))
    assert [one for one, _, _ in pairs if one not in broken] == []
