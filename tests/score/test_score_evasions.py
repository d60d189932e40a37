"""A wrong query neither leaves the score nor is paid for keeping a search away."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gaming_evasions import EVASIONS
from gaming_strategies import target_of
from sqlverdict import Options, Scorer, check
from sqlverdict.execute.engine import Limits
from sqlverdict.pipeline import System, evaluate_systems
from sqlverdict.records import Case, Result, Verdict
from sqlverdict.rl import Rewarder
from tiers import sampled

LIMITS = Limits(steps=2_000_000, rows=20_000)
GOLDS = {
    "empty": "SELECT name FROM city WHERE land = 'norway' AND people > 900",
    "rows": "SELECT name FROM city WHERE people > 300",
    "number": "SELECT count(*) FROM city JOIN land ON city.land = land.name",
}
DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, land TEXT, people INTEGER);
CREATE TABLE land (name TEXT PRIMARY KEY, area INTEGER);
INSERT INTO land VALUES ('Norway', 385), ('Denmark', 43);
INSERT INTO city VALUES (1, 'Oslo', 'Norway', 700), (2, 'Bergen', 'Norway', 280),
    (3, 'Aarhus', 'Denmark', 360), (4, 'Odense', 'Denmark', NULL);
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evasions") / "cities.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DATA)
    return path


def texts(database: Path, names: list[str] | tuple[str, ...]) -> dict[str, str]:
    target, case = target_of(database), Case("empty", "cities", "?", ("SELECT 1",))
    return {name: EVASIONS[name](target, case) for name in names}


@pytest.fixture(scope="module", params=["intent", "strict"])
def results(request: pytest.FixtureRequest, database: Path) -> dict[str, list[Result]]:
    names = list(EVASIONS)[request.param == "strict" :: sampled(4, 1)]
    cases = [
        Case(case_id, "cities", "Which?", (gold,), database=str(database))
        for case_id, gold in GOLDS.items()
    ]
    systems = [
        System(name, dict.fromkeys(GOLDS, text)) for name, text in texts(database, names).items()
    ]
    options = Options(
        "ex,proved,witness_accuracy,verdict",
        workers=0,
        cache=None,
        limits=LIMITS,
        policy=request.param,
    )
    runs = evaluate_systems(cases, systems, options=options)
    return {system.name: list(run.results()) for system, run in zip(systems, runs, strict=True)}


@pytest.mark.slow
@pytest.mark.sampled
def test_no_evasion_is_paid_and_none_leaves_the_score(results: dict[str, list[Result]]) -> None:
    matches = 0
    for name, each in results.items():
        for result in each:
            matches += result.scores["ex"] == 1
            assert result.fault is None, (name, result.message)
            assert result.verdict != "correct", (name, result.id, result.situation)
            for metric in ("proved", "witness_accuracy"):
                assert result.scores[metric] == 0, (name, result.id, metric)
            if result.scores["ex"] == 0:
                assert result.scores["verdict"] == 0, (name, result.id, result.situation)
    assert matches > 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nothing_by_chance", "nothing_nested"])
def test_an_evasion_is_paid_at_no_door(name: str, database: Path) -> None:
    """``check``, a scorer and a reward that pays for no match by luck say the same."""
    (sql,) = texts(database, (name,)).values()
    gold, db = GOLDS["empty"], str(database)
    assert check(gold, sql, db=db, metrics="verdict").verdict == "needs_review"
    assert check(gold, sql, db=db, metrics="verdict", policy="strict").verdict == "incorrect"
    with closing(Scorer("verdict", db=db, policy="strict")) as scorer:
        assert scorer.check(gold, sql).scores["verdict"] == 0.0
    values = {"right": 1.0, "refuted_match": 0.0}
    with closing(Rewarder(db=db, values=values, metric="ex")) as rewarder:
        reward = rewarder.reward(gold, sql)
    assert (reward.score, reward.outcome) == (0.0, "refuted_match")


def test_a_row_of_null_twice_is_no_way_around_the_search(database: Path) -> None:
    gold = "SELECT max(people) FROM city WHERE name = 'x' AND date('now') > '2000-01-01'"
    once = "SELECT max(people) FROM city WHERE name = 'y'"
    with Scorer("verdict", db=database) as scorer:
        verdicts = {scorer.check(gold, text).verdict for text in (once, f"{once} UNION ALL {once}")}
    assert verdicts == {Verdict.NEEDS_REVIEW}
