"""Places that cannot be written to, disks that are full, and what lies in a run's folder."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from sqlverdict.files import store
from timeouts import fail_on_hang

Invoke = Callable[..., Result]


def lines_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "results.jsonl").read_bytes().splitlines()
    results = [msgspec.json.decode(line) for line in lines]
    return [{name: line[name] for name in line if name != "timings"} for line in results]


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("evaluate", "--cases", "{gold}", "--predictions", "{predictions}", "--out", "{file}/run"),
        ("reliability", "{run}", "--out", "{file}/figures"),
        ("table", "{run}", "--of", "categories", "--figures", "{file}/figures"),
    ],
)
def test_a_place_that_cannot_be_written_to_is_6_and_no_traceback(
    args: tuple[str, ...], tiny: Any, invoke: Invoke, tmp_path: Path
) -> None:
    predictions = tiny.predictions("SELECT 0")
    assert (
        invoke(
            "evaluate", "--cases", tiny.gold, "--predictions", predictions, "--out", "run"
        ).exit_code
        == 0
    )
    file = tmp_path / "file"
    file.write_text("not a folder")
    values = {"gold": tiny.gold, "predictions": predictions, "file": file, "run": "run"}
    result = invoke(*(arg.format(**values) for arg in args))
    assert result.exit_code == 6, result.output
    assert "Traceback" not in result.output
    assert result.stderr.count("\n") == 1
    assert str(file) in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_full_disk_is_6_and_the_same_command_goes_on(
    workers: int, tiny: Any, tmp_path: Path
) -> None:
    import resource

    from sqlverdict.cli.main import sqlverdict

    def command(out: str, workers: int) -> list[str]:
        words = (
            "evaluate",
            "--cases",
            cases,
            "--databases",
            tiny.databases,
            "--out",
            tmp_path / out,
        )
        return [*map(str, words), "--quiet", "--no-cache", "--workers", str(workers)]

    def run(most: int) -> tuple[int, str]:
        """The exit code and the messages of a child that can write files of so many bytes."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            code = 1
            try:
                # A compiled file that the limit has cut off would stay, for all later tests.
                sys.dont_write_bytecode = True
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
                done = CliRunner().invoke(sqlverdict, command("run", workers))
                os.write(writer, done.stderr.encode())
                code = done.exit_code
            finally:
                os._exit(code)
        os.close(writer)
        with fail_on_hang(), os.fdopen(reader, encoding="utf-8") as messages:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), messages.read()

    cases = tiny.cases(repeat=100)
    # In this process first: a child then has everything loaded.
    assert CliRunner().invoke(sqlverdict, command("whole", 0)).exit_code == 0
    size = (tmp_path / "whole" / "results.jsonl").stat().st_size
    for most in (100, size // 3, size * 2 // 3):
        code, messages = run(most)
        assert code == 6, messages
        assert "Traceback" not in messages
        assert "run the same command again to continue" in messages
        assert not (tmp_path / "run" / "summary.json").exists()
    assert run(100 * size)[0] == 0
    assert lines_of(tmp_path / "run") == lines_of(tmp_path / "whole")
    for file in ("summary.json",):
        assert (tmp_path / "run" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


@pytest.mark.slow
def test_a_changed_database_is_said_and_its_old_score_is_not_printed(
    tiny: Any, invoke: Invoke
) -> None:
    common = ("evaluate", "--cases", tiny.gold, "--predictions", tiny.predictions(), "--out", "run")
    assert "100.0% right" in invoke(*common, "--quiet").stdout
    with closing(sqlite3.connect(tiny.databases / "shop" / "shop.sqlite")) as connection:
        connection.execute("DROP TABLE item")
    for words in (("--quiet",), ()):
        result = invoke(*common, *words)
        assert result.exit_code == 4
        assert "100.0% right" in result.stdout or "unscored" in result.stdout
        if words:
            text = "1 database changed since the run (shop): 3 cases are done again"
            assert f"note: {text}" in result.stderr
    other = tiny.databases.with_name("other")
    tiny.databases.rename(other)
    assert invoke(*common, "--quiet").exit_code == 3, "the databases are gone"
    warning = invoke(*common, "--databases", other, "--quiet")
    assert (warning.exit_code, "100.0% right" in warning.stdout) == (4, True)


@pytest.mark.slow
def test_every_path_that_is_printed_works(tiny: Any, invoke: Invoke) -> None:
    """Witnesses lay in runs/witnesses, and report.md named ``.../witnesses/x.sql``."""
    predictions = tiny.predictions("SELECT 3")
    common = ("evaluate", "--cases", tiny.gold, "--predictions", predictions)
    # By this metric the lucky match is wrong, so that reports show it.
    result = invoke(*common, "--refute", "50", "--metrics", "witness_accuracy,ex")
    assert result.exit_code == 0
    assert sorted(path.name for path in Path("runs").iterdir()) == ["mine"]
    page = invoke("show", "runs/mine", "0").stdout
    for text in (
        page,
        Path("runs/mine/report.md").read_text(),
        Path("runs/mine/junit.xml").read_text(),
    ):
        (command,) = {
            line.partition("replay it: ")[2] for line in text.splitlines() if "replay it: " in line
        }
        words = shlex.split(command.replace("`", "").partition("<")[0])
        assert words[:3] == ["sqlverdict", "refute", "--replay"]
        assert Path(words[3]).is_relative_to("runs/mine/witnesses")
        assert invoke(*words[1:]).exit_code == 0


def test_a_witness_that_cannot_be_written_is_sought_again(tiny: Any, invoke: Invoke) -> None:
    """A full disk was taken for a text beyond our tools, for ever, and left the denominator."""
    predictions = tiny.predictions("SELECT 3")
    common = (
        "evaluate",
        "--cases",
        tiny.gold,
        "--predictions",
        predictions,
        "--metrics",
        "verdict",
    )
    common += ("--no-llm", "--workers", "0", "--out")
    assert invoke(*common, "whole").exit_code == 0
    Path("run").mkdir()
    Path("run/witnesses").write_text("in the way")
    result = invoke(*common, "run")
    assert "STOPPED: in 1 case a file could not be written" in result.output
    assert "UNSUPPORTED SQL" not in result.output
    assert "could not continue" in invoke("show", "run", "0").stdout
    Path("run/witnesses").unlink()
    again = invoke(*common, "run")
    assert "1 case is done again" in again.output
    assert lines_of(Path("run")) == lines_of(Path("whole"))
    assert Path("run/summary.json").read_bytes() == Path("whole/summary.json").read_bytes()


def test_refute_says_6_where_its_witness_cannot_be_written(tiny: Any, invoke: Invoke) -> None:
    Path("file").write_text("not a folder")
    database = tiny.databases / "shop" / "shop.sqlite"
    queries = ("SELECT count(*) FROM item", "SELECT 3")
    result = invoke(
        "refute", *queries, "--db", database, "--set", "no-bank=true", "--out", "file/folder"
    )
    assert (result.exit_code, "cannot be written" in result.stderr) == (6, True)


def test_a_cache_that_fills_in_the_middle_of_a_run_is_noted(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = store._prepare

    def prepare_on_a_full_disk(connection: sqlite3.Connection, *rest: Any) -> None:
        prepare(connection, *rest)
        connection.execute("PRAGMA max_page_count=1")

    cache = tmp_path / "cache" / "answers.sqlite"
    monkeypatch.setattr(store, "_prepare", prepare_on_a_full_disk)
    monkeypatch.setenv("SQLVERDICT_CACHE", str(cache))
    pages = [(f"g{n}", f"SELECT '{'x' * 3000}{n}'") for n in range(40)]
    cases = tmp_path / "cases.jsonl"
    lines = [{"id": name, "gold": sql, "prediction": sql, "db_id": "d"} for name, sql in pages]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with closing(sqlite3.connect(tmp_path / "d.sqlite")) as database:
        database.execute("CREATE TABLE t (a)")
    out = tmp_path / "run"
    words = ["evaluate", "--cases", cases, "--databases", tmp_path / "d.sqlite", "--out", out]
    done = invoke(*words, "--workers", 0)
    assert done.exit_code == 0, done.output
    note = f"answers are not cached: {cache}: database or disk is full"
    assert f"note: {note}" in done.output
    assert json.loads((out / "manifest.json").read_text())["notes"].count(note) == 1
    assert note in (out / "report.md").read_text()
    assert not (out / "problems.txt").exists()
