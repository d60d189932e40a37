"""Aggregates that show rows in an order, and days in a filter: proved pairs agree on their engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.execute.engine import ENGINES, engine_of
from sqlverdict.execute.session import Limits
from sqlverdict.records import Answer

pytestmark = pytest.mark.slow

ENGINE_NAMES = ("mysql", "postgres", "duckdb")
TABLES = (
    "CREATE TABLE d (id INTEGER PRIMARY KEY, name VARCHAR(9) NOT NULL)",
    "CREATE TABLE e (id INTEGER PRIMARY KEY, did INTEGER REFERENCES d (id), n INTEGER,"
    " s VARCHAR(9), placed DATE, ts TIMESTAMP NULL)",
    "INSERT INTO d VALUES (1, 'x'), (2, 'y'), (3, 'x')",
    "INSERT INTO e VALUES (1, 1, 3, 'b', '2019-12-31', '2019-12-31 10:00:00'),"
    " (2, 1, 1, 'a', '2020-01-01', '2020-01-01 00:00:00'), (3, 2, 1, NULL, '2020-12-31', NULL),"
    " (4, NULL, NULL, 'a', NULL, '2020-12-31 23:59:59'),"
    " (5, 2, 1, 'c', '2021-01-01', '2021-01-01 00:00:00')",
)
DUCKDB_TABLES = tuple(statement.replace("TIMESTAMP NULL", "TIMESTAMP") for statement in TABLES)
MOMENTS_TABLE = "CREATE TABLE f (id INTEGER PRIMARY KEY, did INTEGER, moment {})"
MOMENT_ROWS = (
    "INSERT INTO f VALUES (1, 1, '2019-12-31 23:59:59'), (2, 1, '2020-01-01 00:00:00'),"
    " (3, 2, '2020-01-01 00:00:01'), (4, 2, '2020-12-31 00:00:00'), (5, 2, '2020-12-31 10:11:12'),"
    " (6, 3, '2021-01-01 00:00:00'), (7, 3, NULL)"
)

ROWS = {
    "mysql": [
        (
            "SELECT did, GROUP_CONCAT(s ORDER BY n, id) FROM e WHERE n > 1 GROUP BY did",
            "SELECT did, GROUP_CONCAT(s ORDER BY n ASC, id SEPARATOR ',') FROM e WHERE NOT n <= 1"
            " GROUP BY did",
        ),
        (
            "SELECT did, GROUP_CONCAT(n ORDER BY id DESC) FROM e WHERE did IS NOT NULL GROUP BY did",
            "SELECT d.id, GROUP_CONCAT(e.n ORDER BY e.id DESC) FROM e JOIN d ON d.id = e.did"
            " GROUP BY d.id",
        ),
        (
            "SELECT GROUP_CONCAT(DISTINCT n ORDER BY n) FROM e WHERE did IN (1, 2)",
            "SELECT GROUP_CONCAT(DISTINCT n ORDER BY n) FROM e WHERE did = 1 OR did = 2",
        ),
    ],
    "postgres": [
        (
            "SELECT did, STRING_AGG(s, ', ' ORDER BY n, id) FROM e WHERE n > 1 GROUP BY did",
            "SELECT did, STRING_AGG(s, ', ' ORDER BY n, id) FROM e WHERE NOT n <= 1 GROUP BY did",
        ),
        (
            "SELECT did, ARRAY_AGG(n ORDER BY id) FROM e WHERE did IS NOT NULL GROUP BY did",
            "SELECT d.id, ARRAY_AGG(e.n ORDER BY e.id) FROM e JOIN d ON d.id = e.did GROUP BY d.id",
        ),
    ],
    "duckdb": [
        (
            "SELECT did, string_agg(s, ';' ORDER BY n, id) FROM e WHERE n > 1 GROUP BY did",
            "SELECT did, group_concat(s, ';' ORDER BY n, id) FROM e WHERE NOT n <= 1 GROUP BY did",
        ),
        (
            "SELECT did, list(n ORDER BY id) FROM e WHERE did IS NOT NULL GROUP BY did",
            "SELECT d.id, array_agg(e.n ORDER BY e.id) FROM e JOIN d ON d.id = e.did GROUP BY d.id",
        ),
        (
            "SELECT d.id, any_value(d.name), COUNT(*) FROM d JOIN e ON e.did = d.id GROUP BY d.id",
            "SELECT d.id, d.name, COUNT(*) FROM d JOIN e ON e.did = d.id GROUP BY d.id, d.name",
        ),
    ],
}
OTHER_ROWS = {
    "mysql": [
        (
            "SELECT GROUP_CONCAT(n ORDER BY id) FROM e",
            "SELECT GROUP_CONCAT(n ORDER BY id DESC) FROM e",
        ),
        (
            "SELECT GROUP_CONCAT(n ORDER BY id) FROM e",
            "SELECT GROUP_CONCAT(n ORDER BY id SEPARATOR ';') FROM e",
        ),
        (
            "SELECT GROUP_CONCAT(n ORDER BY n, id) FROM e",
            "SELECT GROUP_CONCAT(DISTINCT n ORDER BY n) FROM e",
        ),
    ],
    "postgres": [
        (
            "SELECT STRING_AGG(s, ',' ORDER BY id) FROM e",
            "SELECT STRING_AGG(s, ',' ORDER BY n, id) FROM e",
        ),
        (
            "SELECT ARRAY_AGG(n ORDER BY id) FROM e",
            "SELECT ARRAY_AGG(n ORDER BY id) FROM e WHERE n IS NOT NULL",
        ),
    ],
    "duckdb": [
        ("SELECT list(n ORDER BY id) FROM e", "SELECT list(n ORDER BY id) FROM e WHERE n > 0"),
        (
            "SELECT string_agg(s, ',' ORDER BY id) FROM e",
            "SELECT string_agg(s, '' ORDER BY id) FROM e",
        ),
    ],
}
OPEN_ROWS = {
    # Which row comes first is open.
    "mysql": [
        "SELECT GROUP_CONCAT(s) FROM e{}",
        "SELECT GROUP_CONCAT(s ORDER BY n) FROM e{}",
        "SELECT GROUP_CONCAT(DISTINCT s ORDER BY s) FROM e{}",
    ],
    "postgres": [
        "SELECT STRING_AGG(s, ',') FROM e{}",
        "SELECT ARRAY_AGG(id ORDER BY n) FROM e{}",
        "SELECT STRING_AGG(DISTINCT s, ',') FROM e{}",
    ],
    "duckdb": [
        "SELECT string_agg(s, ',') FROM e{}",
        "SELECT list(s ORDER BY n) FROM e{}",
        "SELECT any_value(s) FROM e{}",
    ],
}
DAYS = [
    (
        "SELECT id FROM e WHERE placed >= DATE '2020-01-01'",
        "SELECT id FROM e WHERE placed >= '2020-01-01'",
    ),
    (
        "SELECT id FROM e WHERE placed BETWEEN DATE '2020-01-01' AND DATE '2020-12-31'",
        "SELECT id FROM e WHERE placed >= '2020-01-01' AND placed <= '2020-12-31'",
    ),
    (
        "SELECT id FROM e WHERE placed = CAST('2020-01-01' AS DATE)",
        "SELECT id FROM e WHERE placed = '2020-01-01'",
    ),
]
GAPS = [
    (
        "SELECT id FROM e WHERE placed < '2021-01-01'",
        "SELECT id FROM e WHERE placed <= '2020-12-31'",
    ),
    (
        "SELECT id FROM e WHERE EXTRACT(YEAR FROM placed) = 2020",
        "SELECT id FROM e WHERE placed BETWEEN '2020-01-01' AND '2020-12-31'",
    ),
    (
        "SELECT id FROM e WHERE EXTRACT(YEAR FROM ts) = 2020",
        "SELECT id FROM e WHERE ts >= '2020-01-01' AND ts < '2021-01-01'",
    ),
    (
        "SELECT did FROM e GROUP BY did HAVING MAX(placed) > '2020-12-31'",
        "SELECT DISTINCT did FROM e WHERE placed >= '2021-01-01'",
    ),
    (
        "SELECT id FROM (SELECT id, placed FROM e) t WHERE NOT placed > '2020-12-31'",
        "SELECT id FROM e WHERE placed < '2021-01-01'",
    ),
]
OTHER_DAYS = [
    (
        "SELECT id FROM e WHERE EXTRACT(YEAR FROM ts) = 2020",
        "SELECT id FROM e WHERE ts BETWEEN '2020-01-01' AND '2020-12-31'",
    ),
    ("SELECT id FROM e WHERE ts <= '2020-12-31'", "SELECT id FROM e WHERE ts < '2021-01-01'"),
    (
        "SELECT id FROM e WHERE EXTRACT(YEAR FROM placed) > 2020",
        "SELECT id FROM e WHERE placed > '2020-01-01'",
    ),
]

MOMENTS = [
    (
        "SELECT id FROM f WHERE moment >= '2020-01-01' AND id > 1",
        "SELECT id FROM f WHERE NOT id <= 1 AND moment >= '2020-01-01 00:00:00'",
    ),
    (
        "SELECT id FROM f WHERE moment BETWEEN '2020-01-01' AND '2020-12-31 10:11:12'",
        "SELECT id FROM f WHERE moment >= '2020-01-01' AND NOT moment > '2020-12-31 10:11:12'",
    ),
    (
        "SELECT id FROM f WHERE moment IN ('2020-01-01', '2021-01-01')",
        "SELECT id FROM f WHERE moment = '2021-01-01 00:00:00' OR moment = '2020-01-01 00:00:00'",
    ),
    (
        "SELECT did FROM f GROUP BY did HAVING MAX(moment) > '2020-12-31'",
        "SELECT DISTINCT did FROM f WHERE moment > '2020-12-31 00:00:00'",
    ),
    (
        "SELECT t.id FROM (SELECT id, moment AS m FROM f) t WHERE '2020-01-01 00:00:01' <= t.m",
        "SELECT id FROM f WHERE moment >= '2020-01-01 00:00:01'",
    ),
]
OTHER_MOMENTS = [
    (
        "SELECT id FROM f WHERE moment <= '2020-12-31'",
        "SELECT id FROM f WHERE moment <= '2020-12-31 23:59:59'",
    ),
    (
        "SELECT id FROM f WHERE moment > '2020-01-01'",
        "SELECT id FROM f WHERE moment >= '2020-01-01'",
    ),
    (
        "SELECT id FROM f WHERE moment <= '2020-12-31'",
        "SELECT id FROM f WHERE moment < '2021-01-01'",
    ),
]
NO_MOMENTS = ["2020-1-1", "2020-01-01q", "2020-02-30", "20200101", "2020-01-01 10:00"]


@pytest.fixture(scope="module", params=ENGINE_NAMES)
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    tables = DUCKDB_TABLES if request.param == "duckdb" else TABLES
    moments = MOMENTS_TABLE.format("DATETIME" if request.param == "mysql" else "TIMESTAMP")
    statements = (*tables, moments, MOMENT_ROWS)
    with database_of(request.param, tmp_path_factory.mktemp("db"), *statements) as database:
        yield database


def rows_of(db: str, sql: str) -> list[str]:
    """A query's rows on its engine, sorted."""
    with closing(ENGINES.get(engine_of(db)).open(db, Limits())) as session:
        answer = session.run(sql)
    assert isinstance(answer, Answer), answer
    return sorted(map(repr, answer.rows))


