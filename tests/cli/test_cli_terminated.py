"""SIGTERM, as schedulers and containers send it: every command says so, and how to go on."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from label_runs import write_database, write_run
from sqlverdict.cli.failures import termination_text
from timeouts import HANG_SECONDS, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGTERM to a process")

WAITING = """
import os, sys, time
from pathlib import Path
from sqlverdict.cli.main import main

note, folder, is_held = sys.argv.pop(1), str(Path.cwd()), False

def hold(event, details):
    global is_held
    if event not in ("open", "os.mkdir", "sqlite3.connect") or is_held:
        return
    if os.path.abspath(str(details[0])).startswith(folder):
        is_held = True
        os.mkdir(note)
        time.sleep(600)

sys.addaudithook(hold)
main()
"""
"""The command line; where it first opens a file of its folder, it says so and waits."""
CASES = ("--cases", "cases.jsonl", "--databases", ".")
COMMANDS = {
    "evaluate": ("evaluate", *CASES, "--out", "run", "--workers", "2"),
    "audit": ("audit", "run"),
    "build": ("build", "--benchmark", "demo", "--databases", "demo", "--out", "built"),
    "doctor": ("doctor", *CASES),
    "refute": ("refute", "--db", "shop.sqlite", "SELECT n FROM t", "SELECT n + 1 FROM t"),
    "abstain": ("abstain", "run", "abstain_all", *CASES, "--out", "abstained.jsonl"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
    case = {"id": "1", "db_id": "shop", "question": "?", "gold": "SELECT 1", "prediction": "x"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    (tmp_path / "run").mkdir()
    return tmp_path


@pytest.mark.slow
def test_every_command_says_that_it_was_ended_and_how_to_continue(folder: Path) -> None:
    """All at once: each waits where it first opens a file."""
    running = {
        name: subprocess.Popen(
            [sys.executable, "-c", WAITING, f"note-{name}", *words],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name, words in COMMANDS.items()
    }
    outputs = {}
    for name, process in running.items():
        note = folder / f"note-{name}"
        assert wait_until(lambda: note.exists() or process.poll() is not None)  # noqa: B023
        process.send_signal(signal.SIGTERM)
        _, text = process.communicate(timeout=HANG_SECONDS)
        outputs[name] = process.returncode, text
    for name, (code, text) in outputs.items():
        assert code == 130, (name, text)
        assert text.strip().startswith("ended by SIGTERM"), (name, text)
        assert "un the same command again to continue" in text, name
        assert text.strip().count("\n") == 0, (name, text)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["label", "view"])
def test_a_server_ends_and_says_so(command: str, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the extra web is not installed")
    run, databases = write_run(tmp_path / "run"), write_database(tmp_path / "databases")
    words = [command, str(run.folder), "--databases", str(databases), "--no-browser"]
    line = [sys.executable, "-u", "-m", "sqlverdict", *words]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        for text in process.stdout:
            if "Ctrl-C" in text:
                break
        process.terminate()
        _, text = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 130
    assert text.lstrip() == "ended by SIGTERM. Run the same command again to continue.\n"


@pytest.mark.parametrize(
    "message", ["", "stopped after 3 cases; run the same command again to continue"]
)
def test_how_to_continue_is_said_once(message: str) -> None:
    text = termination_text(message)
    assert text.lower().count("run the same command again to continue") == 1
