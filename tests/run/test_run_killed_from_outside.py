"""Workers that are killed from outside, as an out-of-memory killer does, say nothing of a case."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kill_parts import FOREVER, VICTIM, killer
from sqlverdict import Options, evaluate
from sqlverdict.api.whole_run import EvaluatedRun
from sqlverdict.execute.engine import Limits
from sqlverdict.records import Case, Fault, Judgement, Prediction, Reason, Result, Verdict
from sqlverdict.run.attempt import Blame
from sqlverdict.run.outcome import LogLine
from sqlverdict.run.plan import RunPlan, plan_run
from sqlverdict.run.pool.deaths import Death, inquire
from sqlverdict.run.pool.ray_pool import Actor
from sqlverdict.run.task import Task
from timeouts import HANG_SECONDS, fail_on_hang

MakeCase = Callable[..., Case]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sends signals to processes")
GOLD = "SELECT count(*) FROM city"
RIGHT = f"SELECT count(*) AS {VICTIM} FROM city"
BOTH = f"SELECT count(*) AS {VICTIM} FROM city WHERE 1 = 1"
"""A gold with which workers wait, too."""
PATIENT = Limits(seconds=HANG_SECONDS)
ALONE = Options("ex", limits=PATIENT, workers=2, cache=None)


@pytest.fixture(autouse=True)
def _fail_on_hang() -> Iterator[None]:
    with fail_on_hang():
        yield
    assert multiprocessing.active_children() == []


def run_of(cases: Sequence[Case], options: Options, out: Path) -> EvaluatedRun:
    """A run of right predictions; the word is in that of the case ``victim``."""
    predictions = {case.id: RIGHT if case.id == VICTIM else GOLD for case in cases}
    return evaluate(cases, predictions, out=out, options=options)


def victim_of(run: EvaluatedRun) -> Result:
    (result,) = (result for result in run.results() if result.id == VICTIM)
    assert all(each.verdict is Verdict.CORRECT for each in run.results() if each.id != VICTIM)
    return result


@pytest.fixture
def cases(make_case: MakeCase) -> list[Case]:
    return [make_case(str(n), GOLD) for n in range(20)] + [make_case(VICTIM, GOLD)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "stage", "sent"),
    [
        (1, "query", signal.SIGTERM),
        (2, "query", signal.SIGKILL),
        (2, "case", signal.SIGKILL),
        (4, "case", signal.SIGTERM),
    ],
)
def test_a_right_answer_stays_right(
    kills: int,
    stage: str,
    sent: signal.Signals,
    cases: list[Case],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    with killer(tmp_path / "kills", kills, monkeypatch, stage=stage, sent=sent) as killed:
        run = run_of(cases, ALONE, tmp_path / "run")
        assert killed() == kills
    result = victim_of(run)
    assert (result.verdict, result.final) == (Verdict.CORRECT, True)
    assert run.manifest.killed_workers == kills


@pytest.mark.slow
@pytest.mark.parametrize("metrics", ["ex", "ex,verdict"])
def test_the_only_case_of_a_run_stays_right(
    metrics: str, make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its first two workers are killed: there is nobody else to blame."""
    with killer(tmp_path / "kills", 2, monkeypatch) as killed:
        options = replace(ALONE, metrics=metrics)
        run = run_of([make_case(VICTIM, GOLD)], options, tmp_path / "run")
        assert killed() == 2
    result = victim_of(run)
    assert (result.verdict, result.final) == (Verdict.CORRECT, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [ALONE, replace(ALONE, metrics="ex,verdict")], ids=["ex", "verdict"]
)
@pytest.mark.parametrize("stage", ["query", "case"])
def test_a_killer_that_strikes_every_time_leaves_the_case_open(
    options: Options,
    stage: str,
    make_case: MakeCase,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The gold dies as well; the same call again mends it."""
    cases = [make_case("other", GOLD), make_case(VICTIM, BOTH)]
    with killer(tmp_path / "kills", FOREVER, monkeypatch, stage=stage) as killed:
        result = victim_of(run_of(cases, options, tmp_path / "run"))
        assert killed() >= 6
    assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.TOOLKIT)
    assert not result.final
    assert set(result.scores.values()) == {None}
    assert "was ended by SIGKILL" in result.message
    assert "Run the same command again" in result.message
    monkeypatch.undo()
    assert victim_of(run_of(cases, options, tmp_path / "run")).verdict is Verdict.CORRECT


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["query", "case"])
def test_a_prediction_that_dies_alone_each_time_and_not_its_gold_counts_for_now(
    stage: str, cases: list[Case], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A text that uses up all memory cannot leave the score; the same call again mends it."""
    with killer(tmp_path / "kills", FOREVER, monkeypatch, stage=stage) as killed:
        result = victim_of(run_of(cases, ALONE, tmp_path / "run"))
        assert killed() == 5, "in a chunk, alone in one, and three times alone"
    assert (result.verdict, result.fault) == (Verdict.INCORRECT, None)
    assert (result.final, result.scores) == (False, {"ex": 0.0})
    assert "was ended by SIGKILL, 3 times alone" in result.message
    monkeypatch.undo()
    assert victim_of(run_of(cases, ALONE, tmp_path / "run")).verdict is Verdict.CORRECT


@pytest.mark.slow
def test_a_crash_counts_from_the_second_time_alone(
    cases: list[Case], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with killer(tmp_path / "kills", FOREVER, monkeypatch, sent=signal.SIGSEGV) as killed:
        result = victim_of(run_of(cases, ALONE, tmp_path / "run"))
        assert killed() == 4
    assert (result.verdict, result.reasons) == (Verdict.INCORRECT, (Reason.MEMORY_LIMIT,))
    assert "was ended by SIGSEGV, 2 times alone" in result.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("golds", "answerable", "verdict"),
    [(("SELECT 1",), True, Verdict.NEEDS_REVIEW), ((), False, Verdict.ABSTAINED_RIGHT)],
    ids=["a gold that needs review", "no gold"],
)
def test_no_prediction_leaves_the_score_by_a_crash(
    golds: tuple[str, ...],
    answerable: bool,
    verdict: Verdict,
    make_case: MakeCase,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """That the case is scored without the prediction is enough, whatever its verdict is then."""
    if answerable:
        # As a judge would be needed for every answer of this question.
        true_decide = RunPlan.decide
        monkeypatch.setattr(
            RunPlan,
            "decide",
            lambda plan, case, prediction, evidence: (
                Judgement(verdict)
                if prediction.sql in golds
                else true_decide(plan, case, prediction, evidence)
            ),
        )
    case = replace(make_case(VICTIM, GOLD), golds=golds, answerable=answerable)
    crash = {"stage": "case", "sent": signal.SIGSEGV}
    with killer(tmp_path / "kills", FOREVER, monkeypatch, **crash):  # type: ignore[arg-type]
        result = victim_of(run_of([case], ALONE, tmp_path / "run"))
    assert (result.verdict, result.fault) == (Verdict.INCORRECT, None)
    assert result.scores == {"ex": 0.0 if answerable else None}
    assert not result.final


@pytest.mark.slow
def test_on_duckdb(make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    database = tmp_path / "people.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE city (name VARCHAR)")
    cases = [make_case(n, GOLD, database=str(database)) for n in ("other", VICTIM)]
    options = replace(ALONE, engine="duckdb")
    with killer(tmp_path / "kills", 3, monkeypatch) as killed:
        result = victim_of(run_of(cases, options, tmp_path / "run"))
        assert killed() == 3
    assert (result.verdict, result.final) == (Verdict.CORRECT, True)


@pytest.mark.slow
def test_where_workers_are_spawned(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        with killer(tmp_path / "kills", 2, monkeypatch) as killed:
            result = victim_of(run_of([make_case(VICTIM, GOLD)], ALONE, tmp_path / "run"))
            assert killed() == 2
    finally:
        end.set()
        thread.join()
    assert (result.verdict, result.final) == (Verdict.CORRECT, True)


@pytest.mark.slow
def test_the_worker_of_an_actor(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What Ray runs on a node, here without Ray."""
    case = make_case(VICTIM, GOLD)
    actor = Actor(plan_run(ALONE), 1)
    try:
        with killer(tmp_path / "kills", 2, monkeypatch) as killed:
            result = actor.work([Task(0, 0, case, Prediction(VICTIM, RIGHT))], None, None)
            assert killed() == 2
    finally:
        actor._pool.close()
        actor._temporary.cleanup()
    assert result.killed == 2
    (line,) = result.done
    assert isinstance(line, LogLine)
    assert b'"verdict":"correct"' in line.text


SIGKILL, SIGSEGV = Death(-signal.SIGKILL, b"q"), Death(-signal.SIGSEGV, b"q")
LIVES = "lives"


def outcome_of(
    predictions: list[str | Death], golds: list[bool | Death], *, brief: bool = False
) -> str | Blame:
    """What an inquiry comes to, if processes end so in turn."""
    left, gold = iter(predictions), iter(golds)
    return inquire(lambda: next(left), lambda: next(gold), brief=brief)


def test_a_prediction_that_lives_once_is_not_blamed() -> None:
    for deaths in range(3):
        assert outcome_of([SIGKILL] * deaths + [LIVES], [True, True]) == LIVES
        assert outcome_of([SIGKILL] * deaths + [LIVES], [SIGKILL, SIGKILL]) == LIVES


@pytest.mark.parametrize(
    ("predictions", "golds", "by_prediction", "key", "from_outside"),
    [
        ([SIGSEGV] * 2, [True], True, b"q", False),
        ([SIGKILL] * 3, [True, True], True, b"q", False),
        ([SIGSEGV, SIGKILL, SIGSEGV], [True, True], True, b"q", False),
        ([SIGKILL, Death(-9), SIGKILL], [True, True], True, None, False),
        ([SIGKILL] * 3, [True, SIGKILL], False, None, True),
        ([SIGKILL] * 3, [SIGKILL, SIGKILL], False, None, True),
        ([SIGSEGV] * 3, [SIGSEGV, SIGSEGV], False, b"q", False),
        ([SIGSEGV] * 3, [True, SIGKILL], True, b"q", False),
        ([SIGSEGV] * 3, [SIGKILL, True], True, b"q", False),
        ([SIGSEGV] * 3, [SIGKILL, SIGKILL], False, None, True),
        ([SIGSEGV] * 3, [False, False], False, b"q", False),
    ],
)
def test_whose_doing_it_is(
    predictions: list[str | Death],
    golds: list[bool | Death],
    by_prediction: bool,
    key: bytes | None,
    from_outside: bool,
) -> None:
    blame = outcome_of(predictions, golds)
    assert isinstance(blame, Blame)
    assert (blame.by_prediction, blame.key, blame.from_outside) == (
        by_prediction,
        key,
        from_outside,
    )
    assert blame.may_go_away


def test_where_something_ends_all_processes_a_case_is_not_tried_for_long() -> None:
    assert isinstance(outcome_of([SIGKILL], [SIGKILL], brief=True), Blame)


@pytest.mark.parametrize(
    ("predictions", "golds"),
    [([SIGSEGV] * 3, [SIGKILL, True]), ([SIGKILL] * 3, [True, True]), ([SIGSEGV] * 2, [True])],
)
def test_a_short_inquiry_lets_no_prediction_off(
    predictions: list[str | Death], golds: list[bool | Death]
) -> None:
    blame = outcome_of(predictions, golds, brief=True)
    assert isinstance(blame, Blame)
    assert blame.by_prediction
