"""What is said to be free of the order of rows is, and what may depend on it is not said so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.execute.in_memory import in_memory_engine
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Query, Row
from sqlverdict.refute.trial.determined import is_order_free

SCHEMA = read_ddl("CREATE TABLE t (a INTEGER, b TEXT, c REAL); CREATE TABLE u (a INTEGER, d)", "s")
NOCASE = read_ddl("CREATE TABLE t (a INTEGER, b TEXT COLLATE NOCASE, c REAL)", "s")
FREE = [
    "SELECT a, b FROM t WHERE c > 1 ORDER BY a",
    "SELECT DISTINCT a FROM t UNION SELECT d FROM u",
    "SELECT count(*), max(a), min(b) FROM t",
    "SELECT b, count(DISTINCT a) AS n FROM t GROUP BY b HAVING count(*) > 1 ORDER BY n",
    "SELECT t.b FROM t JOIN u ON t.a = u.a WHERE u.d IN (SELECT a FROM t)",
    "SELECT a FROM t WHERE a = (SELECT max(a) FROM u) AND EXISTS (SELECT 1 FROM u WHERE d = b)",
    "SELECT x.n FROM (SELECT a, count(*) AS n FROM t GROUP BY a) AS x EXCEPT SELECT d FROM u",
    "WITH x AS (SELECT a FROM t) SELECT * FROM x LEFT JOIN u ON x.a = u.a",
]
BOUND = [
    "SELECT a FROM t LIMIT 1",
    "SELECT sum(c) FROM t",
    "SELECT avg(a) FROM t",
    "SELECT group_concat(b) FROM t",
    "SELECT b, max(a) FROM t",
    "SELECT a, b FROM t GROUP BY a",
    "SELECT a + c FROM t GROUP BY a",
    "SELECT count(*) FROM t GROUP BY a HAVING b = 'x'",
    "SELECT count(*) FROM t GROUP BY a ORDER BY c",
    "SELECT * FROM t GROUP BY a",
    "SELECT a FROM t WHERE a = (SELECT a FROM u)",
    "SELECT a FROM t WHERE a = (SELECT max(a) FROM u GROUP BY d)",
    "SELECT (SELECT d FROM u WHERE u.a = t.a) FROM t",
    "SELECT rowid FROM t",
    "SELECT row_number() OVER (ORDER BY a) FROM t",
    "SELECT DISTINCT b COLLATE NOCASE FROM t",
    "SELECT json_group_array(a) FROM t",
    "SELECT total(c) FROM t",
]
_numbers = st.none() | st.integers(0, 3)
_ts = st.lists(
    st.tuples(_numbers, st.none() | st.sampled_from("xyXY"), st.none() | st.floats(0, 2)),
    max_size=5,
)
_us = st.lists(st.tuples(_numbers, _numbers | st.sampled_from("xy")), max_size=4)
SCRATCH = in_memory_engine().scratch_database(SCHEMA, frozenset())


def _query(sql: str) -> Query:
    query = parse(sql)
    assert isinstance(query, Query)
    return query


@pytest.mark.parametrize("sql", FREE)
def test_plain_questions_are_free(sql: str) -> None:
    assert is_order_free(_query(sql), SCHEMA)


@pytest.mark.parametrize("sql", BOUND)
def test_whatever_picks_a_row_is_not(sql: str) -> None:
    assert not is_order_free(_query(sql), SCHEMA)


def test_a_collation_of_the_schema_counts() -> None:
    assert not is_order_free(_query("SELECT DISTINCT b FROM t"), NOCASE)


@given(_ts, _us, st.data())
def test_free_answers_are_the_same_in_any_order(
    ts: list[Row], us: list[Row], data: st.DataObject
) -> None:
    other = {"t": data.draw(st.permutations(ts)), "u": data.draw(st.permutations(us))}
    for sql in FREE:
        SCRATCH.load({"t": ts, "u": us})
        before = SCRATCH.run(sql)
        SCRATCH.load(other)
        after = SCRATCH.run(sql)
        assert isinstance(before, Answer)
        assert isinstance(after, Answer)
        assert before.bag == after.bag
