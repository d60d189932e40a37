"""A run that is killed or stopped, and then given again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from timeouts import HANG_SECONDS, wait_until

Lines = Callable[[Path], list[dict[str, Any]]]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups"),
]

CASES = 400
IN_FLIGHT = 2 * 2 * 64
"""Two workers, two chunks of 64 cases each: the most that can be lost."""
STRUCK = 80
"""A run is struck when so many lines are written: well before its end, whatever is in flight."""

SCRIPT = f'''
import os, sys, time
from pathlib import Path
from sqlverdict.errors import Interrupted
from sqlverdict.execute.engine import Limits
from sqlverdict import Options, evaluate
from sqlverdict.records import Case, Score
from sqlverdict.score.metric import METRICS

database, out, counter, workers = sys.argv[1:]

hold = Path(out).parent / "hold"

class Counted:
    """Writes a byte for each case that is scored; holds still once so many are, where asked."""
    name, version, needs, parameters, binary = "counted", 1, frozenset({{"answers"}}), (), True
    def score(self, item, parameter):
        file = os.open(counter, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, b".")
        done = os.fstat(file).st_size
        os.close(file)
        while hold.exists() and done >= int(hold.read_text()):
            time.sleep(0.01)
        return Score(1.0)

METRICS.register(Counted(), "counted", "test")
SLOW = "SELECT count(*) FROM person a, person b WHERE a.height + b.height > {{n}}"
cases, predictions = [], {{}}
for n in range({CASES}):
    gold = f"SELECT name, age FROM person WHERE id = {{n % 400}} OR age > {{n % 90}}"
    cases.append(Case(str(n), "people", f"question {{n}}", (gold,), database))
    if n % 50 == 7:
        predictions[str(n)] = SLOW.format(n=n)
    elif n % 11 == 3:
        predictions[str(n)] = "SELECT nothing FROM person"
    elif n % 13 == 5:
        predictions[str(n)] = None
    else:
        predictions[str(n)] = gold + f" AND {{n}} = {{n}}" if n % 3 else gold.replace("age >", "age <")
options = Options("ex,counted", workers=int(workers), cache=Path(out).parent / "cache.sqlite")
try:
    evaluate(cases, predictions, out=out, options=options)
except Interrupted as stopped:
    print(stopped)
    sys.exit(130)
'''


class Runner:
    """Starts the script in a group of its own."""

    def __init__(self, database: Path, folder: Path) -> None:
        self.database = database
        self.script = folder / "script.py"
        self.script.write_text(SCRIPT)
        self.environment = {**os.environ, "PYTHONPATH": str(Path("src").resolve())}

    def command(self, out: Path, workers: int) -> list[str]:
        counter = out.parent / "counter"
        return [sys.executable, *map(str, (self.script, self.database, out, counter, workers))]

    def start(self, out: Path, workers: int, hold: int | None = None) -> subprocess.Popen[str]:
        """Start a run; it holds still when ``hold`` cases are scored, to be stopped there."""
        out.parent.mkdir(exist_ok=True)
        note = out.parent / "hold"
        note.unlink(missing_ok=True)
        if hold is not None:
            note.write_text(str(hold))
        return subprocess.Popen(
            self.command(out, workers),
            env=self.environment,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, out: Path, workers: int) -> None:
        run = self.start(out, workers)
        output, complaint = run.communicate(timeout=HANG_SECONDS)
        assert run.returncode == 0, output + complaint


@pytest.fixture(scope="module")
def runner(people: Path, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(people, tmp_path_factory.mktemp("script"))


@pytest.fixture(scope="module")
def undisturbed(
    runner: Runner, lines_of: Lines, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, Any]]:
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    runner.finish(out, 2)
    return lines_of(out)


def line_count(out: Path) -> int:
    log = out / "results.jsonl"
    return log.read_bytes().count(b"\n") if log.exists() else 0


def wait_for_lines(out: Path, count: int) -> None:
    assert wait_until(lambda: line_count(out) >= count), f"{line_count(out)} lines"


def group_is_gone(group: int) -> bool:
    def is_empty() -> bool:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    return wait_until(is_empty)


def test_an_undisturbed_run_scores_each_case_once(
    undisturbed: list[dict[str, Any]], runner: Runner
) -> None:
    assert [line["index"] for line in undisturbed] == list(range(CASES))
    assert [line["id"] for line in undisturbed] == [str(n) for n in range(CASES)]
    assert len({line["verdict"] for line in undisturbed}) == 3


@pytest.mark.parametrize("count", [1, STRUCK])
def test_kill_9_of_all_processes_then_the_same_call(
    count: int, runner: Runner, undisturbed: list[dict[str, Any]], lines_of: Lines, tmp_path: Path
) -> None:
    out = tmp_path / "killed" / "run"
    run = runner.start(out, 2, hold=count + IN_FLIGHT)
    wait_for_lines(out, count)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    assert run.returncode == -signal.SIGKILL
    assert group_is_gone(run.pid)
    saved = line_count(out)
    assert count <= saved < CASES, "the kill came too late to test anything"
    assert not (out / "summary.json").exists()
    counter = out.parent / "counter"
    runner.finish(out, 2)
    assert lines_of(out) == undisturbed
    abstained = sum(line["abstained"] for line in undisturbed)
    twice = counter.stat().st_size - (CASES - abstained)
    assert 0 <= twice <= IN_FLIGHT, f"killed at {saved} lines, {twice} scored twice"


def test_workers_go_with_a_killed_coordinator_and_a_torn_last_line_is_evaluated_anew(
    runner: Runner, undisturbed: list[dict[str, Any]], lines_of: Lines, tmp_path: Path
) -> None:
    out = tmp_path / "torn" / "run"
    run = runner.start(out, 2, hold=STRUCK + IN_FLIGHT)
    wait_for_lines(out, STRUCK)
    run.kill()
    run.wait(HANG_SECONDS)
    ended = group_is_gone(run.pid)
    if not ended:
        os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    assert ended, "workers outlive their coordinator"
    log = out / "results.jsonl"
    content = log.read_bytes()
    log.write_bytes(content[: content.rindex(b"\n") - 20])
    runner.finish(out, 1)
    assert lines_of(out) == undisturbed
    counter = out.parent / "counter"
    done = counter.stat().st_size
    runner.finish(out, 2)
    assert counter.stat().st_size == done, "a finished run was worked on again"
    assert lines_of(out) == undisturbed


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_leaves_a_run_that_can_be_resumed(
    workers: int,
    runner: Runner,
    undisturbed: list[dict[str, Any]],
    lines_of: Lines,
    tmp_path: Path,
) -> None:
    out = tmp_path / "stopped" / "run"
    run = runner.start(out, workers, hold=STRUCK + IN_FLIGHT)
    wait_for_lines(out, STRUCK)
    os.killpg(run.pid, signal.SIGINT)
    output, complaint = run.communicate(timeout=HANG_SECONDS)
    assert run.returncode == 130, complaint
    assert complaint == ""
    assert "make the same call again to continue" in output
    assert group_is_gone(run.pid)
    assert STRUCK <= line_count(out) < CASES
    runner.finish(out, workers)
    assert lines_of(out) == undisturbed
