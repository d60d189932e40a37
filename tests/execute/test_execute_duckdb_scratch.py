"""DuckDB's schemas, and scratch databases made from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from duckdb_parts import DUCKDB, write_duckdb

from error_parts import refuses_data, refuses_database
from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import Limits, Scratch, ScratchEngine
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.records import Answer, Failure, Reason, Row


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path = write_duckdb(
        tmp_path_factory.mktemp("schema") / "club.duckdb",
        "CREATE TABLE place (code VARCHAR PRIMARY KEY, size DECIMAL(6, 2) DEFAULT 1.5)",
        "CREATE TABLE person (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, boss INTEGER "
        "REFERENCES person (id), place VARCHAR REFERENCES place (code), born DATE, "
        "kind ENUM('a', 'b'), twice INTEGER GENERATED ALWAYS AS (id * 2), "
        "CHECK (id > 0), UNIQUE (name, born))",
        "CREATE UNIQUE INDEX by_kind ON person (kind)",
        "CREATE UNIQUE INDEX by_name ON person (lower(name))",
        "CREATE INDEX plain ON person (place)",
        "CREATE VIEW crew AS SELECT id, name FROM person WHERE boss IS NOT NULL",
        "CREATE SCHEMA other",
        "CREATE TABLE other.hidden (a INTEGER)",
    )
    return DUCKDB.schema(path)


@pytest.fixture
def scratch(schema: Schema) -> Iterator[Scratch]:
    assert isinstance(DUCKDB, ScratchEngine)
    scratch = DUCKDB.scratch(schema, Limits(seconds=600))
    yield scratch
    scratch.close()


def person(number: int, boss: int | None = None, **cells: object) -> Row:
    values = {"name": f"n{number}", "place": None, "born": "2000-01-02", "kind": None, **cells}
    return (number, values["name"], boss, values["place"], values["born"], values["kind"], None)  # type: ignore[return-value]


def answer(scratch: Scratch, sql: str) -> list[Row]:
    outcome = scratch.run(sql)
    assert isinstance(outcome, Answer), outcome
    return outcome.rows


def test_the_catalogue_tells_keys_constraints_and_views(schema: Schema) -> None:
    assert schema.db_id == "club"
    assert [table.name for table in schema.tables] == ["place", "person", "crew", "other.hidden"]
    house, person_, staff, _ = schema.tables
    assert house.columns == (
        Column("code", "VARCHAR", not_null=True),
        Column("size", "DECIMAL(6,2)", default="1.5"),
    )
    assert person_.primary_key == ("id",)
    assert person_.foreign_keys == (
        ForeignKey(("boss",), "person", ("id",)),
        ForeignKey(("place",), "place", ("code",)),
    )
    assert person_.uniques == (("kind",), ("name", "born"))
    assert person_.checks == ("(id > 0)",)
    assert len(person_.indexes) == 1
    kind, twice = person_.columns[5:]
    assert kind.type == "ENUM('a', 'b')"
    assert twice.generated is not None
    assert twice.default is None
    assert [column.name for column in staff.columns] == ["id", "name"]
    assert (staff.sql or "").startswith("CREATE VIEW")


def test_a_file_without_tables_has_no_schema(tmp_path: Path) -> None:
    path = write_duckdb(tmp_path / "empty.duckdb", "CREATE SCHEMA s")
    with refuses_data(SchemaError, "empty", "'empty'"):
        DUCKDB.schema(path)
    with refuses_data(SchemaError, "missing", "missing.duckdb"):
        DUCKDB.schema(tmp_path / "missing.duckdb")


def test_instances_replace_each_other(scratch: Scratch) -> None:
    assert scratch.load({"person": [person(1, place="x")], "place": [("x", 2.5)]})
    assert answer(scratch, "SELECT twice, size, born FROM person JOIN place ON code = place") == [
        (2, 2.5, "2000-01-02")
    ]
    assert scratch.load({"place": [("x", None), ("y", 1)]})
    assert answer(scratch, "SELECT count(*) FROM place") == [(2,)]
    assert answer(scratch, "SELECT count(*) FROM person") == [(0,)]


def test_rows_of_one_table_may_refer_to_each_other_in_any_order(scratch: Scratch) -> None:
    assert scratch.load({"person": [person(3, 2), person(2, 1), person(1), person(4, 1)]})
    assert answer(scratch, "SELECT count(*) FROM crew") == [(3,)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows",
    [
        {"person": [person(1), person(1, name="x")]},
        {"person": [person(1, name=None)]},
        {"person": [person(0)]},
        {"person": [person(1, 9)]},
        {"person": [person(1, 1)]},
        {"person": [person(1, place="nowhere")]},
        {"person": [person(1, name="Ann"), person(2, name="ANN")]},
        {"person": [person(1, kind="a"), person(2, kind="a")]},
        {"person": [person(1, kind="c")]},
        {"person": [person(1, born="no date")]},
        {"person": [person(2**40)]},
    ],
)
def test_rows_that_break_a_constraint_are_not_accepted(
    scratch: Scratch, rows: dict[str, list[Row]]
) -> None:
    assert not scratch.load(rows)
    assert scratch.load({"person": [person(5)]})
    assert answer(scratch, "SELECT id FROM person") == [(5,)]


def test_content_stays_after_queries_that_fail_or_write(scratch: Scratch) -> None:
    assert scratch.load({"person": [person(1)]})
    for sql in (
        "SELECT nothing FROM person",
        "SELECT error('x') FROM person",
        "DELETE FROM person",
        "WITH w AS (DELETE FROM person RETURNING id) SELECT * FROM w",
        "WITH w AS (INSERT INTO place VALUES ('z', 1) RETURNING code) SELECT * FROM w",
        "COMMIT",
        "SELECT * FROM read_text('/etc/passwd')",
    ):
        assert isinstance(scratch.run(sql), Failure), sql
        assert answer(scratch, "SELECT id FROM person") == [(1,)]
        assert answer(scratch, "SELECT count(*) FROM place") == [(0,)]


@pytest.mark.slow
def test_an_endless_query_is_stopped(schema: Schema) -> None:
    assert isinstance(DUCKDB, ScratchEngine)
    scratch = DUCKDB.scratch(schema, Limits(seconds=3))
    try:
        assert scratch.load({"person": [person(1)]})
        outcome = scratch.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        )
        assert isinstance(outcome, Failure)
        assert outcome.reason is Reason.EXECUTION_TIMEOUT
    finally:
        scratch.close()


def test_foreign_keys_in_a_circle_are_checked() -> None:
    assert isinstance(DUCKDB, ScratchEngine)
    tables = [
        Table(
            name,
            (Column("id", "INTEGER"), Column("other", "INTEGER")),
            primary_key=("id",),
            foreign_keys=(ForeignKey(("other",), parent, ("id",)),),
        )
        for name, parent in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"))
    ]
    scratch = DUCKDB.scratch(Schema("circle", tuple(tables), "catalogue"), Limits())
    try:
        assert scratch.load({"a": [(1, 2)], "b": [(2, 3)], "c": [(3, 1)], "d": [(4, 1)]})
        assert answer(scratch, "SELECT count(*) FROM a JOIN b ON b.id = a.other") == [(1,)]
        assert scratch.load({"a": [(1, None)]})
        for wrong in ({"a": [(1, 2)]}, {"b": [(2, 3)]}, {"c": [(3, 1)]}, {"d": [(4, 1)]}):
            assert not scratch.load(wrong), wrong
    finally:
        scratch.close()


def test_tables_that_duckdb_cannot_make_are_refused() -> None:
    assert isinstance(DUCKDB, ScratchEngine)
    odd = Table("c", (Column("z", "NO SUCH TYPE"),))
    with refuses_database("failed", "cannot make the tables"):
        DUCKDB.scratch(Schema("odd", (odd,), "catalogue"), Limits())
