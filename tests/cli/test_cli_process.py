"""As users run it: exit codes of real processes, Ctrl-C, kill -9, and the same results after."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.load.text import count

Process = Callable[..., "subprocess.CompletedProcess[str]"]
SLOW = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "
    "SELECT 3 FROM n LIMIT 1 OFFSET {}"
)


def test_the_exit_codes(tiny: Any, process: Process, tmp_path: Path) -> None:
    common = ("evaluate", "--gold", tiny.gold, "--predictions", tiny.predictions("SELECT 0"))
    assert process(*common, "--out", "run").returncode == 0
    assert process("check", "run", "--min", "ex=0.5").returncode == 0
    assert process("check", "run", "--min", "ex=0.9").returncode == 1
    missing = process("check", "run", "--min", "em=0.9")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.count("\n") == 1
    (tiny.databases / "club" / "club.sqlite").unlink()
    assert process(*common, "--out", "some").returncode == 4
    (tiny.databases / "shop" / "shop.sqlite").unlink()
    assert process(*common, "--out", "none").returncode == 3


def slow_cases(tiny: Any, number: int) -> Path:
    """Cases of some milliseconds each; every prediction differs, so no cache helps."""
    path: Path = tiny.root / "slow.jsonl"
    with path.open("w") as out:
        for index in range(number):
            record = {"id": str(index), "db_id": "shop", "gold": "SELECT count(*) FROM item"}
            out.write(json.dumps(record | {"prediction": SLOW.format(15_000 + index)}) + "\n")
    return path


def start(tiny: Any, out: Path) -> subprocess.Popen[str]:
    """A run in a process group of its own, caught after some lines of its log."""
    code = "from sqlverdict.cli.main import main; main()"
    command = ["evaluate", "--cases", str(tiny.root / "slow.jsonl"), "--out", str(out)]
    running = subprocess.Popen(
        [sys.executable, "-c", code, *command, "--no-cache", "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    log = out / "results.jsonl"
    deadline = time.monotonic() + 30
    while not (log.exists() and log.stat().st_size > 0):
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.01)
    return running


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_goes_on_where_it_stopped(
    tiny: Any, process: Process, tmp_path: Path, stop: signal.Signals
) -> None:
    slow_cases(tiny, 200)
    out = tmp_path / "run"
    running = start(tiny, out)
    os.killpg(running.pid, stop)
    _, said = running.communicate(timeout=30)
    if stop is signal.SIGINT:
        assert running.returncode == 130
        assert "the same command goes on from there" in said
        assert "Traceback" not in said
    done_before = (out / "results.jsonl").read_bytes().count(b"\n")
    assert 0 < done_before < 200
    assert not (out / "summary.json").exists()
    unfinished = process("check", out, "--min", "ex=0.1")
    assert (unfinished.returncode, "is not finished" in unfinished.stderr) == (2, True)
    common = ("evaluate", "--cases", tiny.root / "slow.jsonl", "--no-cache", "--workers", "1")
    resumed = process(*common, "--out", out)
    assert resumed.returncode == 0
    assert f"resuming: {count(done_before, 'case')} done already" in resumed.stderr
    fresh = process(*common, "--out", tmp_path / "fresh")
    assert fresh.returncode == 0
    assert results(out) == results(tmp_path / "fresh")
    assert (out / "summary.json").read_text() == (tmp_path / "fresh" / "summary.json").read_text()


def results(folder: Path) -> list[dict[str, Any]]:
    """The lines of a log without what a clock measured."""
    found = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "timings"} for line in found]
