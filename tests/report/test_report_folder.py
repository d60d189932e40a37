"""A run folder is resumed by the same run alone, and says what differs otherwise."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from error_parts import options_of, refuses_run
from sqlverdict.errors import OptionName
from sqlverdict.files.lock import LOCK, FolderLock, Locked
from sqlverdict.records import Result
from sqlverdict.report.one_run.markdown import write_markdown
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.log import RESULTS, encode_result, read_results
from sqlverdict.runlog.manifest import MANIFEST, Manifest, library_versions, read_manifest
from sqlverdict.runlog.run import SUMMARY, Run, read_run

MakeManifest = Callable[..., Manifest]
MakeResult = Callable[..., Result]
MakeRun = Callable[..., Run]


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"inputs": {"cases.jsonl": "cc", "predictions": "bb"}}, "cases.jsonl"),
        ({"metrics": {"ex": 2}}, "the metric ex was of version 1, is of version 2"),
        ({"metrics": {"em": 1}}, "its metrics are ex, this one has em"),
        ({"stages": {"refute": "instances 400"}}, "this one alone has refute"),
        ({"engine_version": "3.54.0"}, "engine version was 3.40.1, is 3.54.0"),
        ({"limits": {"seconds": 5.0, "rows": 5.0}}, "the limit seconds was 30, is 5"),
        ({"inputs": {"predictions": "bb", "selection": "1"}}, "a selection of cases is given now"),
        ({"sqlverdict": "0.2.0"}, "sqlverdict was 0.1.0, is 0.2.0"),
        ({"seed": 7}, "seed was 0, is 7"),
    ],
)
def test_another_run_is_refused_and_the_difference_named(
    tmp_path: Path,
    make_manifest: MakeManifest,
    make_result: MakeResult,
    changed: dict[str, Any],
    difference: str,
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.append([(0, encode_result(make_result(0)))])
    first.close()
    with refuses_run("another_run") as error:
        RunFolder(tmp_path, make_manifest(**changed), overwrite=False)
    assert difference in str(error.value)
    assert "--overwrite" in str(error.value)


def test_what_cannot_change_a_result_does_not_stop_a_resume(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(workers=1), overwrite=False)
    first.append([(0, encode_result(make_result(0, database="aa")))])
    first.close()
    again = RunFolder(tmp_path, make_manifest(workers=8, system="x"), overwrite=False)
    assert again.resumed == 1
    again.append([(1, encode_result(make_result(1)))])
    assert again.finish(cases=2).summary.cases == 2


def test_a_finished_run_is_left_as_it_is(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.append([(0, encode_result(make_result(0)))])
    done = first.finish(cases=1)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    modified = (tmp_path / MANIFEST).stat().st_mtime_ns
    again = RunFolder(tmp_path, make_manifest(), overwrite=False)
    assert again.is_untouched()
    assert again.finish(cases=1).manifest.finished == done.manifest.finished
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert (tmp_path / MANIFEST).stat().st_mtime_ns == modified


def test_overwrite_removes_our_files_and_no_others(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.append([(0, encode_result(make_result(0)))])
    first.finish(cases=1)
    (tmp_path / "thesis.tex").write_text("mine")
    again = RunFolder(tmp_path, make_manifest(seed=3), overwrite=True)
    assert again.resumed == 0
    assert not (tmp_path / SUMMARY).exists()
    assert (tmp_path / "thesis.tex").read_text() == "mine"
    again.close()


def test_a_log_without_a_manifest_is_never_resumed(
    tmp_path: Path, make_manifest: MakeManifest
) -> None:
    (tmp_path / RESULTS).write_bytes(b"mine\n")
    with refuses_run("unknown_inputs"):
        RunFolder(tmp_path, make_manifest(), overwrite=False)


def test_a_kill_before_the_first_line_leaves_a_folder_that_can_be_used(
    tmp_path: Path, make_manifest: MakeManifest
) -> None:
    (tmp_path / RESULTS).write_bytes(b"")
    (tmp_path / f"{MANIFEST}.99-7.part").write_bytes(b'{"sys')
    RunFolder(tmp_path, make_manifest(), overwrite=False).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [MANIFEST, RESULTS]


@pytest.mark.parametrize("order", [(0, 1, 1), (1, 0, 2), (0, 0, 0)])
def test_lines_of_a_finished_run_that_were_copied_or_moved_are_refused_and_done_again(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult, order: tuple[int, ...]
) -> None:
    """Each line by itself is as it was written; a case that is missing was left out in silence."""
    run = RunFolder(tmp_path, make_manifest(), overwrite=False)
    run.append((index, encode_result(make_result(index))) for index in range(3))
    run.finish(cases=3)
    lines = (tmp_path / RESULTS).read_bytes().splitlines(keepends=True)
    assert [result.index for result in read_results(tmp_path)] == [0, 1, 2]
    (tmp_path / RESULTS).write_bytes(b"".join(lines[index] for index in order))
    with refuses_run("damaged", "each case once"):
        list(read_results(tmp_path))
    again = RunFolder(tmp_path, make_manifest(), overwrite=False)
    again.append((index, encode_result(make_result(index))) for index in {0, 1, 2} - set(order))
    again.finish(cases=3)
    assert [result.index for result in read_results(tmp_path)] == [0, 1, 2]


def test_a_second_run_in_the_same_folder_is_refused_and_harms_nothing(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.append([(0, encode_result(make_result(0)))])
    for overwrite in (False, True):
        with refuses_run("in_use", rf"process {os.getpid()} on ") as error:
            RunFolder(tmp_path, make_manifest(), overwrite=overwrite)
        assert options_of(error.value) == [OptionName("out")]
    first.append([(1, encode_result(make_result(1)))])
    assert first.finish(cases=2).summary.cases == 2
    RunFolder(tmp_path, make_manifest(), overwrite=False).close()
    assert not (tmp_path / LOCK).exists()


def test_the_lock_of_a_process_that_is_gone_is_taken_over(
    tmp_path: Path, make_manifest: MakeManifest
) -> None:
    (tmp_path / LOCK).write_text('{"pid": 1, "host": "elsewhere"}')
    RunFolder(tmp_path, make_manifest(), overwrite=False).close()


def test_a_file_system_without_locks_goes_by_the_name_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("sqlverdict.files.lock.fcntl.flock", flock)
    here = socket.gethostname()
    (tmp_path / LOCK).write_text(json.dumps({"pid": 2**22 + 1, "host": here}))
    FolderLock(tmp_path).release()
    for holder in ({"pid": os.getppid(), "host": here}, {"pid": 1, "host": "elsewhere"}):
        (tmp_path / LOCK).write_text(json.dumps(holder))
        with pytest.raises(Locked, match=f"process {holder['pid']} on {holder['host']}"):
            FolderLock(tmp_path)


def test_a_line_that_is_added_makes_a_finished_run_an_unfinished_one(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.append([(0, encode_result(make_result(0, database="aa")))])
    first.finish(cases=1)
    again = RunFolder(tmp_path, make_manifest(), overwrite=False)
    assert again.needs(0, "shop", "bb", make_result(0).inputs)
    again.append([(0, encode_result(make_result(0, database="bb", verdict="incorrect")))])
    assert not (tmp_path / SUMMARY).exists()
    assert read_manifest(tmp_path).finished == ""
    run = again.finish(cases=1)
    assert run.resumed == ("1 database changed since the run (shop): 1 case is done again",)
    assert run.summary.verdicts == {"incorrect": 1}


@pytest.mark.parametrize("cut", ["lines", "bytes", "more"])
def test_a_finished_log_that_was_cut_or_added_to_is_refused_and_mended(
    cut: str, tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    results = [make_result(index, database="aa") for index in range(3)]
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.append((result.index, encode_result(result)) for result in results)
    first.finish(cases=3)
    log = tmp_path / RESULTS
    whole = log.read_bytes()
    lines = whole.splitlines(keepends=True)
    extra = encode_result(make_result(3, database="aa")) + b"\n"
    log.write_bytes({"lines": b"".join(lines[:2]), "bytes": whole[:-9], "more": whole + extra}[cut])
    with refuses_run("damaged", r"has \d lines, and the run has 3 cases"):
        list(read_run(tmp_path).results())
    again = RunFolder(tmp_path, make_manifest(), overwrite=False)
    missing = [
        result for result in results if again.needs(result.index, "shop", "aa", result.inputs)
    ]
    assert len(missing) == (cut != "more")
    if missing:
        again.append((result.index, encode_result(result)) for result in missing)
    again.finish(cases=3)
    assert log.read_bytes() == whole


def test_an_unfinished_run_cannot_be_read_and_says_how_to_go_on(
    tmp_path: Path, make_manifest: MakeManifest
) -> None:
    RunFolder(tmp_path, make_manifest(), overwrite=False).close()
    with refuses_run("unfinished"):
        read_run(tmp_path)


def test_a_manifest_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"system": 3}')
    with refuses_run("damaged"):
        read_manifest(tmp_path)
    with refuses_run("missing"):
        read_manifest(tmp_path / "elsewhere")


def test_a_run_reads_back_as_it_was_written(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    folder = RunFolder(tmp_path, make_manifest(), overwrite=False)
    folder.append([(0, encode_result(make_result(0)))])
    run = folder.finish(cases=1)
    read = read_run(tmp_path)
    assert read.summary == run.summary
    assert read.manifest == run.manifest
    assert read.estimate("ex").value == 1.0
    with refuses_run("missing_metric", "'em'"):
        read.estimate("em")


@pytest.mark.parametrize("name", [MANIFEST, RESULTS, SUMMARY])
def test_bytes_that_are_no_text_are_a_damaged_file_and_no_error_of_ours(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult, name: str
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.append([(0, encode_result(make_result(0)))])
    first.finish(cases=1)
    first.close()
    path = tmp_path / name
    path.write_bytes(path.read_bytes().replace(b'"', b'"\xb5'))
    with refuses_run("damaged"):
        list(read_run(tmp_path).results())


def test_a_run_of_the_metric_em_is_still_read(make_run: MakeRun, make_result: MakeResult) -> None:
    results = [make_result(0, scores={"em": 1.0}), make_result(1, scores={"em": 0.0})]
    old = make_run("old", results, metrics={"em": 1}, binary=("em",))
    run = read_run(old.folder)
    assert run.estimate("em").value == 0.5
    assert run.deciding == "em"
    assert [str(run.verdict(result)) for result in run.results()] == ["correct", "incorrect"]
    assert "em" in write_markdown(run).read_text(encoding="utf-8")


def test_the_version_of_the_parser_is_in_the_manifest() -> None:
    from importlib.metadata import version

    assert library_versions() == {"sqlglot": version("sqlglot")}
