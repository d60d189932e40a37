"""Ties under LIMIT: what an engine picks by habit is no answer, and no witness rests on it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sqlverdict.compare.preset import PRESETS
from sqlverdict.execute.in_memory import warm_scratch
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Answer
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.determined import is_determined
from sqlverdict.refute.trial.tie_breaks import broken_ties
from sqlverdict.refute.witness import Witness

SCHEMA = read_ddl(
    """
    CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT, size INTEGER);
    CREATE TABLE hired (worker INTEGER PRIMARY KEY, shop INTEGER REFERENCES shop(id), pay INTEGER);
    """,
    "shops",
)
BUSIEST = "SELECT s.name FROM hired h JOIN shop s ON h.shop = s.id GROUP BY {} ORDER BY {} LIMIT 1"


@pytest.mark.parametrize(
    ("sql", "rising"),
    [
        (
            "SELECT a, b FROM t ORDER BY c LIMIT 1",
            "SELECT a, b FROM t ORDER BY c, 1 ASC, 2 ASC LIMIT 1",
        ),
        ("SELECT * FROM t LIMIT 3", "SELECT * FROM t ORDER BY 1 ASC LIMIT 3"),
        ("SELECT a, t.* FROM t LIMIT 3", "SELECT a, t.* FROM t ORDER BY 1 ASC LIMIT 3"),
        (
            "SELECT a * 2, count(*) FROM t GROUP BY a ORDER BY max(b, c) limit 2 OFFSET 1",
            "SELECT a * 2, count(*) FROM t GROUP BY a ORDER BY max(b, c), 1 ASC, 2 ASC limit 2 OFFSET 1",
        ),
        (
            "SELECT a FROM t WHERE b = (SELECT c FROM u LIMIT 1) ORDER BY a",
            "SELECT a FROM t WHERE b = (SELECT c FROM u ORDER BY 1 ASC LIMIT 1) ORDER BY a",
        ),
        (
            "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 LIMIT 2",
            "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1, 1 ASC LIMIT 2",
        ),
        (
            "SELECT rank() OVER (ORDER BY a) FROM t LIMIT 2 -- no limit",
            "SELECT rank() OVER (ORDER BY a) FROM t ORDER BY 1 ASC LIMIT 2 -- no limit",
        ),
        (
            "SELECT a FROM (SELECT a FROM t ORDER BY b DESC) LIMIT 1",
            "SELECT a FROM (SELECT a FROM t ORDER BY b DESC, 1 ASC) LIMIT 1",
        ),
        (
            "WITH d AS (SELECT a, b FROM t ORDER BY c) SELECT a FROM d LIMIT 1",
            "WITH d AS (SELECT a, b FROM t ORDER BY c, 1 ASC, 2 ASC) SELECT a FROM d LIMIT 1",
        ),
    ],
)
def test_each_limit_gets_further_sort_keys(sql: str, rising: str) -> None:
    up, down = broken_ties(sql)
    assert normalised(up) == normalised(rising)
    assert normalised(down) == normalised(rising.replace(" ASC", " DESC"))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("CREATE TABLE t (a, b, c); CREATE TABLE u (b, c)")
        connection.execute(up)
        connection.execute(down)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t ORDER BY b",
        "SELECT 'limit' FROM t",
        'SELECT "limit"',
        "(SELECT a FROM t)",
        "SELECT a FROM (SELECT a FROM t) WHERE a IN (SELECT b FROM u) AND EXISTS (SELECT 1 FROM u)",
        "SELECT a FROM ((SELECT a FROM t)) WHERE a IN ((SELECT b FROM u)) AND EXISTS ((SELECT 1))",
    ],
)
def test_where_no_row_is_picked_there_is_nothing_to_break(sql: str) -> None:
    assert broken_ties(sql) == ()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT (SELECT b FROM u) FROM t, (SELECT c FROM u) v WHERE a >= ( SELECT b FROM u )",
        "SELECT b FROM (SELECT (SELECT b FROM u) AS b FROM t), (SELECT c FROM u) v"
        " WHERE b = COALESCE((SELECT b FROM u), 7) AND b = IFNULL(NULL, (SELECT b FROM u))",
        "SELECT b FROM (SELECT MAX((SELECT b FROM u)) AS b FROM t), (SELECT c FROM u) v",
        "SELECT MIN(9, (SELECT b FROM u)) FROM t, (SELECT c FROM u) v",
    ],
)
def test_a_subquery_for_one_value_may_be_any_of_its_rows(sql: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(
            """
            CREATE TABLE t (a, b, c); CREATE TABLE u (b, c);
            INSERT INTO t VALUES (9, 9, 9); INSERT INTO u VALUES (2, 1), (3, 1), (1, 1), (4, 1);
            """
        )
        results = [connection.execute(broken).fetchall() for broken in broken_ties(sql)]
    assert results == [[(value,)] * 4 for value in (1, 4, 2, 3)]


def _is_determined(
    gold: str, prediction: str, rows: dict[str, tuple[tuple[int | str, ...], ...]]
) -> bool:
    scratches = (warm_scratch(SCHEMA, None, False), warm_scratch(SCHEMA, frozenset(), True))
    scratches[0].load(rows)
    queries_and_answers = (
        (gold, scratches[0].run(gold)),
        (prediction, scratches[0].run(prediction)),
    )
    return is_determined(*queries_and_answers, rows, scratches, PRESETS.get("strict"), "sqlite")


def test_groups_that_tie_are_told_from_groups_that_do_not() -> None:
    by_shop = BUSIEST.format("h.shop", "count(*) DESC")
    by_name = BUSIEST.format("s.name", "count(*) DESC")
    shops = ((1, "x", 1), (2, "a", 1), (3, "a", 1))
    hired = ((1, 1, 0), (2, 1, 0), (3, 2, 0), (4, 3, 0))
    # By name, "a" and "x" have two each: SQLite shows "a", and might as well show "x".
    assert not _is_determined(by_shop, by_name, {"shop": shops, "hired": hired})
    assert not _is_determined(by_name, by_shop, {"shop": shops, "hired": hired})
    more = (*hired, (5, 1, 0), (6, 2, 0), (7, 3, 0))
    assert _is_determined(by_shop, by_name, {"shop": shops, "hired": more})


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (BUSIEST.format("h.shop", "count(*) DESC"), BUSIEST.format("s.name", "count(*) DESC")),
        (BUSIEST.format("h.shop", "count(*) DESC"), BUSIEST.format("h.shop", "count(h.pay) DESC")),
        (BUSIEST.format("h.shop", "count(*)"), BUSIEST.format("h.shop", "count(DISTINCT h.pay)")),
        (BUSIEST.format("s.id", "max(h.pay) DESC"), BUSIEST.format("s.id", "sum(h.pay) DESC")),
        (BUSIEST.format("s.id", "sum(s.size) DESC"), BUSIEST.format("s.id", "avg(s.size) DESC")),
    ],
)
def test_rankings_by_different_measures_part_without_a_tie(gold: str, prediction: str) -> None:
    witness = find_witness(gold, prediction, SCHEMA)
    assert isinstance(witness, Witness)
    scratch = warm_scratch(SCHEMA, None, False)
    scratch.load(witness.instance.rows)
    for sql, outcome in ((gold, witness.gold), (prediction, witness.prediction)):
        assert isinstance(outcome, Answer)
        for broken in broken_ties(sql):
            again = scratch.run(broken)
            assert isinstance(again, Answer)
            assert again.rows == outcome.rows


def test_a_limit_over_another_inner_order_is_refuted() -> None:
    gold = "SELECT size FROM (SELECT size FROM shop ORDER BY size DESC) LIMIT 1"
    witness = find_witness(gold, gold.replace(" DESC", ""), SCHEMA)
    assert isinstance(witness, Witness)
