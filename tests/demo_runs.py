"""The demo's runs, made once for all tests that read them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

try:
    import fcntl
except ImportError:  # Windows, where each worker makes its own
    fcntl = None  # type: ignore[assignment]


@dataclass(frozen=True)
class DemoRun:
    """The demo, with the metrics that the papers' tables show on it."""

    folder: Path
    """Where the command ran."""
    files: tuple[str, ...]
    """What it left in the folder of its runs."""
    output: str


def shared_demo(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
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
