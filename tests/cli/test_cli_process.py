"""As users run it: exit codes of real processes, Ctrl-C, kill -9, and the same results after."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from sqlverdict.files.text import count
from timeouts import HANG_SECONDS, wait_until

Invoke = Callable[..., Result]
Process = Callable[..., "subprocess.CompletedProcess[str]"]
WAITING = """
import time
from pathlib import Path
from sqlverdict.cli.main import main
from sqlverdict.records import Score
from sqlverdict.score.metric import METRICS

class Held:
    name, version, needs, parameters, binary = "held", 1, frozenset({"answers"}), (), True
    def score(self, item, parameter):
        hold = Path("hold")
        while hold.exists() and int(item.case.id) >= int(hold.read_text() or 0):
            time.sleep(0.01)
        return Score(1.0)

METRICS.register(Held(), "held", "test")
main()
"""
"""The command line with a metric that holds cases back, from the one on that a file names."""


@pytest.mark.slow
def test_the_exit_codes(tiny: Any, process: Process, invoke: Invoke, tmp_path: Path) -> None:
    """Those of processes where the program ends early; the others are the same function's."""
    common = ("evaluate", "--cases", tiny.gold, "--predictions", tiny.predictions("SELECT 0"))
    run = tmp_path / "run"
    assert invoke(*common, "--out", run).exit_code == 0
    assert process("check", run, "--min", "ex=0.5").returncode == 0
    assert process("check", run, "--min", "ex=0.9").returncode == 1
    missing = process("check", run, "--min", "em=0.9")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.count("\n") == 1
    (tiny.databases / "club" / "club.sqlite").unlink()
    assert invoke(*common, "--out", "some").exit_code == 4
    (tiny.databases / "shop" / "shop.sqlite").unlink()
    assert process(*common, "--out", "none").returncode == 3


def test_predictions_in_a_text_file_do_not_load_what_reads_workbooks(
    tiny: Any, invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "openpyxl", raising=False)
    files = ("--cases", tiny.gold, "--predictions", tiny.predictions("SELECT 0"))
    assert invoke("evaluate", *files, "--out", tmp_path / "run").exit_code == 0
    assert "openpyxl" not in sys.modules


def many_cases(tiny: Any, number: int) -> Path:
    """Cases of which every prediction differs."""
    path: Path = tiny.root / "many.jsonl"
    with path.open("w") as out:
        for index in range(number):
            record = {"id": str(index), "db_id": "shop", "gold": "SELECT count(*) FROM item"}
            out.write(json.dumps(record | {"prediction": f"SELECT 3 + 0 * {index}"}) + "\n")
    return path


def start(cases: Path, out: Path) -> subprocess.Popen[str]:
    """A run in a process group of its own, in the folder of ``out``."""
    command = ["evaluate", "--cases", str(cases), "--out", str(out), "--metrics", "ex,held"]
    return subprocess.Popen(
        [sys.executable, "-c", WAITING, *command, "--no-cache", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=out.parent,
    )


def finish(cases: Path, out: Path) -> str:
    """The same to its end; what it says."""
    running = start(cases, out)
    _, output = running.communicate(timeout=HANG_SECONDS)
    assert running.returncode == 0, output
    return output


@pytest.mark.slow
def test_a_stopped_run_goes_on_where_it_stopped(tiny: Any, invoke: Invoke, tmp_path: Path) -> None:
    """First by Ctrl-C, then by kill -9."""
    cases = many_cases(tiny, 200)
    out, hold = tmp_path / "run", tmp_path / "hold"
    done_before = 0
    for stop, first_held in ((signal.SIGINT, 100), (signal.SIGKILL, 190)):
        hold.write_text(str(first_held))
        running = start(cases, out)
        wait_for_lines(running, out, done_before + 1)
        assert running.poll() is None
        os.killpg(running.pid, stop)
        _, output = running.communicate(timeout=HANG_SECONDS)
        assert "Traceback" not in output
        if stop is signal.SIGINT:
            assert running.returncode == 130
            assert "run the same command again to continue" in output
        else:
            assert f"resuming: {count(done_before, 'case')} already done" in output
        assert done_before < lines(out) < 200
        done_before = lines(out)
        assert not (out / "summary.json").exists()
        unfinished = invoke("check", out, "--min", "ex=0.1")
        assert (unfinished.exit_code, "is not finished" in unfinished.stderr) == (2, True)
    hold.unlink()
    resumed = finish(cases, out)
    assert f"resuming: {count(done_before, 'case')} already done" in resumed
    finish(cases, tmp_path / "fresh")
    assert results(out) == results(tmp_path / "fresh")
    assert (out / "summary.json").read_text() == (tmp_path / "fresh" / "summary.json").read_text()


def wait_for_lines(running: subprocess.Popen[str], out: Path, number: int) -> None:
    assert wait_until(lambda: lines(out) >= number or running.poll() is not None)


def lines(folder: Path) -> int:
    log = folder / "results.jsonl"
    return log.read_bytes().count(b"\n") if log.exists() else 0


def results(folder: Path) -> list[dict[str, Any]]:
    """The lines of a log without what a clock measured."""
    findings = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "timings"} for line in findings]


_LOADED = """
import sys
from sqlverdict.cli.main import main
try:
    main()
finally:
    print(*sys.modules, sep="\\n")
"""


@pytest.mark.slow
def test_a_run_of_one_system_loads_neither_leaderboards_nor_trials_nor_the_parser(
    tmp_path: Path,
) -> None:
    case = {"id": 1, "db_id": "d", "gold": "SELECT 1", "prediction": "SELECT 1"}
    cases, database = tmp_path / "cases.jsonl", tmp_path / "d.sqlite"
    cases.write_text(json.dumps({**case, "database": database.name}), "utf-8")
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    words = ("evaluate", "--cases", cases, "--quiet", "--workers", "0", "--out", tmp_path / "run")
    command = [sys.executable, "-c", _LOADED, *map(str, words)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = set(done.stdout.splitlines())
    assert "sqlverdict.report.html.build" in loaded
    several = "sqlverdict.report.several_runs."
    assert loaded.isdisjoint({f"{several}leaderboard", f"{several}trials", "sqlglot", "logging"})
