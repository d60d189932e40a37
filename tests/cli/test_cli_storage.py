"""Places that cannot be written to, disks that are full, and what lies in a run's folder."""

from __future__ import annotations

import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import Result

from timeouts import HANG_SECONDS

Invoke = Callable[..., Result]
_MAIN = "from sqlverdict.cli.main import main; main()"


def lines_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "results.jsonl").read_bytes().splitlines()
    found = [msgspec.json.decode(line) for line in lines]
    return [{name: line[name] for name in line if name != "timings"} for line in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("evaluate", "--gold", "{gold}", "--predictions", "{said}", "--out", "{file}/run"),
        ("reliability", "{run}", "--out", "{file}/figures"),
        ("categories", "{run}", "--figures", "{file}/figures"),
    ],
)
def test_a_place_that_cannot_be_written_to_is_6_and_no_traceback(
    args: tuple[str, ...], tiny: Any, invoke: Invoke, tmp_path: Path
) -> None:
    said = tiny.predictions("SELECT 0")
    assert (
        invoke("evaluate", "--gold", tiny.gold, "--predictions", said, "--out", "run").exit_code
        == 0
    )
    file = tmp_path / "file"
    file.write_text("not a folder")
    values = {"gold": tiny.gold, "said": said, "file": file, "run": "run"}
    found = invoke(*(arg.format(**values) for arg in args))
    assert found.exit_code == 6, found.output
    assert "Traceback" not in found.output
    assert found.stderr.count("\n") == 1
    assert str(file) in found.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_full_disk_is_6_and_the_same_command_goes_on(
    workers: int, tiny: Any, tmp_path: Path
) -> None:
    cases = tiny.cases(repeat=100)
    databases = str(tiny.databases)

    def run(out: str, most: int | None) -> subprocess.CompletedProcess[str]:
        import resource

        def full() -> None:
            if most is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        # -B: Python would keep a compiled file that the limit has cut off, for all later tests.
        command = (
            *(sys.executable, "-B", "-c", _MAIN, "evaluate", "--cases", str(cases)),
            *("--databases", databases, "--out", str(tmp_path / out), "--quiet", "--no-cache"),
            *("--workers", str(workers)),
        )
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            preexec_fn=full,
            timeout=HANG_SECONDS,
            check=False,
        )

    assert run("whole", None).returncode == 0
    size = (tmp_path / "whole" / "results.jsonl").stat().st_size
    for most in (100, size // 3, size * 2 // 3):
        found = run("run", most)
        assert found.returncode == 6, found.stderr
        assert "Traceback" not in found.stderr
        assert "run the same command again to continue" in found.stderr
        assert not (tmp_path / "run" / "summary.json").exists()
    assert run("run", None).returncode == 0
    assert lines_of(tmp_path / "run") == lines_of(tmp_path / "whole")
    for file in ("summary.json",):
        assert (tmp_path / "run" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


@pytest.mark.slow
def test_a_changed_database_is_said_and_its_old_score_is_not_printed(
    tiny: Any, invoke: Invoke
) -> None:
    common = ("evaluate", "--gold", tiny.gold, "--predictions", tiny.predictions(), "--out", "run")
    assert "ex 100.0%" in invoke(*common, "--quiet").stdout
    with closing(sqlite3.connect(tiny.databases / "shop" / "shop.sqlite")) as connection:
        connection.execute("DROP TABLE item")
    for words in (("--quiet",), ()):
        found = invoke(*common, *words)
        assert found.exit_code == 4
        assert "ex 100.0% (" in found.stdout or "unscored" in found.stdout
        if words:
            said = "1 database changed since the run (shop): 3 cases are done again"
            assert f"note: {said}" in found.stderr
    other = tiny.databases.with_name("other")
    tiny.databases.rename(other)
    assert invoke(*common, "--quiet").exit_code == 3, "the databases are gone"
    given = invoke(*common, "--databases", other, "--quiet")
    assert (given.exit_code, "ex 100.0%" in given.stdout) == (4, True)


@pytest.mark.slow
def test_every_path_that_is_printed_works(tiny: Any, invoke: Invoke) -> None:
    """Witnesses lay in runs/witnesses, and report.md named ``.../witnesses/x.sql``."""
    said = tiny.predictions("SELECT 3")
    common = ("evaluate", "--gold", tiny.gold, "--predictions", said)
    # By this metric the lucky match is wrong, so that reports show it.
    found = invoke(*common, "--refute", "50", "--metrics", "witness_accuracy,ex")
    assert found.exit_code == 0
    assert sorted(path.name for path in Path("runs").iterdir()) == ["mine"]
    shown = invoke("show", "runs/mine", "0").stdout
    for text in (
        shown,
        Path("runs/mine/report.md").read_text(),
        Path("runs/mine/junit.xml").read_text(),
    ):
        (command,) = {
            line.partition("replay it: ")[2] for line in text.splitlines() if "replay it: " in line
        }
        words = shlex.split(command.replace("`", "").partition("<")[0])
        assert words[:2] == ["sqlverdict", "replay"]
        assert Path(words[2]).is_relative_to("runs/mine/witnesses")
        assert invoke(*words[1:]).exit_code == 0


def test_a_witness_that_cannot_be_written_is_sought_again(tiny: Any, invoke: Invoke) -> None:
    """A full disk was taken for a text beyond our tools, for ever, and left the denominator."""
    said = tiny.predictions("SELECT 3")
    common = ("evaluate", "--gold", tiny.gold, "--predictions", said, "--metrics", "verdict")
    common += ("--no-llm", "--workers", "0", "--out")
    assert invoke(*common, "whole").exit_code == 0
    Path("run").mkdir()
    Path("run/witnesses").write_text("in the way")
    found = invoke(*common, "run")
    assert "STOPPED: in 1 case a file could not be written" in found.output
    assert "BEYOND OUR TOOLS" not in found.output
    assert "could not go on" in invoke("show", "run", "0").stdout
    Path("run/witnesses").unlink()
    again = invoke(*common, "run")
    assert "1 case is done again" in again.output
    assert lines_of(Path("run")) == lines_of(Path("whole"))
    assert Path("run/summary.json").read_bytes() == Path("whole/summary.json").read_bytes()


def test_refute_says_6_where_its_witness_cannot_be_written(tiny: Any, invoke: Invoke) -> None:
    Path("file").write_text("not a folder")
    database = tiny.databases / "shop" / "shop.sqlite"
    queries = ("SELECT count(*) FROM item", "SELECT 3")
    found = invoke("refute", *queries, "--db", database, "--no-bank", "--out", "file/folder")
    assert (found.exit_code, "cannot be written" in found.stderr) == (6, True)
