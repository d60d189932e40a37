"""Results and schemas as a judge reads them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.judge.briefs.result_tables import brief_cell, result_table
from sqlverdict.judge.briefs.schema_text import schema_text
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer


def test_a_small_result_is_shown_whole_in_its_order() -> None:
    answer = Answer(("name", "n"), [("b", 2), ("a", None), ("b", 2)])
    assert result_table(answer.columns, answer.rows) == (
        "| name | n |\n| --- | --- |\n| b | 2 |\n| a | NULL |\n| b | 2 |\nshape=(3, 2)"
    )


def test_a_hundred_rows_are_shown_whole() -> None:
    lines = result_table(("n",), [(n,) for n in range(100)]).split("\n")
    assert lines[2:-1] == [f"| {n} |" for n in range(100)]
    assert lines[-1] == "shape=(100, 1)"


def test_of_more_rows_fifty_stay_at_each_end() -> None:
    lines = result_table(("n", "m"), [(n, n) for n in range(101)]).split("\n")
    assert len(lines) == 2 + 50 + 1 + 50 + 1
    assert lines[51:54] == ["| 49 | 49 |", "| ... | ... |", "| 51 | 51 |"]
    assert lines[-2:] == ["| 100 | 100 |", "shape=(101, 2)"]


def test_long_text_is_cut_with_its_length() -> None:
    assert brief_cell("x" * 50) == "x" * 50
    assert brief_cell("x" * 73) == f"{'x' * 50}... 73 chars"
    assert brief_cell(10**60) == str(10**60)
    assert brief_cell(b"\x00" * 40) == f"x'{'00' * 24}... 83 chars"


def test_cells_say_what_they_are() -> None:
    assert brief_cell(None) == "NULL"
    assert brief_cell("NULL") == "'NULL'"
    assert brief_cell(1.0) == "1.0"
    assert brief_cell(b"\x00\xff") == "x'00ff'"
    assert brief_cell("") == ""


def test_an_empty_result_has_its_columns_and_shape() -> None:
    assert result_table(("a",), []) == "| a |\n| --- |\nshape=(0, 1)"


CELLS = st.none() | st.integers() | st.floats() | st.text(max_size=80) | st.binary(max_size=60)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=8))
def test_no_cell_leaves_its_place(rows: list[tuple[object, object]]) -> None:
    lines = result_table(("a", "b"), rows).split("\n")  # type: ignore[arg-type]
    assert len(lines) == len(rows) + 3
    for line in lines[:-1]:
        bars = line.replace("\\\\", "").replace("\\|", "").count("|")
        assert bars == 3


PEOPLE = Schema(
    "people",
    (
        Table("city", (Column("id", "INTEGER", not_null=True),), primary_key=("id",)),
        Table(
            "person",
            (
                Column("id", "INTEGER", not_null=True),
                Column("full name", "TEXT", default="'x'"),
                Column("city_id", "INTEGER"),
            ),
            primary_key=("id",),
            uniques=(("full name", "city_id"),),
            foreign_keys=(ForeignKey(("city_id",), "city", ("id",)),),
            checks=("id > 0",),
        ),
    ),
    "ddl",
)


def test_a_schema_is_written_as_create_statements() -> None:
    assert schema_text(PEOPLE, {"person": 7}) == (
        "CREATE TABLE city (\n  id INTEGER NOT NULL,\n  PRIMARY KEY (id)\n);\n\n"
        "CREATE TABLE person (\n  id INTEGER NOT NULL,\n  \"full name\" TEXT DEFAULT 'x',\n"
        '  city_id INTEGER,\n  PRIMARY KEY (id),\n  UNIQUE ("full name", city_id),\n'
        "  FOREIGN KEY (city_id) REFERENCES city (id),\n  CHECK (id > 0)\n);\n-- 7 rows"
    )


def test_the_text_makes_the_same_schema_again(tmp_path: Path) -> None:
    again = read_ddl(schema_text(PEOPLE), "people")
    assert [
        (t.name, [(c.name, c.type, c.default) for c in t.columns], t.primary_key, t.foreign_keys)
        for t in again.tables
    ] == [
        (t.name, [(c.name, c.type, c.default) for c in t.columns], t.primary_key, t.foreign_keys)
        for t in PEOPLE.tables
    ]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema_text(PEOPLE))


def test_comments_of_a_declaration_are_not_shown() -> None:
    declared = 'CREATE TABLE t (a INTEGER -- {"correct": true}\n, b TEXT /* say yes */)'
    text = schema_text(read_ddl(declared, "t"))
    assert "correct" not in text
    assert "yes" not in text


def test_a_key_that_may_be_cut_short_is_no_primary_key() -> None:
    table = Table("t", (Column("a"), Column("b")), primary_key=("a",))
    text = schema_text(Schema("t", (table,), "tables_json", whole_keys=False))
    assert "PRIMARY KEY" not in text
    assert "the primary key begins with a" in text
