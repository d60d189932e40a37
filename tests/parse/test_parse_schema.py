"""Schemas from every source, and the facts they promise."""

from __future__ import annotations

import pickle
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import SchemaError
from sqlverdict.parse.facts import (
    HasAffinity,
    NotNull,
    PrimaryKey,
    References,
    Unique,
    affinity,
    facts_of,
)
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.parse.schemas.sqlite import read_sqlite

DDL = """
-- A comment; with a semicolon
CREATE TABLE parent (
    Id INTEGER PRIMARY KEY,
    code VARCHAR(10) NOT NULL UNIQUE,
    kind TEXT DEFAULT 'a;b' CHECK (kind IN ('a;b', 'c')),
    CONSTRAINT odd CHECK (Id % 2 = 1 /* odd */)
);
CREATE TABLE child (
    a TEXT, b INT, parent_id INT REFERENCES PARENT, code TEXT REFERENCES parent (CODE),
    lost INT REFERENCES nowhere, double_b INT GENERATED ALWAYS AS (b * 2) VIRTUAL,
    PRIMARY KEY (b, a)
);
CREATE TABLE grandchild (
    x INT, y TEXT, z TEXT,
    FOREIGN KEY (x, y) REFERENCES child, FOREIGN KEY (x) REFERENCES child
);
CREATE TABLE bare (k TEXT, PRIMARY KEY (k)) WITHOUT ROWID;
CREATE TABLE exact (k TEXT PRIMARY KEY) STRICT;
CREATE TABLE descending (k INTEGER PRIMARY KEY DESC);
CREATE UNIQUE INDEX whole ON grandchild (y, z);
CREATE UNIQUE INDEX part ON grandchild (z) WHERE x > 1;
CREATE UNIQUE INDEX expression ON grandchild (lower(z));
CREATE INDEX plain ON grandchild (x);
CREATE VIEW seen AS SELECT a, b FROM child;
CREATE TRIGGER t AFTER INSERT ON child BEGIN UPDATE parent SET kind = 'c'; END;
INSERT INTO parent VALUES (1, 'x', 'c');
"""


@pytest.fixture(params=["sqlite", "ddl"])
def schema(request: pytest.FixtureRequest, tmp_path: Path) -> Schema:
    if request.param == "ddl":
        return read_ddl(DDL, "made")
    file = tmp_path / "odd name?#.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DDL)
    return read_sqlite(file, "made")


def table(schema: Schema, name: str) -> Table:
    result = schema.table(name)
    assert result is not None
    return result


def test_tables_in_the_order_of_their_declaration(schema: Schema) -> None:
    names = [table.name for table in schema.tables]
    assert names == ["parent", "child", "grandchild", "bare", "exact", "descending", "seen"]
    assert schema.db_id == "made"


def test_columns(schema: Schema) -> None:
    assert table(schema, "parent").columns == (
        Column("Id", "INTEGER", True),
        Column("code", "VARCHAR(10)", True),
        Column("kind", "TEXT", False, "'a;b'"),
    )
    assert table(schema, "child").columns[-1] == Column("double_b", "INT", generated="b * 2")
    assert [column.name for column in table(schema, "seen").columns] == ["a", "b"]


def test_lookup_is_case_insensitive(schema: Schema) -> None:
    assert table(schema, "PARENT").column("iD") == Column("Id", "INTEGER", True)
    assert table(schema, "parent").column("nosuch") is None
    assert schema.table("nosuch") is None


def test_keys(schema: Schema) -> None:
    assert table(schema, "parent").primary_key == ("Id",)
    assert table(schema, "parent").uniques == (("code",),)
    assert table(schema, "child").primary_key == ("b", "a")
    assert table(schema, "grandchild").uniques == (("y", "z"),)


def test_foreign_keys_resolve_to_the_parents_spelling(schema: Schema) -> None:
    assert table(schema, "child").foreign_keys == (
        ForeignKey(("parent_id",), "parent", ("Id",)),
        ForeignKey(("code",), "parent", ("code",)),
        ForeignKey(("lost",), "nowhere", ()),
    )
    assert table(schema, "grandchild").foreign_keys == (
        ForeignKey(("x", "y"), "child", ("b", "a")),
        ForeignKey(("x",), "child", ()),
    )


def test_checks(schema: Schema) -> None:
    assert table(schema, "parent").checks == ("kind IN ('a;b', 'c')", "Id % 2 = 1 /* odd */")
    assert table(schema, "child").checks == ()


