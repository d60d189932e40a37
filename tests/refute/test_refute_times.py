"""Values of days and times have the form that their column has."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Cell
from sqlverdict.refute.data.grade import Grader
from sqlverdict.refute.data.mine.columns import TextForm
from sqlverdict.refute.data.regularities import mine
from sqlverdict.refute.make.times import simple_times, written_like
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import Instance, Witness

FIRST = "SELECT driver FROM lap ORDER BY {} LIMIT 1"
LAST = "SELECT driver FROM lap ORDER BY {} DESC LIMIT 1"
DAY = r"\d{4}-\d\d-\d\d.*"


def cells(gold: str, prediction: str, schema: Schema, column: str) -> list[Cell]:
    """What a witness holds in a column of the table ``lap``."""
    witness = find_witness(gold, prediction, schema)
    assert isinstance(witness, Witness)
    table = schema.table("lap")
    assert table is not None
    at = [each.name for each in table.columns].index(column)
    return [row[at] for row in witness.instance.rows["lap"] if row[at] is not None]


@pytest.mark.parametrize(
    ("column", "form"),
    [("time TEXT", DAY), ("time", DAY), ("started TIME", r"\d\d:\d\d.*"), ("at DATETIME", DAY)],
)
def test_a_column_of_times_holds_no_letter(column: str, form: str) -> None:
    schema = read_ddl(f"CREATE TABLE lap (driver TEXT, {column});", "race")
    name = column.split()[0]
    values = cells(FIRST.format(name), LAST.format(name), schema, name)
    assert values
    assert all(re.fullmatch(form, str(value)) for value in values), values


def test_a_literal_shows_how_a_column_is_written() -> None:
    schema = read_ddl("CREATE TABLE lap (driver TEXT, q1 TEXT);", "race")
    faster = "SELECT driver FROM lap WHERE q1 < '1:54.455' ORDER BY {} LIMIT 1"
    values = cells(faster.format("q1"), faster.format("q1 DESC"), schema, "q1")
    assert values
    assert not any(str(value).isalpha() for value in values), values


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("1:54.455", ["1:54.455", "1:54.456", "1:54.457", "1:54.458"]),
        ("1:59", ["1:59", "1:00", "1:01", "1:02"]),
        ("%3/7/2020", ["3/7/2020", "3/7/2021", "3/7/2022", "3/7/2023"]),
        ("2020-01-01", []),
        ("a:b", []),
        ("1.5", []),
        (7, []),
        (None, []),
    ],
)
def test_texts_are_made_in_the_form_of_another(text: Cell, others: list[str]) -> None:
    assert list(written_like(text)) == others


def test_what_is_simple_for_a_time_is_a_time() -> None:
    assert simple_times("2024-03-31 10:00:00") == ("2020-01-01", "2020-01-02", "2021-06-15")
    assert simple_times("17:05:01") == ("08:00:00", "09:30:00", "10:15:30")
    assert simple_times("1:54.455") == ()
    assert simple_times("Oslo") is None
    assert simple_times(3) is None


@pytest.fixture
def laps(tmp_path: Path) -> Path:
    path = tmp_path / "race.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE lap (driver TEXT, q1 TEXT)")
        rows = [(f"driver {n}", f"1:{n + 10}.{n}07") for n in range(40)]
        connection.executemany("INSERT INTO lap VALUES (?, ?)", rows)
        connection.commit()
    return path


def test_real_times_show_their_form(laps: Path) -> None:
    regularities, schema = mine(laps), read_sqlite(laps)
    assert TextForm("lap", "q1", "digits and signs") in regularities.members
    grader = Grader(schema, regularities, FIRST.format("q1"), LAST.format("q1"))
    letters = Instance(schema, {"lap": (("x", "a"), ("y", "b"))})
    assert grader.grade(letters)[0] == "breaks_regularity"
    times = Instance(schema, {"lap": (("x", "1:10.007"), ("y", "1:11.107"))})
    assert grader.grade(times)[0] == "ordinary"