def test_rows_that_are_shown_in_one_order_are_proved(db: str) -> None:
    for one, other in ROWS[engine_of(db)]:
        assert sv.prove_pair(one, other, db=db).proved, one
        assert rows_of(db, one) == rows_of(db, other)


def test_rows_that_are_shown_in_another_way_are_not_proved(db: str) -> None:
    for one, other in OTHER_ROWS[engine_of(db)]:
        assert not sv.prove_pair(one, other, db=db).proved, one
        assert rows_of(db, one) != rows_of(db, other)


def test_rows_whose_order_is_open_are_not_proved(db: str) -> None:
    for query in OPEN_ROWS[engine_of(db)]:
        pair = (query.format(" WHERE id > 1"), query.format(" WHERE NOT id <= 1"))
        assert not sv.prove_pair(*pair, db=db).proved, query


def test_days_are_proved_in_other_words(db: str) -> None:
    for one, other in DAYS if engine_of(db) == "mysql" else [*DAYS, *GAPS]:
        assert sv.prove_pair(one, other, db=db).proved, one
        assert rows_of(db, one) == rows_of(db, other)


def test_no_gap_between_days_counts_where_a_month_may_be_0(db: str) -> None:
    if engine_of(db) == "mysql":
        assert not any(sv.prove_pair(one, other, db=db).proved for one, other in GAPS)


def test_other_days_are_not_proved(db: str) -> None:
    for one, other in OTHER_DAYS:
        assert not sv.prove_pair(one, other, db=db).proved, one
        assert rows_of(db, one) != rows_of(db, other)


def test_moments_are_proved_in_other_words(db: str) -> None:
    for one, other in MOMENTS:
        assert sv.prove_pair(one, other, db=db).proved, one
        assert rows_of(db, one) == rows_of(db, other) != []


def test_other_moments_are_not_proved(db: str) -> None:
    for one, other in OTHER_MOMENTS:
        assert not sv.prove_pair(one, other, db=db).proved, one
        assert rows_of(db, one) != rows_of(db, other)


@pytest.mark.parametrize("text", NO_MOMENTS)
def test_mysql_may_read_a_moment_in_other_spellings_in_several_ways(db: str, text: str) -> None:
    if engine_of(db) == "mysql":
        one = f"SELECT id FROM f WHERE moment < '{text}' AND id > 1"
        other = f"SELECT id FROM f WHERE NOT id <= 1 AND moment < '{text}'"
        assert not sv.prove_pair(one, other, db=db).proved
