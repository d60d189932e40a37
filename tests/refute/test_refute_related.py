"""How queries relate on generated databases, and what is assumed where no schema is known."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.assumed import assumed_schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Query
from sqlverdict.refute.related import RelatedOnInstances, relate_on_instances

DDL = """
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, country TEXT);
CREATE TABLE song (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id), title TEXT);
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "songs")


def relate(gold: str, prediction: str, schema: Schema) -> RelatedOnInstances | None:
    return relate_on_instances(parse(gold), parse(prediction), schema)


@pytest.mark.parametrize(
    ("gold", "prediction", "columns", "rows"),
    [
        ("SELECT name, age FROM singer", "SELECT age, name FROM singer", "permuted", "same"),
        ("SELECT name FROM singer", "SELECT name, age FROM singer", "extra", "same"),
        ("SELECT name, age FROM singer", "SELECT name FROM singer", "missing", "same"),
        ("SELECT DISTINCT country FROM singer", "SELECT country FROM singer", "same", "repeated"),
        ("SELECT name FROM singer WHERE age > 3", "SELECT name FROM singer", "same", "more"),
        ("SELECT name FROM singer", "SELECT name FROM singer WHERE age > 3", "same", "fewer"),
        ("SELECT name FROM singer", "SELECT title FROM song", "same", "other"),
    ],
)
def test_the_relation_is_named(
    schema: Schema, gold: str, prediction: str, columns: str, rows: str
) -> None:
    relation = relate(gold, prediction, schema)
    assert relation is not None
    assert (relation.columns, relation.rows) == (columns, rows)
    assert (relation.overlap == 1) is (rows in ("same", "repeated"))


def test_what_depends_on_the_order_of_rows_says_nothing(schema: Schema) -> None:
    relation = relate("SELECT name FROM singer LIMIT 1", "SELECT 1", schema)
    assert relation is None or relation.instances < 60


@pytest.mark.parametrize("sql", ["SELECT FROM", "SELECT a FROM nowhere", "DROP TABLE singer"])
def test_what_cannot_be_run_says_nothing(schema: Schema, sql: str) -> None:
    assert relate("SELECT name FROM singer", sql, schema) is None
    assert relate(sql, "SELECT name FROM singer", schema) is None


def test_the_same_call_gives_the_same_answer(schema: Schema) -> None:
    pair = ("SELECT name FROM singer WHERE age > 3", "SELECT name FROM singer WHERE age >= 3")
    first = relate(*pair, schema)
    assert first is not None
    assert 0 < first.overlap < 1
    assert relate(*pair, schema) == first


QUERIES = (
    "SELECT T1.name, count(*) FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id GROUP BY 1",
    'SELECT name FROM singer WHERE country = "France" AND age > 30',
    "SELECT title FROM song WHERE singer_id IN (SELECT id FROM singer WHERE name LIKE 'A%')",
    "WITH old AS (SELECT id, name FROM singer WHERE age > 50) SELECT old.name FROM old",
    "SELECT name FROM singer EXCEPT SELECT name FROM singer JOIN song ON singer.id = singer_id",
    "SELECT * FROM venue",
    "SELECT avg(capacity) FROM venue WHERE town = 'Graz' ORDER BY opened DESC LIMIT 3",
)


@given(st.lists(st.sampled_from(QUERIES), min_size=1, max_size=4))
def test_queries_run_on_what_they_name(texts: list[str]) -> None:
    queries = [query for query in map(parse, texts) if isinstance(query, Query)]
    assumed = assumed_schema("any", queries)
    assert assumed.source == "assumed"
    database = sqlite3.connect(":memory:")
    for table in assumed.tables:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        database.execute(f'CREATE TABLE "{table.name}" ({columns})')
    for text in texts:
        database.execute(text)
    database.close()


def test_types_follow_use() -> None:
    query = parse("SELECT a FROM t WHERE b > 3 AND c LIKE 'x' AND d = 'y' AND e_id = f")
    assert isinstance(query, Query)
    (table,) = assumed_schema("any", [query]).tables
    types = {column.name: column.type for column in table.columns}
    assert types == {
        "a": "TEXT", "b": "INTEGER", "c": "TEXT", "d": "TEXT", "e_id": "INTEGER", "f": "INTEGER",
    }  # fmt: skip


