"""SQLite compares the values of a set operation by the affinity of one of its sides."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

TABLE = "CREATE TABLE t (k INTEGER, v TEXT)"
DIFFERENT = [
    (
        "SELECT 1 WHERE 1 IN (SELECT v FROM (SELECT v, k FROM t UNION ALL SELECT k, v FROM t) AS d)",
        "SELECT 1 WHERE 1 IN (SELECT v FROM t UNION ALL SELECT k FROM t)",
    ),
    (
        "SELECT 1 WHERE 1 IN (SELECT v FROM t UNION ALL SELECT k FROM t)",
        "SELECT 1 WHERE 1 IN (SELECT k FROM t UNION ALL SELECT v FROM t)",
    ),
    (
        "SELECT 1 WHERE 1 IN (SELECT * FROM (SELECT v FROM t UNION ALL SELECT k FROM t) AS d)",
        "SELECT 1 WHERE 1 IN (SELECT v FROM t UNION ALL SELECT k FROM t)",
    ),
    (
        "SELECT x FROM (SELECT k COLLATE BINARY AS x FROM t UNION ALL SELECT v || '' FROM t)"
        " WHERE x = '5'",
        "SELECT x FROM (SELECT v || '' AS x FROM t UNION ALL SELECT k COLLATE BINARY FROM t)"
        " WHERE x = '5'",
    ),
    (
        "SELECT x FROM (SELECT d.k COLLATE BINARY AS x FROM (SELECT k FROM t LIMIT 5) AS d"
        " UNION ALL SELECT v || '' FROM t) WHERE x = '5'",
        "SELECT x FROM (SELECT v || '' AS x FROM t UNION ALL"
        " SELECT d.k COLLATE BINARY FROM (SELECT k FROM t LIMIT 5) AS d) WHERE x = '5'",
    ),
]


@pytest.mark.parametrize(("gold", "other"), DIFFERENT)
def test_mixed_affinities_below_a_query_are_not_proved(gold: str, other: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(TABLE)
        connection.execute("INSERT INTO t VALUES (5, ' 1')")
        assert connection.execute(gold).fetchall() != connection.execute(other).fetchall()
    assert not isinstance(prove(gold, other, read_ddl(TABLE, "d")), Proof)


@pytest.mark.parametrize(
    ("gold", "other"),
    [
        (
            "SELECT v FROM t UNION ALL SELECT k FROM t",
            "SELECT d.v FROM t AS d UNION ALL SELECT k FROM t",
        ),
        (
            "SELECT 1 WHERE EXISTS (SELECT v FROM t UNION ALL SELECT k FROM t)",
            "SELECT 1 WHERE EXISTS (SELECT d.v FROM t AS d UNION ALL SELECT k FROM t)",
        ),
        (
            "SELECT 1 WHERE 1 IN (SELECT k FROM t UNION ALL SELECT k FROM t)",
            "SELECT 1 WHERE 1 IN (SELECT d.k FROM t AS d UNION ALL SELECT k FROM t)",
        ),
    ],
)
def test_values_that_are_shown_or_alike_are_proved(gold: str, other: str) -> None:
    assert isinstance(prove(gold, other, read_ddl(TABLE, "d")), Proof)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k FROM t WHERE k IN (SELECT t.v FROM (SELECT MAX(k) AS m FROM t AS s) AS d)",
        "SELECT (SELECT t.v FROM (SELECT k FROM t AS s GROUP BY k) AS d LIMIT 1) FROM t",
        "SELECT (SELECT t.v || d.k FROM (SELECT s.k FROM t AS s) AS d ORDER BY t.v) FROM t",
    ],
)
def test_a_column_of_the_query_around_is_no_column_of_the_derived_table(query: str) -> None:
    prove(query, f"{query} LIMIT 3", read_ddl(TABLE, "d"))


NUMBERS = "CREATE TABLE n (k INTEGER, r REAL)"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT d.x || '' FROM ({}) AS d",
        "SELECT d.x / 2 FROM n JOIN ({}) AS d ON d.x = n.k",
        "SELECT MAX(d.x) / 2 FROM ({}) AS d",
    ],
)
def test_the_order_of_sides_says_whether_whole_numbers_are_reals(query: str) -> None:
    sides = [f"SELECT {column} AS x FROM n" for column in ("k", "r")]
    pair = [query.format(" UNION ALL ".join(each)) for each in (sides, sides[::-1])]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(NUMBERS)
        connection.execute("INSERT INTO n VALUES (3, 3.0)")
        rows = [sorted(connection.execute(text).fetchall()) for text in pair]
    assert repr(rows[0]) != repr(rows[1])
    assert not isinstance(prove(*pair, read_ddl(NUMBERS, "d")), Proof)


REALS = "CREATE TABLE m (r REAL, k INTEGER NOT NULL)"


@pytest.mark.parametrize(
    ("gold", "other"),
    [
        ("r IN (SELECT MAX(k) FROM m)", "r = (SELECT MAX(k) FROM m)"),
        ("r IN (SELECT ABS(k) FROM m)", "EXISTS (SELECT 1 FROM m AS n WHERE ABS(n.k) = m.r)"),
        ("ABS(k) IN (SELECT r FROM m)", "EXISTS (SELECT 1 FROM m AS n WHERE n.r = ABS(m.k))"),
        (
            "ABS(k) IN (SELECT r COLLATE BINARY FROM m)",
            "EXISTS (SELECT 1 FROM m AS n WHERE n.r = ABS(m.k))",
        ),
        (
            "ABS(k) IN (SELECT d.r FROM (SELECT r FROM m UNION ALL SELECT r FROM m) AS d)",
            "ABS(k) IN (SELECT d.r + 0 FROM (SELECT r FROM m UNION ALL SELECT r FROM m) AS d)",
        ),
    ],
)
def test_in_makes_reals_of_whole_numbers_beside_a_real(gold: str, other: str) -> None:
    """SQLite compares 2^53 + 1 with a real as it is, and among the members of IN as a real."""
    queries = [f"SELECT k FROM m WHERE {condition}" for condition in (gold, other)]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(REALS)
        connection.execute("INSERT INTO m VALUES (9007199254740992.0, 9007199254740993)")
        rows = [connection.execute(query).fetchall() for query in queries]
    assert rows[0] != rows[1]
    assert not isinstance(prove(*queries, read_ddl(REALS, "d")), Proof)


def test_in_makes_reals_beside_a_real_of_a_set_operation() -> None:
    union = "(SELECT r FROM m UNION ALL SELECT r FROM m) AS d"
    gold = f"SELECT d.r FROM {union} WHERE d.r IN (SELECT ABS(k) FROM m)"
    other = f"SELECT d.r FROM {union} WHERE EXISTS (SELECT 1 FROM m WHERE ABS(k) = d.r)"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(REALS)
        connection.execute("INSERT INTO m VALUES (9007199254740992.0, 9007199254740993)")
        assert connection.execute(gold).fetchall() != connection.execute(other).fetchall()
    assert not isinstance(prove(gold, other, read_ddl(REALS, "d")), Proof)


def test_in_beside_a_real_is_proved_where_the_members_are_a_column() -> None:
    schema = read_ddl(REALS, "d")
    gold = "SELECT k FROM m WHERE r IN (SELECT n.k FROM m AS n)"
    other = "SELECT k FROM m WHERE EXISTS (SELECT 1 FROM m AS n WHERE n.k = m.r)"
    assert isinstance(prove(gold, other, schema), Proof)
