"""One test over every door: no text holds up the caller of DuckDB, or takes the caller's memory."""

from __future__ import annotations

import resource
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import sqlverdict as sv
from label_runs import write_run
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.integrations.common import PairGrader
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.load.databases import DatabaseFolder
from sqlverdict.records import Case, Failure, Reason
from sqlverdict.rl import Rewarder
from sqlverdict.view.playground import Playground
from tiers import sampled
from timeouts import fail_on_hang

pytest.importorskip("duckdb")
pytest.importorskip("pytz")

GOLD = "SELECT name FROM item WHERE id = 1"
SECONDS = 3.0
BOMBS = {
    "memory": "SELECT length(system.main.repeat('x', 3000000000))",
    "time": "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))",
}
STOPPED = {Reason.EXECUTION_TIMEOUT, Reason.MEMORY_LIMIT}
MOST_GROWTH = 512 * 2**20


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import duckdb

    path = tmp_path_factory.mktemp("doors") / "shop.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR)")
        connection.execute("INSERT INTO item VALUES (1, 'pen'), (2, 'pad')")
    return path


def by_check(db: Path, sql: str, _folder: Path) -> None:
    result = sv.check(GOLD, sql, db=db, timeout=SECONDS)
    assert STOPPED & set(result.reasons)
    assert result.verdict == sv.Verdict.INCORRECT


def by_scorer(db: Path, sql: str, _folder: Path) -> None:
    with sv.Scorer(db=db, timeout=SECONDS) as scorer:
        result = scorer.check(GOLD, sql)
        assert STOPPED & set(result.reasons)
        assert scorer(GOLD, GOLD) == 1.0


def by_reward(db: Path, sql: str, _folder: Path) -> None:
    with Rewarder(db=db, timeout=SECONDS) as rewarder:
        rewards = rewarder.batch([(GOLD, sql), (GOLD, GOLD)])
    assert rewards[0].score is not None
    assert rewards[1].score is not None
    assert rewards[0].score < rewards[1].score


def by_evaluate(db: Path, sql: str, folder: Path) -> None:
    cases = [Case("a", "Which?", "shop", (GOLD,), str(db))]
    options = sv.Options(limits=Limits(seconds=SECONDS), workers=0)
    run = sv.evaluate(cases, {"a": sql}, options=options, out=folder / "run")
    assert run["a"].scores["ex"] == 0.0


def by_grader(db: Path, sql: str, _folder: Path) -> None:
    assert PairGrader(db=db, timeout=SECONDS).grade(sql, GOLD).score == 0


def by_playground(db: Path, sql: str, folder: Path) -> None:
    run = write_run(folder / "view")
    run = replace(run, manifest=replace(run.manifest, engine="duckdb"))
    case = Case("q1", "Which?", "shop", (GOLD,), str(db))
    with closing(Playground(lambda _: {"q1": case})) as playground:
        assert playground.check(run, "q1", GOLD, sql).verdict == "incorrect"


def by_label(db: Path, sql: str, _folder: Path) -> None:
    with closing(QueryRunner("duckdb", Limits(seconds=SECONDS))) as runner:
        databases = CaseDatabases(runner, folder=DatabaseFolder(db, (".duckdb",)))
        outcome = databases.runner.run(str(db), sql)
    assert isinstance(outcome, Failure)
    assert outcome.reason in STOPPED


DOORS: tuple[Callable[[Path, str, Path], None], ...] = (
    *(by_check, by_scorer, by_reward, by_evaluate, by_grader, by_playground, by_label),
)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("door", DOORS)
def test_no_door_is_held_up(door: Callable[..., None], db: Path, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    names = list(BOMBS)[: sampled(1, len(BOMBS))] if door is not by_check else list(BOMBS)
    with fail_on_hang():
        for name in names:
            folder = tmp_path / name
            folder.mkdir()
            door(db, BOMBS[name], folder)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < MOST_GROWTH