def test_pairs_without_any_schema_can_be_related() -> None:
    gold = "SELECT lname, fname FROM artists ORDER BY death - birth DESC LIMIT 1"
    prediction = "SELECT fname, lname FROM artists ORDER BY death - birth DESC LIMIT 1"
    queries = [query for query in map(parse, (gold, prediction)) if isinstance(query, Query)]
    relation = relate(gold, prediction, assumed_schema("art", queries))
    assert relation is not None
    assert (relation.columns, relation.rows) == ("permuted", "same")


@pytest.mark.parametrize(
    ("gold", "prediction", "missing"),
    [
        ("SELECT name, age, country FROM singer", "SELECT country FROM singer", (0, 1)),
        ("SELECT name, age FROM singer", "SELECT name FROM singer", (1,)),
        ("SELECT name, age FROM singer", "SELECT age, name FROM singer", ()),
        ("SELECT name FROM singer", "SELECT age, name FROM singer", ()),
    ],
)
def test_the_columns_that_are_missing_are_named(
    schema: Schema, gold: str, prediction: str, missing: tuple[int, ...]
) -> None:
    relation = relate(gold, prediction, schema)
    assert relation is not None
    assert relation.missing == missing


KEYS = [
    ("SELECT 1 FROM singer JOIN song ON singer.id = song.singer_id", "singer", "song"),
    ("SELECT 1 FROM song AS a, singers AS b WHERE a.singer = b.singer_id", "singers", "song"),
    ("SELECT 1 FROM docs_in_shelves d JOIN shelves s ON d.shelf_id = s.id", "shelves", "docs_in_s"),
    ("SELECT 1 FROM a_shelf JOIN shelf ON a_shelf.shelf_id = shelf.shelf_id", "shelf", "a_shelf"),
    ("SELECT 1 FROM a JOIN b ON a.x = b.y", "", ""),
    ("SELECT 1 FROM a JOIN b ON a.id = b.id", "", ""),
    ("SELECT 1 FROM a JOIN b ON a.a_id = b.x WHERE b.x = 'text'", "", ""),
    ("SELECT 1 FROM a AS one JOIN a AS two ON one.a_id = two.boss", "", ""),
]


@pytest.mark.parametrize(("sql", "parent", "child"), KEYS, ids=[row[0][14:] for row in KEYS])
def test_a_key_is_assumed_where_a_joined_column_bears_its_tables_name(
    sql: str, parent: str, child: str
) -> None:
    query = parse(sql)
    assert isinstance(query, Query)
    tables = assumed_schema("any", [query]).tables
    assert [table.name for table in tables if table.primary_key] == [parent] * bool(parent)
    results = [(table.name, key.parent) for table in tables for key in table.foreign_keys]
    assert len(results) == bool(parent)
    assert all(name.startswith(child) and other == parent for name, other in results)
    assert all(table.column(name) for table in tables for name in table.primary_key)


@pytest.mark.parametrize(
    ("table", "one", "other"),
    [
        ("singer", "country = 'M' AND age = 7 AND name = 'x'", "country = 'M' AND age = 9"),
        ("singer", "country = 'M' AND age = 7 AND name = 'x'", "country = 'F' AND age = 9"),
        ("singer", "country = 'M'", "country = 'F'"),
        (
            "song",
            "title = 'a' AND singer_id = 3 AND id = 5",
            "title = 'b' AND singer_id = 4 AND id = 5",
        ),
    ],
)
def test_answers_that_are_mostly_empty_or_zero_do_not_overlap(
    schema: Schema, table: str, one: str, other: str
) -> None:
    """Both count nobody on most databases, whatever the letter is."""
    gold = f"SELECT count(*) FROM {table} WHERE {one}"
    relation = relate(gold, f"SELECT count(*) FROM {table} WHERE {other}", schema)
    assert relation is not None
    assert relation.overlap < 0.3
