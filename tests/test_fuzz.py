"""A short, fixed run of the fuzzer and of the attack on proofs: same inputs every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from timeouts import HANG_SECONDS

BENCH = Path(__file__).resolve().parent.parent / "bench"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="attempts are forked and measured"),
]


def run(name: str, *words: str, out: Path) -> subprocess.CompletedProcess[str]:
    """A bench without the real data, so that it does the same on every machine."""
    return subprocess.run(
        [sys.executable, str(BENCH / name), *words, "--out", str(out / "failures")],
        env=os.environ | {"SQLVERDICT_DATA": str(out / "none"), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )


def test_mutated_queries_and_files_end_as_documented(tmp_path: Path) -> None:
    outcome = run("fuzz.py", "--seed", "fixed", "--cases", "30", out=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "30 attempts, 0 failures" in outcome.stdout


def test_what_is_proved_holds_on_hostile_databases(tmp_path: Path) -> None:
    outcome = run("attack.py", "--seed", "fixed", "--rounds", "1", out=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "0 wrong proof" in outcome.stdout
