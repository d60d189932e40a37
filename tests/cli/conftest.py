"""A small benchmark on disk, and ways to run the command line on it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from timeouts import HANG_SECONDS

try:
    import fcntl
except ImportError:  # Windows, where each worker makes its own
    fcntl = None  # type: ignore[assignment]

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


@dataclass(frozen=True)
class DemoRun:
    """The demo, with the metrics that the papers' tables show on it."""

    folder: Path
    """Where the command ran."""
    files: tuple[str, ...]
    """What it left in the folder of its runs."""
    output: str


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
    """One run for all tests that read it: it takes as long as hundreds of other tests.

    The worker that needs it first makes it. Each has a copy: commands of a test write beside it.
    """
    folder = tmp_path_factory.mktemp("demo")
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared_demo"
    shared.mkdir(exist_ok=True)
    with locked(shared / "lock"):
        output = shared / "output.txt"
        if not output.exists():
            (shared / "folder").mkdir(exist_ok=True)
            text = run_demo(shared / "folder")
            output.write_text(text, "utf-8")
    shutil.copytree(shared / "folder", folder, dirs_exist_ok=True)
    files = tuple(sorted(path.name for path in (folder / "demo").iterdir()))
    return DemoRun(folder, files, output.read_text("utf-8"))


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Wait until no other worker has the lock; it ends with its process."""
    with file.open("w") as handle:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def run_demo(folder: Path) -> str:
    """The demo in a folder; what it prints."""
    from sqlverdict.cli.main import sqlverdict
    from sqlverdict.papers.paper_data import DEMO_OPTIONS

    words = ["demo", "--out", "demo", "--metrics", str(DEMO_OPTIONS.metrics), "--workers", "0"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner().invoke(sqlverdict, words)
    assert done.exit_code == 0, done.output
    return done.stdout


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
