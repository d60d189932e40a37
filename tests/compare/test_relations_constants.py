"""Which columns of an answer read nothing, and that a relation says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlverdict.compare.preset import Pair
from sqlverdict.compare.relations import relate, verify
from sqlverdict.compare.relations._constants import constant_columns
from sqlverdict.records import Answer

CONSTANT: list[tuple[str, int, tuple[int, ...]]] = [
    ("SELECT 0, 1, 2", 3, (0, 1, 2)),
    ("SELECT 245 FROM t", 1, (0,)),
    ("SELECT x FROM (SELECT 245 AS x)", 1, (0,)),
    ("SELECT x, name FROM t, (SELECT 245 AS x)", 2, (0,)),
    ("SELECT count(*), 5 FROM t", 2, (1,)),
    ("SELECT 7, *, 5 FROM t", 4, (0, 3)),
    (
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20) "
        "SELECT i FROM n",
        1,
        (0,),
    ),
    ("SELECT (SELECT count(*) FROM t), (SELECT 4)", 2, (1,)),
    ("VALUES (1, 2)", 2, (0, 1)),
    ("SELECT * FROM (VALUES (1, 2))", 2, (0, 1)),
    ("SELECT max(245) FROM t", 1, (0,)),
    ("SELECT 3 UNION SELECT a FROM t", 1, (0,)),
    ("WITH w AS (SELECT a, 5 AS b FROM t) SELECT b, a FROM w", 2, (0,)),
    ("SELECT w.* FROM (SELECT 4 AS a, b FROM t) w", 2, (0,)),
    ("SELECT count(*) FROM (SELECT 1 UNION SELECT 2)", 1, (0,)),
    ("SELECT value FROM json_each('[1, 2]')", 1, (0,)),
]
READING = [
    ("SELECT count(*) FROM t", 1),
    ("SELECT sum(1) FROM t", 1),
    ("SELECT CASE WHEN EXISTS (SELECT 1 FROM t) THEN 'yes' ELSE 'no' END", 1),
    ("SELECT a FROM t UNION SELECT b FROM u", 1),
    ("SELECT CAST(strftime('%Y', d) AS INT) FROM t", 1),
    ("SELECT (SELECT t.a) FROM t", 1),
    ("SELECT a FROM (t JOIN u)", 1),
    ("SELECT rank() OVER (ORDER BY a) FROM t", 1),
    ("SELECT j.value FROM t, json_each(t.a) AS j", 1),
]


@pytest.mark.parametrize(("sql", "width", "expected"), CONSTANT)
def test_columns_of_literals_are_constant(sql: str, width: int, expected: tuple[int, ...]) -> None:
    assert constant_columns(sql, "sqlite", width) == expected


@pytest.mark.parametrize(("sql", "width"), READING)
def test_columns_that_read_rows_are_not(sql: str, width: int) -> None:
    assert constant_columns(sql, "sqlite", width) == ()


@pytest.mark.parametrize("sql", ["no SQL", "SELECT (" * 300, "SELECT 1; SELECT 2", ""])
def test_a_text_that_cannot_be_followed_is_not_judged(sql: str) -> None:
    assert constant_columns(sql, "sqlite", 1) is None


def test_a_relation_names_the_constants_it_rests_on() -> None:
    gold = Answer(("n",), [(245,)])
    prediction = Answer(("a", "b"), [(17, 245)])
    pair = Pair("SELECT count(*) FROM t", "SELECT max(x), 245 FROM t")
    (found,) = relate(gold, prediction, pair)
    assert (found.kind, found.detail["constant"]) == ("extra_columns", [1])
    assert verify(found, gold, prediction, pair)
    silent = {key: value for key, value in found.detail.items() if key != "constant"}
    assert not verify(replace(found, detail=silent), gold, prediction, pair)


def test_a_constant_beyond_the_golds_columns_is_nobody_s_business() -> None:
    gold = Answer(("n",), [(245,)])
    prediction = Answer(("a", "b"), [(245, 17)])
    pair = Pair("SELECT count(*) FROM t", "SELECT count(*), 17 FROM t")
    (found,) = relate(gold, prediction, pair)
    assert "constant" not in found.detail
