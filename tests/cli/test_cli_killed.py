"""A process that is killed at any file operation leaves what the same command completes.

A child process ends itself, without any clean-up, before its n-th operation on files of a folder:
Python reports each to an audit hook. The same command then has to leave the same bytes as one that
nobody disturbed; only the half-written files under other names may remain.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from tiers import sampled

OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir", "shutil.copyfile", "os.truncate"}
KILLED = 137
METRICS = ("--metrics", "ex,witness_accuracy", "--databases", ".", "--workers", "0", "--quiet")
SHARDS = [["evaluate", "--cases", "cases.jsonl", *METRICS, "--shard", f"{n}/2"] for n in (1, 2)]
PREPARATIONS: dict[str, list[list[str]]] = {
    "merge": [[*SHARDS[0], "--out", "part1"], [*SHARDS[1], "--out", "part2"]],
    "golds": [["evaluate", "--cases", "cases.jsonl", *METRICS, "--out", "base"]],
    "audit": [["evaluate", "--cases", "cases.jsonl", *METRICS, "--out", "base"]],
    "build": [],
}
COMMANDS = {
    "merge": ["evaluate", "--merge", "part1", "--merge", "part2", "--out", "out/run"],
    "golds": ["leaderboard", "base", "--golds", "fixed.jsonl", "--out", "out", "--quiet"],
    "audit": ["audit", "base", "--out", "out/a.md", "--out", "out/a.jsonl"],
    "build": ["build", "--benchmark", "demo", "--databases", "demo", "--out", "out/b", "--quiet"],
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("shop.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, price REAL NOT NULL);"
            "INSERT INTO item VALUES (1, 1.0), (2, 3.0), (3, 9.0);"
        )
    gold = "SELECT count(*) FROM item WHERE price > 2"
    answers = [gold, "SELECT count(*) FROM item WHERE price >= 3", "SELECT 2", "SELECT 7"]
    lines = [
        {"id": str(number), "db_id": "shop", "question": "?", "gold": gold, "prediction": answer}
        for number, answer in enumerate(answers)
    ]
    Path("cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("fixed.jsonl").write_text(json.dumps({"id": "3", "gold": "SELECT 7"}) + "\n")
    return tmp_path / "out"


def killer(folder: Path, turn: int) -> Callable[[str, tuple[Any, ...]], None]:
    """A hook that ends the process before its n-th operation on a file of the folder."""
    operations = 0

    def hook(event: str, details: tuple[Any, ...]) -> None:
        nonlocal operations
        if event not in OPERATIONS or not isinstance(details[0], str | os.PathLike):
            return
        reads = event == "open" and not details[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if not reads and str(Path(details[0]).absolute()).startswith(str(folder)):
            operations += 1
            if operations == turn:
                os._exit(KILLED)

    return hook


def run(command: list[str], folder: Path, turn: int = 0) -> int:
    """Run a command in a child process, and kill that at its n-th operation."""
    child = os.fork()
    if not child:
        sys.addaudithook(killer(folder, turn))
        code = 1
        try:
            code = CliRunner().invoke(sqlverdict, command).exit_code
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def content(folder: Path) -> dict[str, bytes]:
    """What a folder holds that no clock decides."""
    results = {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.suffix == ".part":
            continue
        text = path.read_bytes()
        if path.name == "results.jsonl":
            text = re.sub(rb',"timings":\{[^}]*\}', b"", text)
        if path.name not in ("manifest.json", "report.md", "report.html", "junit.xml"):
            results[str(path.relative_to(folder))] = text
    return results


def lock(folder: Path) -> dict[str, bytes]:
    """The lock that a killed process leaves."""
    return {name: text for name, text in content(folder).items() if Path(name).name == "run.lock"}


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_command_completes_what_a_kill_left(shop: Path, name: str) -> None:
    for command in PREPARATIONS[name]:
        assert CliRunner().invoke(sqlverdict, command).exit_code == 0
    shop.mkdir()
    # In this process first: a child then has everything loaded.
    assert CliRunner().invoke(sqlverdict, COMMANDS[name]).exit_code == 0
    whole = content(shop)
    assert whole
    turn, step = 1, sampled(8, 1)
    while True:
        shutil.rmtree(shop)
        shop.mkdir()
        if run(COMMANDS[name], shop, turn) != KILLED:
            break
        # A benchmark that was complete when the kill came is not built again: of the dead process
        # only the lock is left.
        complete = name == "build" and content(shop) == {**whole, **lock(shop)}
        assert run(COMMANDS[name], shop) == (2 if complete else 0), turn
        assert content(shop) == {**whole, **(lock(shop) if complete else {})}, turn
        turn += step
    assert turn > 2
