"""Finding database files in the usual layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from error_parts import asks_for
from sqlverdict.files.digests import sha256_file
from sqlverdict.load.benchmark import missing_databases, notes_for_part
from sqlverdict.load.databases import DatabaseFolder, find_databases, suite_of, unknown_database
from sqlverdict.records import Case


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
    assert folder.expected("pets") == str(tmp_path / name)
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
    message = unknown_database("pets_2", "databases", folder.expected("pets_2") or "")
    assert f"expected {tmp_path / 'pets_2' / 'pets_2.sqlite'}" in message
    assert "Did you mean 'pets_1'?" in message
    assert "(option databases)" in message
    assert unknown_database("pets_1", "databases", folder.expected("pets_1") or "") == ""


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    file = DatabaseFolder(tmp_path / "none").expected("a") or ""
    assert f"no folder {tmp_path / 'none'}" in unknown_database("a", "databases", file)
    with asks_for("databases"):
        find_databases(tmp_path, ("database",), tmp_path / "none")


def test_several_files_without_its_own_are_not_guessed(tmp_path: Path) -> None:
    make(tmp_path, "pets/a.sqlite", "pets/b.sqlite")
    folder = DatabaseFolder(tmp_path)
    assert folder.path("pets") is None
    file = folder.expected("pets") or ""
    assert "not determined" in unknown_database("pets", "databases", file)


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


OUTSIDE = (
    "../secret",
    "..",
    ".",
    "/etc/passwd",
    "a/../../secret",
    "a\\..\\secret",
    "x\0",
    "",
    "\ud800x",
)


@pytest.mark.parametrize("db_id", [*OUTSIDE, "x" * 300, "é" * 150])
def test_a_db_id_is_a_name_and_never_leads_out_of_the_folder(db_id: str, tmp_path: Path) -> None:
    root = tmp_path / "databases"
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "shop.sqlite").write_bytes(b"x")
    (tmp_path / "secret.sqlite").write_bytes(b"x")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "secret.sqlite").write_bytes(b"x")
    folder = DatabaseFolder(root)
    assert folder.path(db_id) is None
    assert folder.expected(db_id) is None
    assert folder.suite(db_id) == []
    assert "which is not a name" in unknown_database(db_id, "databases")
    assert folder.path("shop") == str(root / "shop" / "shop.sqlite")
    assert DatabaseFolder(root / "shop" / "shop.sqlite").path(db_id) is not None, "serves every id"


def test_a_folder_that_cannot_be_read_is_one_missing_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.sqlite").write_bytes(b"x")
    usual = Path.iterdir

    def iterdir(self: Path) -> object:
        if self.name == "a":
            raise PermissionError(13, "Permission denied", str(self))
        return usual(self)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    folder = DatabaseFolder(tmp_path)
    assert (folder.path("a"), folder.path("b")) == (None, str(tmp_path / "b" / "b.sqlite"))


def test_a_note_on_missing_databases_is_about_the_cases_that_are_worked_on(tmp_path: Path) -> None:
    make(tmp_path, "pets/pets.sqlite")
    folder = DatabaseFolder(tmp_path)
    names = ["pets", "wta", "wta", "ufo"]
    notes = ("another note", *missing_databases(folder, names))
    assert notes[1].endswith("('ufo', 'wta'): 3 cases cannot be executed")
    cases = [Case(str(n), name, database=folder.expected(name)) for n, name in enumerate(names)]
    assert notes_for_part(notes, cases) == notes
    assert notes_for_part(notes, cases[:1]) == ("another note",)
    first = f"1 database not found below {folder.describe()} ('wta'): 1 case cannot be executed"
    assert notes_for_part(notes, cases[:2]) == ("another note", first)
