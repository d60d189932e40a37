"""Cases whose gold runs on a database of its own: answers are compared, and nothing stronger."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import Undecided
from sqlverdict.records import Case, Verdict


def make(path: Path, table: str, rows: list[tuple[str, int]]) -> str:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE {table} (name TEXT, n INTEGER)")
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
    connection.close()
    return str(path)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    rows = [("a", 1), ("b", 2)]
    own = make(tmp_path / "own.sqlite", "mine", rows)
    gold = make(tmp_path / "gold.sqlite", "theirs", rows)
    sql = "SELECT name FROM theirs WHERE n > 1"
    return Case("1", "own", "", (sql,), own, gold_database=gold)


@pytest.mark.parametrize(
    ("prediction", "score"),
    [("SELECT name FROM mine WHERE n = 2", 1.0), ("SELECT name FROM mine", 0.0)],
)
def test_each_side_runs_on_its_own_database(case: Case, prediction: str, score: float) -> None:
    run = evaluate([case], {"1": prediction}, options=Options("ex", workers=0, cache=None))
    (result,) = run.results()
    assert result.scores == {"ex": score}


def test_the_record_says_that_nothing_stronger_was_shown(case: Case) -> None:
    prediction = {"1": "SELECT name FROM mine WHERE n = 2"}
    run = evaluate([case], prediction, options=Options("verdict", workers=0, cache=None))
    (result,) = run.results()
    words = [piece.message for piece in result.evidence if isinstance(piece, Undecided)]
    assert any("nothing stronger is shown" in message for message in words)
    assert result.verdict is not Verdict.INCORRECT


def test_a_changed_gold_database_is_noticed_on_resume(case: Case, tmp_path: Path) -> None:
    prediction, out = {"1": "SELECT name FROM mine WHERE n = 2"}, tmp_path / "run"
    options = Options("ex", workers=0, cache=None)
    (first,) = evaluate([case], prediction, out=out, options=options).results()
    assert case.gold_database is not None
    connection = sqlite3.connect(case.gold_database)
    with connection:
        connection.execute("DELETE FROM theirs")
    connection.close()
    (second,) = evaluate([case], prediction, out=out, options=options).results()
    assert (first.scores["ex"], second.scores["ex"]) == (1.0, 0.0)
