"""Queries that run ahead, in a process of their own: same lines, same blame, nobody left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from run_parts import HANGS, Fragile, Gate, answers_of

from patience import no_endless_wait, wait_until
from sqlverdict.execute.cache import AnswerCache
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.pipeline import Options, evaluate
from sqlverdict.records import Case, Reason, Score, Verdict
from sqlverdict.run.examine import Examiner
from sqlverdict.run.pool.batches import Needs
from sqlverdict.run.task import Task
from sqlverdict.score.metric import METRICS, Item

Lines = Callable[[Path], list[dict[str, Any]]]
MakeCase = Callable[..., Case]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runners are forked on Linux only")


@pytest.fixture(autouse=True)
def _no_endless_wait() -> Iterator[None]:
    with no_endless_wait():
        yield


@pytest.fixture
def free_cores(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def pretend(count: int) -> None:
        monkeypatch.setattr("sqlverdict.pipeline.core_count", lambda: count)

    return pretend


def _processes_on(database: Path) -> set[int]:
    """The processes, ours apart, that hold a file open."""
    found = set()
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            files = {str(file.readlink()) for file in (process / "fd").iterdir()}
        except OSError:
            continue
        if str(database.resolve()) in files:
            found.add(int(process.name))
    return found


@pytest.mark.parametrize("cache", [False, True])
def test_lines_are_the_same_whoever_runs_the_queries(
    cache: bool,
    make_case: MakeCase,
    lines_of: Lines,
    tmp_path: Path,
    free_cores: Callable[[int], None],
) -> None:
    cases = [make_case(str(n), f"SELECT id FROM person WHERE id < {n}") for n in range(300)]
    said = {str(n): f"select ID from person where id < {n + n % 3}" for n in range(300)}
    said |= {"5": "SELEC", "6": "", "7": "DROP TABLE person", "8": "SELECT nothing FROM person"}
    said |= {"9": "SELECT random()", "10": "SELECT 1; SELECT 2", "11": "SELECT 'a\ud800'"}
    runs = []
    for cores in (1, 2):
        free_cores(cores)
        file = tmp_path / f"answers{cores}.sqlite" if cache else None
        options = Options("ex,ex[spider]", workers=1, cache=file)
        runs.append(evaluate(cases, said, out=tmp_path / str(cores), options=options))
    assert lines_of(runs[0].folder) == lines_of(runs[1].folder)
    assert runs[1].manifest.killed_workers == 0


def test_answers_that_were_run_ahead_are_in_the_cache(
    make_case: MakeCase, tmp_path: Path, free_cores: Callable[[int], None]
) -> None:
    free_cores(2)
    file = tmp_path / "answers.sqlite"
    case = make_case("1", "SELECT 1")
    evaluate([case], {"1": "SELECT 2"}, options=Options(workers=1, cache=file))
    desk = QueryRunner("sqlite", Limits(), AnswerCache(file))
    assert case.database is not None
    for sql in ("SELECT 1", "SELECT 2"):
        desk.run(case.database, sql)
    assert desk.executed == 0
    desk.close()


def test_a_query_that_hangs_ahead_is_stopped_and_known(
    make_case: MakeCase, tmp_path: Path, free_cores: Callable[[int], None]
) -> None:
    free_cores(2)
    cases = [make_case(str(n), "SELECT count(*) FROM city") for n in range(40)]
    said = {str(n): "SELECT 40" for n in range(40)} | {"7": HANGS, "30": HANGS}
    cache = answers_of(tmp_path, cases, "SELECT 40")
    options = Options(limits=Limits(seconds=0.5), workers=1, cache=cache)
    run = evaluate(cases, said, options=options)
    wrong = {r.id: r.reasons for r in run.results() if r.verdict is not Verdict.CORRECT}
    assert wrong == dict.fromkeys(("7", "30"), (Reason.EXECUTION_TIMEOUT,))
    assert run.manifest.killed_workers == 1


@pytest.mark.parametrize(
    ("word", "said_of_it"), [("deadly", "signal 9"), ("leaves", "exit code 9")]
)
def test_a_query_that_ends_its_runner_twice_is_blamed_and_no_other(
    word: str,
    said_of_it: str,
    make_case: MakeCase,
    monkeypatch: pytest.MonkeyPatch,
    free_cores: Callable[[int], None],
) -> None:
    free_cores(2)
    ENGINES.get("sqlite")
    monkeypatch.setitem(ENGINES._members, "fragile", Fragile())
    cases = [make_case(str(n), "SELECT 1") for n in range(100)]
    said = {str(n): "SELECT 1" for n in range(100)} | {"50": f"SELECT '{word}'"}
    run = evaluate(cases, said, options=Options(engine="fragile", workers=1, cache=None))
    results = list(run.results())
    assert [result.id for result in results if result.verdict is not Verdict.CORRECT] == ["50"]
    assert results[50].reasons == (Reason.MEMORY_LIMIT,)
    assert said_of_it in results[50].message
    assert run.manifest.killed_workers == 2


class _Slow:
    """A metric that takes its time, so that queries run far ahead of it."""

    name, version, needs, parameters, binary = "slow", 1, frozenset({"answers"}), (), True

    def score(self, item: Item, _parameter: str) -> Score:
        sleep(0.1)
        return Score(float(item.compare("strict").equal is True))


def test_a_runner_that_dies_far_ahead_is_no_time_out(
    make_case: MakeCase,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    free_cores: Callable[[int], None],
) -> None:
    """The worker still compares for longer than a query may take."""
    free_cores(2)
    ENGINES.get("sqlite")
    monkeypatch.setitem(ENGINES._members, "fragile", Fragile())
    monkeypatch.setitem(METRICS._members, "slow", _Slow())
    monkeypatch.setitem(METRICS._homes, "slow", "test")
    cases = [make_case(str(n), f"SELECT {n}") for n in range(24)]
    said = {str(n): f"SELECT {n}" for n in range(24)} | {"20": "SELECT 'deadly'"}
    cache = answers_of(tmp_path, cases, engine="fragile")
    options = Options("slow", "fragile", Limits(seconds=0.2), workers=1, cache=cache)
    results = list(evaluate(cases, said, options=options).results())
    assert results[20].reasons == (Reason.MEMORY_LIMIT,)
    assert sum(result.scores["slow"] == 1.0 for result in results) == 23


def test_a_worker_that_may_not_fork_works_alone(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, free_cores: Callable[[int], None]
) -> None:
    free_cores(2)

    def refuse(*_: object) -> None:
        raise BlockingIOError("no more processes")

    # The worker itself is forked by the same function, before that.
    monkeypatch.setattr("sqlverdict.run.ahead.os", SimpleNamespace(**vars(os) | {"fork": refuse}))
    cases = [make_case(str(n), f"SELECT {n}") for n in range(12)]
    run = evaluate(cases, {str(n): f"SELECT {n}" for n in range(12)}, options=Options(workers=1))
    assert all(result.verdict is Verdict.CORRECT for result in run.results())


def test_a_task_that_cannot_be_read_does_not_stop_the_others(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, free_cores: Callable[[int], None]
) -> None:
    free_cores(2)
    right = Examiner.needs

    def broken(self: Examiner, task: Task) -> Needs:
        if task.case.id == "7":
            raise ZeroDivisionError
        return right(self, task)

    monkeypatch.setattr(Examiner, "needs", broken)
    cases = [make_case(str(n), f"SELECT {n}") for n in range(12)]
    run = evaluate(cases, {str(n): f"SELECT {n}" for n in range(12)}, options=Options(workers=1))
    assert all(result.verdict is Verdict.CORRECT for result in run.results())


def test_heavy_answers_are_fetched_where_they_are_compared(
    make_case: MakeCase, tmp_path: Path, free_cores: Callable[[int], None]
) -> None:
    free_cores(2)
    heavy = "SELECT a.id, b.id, a.name FROM person a, person b WHERE a.id < 200"
    cases = [make_case("1", heavy), make_case("2", "SELECT 1")]
    file = tmp_path / "answers.sqlite"
    said = {"1": heavy.replace("a.id < 200", "a.id <= 199"), "2": "SELECT 1"}
    run = evaluate(cases, said, options=Options(workers=1, cache=file))
    assert all(result.verdict is Verdict.CORRECT for result in run.results())
    # The last to close the cache writes everything into its one file.
    assert [path.name for path in tmp_path.iterdir()] == ["answers.sqlite"]


@dataclass
class _Struck:
    """A progress bar that kills a process once some cases are done."""

    pick: Callable[[], int]
    gate: Gate
    done: int = 0
    struck: int = 0

    def begin(self, total: int | None, resumed: int) -> None:
        pass

    def advance(self, cases: int) -> None:
        self.done += cases
        if self.done >= 20 and not self.struck:
            self.struck = self.pick()
            os.kill(self.struck, signal.SIGKILL)
            self.gate.open()


@pytest.mark.parametrize("who", ["worker", "runner"])
def test_neither_outlives_the_other_and_nothing_is_lost(
    who: str,
    make_case: MakeCase,
    people: Path,
    lines_of: Lines,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    free_cores: Callable[[int], None],
) -> None:
    free_cores(2)
    gate = Gate(tmp_path, 140, monkeypatch)
    slow = "SELECT count(*) FROM person a, person b WHERE b.id < 100 AND a.height + b.id > {}"
    cases = [make_case(str(n), slow.format(n)) for n in range(150)]
    said = {str(n): slow.format(f"{n} + {n % 2}") for n in range(150)}
    gate.open()
    options = Options("ex,gate", workers=0, cache=None)
    calm = evaluate(cases, said, out=tmp_path / "calm", options=options)
    gate.close()

    def pick() -> int:
        workers = {child.pid for child in multiprocessing.active_children() if child.pid}
        runners = _processes_on(people) - workers
        assert len(workers) == len(runners) == 1
        return workers.pop() if who == "worker" else runners.pop()

    struck = _Struck(pick, gate)
    options = Options("ex,gate", workers=1, cache=None, progress=struck)
    run = evaluate(cases, said, out=tmp_path / "run", options=options)
    assert struck.struck
    assert run.manifest.killed_workers == 1
    assert lines_of(run.folder) == lines_of(calm.folder)
    assert wait_until(lambda: not _processes_on(people))
