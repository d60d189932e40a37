"""One test over every engine and door: the engine of a pair is that of its own database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from label_runs import write_run
from small_databases import EVERY_ENGINE, database_of, sqlite_file
from sqlverdict.execute.engine import ENGINES
from sqlverdict.integrations.common import PairGrader
from sqlverdict.records import Case
from sqlverdict.refute.witness import Witness
from sqlverdict.rl import Rewarder
from sqlverdict.rl.trl import SqlReward
from sqlverdict.view.playground import Playground

STATEMENTS = (
    "CREATE TABLE emp (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, pay INTEGER)",
    "INSERT INTO emp VALUES (1, 'Ann', 100), (2, 'Bob', 200), (3, 'Cid', 300)",
)
GOLD = "SELECT name FROM emp WHERE pay > 250"
LUCKY = "SELECT name FROM emp WHERE id = 3"
"""It matches here alone."""
SAME = "SELECT name FROM emp WHERE 250 < pay"
"""It matches everywhere."""
OWN_WORDS = (
    ("SELECT STRAIGHT_JOIN id FROM emp", "SELECT id FROM emp", {"mysql"}),
    ("FROM emp SELECT id", "SELECT id FROM emp", {"duckdb"}),
    (
        "SELECT id FROM emp WHERE id = ANY (ARRAY[1, 2])",
        "SELECT id FROM emp WHERE id = 1 OR id = 2",
        {"postgres", "duckdb"},
    ),
    (
        "SELECT id FROM emp WHERE name ~ '^a'",
        "SELECT id FROM emp WHERE name LIKE 'a%'",
        {"postgres"},
    ),
    ("SELECT id FROM emp WHERE pay IS 1", "SELECT id FROM emp WHERE pay = 1", {"sqlite"}),
)
"""Two spellings of one query, and the dialects that know both."""
VALUES = {"right": 1.0, "refuted_match": 0.25}
PARTS: dict[str, Any] = {"prove": True, "refute": 40, "policy": "strict"}


@pytest.fixture(scope="module", params=EVERY_ENGINE)
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database_of(request.param, tmp_path_factory.mktemp("db"), *STATEMENTS) as database:
        yield database


def by_scorer(db: str, _folder: Path) -> list[bool]:
    with sv.Scorer(**PARTS) as scorer:
        results = [scorer.check(GOLD, sql, db) for sql in (LUCKY, SAME)]
    assert results[0].witness is not None
    assert results[1].proof is not None
    return [result.verdict is sv.Verdict.CORRECT for result in results]


def by_value(db: str, _folder: Path) -> list[bool]:
    with sv.Scorer("verdict", **PARTS) as scorer:
        return [scorer(GOLD, sql, db) == 1.0 for sql in (LUCKY, SAME)]


def by_batch(db: str, folder: Path) -> list[bool]:
    other = str(sqlite_file(folder / "other.sqlite", *STATEMENTS))
    with sv.Scorer(**PARTS) as scorer:
        pairs = [(GOLD, LUCKY, other), (GOLD, LUCKY, db), (GOLD, SAME, other), (GOLD, SAME, db)]
        results = scorer.batch(pairs, threads=2)
        assert asyncio.run(scorer.abatch(pairs)) == results
    assert results[0].verdict is sv.Verdict.INCORRECT
    return [result.verdict is sv.Verdict.CORRECT for result in results[1::2]]


def by_scorer_of_another(db: str, folder: Path) -> list[bool]:
    other = sqlite_file(folder / "other.sqlite", *STATEMENTS)
    with sv.Scorer(db=other, **PARTS) as scorer:
        return [scorer.check(GOLD, sql, db).correct is True for sql in (LUCKY, SAME)]


def by_check(db: str, _folder: Path) -> list[bool]:
    return [sv.check(GOLD, sql, db=db, **PARTS).correct is True for sql in (LUCKY, SAME)]


def by_pair_calls(db: str, _folder: Path) -> list[bool]:
    proved = sv.prove_pair(GOLD, SAME, db=db).proved
    return [not isinstance(sv.refute_pair(GOLD, LUCKY, db=db), Witness), proved]


@pytest.mark.parametrize("name", ENGINES.names())
def test_a_schema_alone_is_proved_in_by_the_record_of_its_engine(name: str, tmp_path: Path) -> None:
    """No server is asked; what is proved depends on the dialect and the rules of the record."""
    schema = sv.load_schema(sqlite_file(tmp_path / "t.sqlite", *STATEMENTS))
    assert sv.prove_pair(GOLD, SAME, schema=schema, engine=name).proved
    assert not sv.prove_pair(GOLD, LUCKY, schema=schema, engine=name).proved
    # Each reads its own words, and no others.
    for words, other, dialects in OWN_WORDS:
        derivation = sv.prove_pair(words, other, schema=schema, engine=name)
        assert derivation.proved == (ENGINES.get(name).dialect in dialects), (words, derivation)


def test_no_rule_is_used_by_a_record_on_which_none_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = sv.load_schema(sqlite_file(tmp_path / "t.sqlite", *STATEMENTS))
    for name in ENGINES.names():
        monkeypatch.setattr(type(ENGINES.get(name)), "rules_checked", False)
        assert not sv.prove_pair(GOLD, SAME, schema=schema, engine=name).proved
        assert sv.prove_pair(GOLD, GOLD, schema=schema, engine=name).proved


def by_batches(db: str, _folder: Path) -> list[bool]:
    with sv.BatchEvaluator(**PARTS) as evaluator:
        batch = {"gold": [GOLD] * 2, "prediction": [LUCKY, SAME], "db": [db] * 2}
        return [verdict == "correct" for verdict in evaluator(batch)["verdict"]]


def by_reward(db: str, _folder: Path) -> list[bool]:
    with Rewarder(values=VALUES) as rewarder:
        scores = [rewarder(GOLD, sql, db) for sql in (LUCKY, SAME)]
        assert [each.score for each in rewarder.batch([(GOLD, LUCKY, db)])] == scores[:1]
    assert set(scores) <= {0.25, 1.0}
    return [score == 1.0 for score in scores]


def by_trainer(db: str, _folder: Path) -> list[bool]:
    with Rewarder(values=VALUES) as rewarder:
        scores = SqlReward(rewarder)([""] * 2, [LUCKY, SAME], gold=[GOLD] * 2, db=[db] * 2)
    return [score == 1.0 for score in scores]


def by_grader(db: str, _folder: Path) -> list[bool]:
    grader = PairGrader(**PARTS)
    with closing(grader.scorer):
        return [grader.grade(sql, {"gold": GOLD, "db": db}).score == 1 for sql in (LUCKY, SAME)]


def by_evaluate(db: str, folder: Path) -> list[bool]:
    """Cases of two engines in one run, the other one first."""
    other = str(sqlite_file(folder / "other.sqlite", *STATEMENTS))
    cases = [
        Case(f"{name}{number}", "Who?", "staff", (GOLD,), database)
        for name, database in (("other", other), ("own", db))
        for number in (0, 1)
    ]
    predictions = {case.id: (LUCKY, SAME)[int(case.id[-1])] for case in cases}
    options = sv.Options("ex,verdict", policy="strict", workers=0)
    run = sv.evaluate(cases, predictions, options=options, out=folder / "run")
    assert run["other0"].verdict is sv.Verdict.INCORRECT
    return [run[f"own{number}"].verdict is sv.Verdict.CORRECT for number in (0, 1)]


def by_playground(db: str, folder: Path) -> list[bool]:
    """A run that says SQLite, such as one of cases of several engines."""
    run = write_run(folder / "view")
    run = replace(run, manifest=replace(run.manifest, stages={"policy": "strict"}))
    case = Case("q1", "Who?", "staff", (GOLD,), db)
    with closing(Playground(lambda _: {"q1": case})) as playground:
        checks = [playground.check(run, "q1", GOLD, sql) for sql in (LUCKY, SAME)]
    return [check.verdict == "correct" for check in checks]


DOORS = (
    *(by_scorer, by_value, by_batch, by_scorer_of_another, by_check, by_pair_calls, by_batches),
    *(by_reward, by_trainer, by_grader, by_evaluate, by_playground),
)


@pytest.mark.parametrize("door", DOORS)
def test_a_pair_is_searched_and_proved_on_the_engine_of_its_database(
    door: Callable[[str, Path], list[bool]], db: str, tmp_path: Path
) -> None:
    assert door(db, tmp_path) == [False, True]
