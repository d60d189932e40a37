"""The folder of a built benchmark when a build is killed, the disk is full, or two build at once."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sqlverdict.abstain.benchmark.write import UNFINISHED, prepare
from sqlverdict.errors import UsageError
from sqlverdict.files.lock import LOCK, writing_folder


def build(out: Path, databases: Path, *more: str) -> Result:
    from sqlverdict.cli.main import sqlverdict

    call = ("build", "--benchmark", "demo", "--databases", str(databases), "--out", str(out))
    result = CliRunner().invoke(
        sqlverdict, [*call, "--set", "lints=relative_time", "--set", "no-proofs=true", *more]
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def content(folder: Path) -> dict[str, bytes]:
    """All files but the manifest, which has the command line, and the report that quotes it."""
    return {
        file.name: file.read_bytes()
        for file in folder.iterdir()
        if file.is_file() and file.name not in ("manifest.json", "report.md")
    }


def test_two_builds_do_not_mix(tmp_path: Path) -> None:
    out = tmp_path / "built"
    with writing_folder(out):
        result = build(out, tmp_path / "databases")
        assert [file.name for file in out.iterdir()] == [LOCK]
    assert result.exit_code == 2
    assert f"process {os.getpid()}" in result.output


def test_what_a_kill_at_the_start_leaves_is_no_reason_to_refuse(tmp_path: Path) -> None:
    """Only a lock that nobody holds and half of the first file: both are ours."""
    (tmp_path / LOCK).write_text('{"pid": 1, "host": "elsewhere"}')
    (tmp_path / f"{UNFINISHED}.123-456.part").write_text("bui")
    prepare(tmp_path, overwrite=False)
    (tmp_path / "thesis.part").write_text("mine")
    with pytest.raises(UsageError, match="not a benchmark of ours"):
        prepare(tmp_path, overwrite=False)


@pytest.mark.slow
def test_a_full_disk_is_6_and_the_same_command_builds_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    databases = tmp_path / "databases"
    assert build(tmp_path / "whole", databases).exit_code == 0
    whole = content(tmp_path / "whole")
    out = tmp_path / "built"
    replace, left = Path.replace, [0]

    def fail_later(self: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail_later)
    for number in range(0, 6, 2):
        left[0] = number
        result = build(out, databases)
        assert result.exit_code == 6, result.output
        assert not [file for file in out.iterdir() if file.suffix == ".part"]
        assert not (out / LOCK).exists()
        assert not out.joinpath("test.jsonl").exists() or (out / UNFINISHED).exists()
    left[0] = 1000
    assert build(out, databases).exit_code == 0
    assert content(out) == whole
