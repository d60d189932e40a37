"""Ties on engines other than SQLite: the engine ranks the rows under the query's own order."""

from __future__ import annotations

import pytest

from sqlverdict.compare.order import read_window
from sqlverdict.compare.preset import PRESETS, ProbedQuery, QueryPair
from sqlverdict.parse.order import tie_probe
from sqlverdict.parse.query import parse
from sqlverdict.records import Answer, Failure, Outcome, Query, Reason

duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")

ROWS = "('a', 1), ('b', 2), ('c', 2), ('d', NULL)"


@pytest.fixture
def run():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (name TEXT, n INTEGER)")
    connection.execute(f"INSERT INTO t VALUES {ROWS}")

    def run(sql: str) -> Outcome:
        try:
            cursor = connection.execute(sql)
        except duckdb.Error as error:
            return Failure(Reason.EXECUTION_ERROR, str(error))
        return Answer(tuple(column[0] for column in cursor.description), cursor.fetchall())

    yield run
    connection.close()


@pytest.mark.parametrize(
    ("sql", "tie"),
    [
        ("SELECT name FROM t ORDER BY n DESC NULLS LAST LIMIT 1", True),
        ("SELECT name FROM t ORDER BY n NULLS LAST LIMIT 1", False),
        ("SELECT name, n AS size FROM t WHERE n > 0 ORDER BY size DESC, name LIMIT 1", False),
        ("SELECT n, COUNT(*) AS c FROM t GROUP BY n ORDER BY c LIMIT 1", True),
        ("SELECT DISTINCT n FROM t WHERE n > 0 ORDER BY n DESC LIMIT 1", False),
        ("SELECT name FROM t LIMIT 1", True),
        ("SELECT n FROM t UNION SELECT 2 ORDER BY n DESC NULLS LAST LIMIT 1", False),
    ],
)
def test_a_limit_that_cuts_a_tie_is_seen(run, sql: str, tie: bool) -> None:
    gold = run(sql)
    window = read_window(gold, ProbedQuery(sql, "duckdb", run))
    assert window is not None
    cut = window.end < len(window.keys) and window.keys[window.end - 1] == window.keys[window.end]
    assert cut is tie


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT name FROM t ORDER BY n",
        "SELECT * FROM t ORDER BY 2 LIMIT 1",
        "SELECT name FROM (SELECT name FROM t ORDER BY n) AS s LIMIT 1",
    ],
)
def test_where_the_keys_cannot_be_shown_there_is_no_probe(sql: str, dialect: str) -> None:
    query = parse(sql, dialect)
    assert isinstance(query, Query)
    assert tie_probe(query) is None


def test_another_row_of_a_tie_is_not_taken_for_wrong(run) -> None:
    gold = "SELECT name FROM t ORDER BY n DESC NULLS LAST LIMIT 1"
    pair = QueryPair(gold, "SELECT 'x'", "duckdb", probe=run)
    strict = PRESETS.get("strict")
    assert strict.compare(run(gold), Answer(("name",), [("c",)]), pair).equal is None
    assert strict.compare(run(gold), Answer(("name",), [("a",)]), pair).equal is False
