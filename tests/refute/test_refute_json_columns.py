"""Tables with a column of JSON, whether the queries look at it or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import sqlverdict as sv
from small_databases import database_of
from sqlverdict.refute.target.fit import fit_rows
from sqlverdict.refute.witness import Witness

TABLE = "CREATE TABLE emp (id INTEGER PRIMARY KEY, name VARCHAR(20), meta JSON, pay INTEGER)"


@pytest.fixture(scope="module", params=["mysql", "postgres", "duckdb"])
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("db")
    with database_of(str(request.param), folder, TABLE) as database:
        yield database


def test_a_column_of_json_has_documents_whatever_its_type_is_called(db: str) -> None:
    """MariaDB declares a text with a check."""
    schema = sv.load_schema(db)
    dialect = "mysql" if db.startswith("mysql") else "postgres"
    rows = fit_rows({"emp": ((1, "a", "b", 2), (2, "a", '{"k": 1}', 2))}, schema, dialect)
    assert [row[2] for row in rows["emp"]] == ['"b"', '{"k": 1}']


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT LEFT(name, 1) FROM emp", "SELECT LEFT(name, 2) FROM emp"),
        ("SELECT MAX(name) FROM emp", "SELECT MIN(name) FROM emp"),
        ("SELECT id FROM emp WHERE meta IS NULL", "SELECT id FROM emp WHERE pay IS NULL"),
    ],
)
def test_a_witness_is_found_beside_it(db: str, gold: str, prediction: str) -> None:
    assert isinstance(sv.refute_pair(gold, prediction, db=db), Witness)


def test_letter_case_is_told_apart_beside_it(db: str) -> None:
    if not db.startswith("mysql"):
        gold, prediction = "name LIKE 'a%'", "LOWER(name) LIKE 'a%'"
    else:
        gold, prediction = "name = 'a'", "BINARY name = 'a'"
    pair = [f"SELECT name FROM emp WHERE {each}" for each in (gold, prediction)]
    assert isinstance(sv.refute_pair(*pair, db=db), Witness)


PARTS = {
    "mysql": [
        ("JSON_LENGTH(meta)", "JSON_DEPTH(meta)"),
        ("JSON_CONTAINS_PATH(meta, 'one', '$.a')", "JSON_CONTAINS_PATH(meta, 'one', '$.b')"),
        ("JSON_REMOVE(meta, '$.a')", "JSON_COMPACT(meta)"),
        ("MAX(JSON_EXTRACT(meta, '$.a'))", "MIN(JSON_EXTRACT(meta, '$.a'))"),
    ],
    "postgres": [
        ("json_typeof(meta)", "json_typeof(meta -> 'a')"),
        ("jsonb_path_exists(meta::jsonb, '$.a')", "jsonb_path_exists(meta::jsonb, '$.b')"),
    ],
    "duckdb": [
        ("json_type(meta, '$.a')", "json_type(meta, '$.b')"),
        ("json_array_length(meta, '$.a')", "json_array_length(meta, '$.b')"),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("engine", list(PARTS))
def test_documents_have_what_functions_ask_for(engine: str, tmp_path: Path) -> None:
    with database_of(engine, tmp_path, TABLE) as db:
        for gold, prediction in PARTS[engine]:
            pair = [f"SELECT {each} FROM emp" for each in (gold, prediction)]
            assert isinstance(sv.refute_pair(*pair, db=db), Witness), pair
