"""A small benchmark on disk, and ways to run the command line on it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from timeouts import HANG_SECONDS

GOLDS = (
    ("How many items are there?", "SELECT count(*) FROM item", "shop"),
    ("List the names.", "SELECT name FROM item", "shop"),
    ("Which items cost more than 2?", "SELECT name FROM item WHERE price > 2", "shop"),
    ("How many members are there?", "SELECT count(*) FROM member", "club"),
)
SCRIPTS = {
    "shop": "CREATE TABLE item (name TEXT, price REAL);"
    "INSERT INTO item VALUES ('pen', 1.5), ('pad', 2.5), ('ink', 4.0);",
    "club": "CREATE TABLE member (name TEXT); INSERT INTO member VALUES ('Ada'), ('Bo');",
}


@dataclass(frozen=True)
class Tiny:
    """The benchmark's files."""

    root: Path
    gold: Path
    databases: Path

    def predictions(self, *lines: str, name: str = "mine.txt") -> Path:
        """A prediction file: the golds, with the first lines replaced."""
        golds = [sql for _, sql, _ in GOLDS]
        path = self.root / name
        path.write_text("\n".join([*lines, *golds[len(lines) :]]) + "\n")
        return path

    def cases(self, *, prediction: str | None = "gold", repeat: int = 1) -> Path:
        """A JSONL file of cases with their predictions."""
        path = self.root / "cases.jsonl"
        with path.open("w") as out:
            for turn in range(repeat):
                for number, (question, gold, db_id) in enumerate(GOLDS):
                    predicted_sql = gold if prediction == "gold" else prediction
                    record = {"id": f"{turn}-{number}", "db_id": db_id, "question": question}
                    out.write(
                        json.dumps(record | {"gold": gold, "prediction": predicted_sql}) + "\n"
                    )
        return path


def build_tiny(root: Path) -> Tiny:
    databases = root / "database"
    for name, script in SCRIPTS.items():
        (databases / name).mkdir(parents=True)
        with closing(sqlite3.connect(databases / name / f"{name}.sqlite")) as database:
            database.executescript(script)
    gold = root / "gold.txt"
    gold.write_text("".join(f"{sql}\t{db_id}\n" for _, sql, db_id in GOLDS))
    return Tiny(root, gold, databases)


@pytest.fixture(scope="session")
def make_tiny() -> Callable[[Path], Tiny]:
    """Writes the benchmark into a folder."""
    return build_tiny


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    return build_tiny(tmp_path / "tiny")


Invoke = Callable[..., Result]
Process = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Runs a command in this process, in an empty folder."""
    from sqlverdict.cli.main import sqlverdict

    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def run(*args: object, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(sqlverdict, [str(arg) for arg in args], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def process(tmp_path: Path) -> Process:
    """Runs a command as users do, in a process of its own."""

    def run(*args: object, **settings: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from sqlverdict.cli.main import main; main()", *map(str, args)],
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
            cwd=tmp_path,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
            check=False,
        )

    return run
