"""A node works on the driver's databases, or says that it has others."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from error_parts import asks_for, options_of, refuses_database
from sqlverdict.errors import OptionName
from sqlverdict.run.options import Options, SearchOptions
from sqlverdict.run.plan import plan_run
from sqlverdict.run.pool.node_files import (
    NodeFiles,
    check_node_files,
    contents_of,
    copy_of,
    files_of,
    make_copy,
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NodeFiles:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / "shop"
    (folder / "database_description").mkdir(parents=True)
    (folder / "shop.sqlite").write_bytes(b"content")
    (folder / "shop.sqlite-wal").write_bytes(b"log")
    (folder / "database_description" / "t.csv").write_text("column")
    files = files_of(str(folder / "shop.sqlite"), whole_folder=True)
    assert files is not None
    return files


def test_all_that_lies_in_a_databases_own_folder_belongs_to_it(files: NodeFiles) -> None:
    assert set(files.digests) == {"shop.sqlite", "shop.sqlite-wal", "database_description/t.csv"}
    alone = files_of(files.path, whole_folder=False)
    assert alone is not None
    assert set(alone.digests) == {"shop.sqlite", "shop.sqlite-wal"}


def test_databases_that_are_no_files_have_none(tmp_path: Path) -> None:
    assert files_of(str(tmp_path / "nothing.sqlite"), whole_folder=True) is None
    assert files_of("postgresql://host/shop", whole_folder=True) is None


def test_another_file_at_the_same_place_is_refused(files: NodeFiles) -> None:
    check_node_files(files, "node")
    Path(files.path).write_bytes(b"other")
    with refuses_database("changed", "node a ") as error:
        check_node_files(files, "a")
    assert options_of(error.value) == [OptionName("copy_databases", True)]
    Path(files.path).unlink()
    with refuses_database("missing", "node b ") as error:
        check_node_files(files, "b")
    assert options_of(error.value) == [OptionName("copy_databases", True)]


def test_a_copy_is_whole_and_two_actors_may_make_it(files: NodeFiles) -> None:
    contents = contents_of(files)
    for _ in range(2):
        make_copy(files, contents)
    copy = copy_of(files)
    check_node_files(replace(files, path=str(copy)), "node")
    assert copy.parent.name == "shop"
    assert len(list(copy.parent.parent.parent.iterdir())) == 1


def test_a_database_that_changes_while_it_is_copied_is_refused(files: NodeFiles) -> None:
    Path(files.path).write_bytes(b"changed")
    with refuses_database("changed"):
        contents_of(files)


@pytest.mark.parametrize(
    ("options", "names", "about"),
    [
        (Options(on="slurm"), (), "'slurm'"),
        (Options(copy_databases=True), (OptionName("on", "ray"),), "copied"),
        (Options(on="ray", search=SearchOptions(bank=Path("bank"))), ("bank", "on"), ""),
        (Options("ves", on="ray"), (OptionName("on"),), "ves"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused(
    options: Options, names: tuple[str | OptionName, ...], about: str
) -> None:
    with asks_for(*names) as refusal:
        plan_run(options)
    assert about in str(refusal.value)


def test_a_linked_database_has_the_log_beside_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "real").mkdir()
    connection = sqlite3.connect(tmp_path / "real" / "real.sqlite")
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.commit()
    link = tmp_path / "link.sqlite"
    link.symlink_to(tmp_path / "real" / "real.sqlite")
    # SQLite does not read a log that lies beside a link.
    (tmp_path / "link.sqlite-wal").write_bytes(b"left behind")
    files = files_of(str(link), whole_folder=False)
    assert files is not None
    assert set(files.digests) == {"link.sqlite", "link.sqlite-wal"}
    check_node_files(files, "node")
    make_copy(files, contents_of(files))
    with closing(sqlite3.connect(copy_of(files))) as copy:
        assert copy.execute("SELECT x FROM t").fetchall() == [(1,)]
    connection.close()
