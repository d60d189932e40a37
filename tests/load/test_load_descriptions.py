"""What files beside a database say about columns; whatever they hold, nothing is raised."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlverdict.load import descriptions
from sqlverdict.load.descriptions import (
    FOLDER,
    Description,
    Problem,
    descriptions_digest,
    read_descriptions,
)

HEADER = "original_column_name,column_name,column_description,data_format,value_description\n"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The place of a database in the usual layout; the file itself is not needed."""
    folder = tmp_path / "root" / "databases" / "club"
    (folder / FOLDER).mkdir(parents=True)
    return folder / "club.sqlite"


def describe(database: Path, table: str, text: str | bytes) -> Path:
    file = database.parent / FOLDER / f"{table}.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def problems(database: Path, *tables: str) -> list[Problem]:
    return [note.problem for note in read_descriptions(str(database), "club", tables).notes]


def test_what_a_column_means_is_read_from_its_tables_file(database: Path) -> None:
    describe(database, "member", HEADER + 'zip,post code,"where they\nlive",integer,5 digits\n')
    result = read_descriptions(str(database), "club", ["Member"])
    assert result.of("MEMBER", "Zip") == Description("post code", "where they live", "5 digits")
    assert result.of("member", "name") is None
    assert result.notes == ()


def test_only_the_tables_that_are_asked_for_are_read(database: Path) -> None:
    describe(database, "member", HEADER + "zip,post code,,,\n")
    describe(database, "event", b"\0")
    assert problems(database, "member") == []
    assert problems(database, "event") == [Problem.BINARY]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + HEADER + "zip,post code,,,\n",
        HEADER.upper().replace("\n", "\r\n") + "zip,post code,,,\r\n",
        HEADER.replace(",", " , ") + " zip ,  post   code,,,\n",
        HEADER + "zip,post code\n",
        HEADER + "zip,post code,,,,,too,many\n",
        "column_name,original_column_name\npost code,zip\n",
        HEADER + ",,,,\n\nzip,post code,,,\nzip,another,,,\n",
    ],
)
def test_odd_files_are_read_all_the_same(database: Path, text: str) -> None:
    describe(database, "member", text)
    result = read_descriptions(str(database), "club", ["member"])
    assert result.of("member", "zip") == Description("post code")
    assert result.notes == ()


def test_bytes_of_windows_are_read(database: Path) -> None:
    describe(database, "member", HEADER.encode() + b"zip,caf\xe9 \x96 code,,,\n")
    result = read_descriptions(str(database), "club", ["member"])
    assert result.of("member", "zip") == Description("caf\xe9 \u2013 code")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x00\x01\x02", Problem.BINARY),
        (b"", Problem.WRONG_HEADER),
        (b"a,b,c\n1,2,3\n", Problem.WRONG_HEADER),
        (b"original_column_name\nzip\n", Problem.WRONG_HEADER),
        (HEADER.encode() + b'zip,"' + b"x" * 200_000 + b'",,,\n', Problem.BROKEN),
        (b"x" * (descriptions.LARGEST_CSV + 1), Problem.TOO_LARGE),
    ],
)
def test_a_hostile_file_is_a_note(database: Path, content: bytes, problem: Problem) -> None:
    describe(database, "member", content)
    describe(database, "event", HEADER + "name,title,,,\n")
    result = read_descriptions(str(database), "club", ["member", "event"])
    assert [(note.file, note.problem) for note in result.notes] == [("member.csv", problem)]
    assert str(result.notes[0]).startswith("member.csv: it")
    assert result.of("event", "name") == Description("title")


def test_what_is_no_plain_file_is_passed_over(database: Path) -> None:
    (database.parent / FOLDER / "member.csv").mkdir()
    os.mkfifo(database.parent / FOLDER / "event.csv")
    assert read_descriptions(str(database), "club", ["member", "event"]).columns == {}
    assert descriptions_digest(str(database)) == ""


def test_a_folder_of_too_many_files_is_a_note(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptions, "MOST_FILES", 1)
    describe(database, "member", HEADER)
    describe(database, "event", HEADER)
    assert problems(database, "member") == [Problem.TOO_MANY]


