"""A comma join with ON is read as a JOIN, and nothing else of a text changes."""

from __future__ import annotations

import pytest

from sqlverdict.parse.query import joined_by_words, parse
from sqlverdict.records import Query


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a, b FROM t, u ON t.a = u.b", "SELECT a, b FROM t JOIN  u ON t.a = u.b"),
        (
            "SELECT max(a, b) FROM (SELECT a, b FROM t, u ON 1), v ORDER BY 1, 2",
            "SELECT max(a, b) FROM (SELECT a, b FROM t JOIN  u ON 1) JOIN  v ORDER BY 1, 2",
        ),
        (
            "SELECT 1 FROM d, json_each(d.x, '$.a') AS j ON j.key = 1 WHERE a IN (1, 2)",
            "SELECT 1 FROM d JOIN  json_each(d.x, '$.a') AS j ON j.key = 1 WHERE a IN (1, 2)",
        ),
        (
            "SELECT ',' FROM t WHERE a IN (SELECT 1, 2)",
            "SELECT ',' FROM t WHERE a IN (SELECT 1, 2)",
        ),
    ],
)
def test_only_commas_between_tables_change(sql: str, expected: str) -> None:
    assert joined_by_words(sql) == expected


def test_the_query_keeps_its_text() -> None:
    sql = "SELECT t.a FROM t, u ON t.a = u.b"
    query = parse(sql)
    assert isinstance(query, Query)
    assert query.sql == sql
    assert query.tables == ("t", "u")
    assert query.columns == ("a", "b")
