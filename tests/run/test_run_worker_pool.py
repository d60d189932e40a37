"""Workers that hang, die, are killed or choke: replaced, and nothing is lost."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from run_parts import HANGS, Fragile, Gate, answers_of

from error_parts import continues
from sqlverdict import Options, evaluate
from sqlverdict.errors import Interrupted
from sqlverdict.evidence import Undecided
from sqlverdict.evidence_parts import StageFailure
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.records import Case, Fault, Reason, Score, Verdict
from sqlverdict.score.metric import METRICS, Item
from timeouts import fail_on_hang

Lines = Callable[[Path], list[dict[str, Any]]]
MakeCase = Callable[..., Case]

MANY = 200
BEFORE_GATE = 144
"""Twelve chunks of two workers, which have twelve cases each."""
SLEEPS = "SELECT 'sleeps'"
HASTY = Limits(seconds=3)
"""For a query that hangs. A worker that stalls while it reads another text is ended, too: a machine
stalls for less than this."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="registers members before a fork")


@pytest.fixture(autouse=True)
def _fail_on_hang() -> Iterator[None]:
    with fail_on_hang():
        yield
    assert multiprocessing.active_children() == []


@dataclass
class Watcher:
    """A progress bar that does something once so many cases are done."""

    after: int
    act: Callable[[], None]
    done: int = 0

    def begin(self, total: int | None, resumed: int) -> None:
        pass

    def advance(self, cases: int) -> None:
        before, self.done = self.done, self.done + cases
        if before < self.after <= self.done:
            self.act()


@pytest.fixture
def many(make_case: MakeCase) -> tuple[list[Case], dict[str, str]]:
    """Cases of which the last wait until something has happened to the run."""
    sql = "SELECT count(*) FROM person a, person b WHERE b.id < 3 AND a.height + b.id > {}"
    cases = [make_case(str(n), sql.format(n)) for n in range(MANY)]
    return cases, {str(n): sql.format(f"{n} + {n % 2}") for n in range(MANY)}


