"""Shards evaluated apart and merged are the run of one process."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from error_parts import refuses_run
from sqlverdict.cli.main import sqlverdict
from sqlverdict.error_reasons import RunLogReason
from sqlverdict.files.sealed import write_sealed_json
from sqlverdict.runlog.log import read_results
from sqlverdict.runlog.merge import merge_runs
from sqlverdict.runlog.run import read_run


def evaluate(out: Path, *more: str) -> None:
    command = ["evaluate", "--cases", str(out.parent / "cases.jsonl"), "--metrics", "ex,esm"]
    result = CliRunner().invoke(
        sqlverdict, [*command, "--quiet", "--workers", "0", "--out", str(out), *more]
    )
    assert result.exit_code in (0, 4), result.output


def merge_call(parts: Iterable[Path], out: Path) -> list[str]:
    shards = [word for part in parts for word in ("--merge", str(part))]
    return ["evaluate", *shards, "--out", str(out)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    import sqlite3

    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    with connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
        connection.execute("INSERT INTO t VALUES (1), (2), (3)")
    connection.close()
    with (tmp_path / "cases.jsonl").open("w") as file:
        for number in range(11):
            prediction = "SELECT n FROM t" if number % 3 else f"SELECT {number} FROM nowhere"
            line = {
                "id": str(number),
                "db_id": "shop",
                "gold": f"SELECT n FROM t WHERE n > {number % 2}",
            }
            file.write(json.dumps({**line, "prediction": prediction}) + "\n")
    return tmp_path


def without_timings(folder: Path) -> list[object]:
    return [
        {name: value for name, value in structs.asdict(result).items() if name != "timings"}
        for result in read_results(folder)
    ]


@pytest.mark.parametrize("shards", [1, 2, 3, 5])
def test_merged_shards_are_the_run_of_one_process(folder: Path, shards: int) -> None:
    evaluate(folder / "whole")
    parts = [folder / f"part{number}" for number in range(1, shards + 1)]
    for number, part in enumerate(parts, 1):
        evaluate(part, "--shard", f"{number}/{shards}")
    result = CliRunner().invoke(sqlverdict, merge_call(reversed(parts), folder / "all"))
    assert result.exit_code == 0, result.output
    assert without_timings(folder / "all") == without_timings(folder / "whole")
    merged, whole = read_run(folder / "all"), read_run(folder / "whole")
    assert merged.summary == whole.summary
    assert merged.manifest.fingerprint == whole.manifest.fingerprint
    assert (folder / "all" / "report.md").is_file()


def test_merged_shards_are_scored_again_with_other_golds(folder: Path, parts: list[Path]) -> None:
    """The command in their manifest is that of one shard."""
    whole = folder / "whole"
    CliRunner().invoke(sqlverdict, merge_call(parts, whole))
    fixes = folder / "fixes.jsonl"
    fixes.write_text(json.dumps({"id": "4", "gold": "SELECT n + 1 FROM t"}) + "\n")
    done = CliRunner().invoke(sqlverdict, ["leaderboard", str(whole), "--golds", str(fixes)])
    assert done.exit_code == 0, done.output
    again = read_run(whole / "golds" / "fixes")
    assert again.manifest.cases == 11
    assert [r.id for r in read_results(again.folder) if "n + 1" in r.gold[0]] == ["4"]


def test_a_folder_of_shards_stands_for_all_of_them(folder: Path, parts: list[Path]) -> None:
    for _ in range(2):
        call = ["evaluate", "--merge", str(folder), "--out", str(folder / "all"), "--overwrite"]
        result = CliRunner().invoke(sqlverdict, call)
        assert result.exit_code == 0, result.output
        assert f"11 cases of {len(parts)} shards" in result.output


def test_a_merge_evaluates_nothing(folder: Path, parts: list[Path]) -> None:
    call = merge_call(parts, folder / "all")
    wrong = CliRunner().invoke(sqlverdict, [*call, "--metrics", "ex"])
    assert (wrong.exit_code, "--metrics is for an evaluation" in wrong.output) == (2, True)
    setting = CliRunner().invoke(sqlverdict, [*call, "--set", "max-rows=3"])
    assert (setting.exit_code, "--set max-rows is for an" in setting.output) == (2, True)
    nowhere = CliRunner().invoke(sqlverdict, call[:-2])
    assert (nowhere.exit_code, "--merge goes with --out" in nowhere.output) == (2, True)


def test_a_merge_takes_its_settings_and_reads_no_project_file(
    folder: Path, parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    Path("sqlverdict.toml").write_text('out = "elsewhere"\nmetrics = "esm"\n')
    call = [*merge_call(parts, folder / "all"), "--set", "page=false"]
    result = CliRunner().invoke(sqlverdict, call)
    assert result.exit_code == 0, result.output
    assert "options from" not in result.output
    assert not (folder / "all" / "report.html").exists()
    Path("sqlverdict.toml").write_text('merge = ["part1"]\n')
    refusal = CliRunner().invoke(sqlverdict, ["evaluate", "--cases", "x.csv"])
    assert (refusal.exit_code, "'merge' is unknown" in refusal.output) == (2, True)


def test_a_missing_shard_is_named(folder: Path) -> None:
    evaluate(folder / "one", "--shard", "1/2")
    with refuses_run("wrong_shards", r"found .*shard 1/2"):
        merge_runs([folder / "one"], folder / "all")


def test_a_shard_that_is_there_twice_is_refused(folder: Path) -> None:
    evaluate(folder / "one", "--shard", "1/2")
    with refuses_run("wrong_shards"):
        merge_runs([folder / "one", folder / "one"], folder / "all")


def test_a_whole_run_is_no_shard(folder: Path) -> None:
    evaluate(folder / "whole")
    with refuses_run("wrong_shards"):
        merge_runs([folder / "whole"], folder / "all")


def test_shards_of_other_options_are_refused(folder: Path) -> None:
    evaluate(folder / "one", "--shard", "1/2")
    evaluate(folder / "two", "--shard", "2/2", "--set", "max-rows=5")
    with refuses_run("another_run"):
        merge_runs([folder / "one", folder / "two"], folder / "all")


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/0"])
def test_what_is_no_shard_is_refused(folder: Path, text: str) -> None:
    command = ["evaluate", "--cases", str(folder / "cases.jsonl"), "--shard", text]
    result = CliRunner().invoke(sqlverdict, command)
    assert result.exit_code == 2
    assert "is not a shard" in result.output


@pytest.fixture
def parts(folder: Path) -> list[Path]:
    """Two shards, finished."""
    for number in (1, 2):
        evaluate(folder / f"part{number}", "--shard", f"{number}/2")
    return [folder / "part1", folder / "part2"]


def test_a_full_disk_is_6_with_one_file_and_the_same_command_merges(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message was a list of Python tuples, with the names of temporary files."""
    parts = [folder / "one", folder / "two"]
    for number, part in enumerate(parts, 1):
        evaluate(part, "--shard", f"{number}/2")
        (part / "witnesses").mkdir(exist_ok=True)
        (part / "witnesses" / f"{number}.sql").write_text("SELECT 1")

    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(source), None, str(target))

    call = merge_call(parts, folder / "all")
    with monkeypatch.context() as patch:
        patch.setattr("shutil.copyfile", full)
        failed = CliRunner().invoke(sqlverdict, call)
    file = folder / "all" / "witnesses" / "1.sql"
    assert failed.exit_code == 6
    assert failed.output.startswith(f"error: {file}: No space left on device. Check")
    assert not file.exists()
    assert not (folder / "all" / "summary.json").exists()
    done = CliRunner().invoke(sqlverdict, call)
    assert done.exit_code == 0, done.output
    assert len(list((folder / "all" / "witnesses").iterdir())) == 2