def test_declaration_is_kept(schema: Schema) -> None:
    assert (table(schema, "bare").sql or "").startswith("CREATE TABLE bare")


def test_facts(schema: Schema) -> None:
    facts = facts_of(schema)
    assert {fact for fact in facts if isinstance(fact, NotNull)} == {
        NotNull("parent", "Id"),
        NotNull("parent", "code"),
        NotNull("child", "b"),
        NotNull("child", "a"),
        NotNull("bare", "k"),
        NotNull("exact", "k"),
        NotNull("descending", "k"),
    }
    assert {fact for fact in facts if isinstance(fact, Unique)} == {
        Unique("parent", ("Id",)),
        Unique("parent", ("code",)),
        Unique("child", ("b", "a")),
        Unique("grandchild", ("y", "z")),
        Unique("bare", ("k",)),
        Unique("exact", ("k",)),
        Unique("descending", ("k",)),
    }
    assert {fact for fact in facts if isinstance(fact, References)} == {
        References("child", ("parent_id",), "parent", ("Id",)),
        References("child", ("code",), "parent", ("code",)),
        References("grandchild", ("x", "y"), "child", ("b", "a")),
    }
    assert PrimaryKey("child", ("b", "a")) in facts
    assert HasAffinity("parent", "code", "TEXT") in facts
    assert HasAffinity("parent", "Id", "INTEGER") in facts


def test_facts_read_as_sentences() -> None:
    sentences = {str(fact) for fact in facts_of(read_ddl(DDL, "made"))}
    assert "child(b, a) is the primary key" in sentences
    assert "grandchild(x, y) references child(b, a)" in sentences
    assert "parent.Id is never NULL" in sentences


def test_under_null_keys_what_is_no_not_null_fact_admits_null() -> None:
    """The engine's own word on every column of every table: NULL goes in or it does not."""
    facts = facts_of(replace(read_ddl(DDL, "made"), null_keys=True))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(DDL)
        for name in ("child", "bare", "exact", "descending"):
            first = {"child": "b"}.get(name, "k")
            try:
                connection.execute(f"INSERT INTO {name} ({first}) VALUES (NULL)")
                stored = connection.execute(f"SELECT count(*) FROM {name} WHERE {first} IS NULL")
                admitted = stored.fetchone()[0] > 0
            except sqlite3.IntegrityError:
                admitted = False
            assert admitted == (NotNull(name, first) not in facts), name


def test_a_declared_key_is_never_null() -> None:
    schema = read_ddl(DDL, "made")
    keys = {NotNull(t.name, column) for t in schema.tables for column in t.primary_key}
    assert keys <= facts_of(schema)


def test_any_in_a_strict_table_has_no_affinity() -> None:
    schema = read_ddl("CREATE TABLE s (a ANY) STRICT; CREATE TABLE l (a ANY)", "made")
    assert {HasAffinity("s", "a", "BLOB"), HasAffinity("l", "a", "NUMERIC")} <= facts_of(schema)


def test_a_generated_column_keeps_its_expression() -> None:
    ddl = """CREATE TABLE t (a INT, "b c" TEXT GENERATED ALWAYS AS (upper(a) || ',(') STORED,
        d AS (a + 1) /* AS (no) */, e INT AS (a * (2 + 1)) VIRTUAL, CHECK (CAST(a AS INT) > 0))"""
    columns = table(read_ddl(ddl, "made"), "t").columns
    assert [column.generated for column in columns] == [
        None,
        "upper(a) || ',('",
        "a + 1",
        "a * (2 + 1)",
    ]


@pytest.mark.slow
def test_a_schema_of_many_tables_is_read() -> None:
    ddl = ";".join(f"CREATE TABLE t{n} (a INT, b TEXT UNIQUE)" for n in range(700))
    assert len(read_ddl(ddl, "made").tables) == 700


def test_virtual_tables_in_a_dump_are_passed_over() -> None:
    ddl = "CREATE TABLE t (a INT); CREATE VIRTUAL TABLE f USING fts5 (x)"
    assert [result.name for result in read_ddl(ddl, "made").tables] == ["t"]