@pytest.fixture
def fragile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine that some queries end, and others hang in."""
    ENGINES.get("sqlite")
    monkeypatch.setitem(ENGINES._members, "fragile", Fragile())


@pytest.mark.slow
@pytest.mark.usefixtures("fragile")
def test_a_query_that_hangs_is_stopped_and_not_tried_again(
    make_case: MakeCase, tmp_path: Path
) -> None:
    cases = [make_case(str(n), "SELECT count(*) FROM city") for n in range(40)]
    predictions = {str(n): "SELECT 40" for n in range(40)} | dict.fromkeys(("7", "30"), SLEEPS)
    # Only what hangs is run under the clock, so that a busy machine stops nothing else.
    cache = answers_of(tmp_path, cases, "SELECT 40", engine="fragile")
    options = Options(limits=HASTY, workers=1, cache=cache, engine="fragile")
    run = evaluate(cases, predictions, out=tmp_path / "run", options=options)
    results = list(run.results())
    assert len(results) == 40
    for n, result in enumerate(results):
        if n in (7, 30):
            assert result.reasons == (Reason.EXECUTION_TIMEOUT,)
            assert "by ending its process" in result.message
        else:
            assert result.verdict is Verdict.CORRECT
    # The second time the same query is known and not tried again.
    assert run.manifest.killed_workers == 1


@pytest.mark.slow
@pytest.mark.usefixtures("fragile")
def test_a_gold_that_hangs_leaves_its_case_unscored(make_case: MakeCase) -> None:
    options = Options(limits=HASTY, workers=1, cache=None, engine="fragile")
    run = evaluate([make_case("1", SLEEPS)], {"1": "SELECT 1"}, options=options)
    (result,) = run.results()
    assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.GOLD)
    assert result.reasons == (Reason.GOLD_EXECUTION_TIMEOUT,)


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Holds the last ten of many cases back: no run is over before it is struck."""
    return Gate(tmp_path, MANY - 10, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_worker_is_replaced(
    sent: signal.Signals,
    many: tuple[list[Case], dict[str, str]],
    gate: Gate,
    lines_of: Lines,
    tmp_path: Path,
) -> None:
    """Whatever handler of the signal a forked worker comes with, as Ray leaves one behind."""

    def strike() -> None:
        victim = multiprocessing.active_children()[0]
        assert victim.pid is not None
        os.kill(victim.pid, sent)
        gate.open()

    cases, predictions = many
    gate.open()
    options = Options("ex,gate", workers=2, cache=None)
    calm = evaluate(cases, predictions, out=tmp_path / "calm", options=options)
    gate.close()
    options = replace(options, progress=Watcher(20, strike))
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        run = evaluate(cases, predictions, out=tmp_path / "run", options=options)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert run.manifest.killed_workers == 1
    assert calm.manifest.killed_workers == 0
    assert lines_of(run.folder) == lines_of(calm.folder)


@pytest.mark.slow
def test_all_workers_killed_at_once_and_once_more(
    many: tuple[list[Case], dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    lines_of: Lines,
    tmp_path: Path,
) -> None:
    """The second kill meets other cases than the first: nothing is blamed for both."""
    cases, predictions = many
    gate = Gate(tmp_path, BEFORE_GATE, monkeypatch)

    def strike() -> None:
        for victim in multiprocessing.active_children():
            victim.kill()

    gate.open()
    options = Options("ex,gate", workers=0, cache=None)
    calm = evaluate(cases, predictions, out=tmp_path / "calm", options=options)
    gate.close()
    options = Options("ex,gate", workers=2, cache=None, progress=Watcher(20, strike))
    with gate.kill_who_waits(2):
        run = evaluate(cases, predictions, out=tmp_path / "run", options=options)
    assert run.manifest.killed_workers == 4
    assert lines_of(run.folder) == lines_of(calm.folder)


@pytest.mark.slow
def test_an_idle_worker_that_died_is_noticed_when_it_is_given_work(
    make_case: MakeCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker has nothing to do while the stream of cases waits, and dies then."""
    window = 256
    monkeypatch.setattr("sqlverdict.run.task.WINDOW", window)
    cases = [make_case(str(n), f"SELECT {n}") for n in range(4 * window)]
    predictions = {str(n): f"SELECT {n}" for n in range(4 * window)}

    def strike() -> None:
        sleep(0.2)
        for victim in multiprocessing.active_children():
            victim.kill()

    options = Options(workers=2, cache=None, progress=Watcher(2 * window - 24, strike))
    run = evaluate(cases, predictions, out=tmp_path / "run", options=options)
    assert all(result.verdict is Verdict.CORRECT for result in run.results())


@pytest.mark.slow
def test_bulky_cases_do_not_lock_both_ends(make_case: MakeCase, tmp_path: Path) -> None:
    """Chunks and lines far larger than a pipe's buffer, in both directions at once."""
    count = 400
    padding = "/*" + "x" * 20_000 + "*/"
    cases = [make_case(str(n), f"SELECT {n}", question="?" * 20_000) for n in range(count)]
    predictions = {str(n): f"SELECT {n} {padding}" for n in range(count)}
    run = evaluate(cases, predictions, out=tmp_path / "run", options=Options(workers=2, cache=None))
    assert sum(result.verdict is Verdict.CORRECT for result in run.results()) == count


class _Bad:
    """A metric with a bug that shows on some cases."""

    name, version, needs, parameters, binary = "bad", 1, frozenset({"answers"}), (), True

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    def score(self, item: Item, _parameter: str) -> Score:
        if item.case.id in ("3", "70", "71"):
            self.act()
        return Score(1.0)


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    def add(act: Callable[[], Any]) -> None:
        monkeypatch.setitem(METRICS._members, "bad", _Bad(act))
        monkeypatch.setitem(METRICS._modules, "bad", "test")

    return add


@pytest.mark.parametrize("workers", [0, 2])
def test_a_metric_that_raises_is_our_fault_and_costs_no_other_score(
    workers: int, register: Callable[[Callable[[], Any]], None], make_case: MakeCase
) -> None:
    def fail() -> None:
        raise ZeroDivisionError("no rows")

    register(fail)
    cases = [make_case(str(n), "SELECT 1") for n in range(100)]
    predictions = {str(n): "SELECT 1" for n in range(100)}
    run = evaluate(cases, predictions, options=Options("ex,bad", workers=workers))
    for result in run.results():
        if result.id in ("3", "70", "71"):
            assert (result.verdict, result.fault) == (Verdict.CORRECT, None)
            assert result.scores == {"ex": 1.0, "bad": None}
            (note,) = (piece for piece in result.evidence if isinstance(piece, Undecided))
            assert note.failure == StageFailure("bad", "ZeroDivisionError: no rows")
        else:
            assert result.verdict is Verdict.CORRECT
            assert result.scores == {"ex": 1.0, "bad": 1.0}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["exit", "signal"])
def test_a_case_that_kills_its_worker_is_found_and_nobody_else_is_blamed(
    how: str, register: Callable[[Callable[[], Any]], None], make_case: MakeCase
) -> None:
    register(
        partial(os._exit, 9) if how == "exit" else partial(signal.raise_signal, signal.SIGKILL)
    )
    cases = [make_case(str(n), "SELECT 1") for n in range(150)]
    predictions = {str(n): "SELECT 1" for n in range(150)}
    run = evaluate(cases, predictions, options=Options("ex,bad", workers=2))
    results = list(run.results())
    assert len(results) == 150
    blamed = [result.id for result in results if result.verdict is not Verdict.CORRECT]
    assert blamed == ["3", "70", "71"]
    for result in results:
        if result.id in blamed:
            assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.TOOLKIT)
            assert "exit code 9" in result.message or "SIGKILL" in result.message


class _Deadly:
    """A metric that some text kills."""

    name, version, needs, parameters, binary = "bad", 1, frozenset({"answers"}), (), True

    def score(self, item: Item, _parameter: str) -> Score:
        if "deadly" in (item.prediction.sql or ""):
            os._exit(9)
        return Score(1.0)


def test_a_text_that_kills_its_worker_does_not_leave_the_score(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METRICS._members, "bad", _Deadly())
    monkeypatch.setitem(METRICS._modules, "bad", "test")
    cases = [make_case(str(n), "SELECT 1") for n in range(20)]
    predictions = {str(n): "SELECT 1" for n in range(20)} | {"7": "SELECT 2 AS deadly"}
    run = evaluate(cases, predictions, options=Options("ex,bad", workers=2, cache=None))
    result = list(run.results())[7]
    assert (result.verdict, result.fault) == (Verdict.INCORRECT, None)
    assert result.scores == {"ex": 0, "bad": 0}
    assert result.prediction == "SELECT 2 AS deadly"
    assert "exit code 9" in result.message
    assert run.estimate("ex").scored == 20


@pytest.mark.slow
@pytest.mark.usefixtures("fragile")
@pytest.mark.parametrize(
    ("word", "end", "kills"), [("deadly", "SIGKILL", 5), ("leaves", "exit code 9", 4)]
)
def test_a_query_that_ends_its_worker_each_time_is_blamed(
    word: str, end: str, kills: int, make_case: MakeCase
) -> None:
    """In its chunk, alone in a chunk, and then alone: twice, or three times if by a signal."""
    cases = [make_case(str(n), "SELECT 1") for n in range(100)]
    predictions = {str(n): "SELECT 1" for n in range(100)} | {"50": f"SELECT '{word}'"}
    run = evaluate(cases, predictions, options=Options(engine="fragile", workers=1, cache=None))
    results = list(run.results())
    assert [result.id for result in results if result.verdict is not Verdict.CORRECT] == ["50"]
    assert results[50].verdict is Verdict.INCORRECT
    assert results[50].reasons == (Reason.MEMORY_LIMIT,)
    assert end in results[50].message
    assert not results[50].final
    assert run.manifest.killed_workers == kills


@pytest.mark.slow
def test_an_interrupted_run_leaves_no_process_behind(
    many: tuple[list[Case], dict[str, str]], gate: Gate, lines_of: Lines, tmp_path: Path
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    cases, predictions = many
    options = Options("ex,gate", workers=2, cache=None, progress=Watcher(50, interrupt))
    with pytest.raises(Interrupted) as stopped:
        evaluate(cases, predictions, out=tmp_path / "run", options=options)
    assert stopped.value.exit_code == 130
    assert continues(stopped.value)
    del stopped
    gc.collect()
    assert multiprocessing.active_children() == []
    saved = len(lines_of(tmp_path / "run"))
    assert 50 <= saved < MANY
    resumed = Watcher(10**9, interrupt)
    gate.open()
    run = evaluate(
        cases, predictions, out=tmp_path / "run", options=replace(options, progress=resumed)
    )
    assert resumed.done == MANY - saved
    assert [result.id for result in run.results()] == [str(n) for n in range(MANY)]


@pytest.mark.slow
def test_workers_are_spawned_where_forking_is_not_safe(make_case: MakeCase, tmp_path: Path) -> None:
    """One is ended inside one opcode of SQLite, which calls no handler."""
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        cases = [make_case(str(n), f"SELECT {n}") for n in range(10)]
        predictions = {str(n): f"SELECT {n}" for n in range(10)} | {"4": HANGS}
        cache = answers_of(tmp_path, cases)
        options = Options("ex,text_match", limits=HASTY, workers=1, cache=cache)
        run = evaluate(cases, predictions, out=tmp_path / "run", options=options)
    finally:
        end.set()
        thread.join()
    verdicts = [result.verdict for result in run.results()]
    assert verdicts.count(Verdict.CORRECT) == 9
    assert verdicts[4] is Verdict.INCORRECT
    assert run.manifest.killed_workers == 1
