"""A chunk in batches: queries first, then the rest; slow tasks one by one; nothing thrown away."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import pytest

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Answer, Case, Prediction, Recording
from sqlverdict.run.examine import Examiner
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.pool import batches
from sqlverdict.run.pool.batches import in_batches, prepared
from sqlverdict.run.task import Task, TaskQueries
from sqlverdict.score.metric import parse_metrics

MakeCase = Callable[..., Case]


class Recorder:
    """Notes what is done when; each step takes as long as it is told."""

    def __init__(self, clock: list[float], prepares: float = 0.0, examines: float = 0.0) -> None:
        self.clock = clock
        self.seconds = {"prepare": prepares, "examine": examines}
        self.steps: list[str] = []

    def _note(self, step: str, task: Task) -> None:
        self.steps.append(f"{step} {task.index}")
        self.clock[0] += self.seconds[step]

    def needs(self, task: Task) -> TaskQueries:
        self._note("prepare", task)
        return task.case.db_id, (), ()

    def __call__(self, task: Task, runner: QueryRunner) -> bytes:
        self._note("examine", task)
        return str(task.index).encode()


@pytest.fixture
def runner() -> QueryRunner:
    return QueryRunner("sqlite", Limits())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(batches, "perf_counter", lambda: now[0])
    return now


def tasks(count: int) -> list[Task]:
    return [Task(0, n, Case(str(n), "d"), Prediction(str(n))) for n in range(count)]


def test_quick_tasks_run_their_queries_first(runner: QueryRunner, clock: list[float]) -> None:
    recorder = Recorder(clock)
    batches = list(in_batches(tasks(3), recorder, runner))
    assert batches == [[b"0", b"1", b"2"]]
    assert recorder.steps == [f"{step} {n}" for step in ("prepare", "examine") for n in range(3)]


def test_slow_queries_are_reported_one_by_one(runner: QueryRunner, clock: list[float]) -> None:
    recorder = Recorder(clock, prepares=1.0)
    assert list(in_batches(tasks(3), recorder, runner)) == [[b"0"], [b"1"], [b"2"]]
    assert recorder.steps[:4] == ["prepare 0", "examine 0", "prepare 1", "examine 1"]


def test_slow_examinations_are_reported_one_by_one(runner: QueryRunner, clock: list[float]) -> None:
    batches = list(in_batches(tasks(3), Recorder(clock, examines=1.0), runner))
    assert [lines for lines in batches if lines] == [[b"0"], [b"1"], [b"2"]]


def test_no_answer_leaves_memory_before_it_is_looked_at(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, runner: QueryRunner
) -> None:
    """Bulky answers end a batch: else each query would run twice."""
    monkeypatch.setattr("sqlverdict.execute.cache._HEAVIEST", 400_000)
    sql = "SELECT {0}, hex(zeroblob(5000)) FROM person LIMIT 5"
    cases = [make_case(str(n), sql.format(n)) for n in range(30)]
    chunk = [Task(0, n, c, Prediction(c.id, c.golds[0])) for n, c in enumerate(cases)]
    batches = list(in_batches(chunk, Examiner(RunPlan(parse_metrics("ex"))), runner))
    assert len(batches) > 1
    assert len(list(chain.from_iterable(batches))) == 30
    assert runner.executed == 30


def test_what_is_run_ahead_is_what_the_examination_asks_for(
    make_case: MakeCase, runner: QueryRunner
) -> None:
    examiner = Examiner(RunPlan(parse_metrics("ex")))
    case = make_case("1", "SELECT 1", "SELECT nothing", "SELECT 2")
    for sql in ("SELECT 2", "SELECT 3", "SELEC"):
        task = Task(0, 0, case, Prediction("1", sql))
        prepared(iter([task]), examiner.needs, runner)
        ahead = runner.executed
        examiner(task, runner)
        assert runner.executed == ahead


def test_nothing_is_run_ahead_that_is_not_needed(make_case: MakeCase) -> None:
    answer = Answer(("a",), [(1,)])
    recorded = Recording((answer,), answer, True)
    examiner = Examiner(RunPlan(parse_metrics("ex")))
    for case, sql in (
        (make_case("1", "SELECT 1"), " "),
        (make_case("2", "SELECT 1"), None),
    ):
        ahead = examiner.needs(Task(0, 0, case, Prediction(case.id, sql)))[1]
        assert ahead == ("SELECT 1",), "the gold alone"
    for case, sql in (
        (make_case("3", answerable=False), "SELECT 1"),
        (make_case("4", "SELECT 1", recorded=recorded), "SELECT 1"),
    ):
        assert not examiner.needs(Task(0, 0, case, Prediction(case.id, sql)))[1]
    task = Task(0, 0, make_case("5", "SELECT 1"), Prediction("5", "SELECT 1"))
    assert not Examiner(RunPlan(parse_metrics("text_match"))).needs(task)[1]


def test_a_bug_that_strikes_ahead_is_typed_by_the_examination(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, runner: QueryRunner
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(runner, "run", broken)
    task = Task(0, 0, make_case("1", "SELECT 1"), Prediction("1", "SELECT 1"))
    ((line,),) = in_batches([task], Examiner(RunPlan(parse_metrics("ex"))), runner)
    assert isinstance(line, bytes)
    assert b"TOOLKIT_ERROR" in line
