"""Tokens alone tell the order of a plain query, and say just what its tree says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.parse.order import Ordering, TieProbe, ordering, tie_probe
from sqlverdict.parse.plain_order import plain_order
from sqlverdict.parse.query import parse
from sqlverdict.records import Query


def by_tree(sql: str) -> tuple[Ordering, TieProbe | None] | None:
    query = parse(sql)
    return (ordering(query), tie_probe(query)) if isinstance(query, Query) else None


NAMES = st.sampled_from(["a", "b", "t.a", "t.b", '"a"', "A", "year", "name", "rank", "Language"])
VALUES = st.one_of(NAMES, st.sampled_from(["1", "2.5", "'x y'", "count(*)", "max(t.a)", "a - b"]))
COLUMNS = st.one_of(
    VALUES,
    st.just("*"),
    st.just("t.*"),
    st.builds("{} AS {}".format, VALUES, st.sampled_from(["a", "c", '"d e"', "total"])),
    st.builds("{} {}".format, VALUES, st.sampled_from(["c", '"d e"'])),
)
KEYS = st.builds(
    "{}{}".format,
    st.one_of(
        VALUES, st.sampled_from(["c", "total", '"d e"', "1", "2", "abs(a)", "a COLLATE nocase"])
    ),
    st.sampled_from(["", " ASC", " desc", " NULLS LAST"]),
)
TAILS = st.sampled_from(
    ["", " LIMIT 1", " limit 3;", " LIMIT 2 OFFSET 1", " LIMIT 1, 2", " LIMIT -1", " LIMIT 1 + 1"]
)
WHERES = st.sampled_from(
    [
        "",
        " WHERE a = 'order by' AND b != 3",
        " WHERE a IN (SELECT b FROM t ORDER BY b LIMIT 1)",
        " WHERE a NOT LIKE '%limit%' GROUP BY a HAVING count(*) > 1",
        " WHERE a BETWEEN 1 AND 2 UNION SELECT 1",
        " LEFT JOIN u ON t.a = u.a",
        " NATURAL JOIN u",
    ]
)


@given(
    st.sampled_from(["SELECT ", "select distinct ", "SELECT ALL ", "WITH t AS (SELECT 1) SELECT "]),
    st.lists(COLUMNS, min_size=1, max_size=3),
    WHERES,
    st.lists(KEYS, max_size=2),
    TAILS,
)
def test_what_it_says_is_what_the_tree_says(
    head: str, columns: list[str], where: str, keys: list[str], tail: str
) -> None:
    order = f" ORDER BY {', '.join(keys)}" if keys else ""
    sql = f"{head}{', '.join(columns)} FROM t{where}{order}{tail}"
    claim = plain_order(sql)
    assert claim is None or claim == by_tree(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM singer ORDER BY age DESC LIMIT 1",
        "SELECT T1.name , count(*) FROM a AS T1 JOIN b AS T2 ON T1.id = T2.id "
        "GROUP BY T1.id ORDER BY count(*) DESC LIMIT 1;",
        "SELECT count(*) AS n FROM t WHERE x != 'order by' ORDER BY n",
        "SELECT * FROM t WHERE a NOT IN ('b') ORDER BY t.a",
        "SELECT DISTINCT a FROM t ORDER BY b",
        "SELECT a FROM t",
    ],
)
def test_plain_queries_need_no_tree(sql: str) -> None:
    order = plain_order(sql)
    assert order is not None
    assert order == by_tree(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "SELECT a FROM t ORDER BY a COLLATE nocase",
        "SELECT a FROM t ORDER BY a LIMIT 1 OFFSET 2",
        "SELECT a FROM t ORDER BY a LIMIT 1 + 1",
        "SELECT a FROM t UNION SELECT b FROM t ORDER BY 1",
        "SELECT a FROM (SELECT a FROM t ORDER BY a)",
        "(SELECT a FROM t ORDER BY a)",
        "SELECT a b FROM t ORDER BY b",
        "SELECT a FROM t ORDER BY random()",
        "SELECT a FROM t NATURAL JOIN u ORDER BY a",
        "SELECT a FROM t -- ORDER BY a",
        "SELECT a FROM t; SELECT b FROM t ORDER BY b",
        "SELECT ä FROM t ORDER BY ä",
        "SELECT " + "a, " * 2_000 + "a FROM t ORDER BY a",
    ],
)
def test_the_unusual_is_left_to_the_tree(sql: str) -> None:
    assert plain_order(sql) is None


@pytest.mark.data
def test_it_agrees_with_the_tree_on_the_golds_of_spider(data_root: Path) -> None:
    lines = (data_root / "spider" / "dev_gold.sql").read_text("utf-8").splitlines()
    golds = {line.rsplit("\t", 1)[0] for line in lines if "order" in line.lower()}
    order = {sql: result for sql in sorted(golds) if (result := plain_order(sql)) is not None}
    assert len(order) > len(golds) / 2
    sample = sorted(order)[::4]
    assert {sql: order[sql] for sql in sample} == {sql: by_tree(sql) for sql in sample}
