"""A frozen clock: every date function shows the given time, and answers are stable."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from sqlverdict.execute.clock import freeze_query
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer

NOW = datetime(2024, 2, 29, 13, 14, 15)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE t (a TEXT)")
        connection.execute("INSERT INTO t VALUES ('now')")
        connection.execute("CREATE VIEW today AS SELECT date('now') AS d")
    connection.close()
    return path


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT date('now')", "2024-02-29"),
        ("SELECT date()", "2024-02-29"),
        ("SELECT date('NOW', '+1 day')", "2024-03-01"),
        ("SELECT time('now', 'localtime')", "13:14:15"),
        ("SELECT datetime('now', 'utc', 'start of month')", "2024-02-01 00:00:00"),
        ("SELECT strftime('%Y')", "2024"),
        ("SELECT strftime('%Y-%j', 'now')", "2024-060"),
        ("SELECT CURRENT_DATE", "2024-02-29"),
        ("SELECT current_time", "13:14:15"),
        ("SELECT CURRENT_TIMESTAMP", "2024-02-29 13:14:15"),
        ("SELECT julianday('now') = julianday('2024-02-29 13:14:15')", 1),
        ("SELECT date(a) FROM t", "2024-02-29"),
        ("SELECT d FROM today", "2024-02-29"),
        ("SELECT date('2020-01-01', '+1 year')", "2021-01-01"),
        ("SELECT date('nonsense')", None),
    ],
)
def test_date_functions_show_the_frozen_time(database: Path, sql: str, value: object) -> None:
    session = ENGINES.get("sqlite").open(database, Limits(), now=NOW)
    outcome = session.run(sql)
    session.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(value,)]
    assert not outcome.volatile
    assert outcome.lasting


def test_chance_is_not_frozen(database: Path) -> None:
    session = ENGINES.get("sqlite").open(database, Limits(), now=NOW)
    outcome = session.run("SELECT random()")
    session.close()
    assert isinstance(outcome, Answer)
    assert outcome.volatile


def test_answers_of_two_times_are_cached_apart(database: Path, tmp_path: Path) -> None:
    from sqlverdict.execute.cache import open_cache

    answers = []
    for now in (NOW, datetime(2020, 1, 1), NOW):
        runner = QueryRunner("sqlite", Limits(), open_cache(tmp_path / "cache"), now=now)
        outcome = runner.run(str(database), "SELECT date('now')")
        runner.flush()
        runner.close()
        assert isinstance(outcome, Answer)
        answers.append(outcome.rows[0][0])
    assert answers == ["2024-02-29", "2020-01-01", "2024-02-29"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT date('now', '-7 days'), date(), time( ), datetime('NOW ', 'start of month')",
        "SELECT strftime('%Y'), strftime('%Y-%j', 'now', 'localtime'), unixepoch()",
        "SELECT CURRENT_DATE, current_time, CURRENT_TIMESTAMP AS current_date",
        "SELECT julianday('now') - julianday('2024-01-01', 'utc'), \"date\"('now')",
        "SELECT date(date('now', '+1 day'), '-1 month') /* now */, 'now' -- date('now')",
    ],
)
def test_a_frozen_text_says_what_a_frozen_clock_says(database: Path, sql: str) -> None:
    """With a time in its text a query needs no clock."""
    engine = ENGINES.get("sqlite")
    with closing(engine.open(database, Limits(), now=NOW)) as frozen:
        expected = frozen.run(sql)
    with closing(engine.open(database, Limits())) as session:
        outcome = session.run(freeze_query(sql, NOW))
    assert isinstance(expected, Answer)
    assert isinstance(outcome, Answer)
    assert outcome.rows == expected.rows


@pytest.mark.parametrize(
    "sql", ["SELECT a AS date FROM t", "SELECT date(a) FROM t", "SELECT 'now'"]
)
def test_a_text_that_does_not_read_the_clock_stays(sql: str) -> None:
    assert freeze_query(sql, NOW) == sql
    assert freeze_query(sql, NOW, "a dialect that nobody knows") == sql
