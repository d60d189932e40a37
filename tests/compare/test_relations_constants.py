"""Which columns of an answer read nothing, and that a relation says so."""

from __future__ import annotations

import subprocess
import sys

import pytest
from msgspec.structs import replace

from sqlverdict.compare.preset import QueryPair
from sqlverdict.compare.related.constants import (
    ANY_WIDTH,
    _outputs_of,
    constant_columns,
    width_of_names,
)
from sqlverdict.compare.related.relate import relate, verify_relation
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


PLAIN = [
    ("SELECT a FROM t", 1),
    ("SELECT DISTINCT a, t.b AS c, COUNT(DISTINCT u.a), max(a) FROM t JOIN u ON t.a = u.a;", 4),
    ("SELECT count(*) FROM t WHERE a IN (SELECT 5) ORDER BY (a)", 1),
    ("SELECT a FROM t WHERE a IN (SELECT 5 UNION SELECT b FROM u)", 1),
    ("SELECT *, a FROM t", ANY_WIDTH),
    ("SELECT t.* FROM t, u", ANY_WIDTH),
    ("SELECT t.current_address_id FROM t", 1),
    ("SELECT a, b FROM t EXCEPT SELECT u.a, max(b) FROM u WHERE a IN (SELECT 1)", 2),
    ("SELECT a FROM t UNION ALL SELECT b FROM u INTERSECT SELECT a FROM t ORDER BY 1", 1),
    ("SELECT a FROM t UNION SELECT * FROM u", ANY_WIDTH),
]
NOT_PLAIN = [
    *(sql for sql, *_ in CONSTANT),
    "SELECT a FROM t; SELECT 2 FROM t",
    "SELECT NULL FROM t",
    "SELECT true, a FROM t",
    "SELECT CURRENT_DATE FROM t",
    "SELECT 'a' FROM t",
    'SELECT "a" FROM t',
    "SELECT max(1, a) FROM t",
    "SELECT sum(1) OVER (ORDER BY a) FROM t",
    "SELECT count() FROM t",
    "SELECT a 5 FROM t",
    "SELECT a FROM t EXCEPT SELECT 1 FROM t",
    "SELECT 1 FROM t EXCEPT SELECT a FROM t",
    "SELECT a FROM t UNION SELECT a, b FROM u",
    "SELECT a FROM t UNION ALL VALUES (1)",
    "SELECT a FROM t UNION SELECT x FROM (SELECT 1 AS x)",
    "SELECT a FROM t WHERE a IN (SELECT 2 UNION SELECT 3) UNION SELECT 1",
    "SELECT x FROM t, (SELECT 1 AS x) WHERE a",
    "SELECT value FROM t, json_each('[1]')",
    "SELECT (SELECT a FROM t)",
    "SELECT a",
    "SELECT , FROM t",
    "SELECT a FROM",
]


@pytest.mark.parametrize(("sql", "width"), PLAIN)
def test_names_alone_are_told_without_the_parser(sql: str, width: int) -> None:
    assert width_of_names(sql) == width
    result = _outputs_of(sql, "sqlite")
    assert result is not None
    columns = len(result.front) if width == ANY_WIDTH else width
    assert all(result.reads_at(index, columns) for index in range(columns))
    assert (result.back is not None) == (width == ANY_WIDTH)
    if result.back is None:
        assert len(result.front) == width


@pytest.mark.parametrize("sql", NOT_PLAIN)
def test_what_may_be_a_constant_is_left_to_the_parser(sql: str) -> None:
    assert width_of_names(sql) is None


@pytest.mark.slow
def test_the_parser_is_not_loaded_for_names() -> None:
    code = (
        "import sys; from sqlverdict.compare.related.constants import constant_columns as c; "
        "assert c('SELECT a FROM t', 'sqlite', 1) == (); assert 'sqlglot' not in sys.modules; "
        "assert c('SELECT 1, a FROM t', 'sqlite', 2) == (0,); assert 'sqlglot' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_relation_names_the_constants_it_rests_on() -> None:
    gold = Answer(("n",), [(245,)])
    prediction = Answer(("a", "b"), [(17, 245)])
    pair = QueryPair("SELECT count(*) FROM t", "SELECT max(x), 245 FROM t")
    (result,) = relate(gold, prediction, pair)
    assert (result.kind, result.detail["constant"]) == ("extra_columns", [1])
    assert verify_relation(result, gold, prediction, pair)
    silent = {key: value for key, value in result.detail.items() if key != "constant"}
    assert not verify_relation(replace(result, detail=silent), gold, prediction, pair)


def test_a_constant_beyond_the_golds_columns_is_nobody_s_business() -> None:
    gold = Answer(("n",), [(245,)])
    prediction = Answer(("a", "b"), [(245, 17)])
    pair = QueryPair("SELECT count(*) FROM t", "SELECT count(*), 17 FROM t")
    (result,) = relate(gold, prediction, pair)
    assert "constant" not in result.detail
