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
    ],
)
def test_other_statements_are_sent_as_they_are(sql: str) -> None:
    assert unmerged(sql) == sql