def test_long_cells_are_cut(database: Path) -> None:
    describe(database, "member", HEADER + f"zip,{'x' * 5_000},,,\n")
    result = read_descriptions(str(database), "club", ["member"]).of("member", "zip")
    assert result is not None
    assert len(result.name) == descriptions.LONGEST


@pytest.mark.parametrize("database", [None, "", "nowhere/db.sqlite", "a\0b/c.sqlite"])
def test_without_files_nothing_is_said(database: str | None) -> None:
    result = read_descriptions(database, "club", ["member"])
    assert (result.columns, result.notes) == ({}, ())
    assert descriptions_digest(database) == ""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: (HEADER + text).encode()))
def test_no_bytes_raise(database: Path, content: bytes) -> None:
    describe(database, "member", content)
    result = read_descriptions(str(database), "club", ["member"])
    assert all(table == "member" for table, _ in result.columns)


def tables_json(**changes: object) -> str:
    entry = {
        "db_id": "club",
        "table_names_original": ["Member"],
        "column_names_original": [[-1, "*"], [0, "ZIP"], [0, "dob"]],
        "column_names": [[-1, "*"], [0, "post code"], [0, "day of birth"]],
    }
    return json.dumps([{"db_id": "x", **{k: [] for k in list(entry)[1:]}}, {**entry, **changes}])


@pytest.mark.parametrize("above", [0, 1])
def test_natural_names_come_from_tables_json(database: Path, above: int) -> None:
    folder = (database.parent.parent, database.parent.parent.parent)[above]
    (folder / "tables.json").write_text(tables_json(), "utf-8")
    result = read_descriptions(str(database), "club", ["member"])
    assert result.of("member", "zip") == Description("post code")
    assert read_descriptions(str(database), "other", ["member"]).columns == {}
    assert read_descriptions(str(database), "club", ["event"]).columns == {}


def test_a_database_without_a_folder_of_its_own_has_tables_json_beside_it(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text(tables_json(), "utf-8")
    result = read_descriptions(str(tmp_path / "club.sqlite"), "club", ["member"])
    assert result.of("member", "dob") == Description("day of birth")


def test_a_description_replaces_a_natural_name(database: Path) -> None:
    (database.parent.parent / "tables.json").write_text(tables_json(), "utf-8")
    describe(database, "member", HEADER + "zip,,where they live,,\n")
    result = read_descriptions(str(database), "club", ["member"])
    assert result.of("member", "zip") == Description("", "where they live")
    assert result.of("member", "dob") == Description("day of birth")


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", "[" * 10_000, tables_json(column_names="no list"), tables_json()[:-20]],
)
def test_a_broken_tables_json_is_a_note(database: Path, text: str) -> None:
    (database.parent.parent / "tables.json").write_text(text, "utf-8")
    assert problems(database, "member") == [Problem.BROKEN]


def test_places_that_do_not_exist_are_passed_over(database: Path) -> None:
    text = tables_json(column_names_original=[[7, "ZIP"], [0, "dob"]])
    (database.parent.parent / "tables.json").write_text(text, "utf-8")
    result = read_descriptions(str(database), "club", ["member"])
    assert list(result.columns) == [("member", "dob")]


def test_the_digest_tells_files_apart(database: Path) -> None:
    seen = [descriptions_digest(str(database))]
    describe(database, "member", HEADER)
    seen.append(descriptions_digest(str(database)))
    describe(database, "member", HEADER + "zip,post code,,,\n")
    seen.append(descriptions_digest(str(database)))
    (database.parent.parent / "tables.json").write_text(tables_json(), "utf-8")
    seen.append(descriptions_digest(str(database)))
    assert len(set(seen)) == len(seen)
    assert descriptions_digest(str(database)) == seen[-1]
    assert seen[0] == ""


@pytest.mark.data
def test_the_published_files(data_root: Path) -> None:
    club = data_root / "bird" / "databases" / "student_club" / "student_club.sqlite"
    tables = ["member", "zip_code", "event", "budget"]
    result = read_descriptions(str(club), "student_club", tables)
    assert result.notes == ()
    size = result.of("member", "t_shirt_size")
    assert size is not None
    assert size.text.startswith("The size of tee shirt")
    spider = data_root / "spider" / "database" / "world_1" / "world_1.sqlite"
    assert read_descriptions(str(spider), "world_1", ["country"]).of(
        "country", "IndepYear"
    ) == Description("indepdent year")
