"""load_schemas: every kind of file and folder, real ones too, and precise errors."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import SchemaError
from sqlverdict.parse.facts import NotNull, PrimaryKey, References, Unique, facts_of
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.parse.schemas.sqlite import read_sqlite


def tables_json(**changes: object) -> dict[str, object]:
    entry: dict[str, object] = {
        "db_id": "d",
        "table_names_original": ["A", "B"],
        "column_names_original": [[-1, "*"], [0, "x"], [0, "y"], [1, "z"]],
        "column_types": ["text", "number", "text", "number"],
        "primary_keys": [[1, 2], 3],
        "foreign_keys": [[1, 3]],
    }
    return entry | changes


def write(folder: Path, content: object, name: str = "s.json") -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_tables_json(tmp_path: Path) -> None:
    schema = load_schemas(write(tmp_path, [tables_json()]))["d"]
    assert schema.tables == (
        Table("A", (Column("x", "number"), Column("y", "text")), ("x", "y"), (),
              (ForeignKey(("x",), "B", ("z",)),)),
        Table("B", (Column("z", "number"),), ("z",)),
    )  # fmt: skip
    assert facts_of(schema) == {
        PrimaryKey("A", ("x", "y")),
        Unique("A", ("x", "y")),
        PrimaryKey("B", ("z",)),
        Unique("B", ("z",)),
        *(NotNull("A", "x"), NotNull("A", "y"), NotNull("B", "z")),
        References("A", ("x",), "B", ("z",)),
    }


def test_keys_of_a_tables_json_without_composites_are_no_facts(tmp_path: Path) -> None:
    schema = load_schemas(write(tmp_path, tables_json(primary_keys=[1, 3])))["d"]
    assert schema.tables[0].primary_key == ("x",)
    assert not schema.whole_keys
    assert facts_of(schema) == {References("A", ("x",), "B", ("z",))}


@pytest.mark.parametrize(
    ("content", "reason", "says"),
    [
        ("{", "unreadable", "s.json"),
        ("3", "wrong_kind", "JSON int"),
        ("[]", "empty", "s.json"),
        ("{}", "empty", "s.json"),
        ([3], "wrong_value", "entry 0"),
        (
            [{"db_id": "q"}],
            "wrong_value",
            "entry 0 (db_id 'q') is not a database as tables.json writes it (KeyError: 'table_names_original')",
        ),
        ([tables_json(primary_keys=[9])], "wrong_value", "IndexError"),
        ([tables_json(primary_keys=[0])], "wrong_value", "column 0 belongs to no table"),
        ([tables_json(primary_keys=[[1, 3]])], "wrong_value", "not of one table"),
        ([tables_json(foreign_keys=[[1, -1]])], "wrong_value", "column -1 belongs to no table"),
        ([tables_json(column_types=["text"])], "wrong_value", "ValueError"),
        ([tables_json(), tables_json()], "repeated", "'d'"),
        ({"d": 3}, "wrong_value", "value of 'd' is int"),
        ({"d": ["CREATE TABLE t (a)", 3]}, "wrong_value", "value of 'd' is list"),
        ({"d": "CREATE TABLE"}, "unreadable", "'d': incomplete input"),
    ],
)
def test_malformed_json_is_a_precise_error(
    tmp_path: Path, content: object, reason: DataReason, says: str
) -> None:
    with refuses_data(SchemaError, reason, says):
        load_schemas(write(tmp_path, content))


def test_json_of_create_statements(tmp_path: Path) -> None:
    content = {"d": ["CREATE TABLE t (a) -- t", "CREATE TABLE u (b);"], "e": "CREATE TABLE v (c)"}
    file = write(tmp_path, content)
    schemas = load_schemas(file)
    assert {name: len(schema.tables) for name, schema in schemas.items()} == {"d": 2, "e": 1}
    assert list(load_schemas(file, "e")) == ["e"]
    with refuses_data(SchemaError, "missing", "'f'; it holds 2: d, e"):
        load_schemas(file, "f")


def test_sql_file_and_database_file(tmp_path: Path) -> None:
    assert list(load_schemas(write(tmp_path, "CREATE TABLE t (a);", "shop.sql"))) == ["shop"]
    file = tmp_path / "shop.anything"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE t (a)")
    before = file.read_bytes()
    assert list(load_schemas(file)) == ["shop"]
    assert list(load_schemas(file, "other")) == ["other"]
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop.anything", "shop.sql"]


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "nested").mkdir()
    (tmp_path / "empty").mkdir()
    for path in ("nested/nested.sqlite", "nested/nested_other.sqlite", "flat.db", "notes.txt"):
        with closing(sqlite3.connect(tmp_path / path)) as connection:
            connection.execute("CREATE TABLE t (a)")
    assert list(load_schemas(tmp_path)) == ["flat", "nested"]
    assert list(load_schemas(tmp_path, "nested")) == ["nested"]
    with refuses_data(SchemaError, "missing", "'empty'; it holds 2: flat, nested"):
        load_schemas(tmp_path, "empty")
    with refuses_data(SchemaError, "empty", "<db>.sqlite"):
        load_schemas(tmp_path / "empty")
    (tmp_path / "nested.sqlite").touch()
    with refuses_data(SchemaError, "repeated", "'nested'"):
        load_schemas(tmp_path)


def test_bad_files(tmp_path: Path) -> None:
    with refuses_data(SchemaError, "missing", "nosuch"):
        load_schemas(tmp_path / "nosuch")
    with refuses_data(SchemaError, "missing", "nosuch"):
        read_sqlite(tmp_path / "nosuch")
    with refuses_data(SchemaError, "not_a_database", "empty.sqlite is empty"):
        load_schemas(write(tmp_path, "", "empty.sqlite"))
    with refuses_data(SchemaError, "not_a_database", "text.sqlite"):
        load_schemas(write(tmp_path, "x" * 2_000, "text.sqlite"))
    with refuses_data(SchemaError, "wrong_kind", "t.csv"):
        load_schemas(write(tmp_path, "a,b", "t.csv"))
    (tmp_path / "latin.sql").write_bytes("CREATE TABLE é (a)".encode("latin-1"))
    with refuses_data(SchemaError, "unreadable", "latin.sql is not UTF-8"):
        load_schemas(tmp_path / "latin.sql")


@pytest.mark.data
def test_all_real_schemas_load(data_root: Path) -> None:
    counts = {}
    for name in ("spider/tables.json", "spider/database", "bird/dev_tables.json", "bird/ddl.json"):
        schemas = load_schemas(data_root / name)
        tables = [table for schema in schemas.values() for table in schema.tables]
        counts[name] = (len(schemas), len(tables), sum(len(table.columns) for table in tables))
    assert counts == {
        "spider/tables.json": (166, 876, 4503),
        "spider/database": (163, 838, 4018),
        "bird/dev_tables.json": (11, 75, 798),
        "bird/ddl.json": (11, 75, 798),
    }


@pytest.mark.data
def test_bird_writes_whole_keys_and_spider_does_not(data_root: Path) -> None:
    def keys(schemas: dict[str, Schema]) -> dict[tuple[str, str], frozenset[str]]:
        return {
            (name, result.name.lower()): frozenset(map(str.lower, result.primary_key))
            for name, schema in schemas.items()
            for result in schema.tables
        }

    bird = keys(load_schemas(data_root / "bird" / "dev_tables.json"))
    engine = keys(load_schemas(data_root / "bird" / "ddl.json"))
    assert {name for name in bird if bird[name] != engine[name]} == set()
    spider = load_schemas(data_root / "spider" / "tables.json")
    assert not any(schema.whole_keys for schema in spider.values())
    files = keys(load_schemas(data_root / "spider" / "database"))
    spider_keys = keys(spider)
    assert sum(spider_keys[name] < files[name] for name in files if name in spider_keys) == 132
