"""A fault that ends MariaDB: its queries are sent in another form, and others as they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mysql_parts import server_database
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.engines.mysql.unmerged import unmerged
from sqlverdict.records import Answer


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with server_database(
        "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20))",
        "INSERT INTO item VALUES (1, 'tea'), (2, 'rice'), (3, NULL)",
        "CREATE VIEW goods AS SELECT id, name FROM item",
        "CREATE VIEW all_goods AS SELECT goods.id, goods.name FROM goods",
    ) as url:
        yield url


@pytest.mark.slow  # a server
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, SUM(i.id) OVER (PARTITION BY i.id) FROM (SELECT id, name FROM item i) i "
        "ORDER BY id",
        "WITH item AS (SELECT id, name FROM item) "
        "SELECT name, SUM(item.id) OVER (ORDER BY item.id ROWS CURRENT ROW) FROM item ORDER BY id",
        "SELECT name, SUM(i.id) OVER (PARTITION BY i.id) "
        "FROM (SELECT id, name FROM (SELECT id, name FROM item) i) i ORDER BY i.id",
        "WITH other AS (SELECT id, name FROM item) "
        "SELECT name, SUM(item.id) OVER (PARTITION BY item.id) FROM other AS item ORDER BY id",
        *(
            f"SELECT name, SUM(item.id) OVER (PARTITION BY item.id) FROM {source} item ORDER BY id"
            for source in ("goods", "all_goods AS", "(SELECT id, name FROM all_goods)")
        ),
        "SELECT name, SUM(goods.id) OVER (PARTITION BY goods.id) FROM all_goods goods ORDER BY id",
    ],
)
def test_windows_over_a_table_of_two_levels_do_not_end_the_server(database: str, sql: str) -> None:
    session = ENGINES.get("mysql").open(database, Limits(seconds=600))
    try:
        outcome = session.run(sql)
    finally:
        session.close()
    assert isinstance(outcome, Answer), outcome
    assert [(name, int(number)) for name, number in outcome.rows] == [  # type: ignore[arg-type]
        ("tea", 1),
        ("rice", 2),
        (None, 3),
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SUM(v) OVER (PARTITION BY v) FROM (SELECT v FROM t) t ORDER BY v",
        "SELECT SUM(x.v) OVER (PARTITION BY x.v) FROM (SELECT v FROM t) x ORDER BY v",
        "SELECT SUM(t.v) OVER (PARTITION BY t.v) FROM t WHERE v IN (SELECT v FROM t) ORDER BY v",
        "SELECT 'over' FROM (SELECT v FROM t) t",
        "SELECT SUM(x.v) OVER (PARTITION BY x.v) FROM w x JOIN t ON t.v = x.v ORDER BY v",
        "INSERT INTO over VALUES (1)",
    ],
)
def test_other_statements_are_sent_as_they_are(sql: str) -> None:
    assert unmerged(sql, {"w": "select t.v from d.t"}) == sql


def test_a_view_whose_text_cannot_be_seen_is_read_through_a_derived_table() -> None:
    sql = "SELECT SUM(x.v) OVER (PARTITION BY x.v) FROM `d`.`w` x ORDER BY v"
    assert "FROM (SELECT * FROM `d`.`w` LIMIT" in unmerged(sql, {"w": ""})


def test_a_view_without_an_alias_keeps_its_name() -> None:
    sql = "SELECT SUM(w.v) OVER (PARTITION BY w.v) FROM d.w ORDER BY v"
    assert "FROM d.w LIMIT 18446744073709551615) AS w ORDER" in unmerged(
        sql, {"w": "select w.v from d.t w"}
    )


def test_views_that_read_each_other_in_many_ways_are_read_once() -> None:
    views = {"v0": "select t.v from t", "v1": "select v0.v from v0"} | {
        f"v{n}": f"select x.v from v{n - 1} x join v{n - 2} y" for n in range(2, 60)
    }
    sql = "SELECT SUM(x.v) OVER (PARTITION BY x.v) FROM v59 x ORDER BY v"
    assert unmerged(sql, views).startswith("SET STATEMENT")
