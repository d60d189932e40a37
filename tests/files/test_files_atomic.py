"""A file is there as it was or as it shall be, and nothing else is left beside it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.files.atomic import remove_parts, replacing, write_at_once
from sqlverdict.files.lock import LOCK, FolderLock
from sqlverdict.files.sealed import AppendFile


@pytest.mark.parametrize("lasting", [True, False])
def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path, lasting: bool) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(b"old")
    write_at_once(path, b"new", lasting=lasting)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("lasting", [True, False])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_fails_leaves_the_old_file_alone(
    tmp_path: Path, lasting: bool, error: type[BaseException]
) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(b"old")

    def write_half() -> None:
        with replacing(path, lasting=lasting) as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(error):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_only_what_shall_last_waits_for_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []
    monkeypatch.setattr(os, "fsync", waited.append)
    write_at_once(tmp_path / "a", b"x", lasting=False)
    assert waited == []
    write_at_once(tmp_path / "a", b"x")
    assert waited


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path) -> None:
    file = tmp_path / "absent" / "counts.json"
    with pytest.raises(FileNotFoundError) as caught:
        write_at_once(file, b"x")
    assert caught.value.filename == str(file)


def test_only_parts_of_our_own_are_removed(tmp_path: Path) -> None:
    others = ["film.part", "a.1.part", "b.1-.part", "12-34.part", "c.1-2.part.txt"]
    for name in (*others, "report.html.12-345.part", "two\nlines.1-2.part"):
        (tmp_path / name).touch()
    remove_parts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


def _no_space(*_: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _append(path: Path) -> None:
    with closing(AppendFile(path)) as file:
        file.append(b"x\n")


@pytest.mark.parametrize(
    ("write", "name", "step", "left"),
    [
        (lambda path: write_at_once(path, b"x"), "a.json", "fsync", []),
        (_append, "a.jsonl", "fsync", ["a.jsonl"]),
        (lambda path: FolderLock(path.parent), LOCK, "write", []),
    ],
)
def test_a_full_disk_is_reported_with_the_name_of_the_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path], object],
    name: str,
    step: str,
    left: list[str],
) -> None:
    """The error of an open file has no name: "No space left on device" does not say where."""
    monkeypatch.setattr("sqlverdict.files.sealed.sync_folder", lambda _: None)
    monkeypatch.setattr(os, step, _no_space)
    with pytest.raises(OSError, match="No space") as caught:
        write(tmp_path / name)
    assert caught.value.filename == str(tmp_path / name)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [
        (part, b"") for part in left
    ]


def test_another_error_keeps_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError) as caught, replacing(tmp_path / "a"):
        raise ConnectionError(errno.ECONNRESET, "the peer is gone")
    assert caught.value.filename is None