def test_witnesses_and_contradictions_of_all_shards_are_in_the_merged_run(
    parts: list[Path],
) -> None:
    """The message names files of the folder, which lay in the folder of a shard alone."""
    for part in parts:
        for name in ("witnesses", "contradictions"):
            (part / name).mkdir(exist_ok=True)
            (part / name / f"{part.name}.txt").write_text("x")
    merged = merge_runs(parts, parts[0].parent / "all")
    for name in ("witnesses", "contradictions"):
        files = {path.name for path in (merged.folder / name).iterdir()}
        assert files >= {"part1.txt", "part2.txt"}


def test_a_merge_never_writes_over_a_shard(parts: list[Path]) -> None:
    before = (parts[0] / "results.jsonl").read_bytes()
    for overwrite in (False, True):
        with refuses_run("wrong_shards"):
            merge_runs(parts, parts[0].parent / "." / "part1", overwrite=overwrite)
    assert (parts[0] / "results.jsonl").read_bytes() == before


def test_damaged_shards_are_refused_and_nothing_is_written(parts: list[Path]) -> None:
    log, manifest = parts[1] / "results.jsonl", parts[1] / "manifest.json"
    lines, fields = log.read_bytes().splitlines(keepends=True), json.loads(manifest.read_text())
    damaged_logs = {
        "cut short": lines[:-1],
        "has 4 lines": [*lines[:-1], lines[-1][:-20]],
        "each case once": [*lines[:1], *lines[:1], *lines[2:]],
    }
    for message, content in damaged_logs.items():
        log.write_bytes(b"".join(content))
        with refuses_run("damaged", message):
            merge_runs(parts, parts[0].parent / "all")
    log.write_bytes(b"".join(lines))
    damaged_manifests: dict[RunLogReason, dict[str, object]] = {
        "unfinished": {"cases": None},
        "another_run": {"sqlverdict": "0.0.1"},
        "damaged": {"inputs": {**fields["inputs"], "selection": "shard 2/1"}},
        "wrong_shards": {"inputs": {**fields["inputs"], "selection": "shard two"}},
    }
    for reason, changed in damaged_manifests.items():
        write_sealed_json(manifest, {**fields, **changed})
        with refuses_run(reason):
            merge_runs(parts, parts[0].parent / "all")
    assert not (parts[0].parent / "all").exists()


def test_shards_of_a_changed_database_are_refused(folder: Path, parts: list[Path]) -> None:
    import sqlite3

    connection = sqlite3.connect(folder / "shop.sqlite")
    with connection:
        connection.execute("INSERT INTO t VALUES (4)")
    connection.close()
    evaluate(folder / "later", "--shard", "2/2")
    with refuses_run("another_run", "'shop'"):
        merge_runs([parts[0], folder / "later"], folder / "all")


def test_shards_of_different_cuts_are_refused(folder: Path, parts: list[Path]) -> None:
    evaluate(folder / "of_three", "--shard", "2/3")
    evaluate(folder / "fewer", "--shard", "2/2", "--limit", "6")
    with refuses_run("wrong_shards"):
        merge_runs([parts[0], folder / "of_three"], folder / "all")
    with refuses_run("another_run"):
        merge_runs([parts[0], folder / "fewer"], folder / "all")
