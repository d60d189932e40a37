"""Finding database files in the usual layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlverdict.errors import DatabaseError, UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.load.databases import DatabaseFolder, find_databases, suite_of


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")


@pytest.mark.parametrize(
    "name",
    ["pets/pets.sqlite", "pets/pets.sqlite3", "pets/pets.db", "pets.sqlite", "pets/other.sqlite"],
)
def test_layouts(tmp_path: Path, name: str) -> None:
    make(tmp_path, name, "pets/schema.sql", "pets/._pets.sqlite", "cars/cars.sqlite")
    folder = DatabaseFolder(tmp_path)
    assert folder.path("pets") == str(tmp_path / name)
    assert folder.expected("pets") == folder.require("pets") == str(tmp_path / name)
    assert folder.notes == ()


def test_a_name_with_a_dot(tmp_path: Path) -> None:
    make(tmp_path, "v1.2/v1.2.sqlite")
    assert DatabaseFolder(tmp_path).path("v1.2") == str(tmp_path / "v1.2/v1.2.sqlite")


def test_a_missing_database_has_an_expected_place(tmp_path: Path) -> None:
    make(tmp_path, "pets_1/pets_1.sqlite")
    folder = DatabaseFolder(tmp_path)
    assert folder.path("pets_2") is None
    assert folder.suite("pets_2") == []
    assert folder.expected("pets_2") == str(tmp_path / "pets_2" / "pets_2.sqlite")
    with pytest.raises(DatabaseError, match="Did you mean 'pets_1'"):
        folder.require("pets_2")


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    assert "no folder" in DatabaseFolder(tmp_path / "none").explain("a")
    with pytest.raises(UsageError, match="no folder"):
        find_databases(tmp_path, ("database",), tmp_path / "none")


def test_several_files_without_its_own_are_not_guessed(tmp_path: Path) -> None:
    make(tmp_path, "pets/a.sqlite", "pets/b.sqlite")
    folder = DatabaseFolder(tmp_path)
    assert folder.path("pets") is None
    assert "not determined" in folder.explain("pets")


def test_a_difference_in_case_is_used_and_reported(tmp_path: Path) -> None:
    make(tmp_path, "Pets/Pets.sqlite")
    folder = DatabaseFolder(tmp_path)
    assert folder.path("pets") == str(tmp_path / "Pets/Pets.sqlite")
    assert "case differs" in folder.notes[0]
    assert folder.path("pets") is not None
    assert len(folder.notes) == 1


def test_two_differences_in_case_are_not_guessed(tmp_path: Path) -> None:
    make(tmp_path, "Pets/Pets.sqlite", "PETS/PETS.sqlite")
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this file system ignores case")
    assert DatabaseFolder(tmp_path).path("pets") is None
    assert DatabaseFolder(tmp_path).path("PETS") == str(tmp_path / "PETS/PETS.sqlite")


@pytest.mark.parametrize("db_id", ["", ".", "..", "../pets", "a/b", "a\0b"])
def test_a_db_id_is_no_path(tmp_path: Path, db_id: str) -> None:
    make(tmp_path, "pets.sqlite", "in/pets.sqlite")
    assert DatabaseFolder(tmp_path / "in").path(db_id) is None


def test_a_file_serves_every_id(tmp_path: Path) -> None:
    make(tmp_path, "one.sqlite")
    assert DatabaseFolder(tmp_path / "one.sqlite").path("x") == str(tmp_path / "one.sqlite")


def test_suite_is_every_file_of_the_folder_its_own_first(tmp_path: Path) -> None:
    make(tmp_path, "pets/a.sqlite", "pets/pets.sqlite", "pets/z.sqlite", "cars.sqlite", "x.sqlite")
    folder = DatabaseFolder(tmp_path)
    names = [Path(file).name for file in folder.suite("pets")]
    assert names == ["pets.sqlite", "a.sqlite", "z.sqlite"]
    assert folder.suite("cars") == [str(tmp_path / "cars.sqlite")]
    assert suite_of(folder.expected("pets"), "pets") == folder.suite("pets")


def test_digest_follows_the_content(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one")
    first = sha256_file(file)
    assert first == sha256_file(file)
    file.write_bytes(b"three")
    assert sha256_file(file) != first
