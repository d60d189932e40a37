"""A run folder is resumed by the same run alone, and says what differs otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sqlverdict.errors import RunLogError
from sqlverdict.records import Result
from sqlverdict.report.folder import RunFolder
from sqlverdict.report.manifest import MANIFEST, Manifest, read_manifest
from sqlverdict.report.run import SUMMARY, read_run
from sqlverdict.report.runlog import RESULTS

MakeManifest = Callable[..., Manifest]
MakeResult = Callable[..., Result]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"inputs": {"cases.jsonl": "cc", "predictions": "bb"}}, "cases.jsonl"),
        ({"metrics": {"ex": 2}}, "metrics was"),
        ({"metrics": {"em": 1}}, "'em'"),
        ({"engine_version": "3.54.0"}, "engine_version was 3.40.1, is 3.54.0"),
        ({"limits": {"seconds": 5.0, "rows": 5.0}}, "'seconds': 5.0"),
        ({"sqlverdict": "0.2.0"}, "sqlverdict was 0.1.0, is 0.2.0"),
        ({"seed": 7}, "seed was 0, is 7"),
    ],
)
def test_another_run_is_refused_and_the_difference_named(
    tmp_path: Path, make_manifest: MakeManifest, changed: dict[str, Any], named: str
) -> None:
    RunFolder(tmp_path, make_manifest(), overwrite=False).close()
    with pytest.raises(RunLogError) as refused:
        RunFolder(tmp_path, make_manifest(**changed), overwrite=False)
    assert named in str(refused.value)
    assert "--overwrite" in str(refused.value)


def test_what_cannot_change_a_result_does_not_stop_a_resume(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(workers=1), overwrite=False)
    first.log.append([(0, msgspec.json.encode(make_result(0)))])
    first.close()
    again = RunFolder(tmp_path, make_manifest(workers=8, system="x"), overwrite=False)
    assert again.resumed == 1
    again.log.append([(1, msgspec.json.encode(make_result(1)))])
    assert again.finish(cases=2).summary.cases == 2


def test_a_finished_run_is_left_as_it_is(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.log.append([(0, msgspec.json.encode(make_result(0)))])
    done = first.finish(cases=1)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    written = (tmp_path / MANIFEST).stat().st_mtime_ns
    again = RunFolder(tmp_path, make_manifest(), overwrite=False)
    assert again.is_untouched()
    assert again.finish(cases=1).manifest.finished == done.manifest.finished
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert (tmp_path / MANIFEST).stat().st_mtime_ns == written


def test_overwrite_removes_our_files_and_no_others(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    first = RunFolder(tmp_path, make_manifest(), overwrite=False)
    first.log.append([(0, msgspec.json.encode(make_result(0)))])
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
    (tmp_path / RESULTS).write_bytes(b"")
    with pytest.raises(RunLogError, match=f"no {MANIFEST}"):
        RunFolder(tmp_path, make_manifest(), overwrite=False)


def test_an_unfinished_run_cannot_be_read_and_says_how_to_go_on(
    tmp_path: Path, make_manifest: MakeManifest
) -> None:
    RunFolder(tmp_path, make_manifest(), overwrite=False).close()
    with pytest.raises(RunLogError, match="is not finished"):
        read_run(tmp_path)


def test_a_manifest_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"system": 3}')
    with pytest.raises(RunLogError, match="not a manifest"):
        read_manifest(tmp_path)
    with pytest.raises(RunLogError, match="no run at"):
        read_manifest(tmp_path / "elsewhere")


def test_a_run_reads_back_as_it_was_written(
    tmp_path: Path, make_manifest: MakeManifest, make_result: MakeResult
) -> None:
    folder = RunFolder(tmp_path, make_manifest(), overwrite=False)
    folder.log.append([(0, msgspec.json.encode(make_result(0)))])
    written = folder.finish(cases=1)
    read = read_run(tmp_path)
    assert read.summary == written.summary
    assert read.manifest == written.manifest
    assert read.estimate("ex").value == 1.0
    with pytest.raises(RunLogError, match="has no metric 'em'"):
        read.estimate("em")