@settings(deadline=None)
@given(
    st.sampled_from(["INT", "TEXT", "VARCHAR(3)", "CLOB", "BLOB", "REAL", "FLOAT", "DOUBLE"])
    | st.sampled_from(["NUMERIC", "DATE", "BOOLEAN", "DECIMAL(1,2)", "POINT", "STRING", "CHARINT"])
)
def test_affinity_is_the_engines(declared: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE t (a {declared})")
        connection.execute("INSERT INTO t VALUES ('1'), (1), (1.0), (1.5), ('1.5')")
        stored = [row[0] for row in connection.execute("SELECT typeof(a) FROM t")]
    expected = {
        "TEXT": ["text"] * 5,
        "REAL": ["real"] * 5,
        "INTEGER": ["integer", "integer", "integer", "real", "real"],
        "NUMERIC": ["integer", "integer", "integer", "real", "real"],
        "BLOB": ["text", "integer", "real", "real", "text"],
    }
    assert expected[affinity(declared)] == stored


def test_schemas_of_the_same_content_are_one_key_of_a_cache() -> None:
    one, other = read_ddl(DDL, "shop"), read_ddl(DDL, "shop")
    assert one is not other
    assert {one: 1}[other] == 1
    assert one != read_ddl(DDL, "market")
    assert one != replace(one, tables=one.tables[1:])
    assert one != replace(one, null_keys=True)


def test_the_hash_of_a_schema_is_not_pickled() -> None:
    one = read_ddl(DDL, "shop")
    before = pickle.dumps(one)
    hash(one)
    assert pickle.dumps(one) == before
    assert hash(pickle.loads(before)) == hash(one)


def test_a_schema_travels_between_processes(schema: Schema) -> None:
    assert pickle.loads(pickle.dumps(schema)) == schema


@pytest.mark.parametrize(
    ("statement", "reason", "says"),
    [
        ("CREATE TABLE t (a INT", "unreadable", "incomplete input"),
        ("CREATE TABLE t (a INT) ENGINE=InnoDB", "unreadable", "ENGINE"),
        ("CREATE TABLE ok (a); CREATE TABLE ok (b)", "unreadable", "already exists"),
        ("CREATE TABLE t AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
         "SELECT n FROM r", "unreadable", "not authorized"),
        ("ALTER TABLE nosuch ADD COLUMN a", "unreadable", "no such table"),
    ],
)  # fmt: skip
def test_a_failing_statement_is_quoted(statement: str, reason: DataReason, says: str) -> None:
    with refuses_data(SchemaError, reason, says) as caught:
        read_ddl(statement, "made")
    assert statement.rsplit("; ", 1)[-1][:40] in str(caught.value)


def test_ddl_writes_no_file(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    for statement in (f"ATTACH '{file}' AS x", f"VACUUM INTO '{file}'", "PRAGMA user_version = 1"):
        schema = read_ddl(f"CREATE TABLE t (a); {statement}", "made")
        assert len(schema.tables) == 1
    with refuses_data(SchemaError, "empty", "CREATE TABLE"):
        read_ddl("SELECT 1", "made")
    assert list(tmp_path.iterdir()) == []


def test_a_view_over_nothing_is_left_out() -> None:
    schema = read_ddl("CREATE TABLE t (a); CREATE VIEW v AS SELECT * FROM nowhere", "made")
    assert [result.name for result in schema.tables] == ["t"]


@pytest.mark.data
def test_the_facts_hold_in_the_real_rows(data_root: Path) -> None:
    broken: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    for folder in (data_root / "spider" / "database", data_root / "bird" / "databases"):
        for name, schema in load_schemas(folder).items():
            uri = f"{(folder / name / f'{name}.sqlite').as_uri()}?mode=ro&immutable=1"
            with closing(sqlite3.connect(uri, uri=True)) as connection:
                for fact in facts_of(schema):
                    if isinstance(fact, NotNull):
                        sql = f'SELECT 1 FROM "{fact.table}" WHERE "{fact.column}" IS NULL LIMIT 1'
                    elif isinstance(fact, Unique):
                        columns = ", ".join(f'"{column}"' for column in fact.columns)
                        present = " AND ".join(f'"{column}" NOTNULL' for column in fact.columns)
                        sql = (
                            f'SELECT 1 FROM "{fact.table}" WHERE {present} GROUP BY {columns} '
                            "HAVING count(*) > 1 LIMIT 1"
                        )
                    else:
                        continue
                    checked[type(fact).__name__] += 1
                    if connection.execute(sql).fetchone():
                        broken[f"{name}: {fact}"] += 1
    assert checked == {"NotNull": 1537, "Unique": 789}
    assert broken == {}
