"""A bare text says what the text says, and what is beyond our tools is read in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.parse.measure import bare_text
from sqlverdict.parse.query import parse
from sqlverdict.records import Query

NUMBERS = ", ".join(map(str, range(20_000)))


@pytest.mark.parametrize(
    ("sql", "bare"),
    [
        ("SELECT a FROM t WHERE 1 IN (0, 1)", "SELECT a FROM t WHERE 1"),
        ("SELECT a FROM t WHERE a AND 7 IN (0,1) OR b", "SELECT a FROM t WHERE a AND 0 OR b"),
        ("SELECT a FROM t WHERE ('a' IN ('b', 'a'))", "SELECT a FROM t WHERE (1)"),
        ("SELECT a /* 'x */FROM t -- y", "SELECT a  FROM t  "),
        ("SELECT '--', \"/*\" FROM t", "SELECT '--', \"/*\" FROM t"),
        ("SELECT a FROM t WHERE a = 1 IN (0, 1)", None),
        ("SELECT a FROM t WHERE a IS NOT 1 IN (0, 1)", None),
        ("SELECT a FROM t WHERE a BETWEEN 0 AND 1 IN (0)", None),
        ("SELECT a FROM t WHERE 1 IN (0, NULL)", None),
        ("SELECT a FROM t WHERE 1 IN (0, '1')", None),
        ("SELECT a FROM t WHERE 1 IN (SELECT a FROM t)", None),
        ("SELECT a FROM t WHERE 1 IN (0, 1", None),
    ],
)
def test_comments_and_decided_memberships_are_left_out(sql: str, bare: str | None) -> None:
    assert bare_text(sql) == (sql if bare is None else bare)


WORDS = st.lists(
    st.sampled_from(
        [
            *("1", "0", "a", "'x'", "'y'", "IN", "(", ")", ",", "AND", "OR", "NOT", "=", "+"),
            *("1 IN (0, 1)", "'x' IN ('y')", "/* IN */", "-- x\n", "BETWEEN", "IS", "a IN (1)"),
        ]
    ),
    max_size=12,
)


@given(WORDS)
def test_a_bare_text_gives_the_same_answer(words: list[str]) -> None:
    sql = "SELECT a FROM t WHERE " + " ".join(words)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (a)")
        database.executemany("INSERT INTO t VALUES (?)", [(0,), (1,), ("x",), (None,)])
        try:
            rows = database.execute(sql).fetchall()
        except sqlite3.Error:
            return
        assert database.execute(bare_text(sql)).fetchall() == rows


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT a FROM t WHERE a = 3 AND 1 IN ({NUMBERS})",
        f"SELECT a FROM t WHERE a = 3 /* {'x' * 200_000} */",
        "SELECT a FROM t WHERE a = 3 -- " + "x" * 200_000,
        "SELECT a FROM t WHERE a = 3 /* ",
        f"SELECT a FROM t WHERE a = 3{' ' * 250_000}",
    ],
    ids=["list", "block", "line", "open", "spaces"],
)
def test_no_comment_and_no_list_makes_a_text_too_large_to_read(sql: str) -> None:
    query = parse(sql)
    assert isinstance(query, Query), query
    assert len(query.sql) < 60
    assert query.tables == ("t",)
