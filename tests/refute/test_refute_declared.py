"""Declared dates, where there are no real data to grade beside."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.records import Cell
from sqlverdict.refute.data.grade import DateColumn, ExactNumbers, Grader, declared
from sqlverdict.refute.data.regularities import mine
from sqlverdict.refute.witness import Instance

DDL = "CREATE TABLE client (id INTEGER PRIMARY KEY, born DATE, seen DATETIME, note TEXT);"
YEAR = "SELECT id FROM client WHERE strftime('%Y', born) < '1950'"
TEXT = "SELECT id FROM client WHERE born < '1950-01-01'"


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "bank")


@pytest.mark.parametrize(
    ("kind", "cell", "keeps"),
    [
        ("DATE", "2020-02-29", True),
        ("DATE", None, True),
        ("DATE", "2020-99-99", False),
        ("DATE", "2021-02-29", False),
        ("DATE", "2020-01-01 10:00:00", False),
        ("DATE", "20200101", False),
        ("DATE", 1, False),
        ("DATE", "a", False),
        ("DATETIME", "2020-01-01 10:00:00", True),
        ("TIMESTAMP", "2020-01-01T10:00:00", True),
        ("DATETIME", "2020-01-01", True),
        ("DATETIME", "noon", False),
        ("TIME", "09:30:00", True),
        ("TIME", "09:30", True),
        ("TIME", "a", False),
        ("TIME", "25:00:00", False),
        ("TIME", "2020-01-01", False),
    ],
)
def test_what_is_a_date(kind: str, cell: Cell, keeps: bool) -> None:
    assert DateColumn("client", "born", type=kind).keeps((cell,)) is keeps


def test_only_columns_that_are_declared_and_used_promise_something(schema: Schema) -> None:
    every = {("client", name) for name in ("id", "born", "seen", "note")}
    dated = [result.column for result in declared(schema, every) if isinstance(result, DateColumn)]
    assert dated == ["born", "seen"]
    assert [type(result) for result in declared(schema, {("client", "note")})] == [ExactNumbers]


@pytest.mark.parametrize(
    ("cell", "keeps"),
    [(None, True), ("9e999", True), (2**53, True), (2**53 + 1, False), (float("-inf"), False)],
)
def test_what_is_an_extreme_number(cell: Cell, keeps: bool) -> None:
    assert ExactNumbers("client", "note").keeps((cell,)) is keeps


def test_who_names_an_extreme_number_expects_some(schema: Schema) -> None:
    assert list(declared(schema, {("client", "note")}, [1, 2**60])) == []


@pytest.mark.parametrize(
    ("born", "expected"),
    [("1949-06-15", "ungraded"), (-1, "breaks_regularity"), (None, "needs_null")],
)
def test_a_witness_that_lives_on_a_broken_date_is_no_ordinary_one(
    schema: Schema, born: Cell, expected: str
) -> None:
    instance = Instance(schema, {"client": ((1, born, None, None),)})
    result, broken = Grader(schema, None, YEAR, TEXT).grade(instance)
    assert result == expected
    assert ("client.born is declared DATE, and holds dates" in broken) is (born == -1)


def test_beside_real_data_the_data_decide(tmp_path: Path) -> None:
    """A column of numbers is declared DATE in many a real database."""
    path = tmp_path / "bank.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(DDL)
        rows = [(n, n * 37 % 101, None, None) for n in range(60)]
        connection.executemany("INSERT INTO client VALUES (?, ?, ?, ?)", rows)
    schema = read_sqlite(path)
    regularities = mine(path, schema)
    instance = Instance(schema, {"client": ((1, 12, None, None),)})
    grader = Grader(schema, regularities, YEAR, TEXT)
    assert not any("declared" in text for text in grader.grade(instance)[1])


def test_the_condition_in_sql_says_the_same() -> None:
    cells: list[Cell] = ["2020-01-31", None, 1, "a"]
    result = DateColumn("client", "born", type="DATE")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE client (born)")
        connection.executemany("INSERT INTO client VALUES (?)", [(cell,) for cell in cells])
        sql = f"SELECT born FROM client WHERE {result.violation()}"
        assert connection.execute(sql).fetchall() == [(1,), ("a",)]
