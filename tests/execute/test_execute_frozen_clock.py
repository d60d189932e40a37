"""A frozen clock: every date function shows the given time, and answers are stable."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

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
