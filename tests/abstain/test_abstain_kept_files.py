"""What ``abstain`` writes when the disk is full, the process is killed, or two write at once."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from abstain_parts import cases, known
from click.testing import CliRunner

from error_parts import asks_for, refuses_data, refuses_run
from sqlverdict.abstain import session, workflow
from sqlverdict.abstain.method import Draft, Tools, TrainingData
from sqlverdict.abstain.session import answer_cases, manifest_path
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.errors import DataError, OptionName
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.files.lock import writing_file, writing_folder

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def composition() -> FittedComposition:
    """Answers that are known beforehand, one of them with a line end of another kind in it."""
    model = FittedComposition("recorded[confidence(threshold=0.5)]")
    model.generator.drafts = {  # type: ignore[attr-defined]
        case_id: Draft("SELECT 'a\u2028b'", confidence=number / 10)
        for number, case_id in enumerate([f"q{n}" for n in range(6)] + [f"s{n}" for n in range(4)])
    }
    return model


@pytest.fixture
def answer(tmp_path: Path, database: Path) -> Callable[..., Path]:
    """Answers ten cases, three at a time; returns the file."""

    def run(name: str = "p.jsonl") -> Path:
        out = tmp_path / name
        answer_cases(composition(), cases(database), out, Tools(), inputs={})
        return out

    return run


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_CHUNK", 3)


def test_a_kill_at_any_byte_is_made_good_by_the_same_call(
    answer: Callable[..., Path], tmp_path: Path
) -> None:
    whole = answer().read_bytes()
    assert len(whole.splitlines()) == 10
    out = tmp_path / "p.jsonl"
    for length in range(0, len(whole), 17):
        out.write_bytes(whole[:length])
        answer()
        assert out.read_bytes() == whole, length


def test_two_that_write_to_one_file_do_not_mix(answer: Callable[..., Path], tmp_path: Path) -> None:
    whole = answer("whole.jsonl").read_bytes()
    with (
        writing_file(tmp_path / "p.jsonl"),
        asks_for(OptionName("out")) as error,
    ):
        answer()
    assert f"process {os.getpid()}" in str(error.value)
    assert not (tmp_path / "p.jsonl").exists()
    assert not manifest_path(tmp_path / "p.jsonl").exists()
    with writing_file(tmp_path / "whole.jsonl"):
        # Another file of the same folder is free.
        assert answer().read_bytes() == whole
    assert not list(tmp_path.glob("*.lock"))


def test_a_full_disk_leaves_whole_lines_and_the_same_call_goes_on(
    answer: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = answer("whole.jsonl").read_bytes()
    calls = []

    def fsync(handle: int) -> None:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            calls.append(handle)
        if len(calls) == 2:
            raise FULL

    with monkeypatch.context() as patch:
        patch.setattr("sqlverdict.files.sealed.os.fsync", fsync)
        with pytest.raises(OSError, match="No space"):
            answer()
    left = (tmp_path / "p.jsonl").read_bytes()
    assert left.splitlines() == whole.splitlines()[:3]
    assert left.endswith(b"\n")
    assert json.loads(manifest_path(tmp_path / "p.jsonl").read_text())["finished"] == ""
    assert answer().read_bytes() == whole


def test_answers_about_a_database_that_changed_are_not_continued(
    answer: Callable[..., Path], database: Path
) -> None:
    """Prompts show its schema and detectors run queries on it; half of each would be no system."""
    out = answer()
    out.write_bytes(b"".join(out.read_bytes().splitlines(keepends=True)[:4]))
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE other (a)")
    with refuses_run("another_run", r"\(databases differ\)"):
        answer()


def fitted(database: Path, tools: Tools) -> FittedComposition:
    model = composition()
    model.fit(TrainingData(validation=known(database)), tools)
    return model


@pytest.fixture
def tools() -> Tools:
    return Tools(runner=QueryRunner("sqlite", Limits()))


def test_a_fit_that_cannot_be_saved_leaves_the_earlier_one(
    tmp_path: Path, database: Path, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = fitted(database, tools)
    model.save(tmp_path / "kept")

    def full(*_: object) -> None:
        raise FULL

    with monkeypatch.context() as patch:
        patch.setattr(workflow, "write_json", full)
        with pytest.raises(OSError, match="No space"):
            model.save(tmp_path / "kept")
    assert FittedComposition.load(tmp_path / "kept").about() == model.about()
    assert [file.name for file in (tmp_path / "kept").iterdir()] == ["composition.json"]


def test_a_fit_that_was_killed_is_none_and_the_next_one_is_whole(
    tmp_path: Path, database: Path, tools: Tools
) -> None:
    part = tmp_path / "kept" / "composition.json.part" / "rf"
    part.mkdir(parents=True)
    (part / "words.json").write_text("{")
    with refuses_data(DataError, "missing", "composition.json"):
        FittedComposition.load(tmp_path / "kept")
    model = fitted(database, tools)
    model.save(tmp_path / "kept")
    assert FittedComposition.load(tmp_path / "kept").about() == model.about()
    assert not part.exists()


def test_a_folder_that_cannot_be_written_to_shows_before_anything_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.cli.commands.data import abstain as command
    from sqlverdict.cli.main import sqlverdict

    def fit(*_: object) -> None:
        raise AssertionError("it was fitted")

    monkeypatch.setattr(command, "fit", fit)
    (tmp_path / "file").write_text("")
    call = ["abstain", "fit", "recorded[confidence]", "--out"]
    refusal = CliRunner().invoke(sqlverdict, [*call, str(tmp_path / "file" / "kept")])
    assert isinstance(refusal.exception, SystemExit)
    assert refusal.exit_code == 6, refusal.output
    with writing_folder(tmp_path / "kept"):
        locked = CliRunner().invoke(sqlverdict, [*call, str(tmp_path / "kept")])
    assert (locked.exit_code, f"process {os.getpid()}" in locked.output) == (2, True)
