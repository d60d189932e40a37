"""Schemas of MySQL and MariaDB, and scratch databases on their servers."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from secrets import token_hex

import pytest

from error_parts import refuses_data, refuses_database
from mysql_parts import execute, server_database
from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import ENGINES, Limits, Scratch, ScratchEngine
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.records import Answer, Failure, Row
from timeouts import wait_until

pytestmark = pytest.mark.slow  # a server

MYSQL = ENGINES.get("mysql")


def scratch_databases() -> set[str]:
    result = execute(
        None,
        "SELECT schema_name FROM information_schema.schemata "
        "WHERE schema_name LIKE 'sqlverdict\\_scratch\\_%'",
    )
    return {name for (name,) in result}


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with server_database(
        "CREATE TABLE place (code VARCHAR(10) PRIMARY KEY, size DECIMAL(6, 2) DEFAULT 1.5)",
        "CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT 'x''y', "
        "boss INT, place VARCHAR(10), born DATE, kind ENUM('a', 'b') UNIQUE, "
        "twice INT AS (id * 2) STORED, CHECK (id > 0), UNIQUE (name, born), "
        "FOREIGN KEY (boss) REFERENCES person (id), FOREIGN KEY (place) REFERENCES place (code))",
        "CREATE INDEX plain ON person (born)",
        "CREATE VIEW staff AS SELECT id, name FROM person WHERE boss IS NOT NULL",
        "CREATE VIEW a_staff AS SELECT * FROM staff",
    ) as url:
        yield url


@pytest.fixture(scope="module")
def schema(database: str) -> Schema:
    return MYSQL.schema(database, "club")


@pytest.fixture
def scratch(schema: Schema, database: str) -> Iterator[Scratch]:
    assert isinstance(MYSQL, ScratchEngine)
    scratch = MYSQL.scratch(schema, Limits(seconds=600), database)
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
    person_, house, a_staff, staff = schema.tables
    assert [table.name for table in schema.tables] == ["person", "place", "a_staff", "staff"]
    assert house.columns == (
        Column("code", "varchar(10)", not_null=True),
        Column("size", "decimal(6,2)", default="1.50"),
    )
    assert person_.primary_key == ("id",)
    assert set(person_.foreign_keys) == {
        ForeignKey(("boss",), "person", ("id",)),
        ForeignKey(("place",), "place", ("code",)),
    }
    assert person_.uniques == (("kind",), ("name", "born"))
    assert [check.replace("`", "") for check in person_.checks] == ["id > 0"]
    assert person_.columns[1].default == "'x''y'"
    assert person_.columns[5].type == "enum('a','b')"
    assert person_.columns[6].generated is not None
    assert [column.name for column in staff.columns] == ["id", "name"]
    assert (a_staff.sql or "").startswith("CREATE VIEW")
    assert "sqlverdict_test" not in (staff.sql or "")


def test_an_empty_database_has_no_schema() -> None:
    with server_database() as url, refuses_data(SchemaError, "empty", "no tables"):
        MYSQL.schema(url)


def test_instances_replace_each_other_and_leave_nothing(schema: Schema, database: str) -> None:
    assert isinstance(MYSQL, ScratchEngine)
    scratch = MYSQL.scratch(schema, Limits(seconds=600), database)
    name = scratch._own.name  # type: ignore[attr-defined]
    try:
        assert name in scratch_databases()
        assert scratch.load({"person": [person(1, place="x")], "place": [("x", 2.5)]})
        sql = "SELECT twice, size, born FROM person JOIN place ON code = place"
        assert answer(scratch, sql) == [(2, 2.5, "2000-01-02")]
        assert scratch.load({"place": [("x", None), ("y", 1)]})
        assert answer(scratch, "SELECT count(*) FROM place") == [(2,)]
        assert answer(scratch, "SELECT count(*) FROM person") == [(0,)]
    finally:
        scratch.close()
    assert name not in scratch_databases()


def test_rows_of_one_table_may_refer_to_each_other_in_any_order(scratch: Scratch) -> None:
    assert scratch.load({"person": [person(3, 2), person(2, 1), person(1), person(4, 4)]})
    assert answer(scratch, "SELECT count(*) FROM a_staff") == [(3,)]


def test_rows_written_into_a_query_answer_as_tables_do() -> None:
    """Merged into the query, the first is answered without a row, and the second ends MariaDB."""
    columns = (Column("k", "int"), Column("v", "int"))
    with server_database("CREATE TABLE t (k INT, v INT)", "CREATE TABLE u (k INT, v INT)") as url:
        assert isinstance(MYSQL, ScratchEngine)
        schema = Schema("made", (Table("t", columns), Table("u", columns)), "made")
        scratch = MYSQL.scratch(schema, Limits(seconds=600), url)
        try:
            assert scratch.load({"t": [(1, 5), (2, 7), (2, None)], "u": []})
            unmatched = "SELECT v, MAX(t.k) OVER () FROM t WHERE NOT EXISTS ({})"
            rows = answer(scratch, unmatched.format("SELECT 1 FROM u WHERE u.v = t.k"))
            assert Counter(rows) == Counter([(5, 2), (7, 2), (None, 2)])
            sql = "SELECT k, SUM(t.v) OVER (PARTITION BY t.v) FROM t ORDER BY v"
            assert answer(scratch, sql) == [(2, None), (1, 5), (2, 7)]
            # MariaDB does not find the rows of a WITH inside a query: tables have them.
            nested = "SELECT q.n FROM (WITH w AS (SELECT COUNT(*) AS n FROM t) SELECT n FROM w) q"
            assert answer(scratch, nested) == [(3,)]
            assert scratch.load({"t": [(1, 5)]})
            assert answer(scratch, nested) == [(1,)]
        finally:
            scratch.close()


@pytest.mark.parametrize(
    "rows",
    [
        {"person": [person(1), person(1, name="x")]},
        {"person": [person(1, name=None)]},
        {"person": [person(0)]},
        {"person": [person(1, 9)]},
        {"person": [person(1, place="nowhere")]},
        {"person": [person(1, name="Ann"), person(2, name="ANN")]},
        {"person": [person(1, kind="a"), person(2, kind="a")]},
        {"person": [person(1, kind="c")]},
        {"person": [person(1, born="no date")]},
        {"person": [person(2**40)]},
        {"person": [person(1, name="x" * 21)]},
    ],
)
def test_rows_that_break_a_constraint_are_not_accepted(
    scratch: Scratch, rows: dict[str, list[Row]]
) -> None:
    assert not scratch.load(rows)
    assert scratch.load({"person": [person(5)]})
    assert answer(scratch, "SELECT id FROM person") == [(5,)]


def test_content_stays_after_queries_that_fail_or_write(scratch: Scratch, database: str) -> None:
    assert scratch.load({"person": [person(1)]})
    for sql in (
        "SELECT nothing FROM person",
        "DELETE FROM person",
        "WITH w AS (SELECT 1) DELETE FROM person",
        "COMMIT",
        f"SELECT * FROM {database.rpartition('/')[2]}.person",
    ):
        assert isinstance(scratch.run(sql), Failure), sql
        assert answer(scratch, "SELECT id FROM person") == [(1,)]


def test_what_a_dead_process_left_is_dropped(schema: Schema, database: str) -> None:
    code = (
        "import os, sys; from sqlverdict.execute.engine import ENGINES, Limits\n"
        "engine = ENGINES.get('mysql'); schema = engine.schema(sys.argv[1])\n"
        "scratch = engine.scratch(schema, Limits(), sys.argv[1])\n"
        "print(scratch._own.name, flush=True); os._exit(9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, database], check=False, capture_output=True, text=True
    )
    name = done.stdout.strip()
    assert name.startswith("sqlverdict_scratch_"), done.stderr
    assert isinstance(MYSQL, ScratchEngine)
    alive = MYSQL.scratch(schema, Limits(), database)

    def is_dropped() -> bool:
        # The server notices soon that a client is gone, and frees its lock then.
        MYSQL.scratch(schema, Limits(), database).close()
        return name not in scratch_databases()

    try:
        assert wait_until(is_dropped)
        assert alive._own.name in scratch_databases()  # type: ignore[attr-defined]
    finally:
        alive.close()


@contextmanager
def reader_of(database: str, *rights: str) -> Iterator[str]:
    """The URL of a database by a user who may SELECT, and what else is granted."""
    name, user = database.rpartition("/")[2], f"sqlverdict_reader_{token_hex(4)}"
    grants = [f"GRANT {right} ON {name}.* TO {user}" for right in ("SELECT", *rights)]
    execute(None, f"CREATE OR REPLACE USER {user}", *grants)
    try:
        yield f"mysql://{user}@127.0.0.1/{name}"
    finally:
        execute(None, f"DROP USER {user}")


def test_a_user_who_may_only_select_searches_too(database: str) -> None:
    assert isinstance(MYSQL, ScratchEngine)
    before = scratch_databases()
    with reader_of(database) as reader:
        scratch = MYSQL.scratch(MYSQL.schema(reader), Limits(), reader)
        try:
            assert scratch.load({"person": [person(1, place="x")], "place": [("x", 2.5)]})
            sql = "SELECT id, size, born FROM person JOIN place ON code = place"
            assert answer(scratch, sql) == [(1, 2.5, "2000-01-02")]
            for sql in (
                "SELECT kind FROM person",
                "SELECT * FROM person",
                "SELECT twice FROM person",
            ):
                outcome = scratch.run(sql)
                assert isinstance(outcome, Failure)
                assert "cannot be written into a query" in outcome.message
                assert "GRANT" in outcome.message
            outcome = scratch.run("SELECT * FROM staff")
            assert isinstance(outcome, Failure)
            assert "GRANT SHOW VIEW" in outcome.message
        finally:
            scratch.close()
    assert scratch_databases() == before
    with reader_of(database, "SHOW VIEW") as reader:
        scratch = MYSQL.scratch(MYSQL.schema(reader), Limits(), reader)
        try:
            assert scratch.load({"person": [person(1), person(2, 1)]})
            assert answer(scratch, "SELECT name FROM a_staff") == [("n2",)]
        finally:
            scratch.close()


def test_a_user_who_may_read_some_columns_alone_searches_them() -> None:
    assert isinstance(MYSQL, ScratchEngine)
    tables = (
        "CREATE TABLE t (a VARCHAR(9) COLLATE utf8mb4_bin NOT NULL, b INT, c INT, d INT UNIQUE, "
        "secret INT, PRIMARY KEY (a, b), UNIQUE (c, secret), UNIQUE (secret, c)) CHARSET latin1",
        "INSERT INTO t VALUES ('x', 1, 2, 3, 4)",
    )
    with server_database(*tables) as url:
        name, user = url.rpartition("/")[2], f"sqlverdict_reader_{token_hex(4)}"
        execute(None, f"CREATE USER {user}", f"GRANT SELECT (a, c, d) ON {name}.t TO {user}")
        reader = f"mysql://{user}@127.0.0.1/{name}"
        try:
            (table,) = MYSQL.schema(reader).tables
            scratch = MYSQL.scratch(MYSQL.schema(reader), Limits(), reader)
            try:
                assert scratch.load({"t": [("x", 1, 1), ("X", 1, 2)]})
                assert answer(scratch, "SELECT DISTINCT a FROM t WHERE a < 'x'") == [("X",)]
                assert not scratch.load({"t": [("x", 1, 1), ("X", 1, 1)]})
            finally:
                scratch.close()
        finally:
            execute(None, f"DROP USER {user}")
    assert table.columns[0].type == "varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    # A key with a column that it does not see is no key of the others.
    assert (table.primary_key, table.uniques) == ((), (("d",),))


def test_a_view_whose_text_is_hidden_has_no_digest(database: str) -> None:
    with reader_of(database) as reader:
        # It cannot know whether a view has changed, or reads the clock.
        assert MYSQL.digest(reader) is None
        session = MYSQL.open(reader, Limits())
        outcome = session.run("SELECT * FROM staff")
        session.close()
        assert isinstance(outcome, Answer)
        assert outcome.volatile
    with reader_of(database, "SHOW VIEW") as reader:
        assert MYSQL.digest(reader) is not None


def test_schemas_of_other_sources_are_searched_too(database: str) -> None:
    assert isinstance(MYSQL, ScratchEngine)
    table = Table("a", (Column("x", "INTEGER", not_null=True), Column("y")), primary_key=("x",))
    scratch = MYSQL.scratch(Schema("s", (table,), "ddl"), Limits(), database)
    try:
        assert scratch.load({"a": [(1, "t")]})
        assert answer(scratch, "SELECT y FROM a") == [("t",)]
        assert not scratch.load({"a": [(None, "t")]})
        assert not scratch.load({"a": [(1, "t"), (1, "u")]})
    finally:
        scratch.close()
    odd = Table("a", (Column("x", "NO SUCH TYPE"),))
    scratch = MYSQL.scratch(Schema("s", (odd, replace(table, name="b")), "ddl"), Limits(), database)
    try:
        assert isinstance(scratch.run("SELECT x FROM a"), Failure)
        assert answer(scratch, "SELECT y FROM b") == []
    finally:
        scratch.close()
    with refuses_database("missing"):
        MYSQL.scratch(Schema("s", (table,), "ddl"), Limits())


def test_foreign_keys_in_a_circle_are_checked() -> None:
    assert isinstance(MYSQL, ScratchEngine)
    with server_database(
        "CREATE TABLE a (id INT PRIMARY KEY, other INT)",
        "CREATE TABLE b (id INT PRIMARY KEY, other INT, FOREIGN KEY (other) REFERENCES a (id))",
        "ALTER TABLE a ADD FOREIGN KEY (other) REFERENCES b (id)",
    ) as url:
        scratch = MYSQL.scratch(MYSQL.schema(url), Limits(), url)
        try:
            assert scratch.load({"a": [(1, 2)], "b": [(2, 1)]})
            assert answer(scratch, "SELECT count(*) FROM a JOIN b ON b.id = a.other") == [(1,)]
            assert scratch.load({"a": [(1, None)], "b": [(2, 1)]})
            assert not scratch.load({"a": [(1, 2)]})
            assert not scratch.load({"a": [(1, None)], "b": [(2, 7)]})
        finally:
            scratch.close()
