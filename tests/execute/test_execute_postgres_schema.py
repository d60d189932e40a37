"""What PostgreSQL's catalogue promises, and temporary tables that keep it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

import sqlverdict as sv
from error_parts import refuses_data, refuses_database
from servers import fresh_postgres
from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import ENGINES, Limits, Scratch, ScratchEngine
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.records import Answer, Failure, Reason

POSTGRES = ENGINES.get("postgres")
PATIENT = Limits(seconds=600)
TABLES = (
    "CREATE TYPE mood AS ENUM ('sad', 'it''s ok')",
    "CREATE DOMAIN positive AS int NOT NULL CHECK (VALUE > 0)",
    "CREATE TABLE person (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(20) NOT NULL,"
    " age positive, feels mood DEFAULT 'sad', born date CHECK (born > '1900-01-01'),"
    " twice int GENERATED ALWAYS AS (id * 2) STORED, UNIQUE (name, born))",
    'CREATE TABLE "Pet" (owner int REFERENCES person, "Name" text, weight numeric(5, 2),'
    ' PRIMARY KEY (owner, "Name"))',
    'CREATE UNIQUE INDEX heaviest ON "Pet" (weight) WHERE weight > 50',
    "CREATE UNIQUE INDEX lower_name ON person (lower(name))",
    "CREATE UNIQUE INDEX by_born ON person (born) INCLUDE (name)",
    "CREATE VIEW adult AS SELECT id, name FROM person WHERE age >= 18",
    "CREATE MATERIALIZED VIEW elder AS SELECT id, age FROM person WHERE age >= 60",
    "CREATE TABLE parent (a int PRIMARY KEY)",
    "CREATE TABLE child () INHERITS (parent)",
    'CREATE TABLE later (a int, b text COLLATE "C", c text[], d name)',
    "ALTER TABLE later ADD CHECK (a > 0) NOT VALID",
    "CREATE TABLE seat (n int, UNIQUE NULLS NOT DISTINCT (n))",
    "CREATE TABLE shift (hour int, EXCLUDE USING btree (hour WITH =))",
    "CREATE SCHEMA other",
    "CREATE TABLE other.hidden (a int)",
    "INSERT INTO person (name, age) VALUES ('real', 40)",
)


def execute(url: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture(scope="module")
def url(postgres: str) -> Iterator[str]:
    with fresh_postgres(postgres) as database:
        execute(database, *TABLES)
        yield database


@pytest.fixture(scope="module")
def schema(url: str) -> Schema:
    return POSTGRES.schema(url, "people")


def table(schema: Schema, name: str) -> Table:
    result = schema.table(name)
    assert result is not None
    return result


def test_the_schema_names_the_tables_of_the_search_path_first(schema: Schema) -> None:
    assert schema.db_id == "people"
    assert schema.source == "catalogue"
    names = [table.name for table in schema.tables]
    views = ["adult", "elder"]
    others = ["parent", "later", "seat", "shift", "other.hidden"]
    assert names == ["person", "Pet", *views, *others]


def test_a_child_by_inheritance_is_left_out(schema: Schema) -> None:
    # Its rows are rows of the parent; as a table of its own it would not show them there.
    assert schema.table("parent") is not None
    assert schema.table("child") is None


def test_columns_have_types_and_what_holds(schema: Schema) -> None:
    assert table(schema, "person").columns == (
        Column("id", "integer", True),
        Column("name", "character varying(20)", True),
        Column("age", "integer", True),
        Column("feels", "mood", False, default="'sad'::mood"),
        Column("born", "date"),
        Column("twice", "integer", False, generated="(id * 2)"),
    )


def test_keys_and_constraints(schema: Schema) -> None:
    person, pet = table(schema, "person"), table(schema, "Pet")
    assert person.primary_key == ("id",)
    assert person.uniques == (("born",), ("name", "born"))
    assert person.checks == (
        "(born > '1900-01-01'::date)",
        '("age" > 0)',
        "\"feels\" IN ('sad', 'it''s ok')",
    )
    assert len(person.indexes) == 1
    assert "lower((name)::text)" in person.indexes[0]
    assert pet.primary_key == ("owner", "Name")
    assert pet.foreign_keys == (ForeignKey(("owner",), "person", ("id",)),)
    assert pet.uniques == ()
    assert "WHERE (weight > " in pet.indexes[0]


def test_what_need_not_hold_is_left_out(schema: Schema) -> None:
    assert table(schema, "parent").primary_key == ()
    assert table(schema, "parent").columns[0].not_null
    assert table(schema, "later").checks == ()


def test_a_collation_stands_behind_the_type(schema: Schema) -> None:
    types = [column.type for column in table(schema, "later").columns]
    assert types == ["integer", 'text COLLATE "C"', "text[]", 'name COLLATE "C"']


def test_views_have_their_text(schema: Schema) -> None:
    adult = table(schema, "adult")
    assert adult.sql is not None
    assert adult.sql.startswith('CREATE VIEW "adult" AS SELECT')
    assert [column.name for column in adult.columns] == ["id", "name"]


def test_a_materialized_view_has_no_rows_but_those_of_its_query(
    url: str, schema: Schema, scratch: Scratch
) -> None:
    elder = table(schema, "elder")
    assert elder.sql is not None
    assert elder.sql.startswith('CREATE VIEW "elder" AS SELECT')
    assert scratch.load({"person": [(1, "Ann", 70, *[None] * 3), (2, "Bob", 40, *[None] * 3)]})
    assert rows(scratch, "SELECT id FROM elder") == [(1,)]
    result = sv.refute_pair(
        "SELECT id FROM elder", "SELECT id FROM elder WHERE age > 50", db=url, instances=20
    )
    assert not result.refuted, result


def test_a_schema_that_cannot_be_read_is_an_error() -> None:
    pytest.importorskip("psycopg")
    with refuses_data(SchemaError, "unreachable", "127.0.0.1:1"):
        POSTGRES.schema("postgresql://127.0.0.1:1/nothing")


@pytest.fixture(scope="module")
def scratch(url: str, schema: Schema) -> Iterator[Scratch]:
    assert isinstance(POSTGRES, ScratchEngine)
    with closing(POSTGRES.scratch(schema, PATIENT, url)) as opened:
        yield opened


def rows(scratch: Scratch, sql: str) -> list[Any]:
    outcome = scratch.run(sql)
    assert isinstance(outcome, Answer), outcome
    return outcome.rows


ANN = (1, "Ann", 30, "sad", "2000-01-01", None)
BOB = (2, "Bob", 7, None, None, None)


def test_a_scratch_database_is_empty_and_takes_rows(scratch: Scratch) -> None:
    assert scratch.load({})
    assert rows(scratch, "SELECT * FROM person") == []
    assert scratch.load({"Pet": [(1, "Rex", 1.5), (2, "Tom", None)], "person": [ANN, BOB]})
    assert rows(scratch, "SELECT id, twice, feels FROM person ORDER BY id") == [
        (1, 2, "sad"),
        (2, 4, None),
    ]
    assert rows(scratch, "SELECT name FROM adult") == [("Ann",)]
    assert rows(scratch, 'SELECT "Name", weight FROM public."Pet" WHERE owner = 1') == [
        ("Rex", 1.5)
    ]
    assert scratch.load({"person": [BOB]})
    assert rows(scratch, "SELECT name FROM person") == [("Bob",)]


@pytest.mark.parametrize(
    "content",
    [
        {"person": [ANN, ANN]},
        {"person": [(1, None, 30, None, None, None)]},
        {"person": [(1, "Ann", 0, None, None, None)]},
        {"person": [(1, "Ann", 1, "happy", None, None)]},
        {"person": [(1, "Ann", 1, None, "1800-01-01", None)]},
        {"person": [ANN, (2, "ANN", 1, None, None, None)]},
        {"person": [(1, "x" * 21, 1, None, None, None)]},
        {"person": [("one", "Ann", 1, None, None, None)]},
        {"person": [(1, "a\0b", 1, None, None, None)]},
        {"person": [(1, "a\ud800b", 1, None, None, None)]},
        {"Pet": [(1, "Rex", None)]},
        {"Pet": [(1, "Rex", 60), (1, "Tom", 60)], "person": [ANN]},
        {"seat": [(None,), (None,)]},
        {"shift": [(1,), (1,)]},
        {"nowhere": [(1,)]},
    ],
)
def test_rows_that_break_the_schema_are_not_accepted(
    scratch: Scratch, content: dict[str, list[Any]]
) -> None:
    assert scratch.load({"person": [ANN]})
    assert not scratch.load(content)
    assert scratch.load({"person": [BOB]})
    assert rows(scratch, "SELECT name FROM person") == [("Bob",)]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("DELETE FROM person", Reason.WRITE_BLOCKED),
        ("WITH x AS (DELETE FROM person RETURNING *) SELECT * FROM x", Reason.WRITE_BLOCKED),
        ("SELECT pg_sleep(100)", Reason.WRITE_BLOCKED),
        ("SELECT * FROM other.hidden", Reason.UNSUPPORTED_FEATURE),
        ("SELECT * FROM information_schema.tables", Reason.UNSUPPORTED_FEATURE),
        ("SELECT * FROM hidden", Reason.EXECUTION_ERROR),
    ],
)
def test_queries_reach_nothing_else(scratch: Scratch, sql: str, reason: Reason) -> None:
    assert scratch.load({"person": [ANN]})
    outcome = scratch.run(sql)
    assert isinstance(outcome, Failure)
    assert outcome.reason is reason
    assert rows(scratch, "SELECT name FROM person") == [("Ann",)]


def test_tables_that_are_not_in_the_schema_are_not_read(url: str) -> None:
    assert isinstance(POSTGRES, ScratchEngine)
    only = Schema("x", (Table("pets", (Column("a", "int"),)),), "ddl")
    with closing(POSTGRES.scratch(only, PATIENT, url)) as opened:
        for sql in ("SELECT * FROM person", "SELECT * FROM public.person"):
            assert isinstance(opened.run(sql), Failure)


def test_a_table_of_an_unknown_type_loses_its_children_alone(url: str) -> None:
    assert isinstance(POSTGRES, ScratchEngine)
    odd = Table("odd", (Column("a", "no_such_type"),), primary_key=("a",))
    child = Table("child", (Column("a", "int"),), foreign_keys=(ForeignKey(("a",), "odd", ("a",)),))
    good = Table("good", (Column("a", "int"),))
    with closing(POSTGRES.scratch(Schema("x", (odd, child, good), "ddl"), PATIENT, url)) as opened:
        assert opened.load({"good": [(1,)]})
        assert rows(opened, "SELECT a FROM good") == [(1,)]
        assert not opened.load({"child": [(1,)]})
        assert rows(opened, "SELECT * FROM child") == []
        assert isinstance(opened.run("SELECT * FROM odd"), Failure)


def test_nothing_is_left_of_a_scratch_database(url: str, schema: Schema) -> None:
    before = POSTGRES.digest(url)
    assert isinstance(POSTGRES, ScratchEngine)
    opened = POSTGRES.scratch(schema, PATIENT, url)
    opened.load({"person": [ANN]})
    opened.close()
    assert POSTGRES.digest(url) == before


def test_a_scratch_database_needs_a_server(schema: Schema) -> None:
    assert isinstance(POSTGRES, ScratchEngine)
    with refuses_database("missing"):
        POSTGRES.scratch(schema, PATIENT)
