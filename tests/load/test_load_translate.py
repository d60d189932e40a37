"""Databases and queries of SQLite for other engines, and the demo on DuckDB."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from sqlverdict.errors import BenchmarkError
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks import demo
from sqlverdict.load.databases import DatabaseLocation
from sqlverdict.load.predictions import load_predictions
from sqlverdict.load.translate import (
    copy_to_duckdb,
    database_statements,
    translated_prediction,
    translated_query,
)
from sqlverdict.records import Answer, Prediction


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size REAL,"
            " twin INTEGER REFERENCES city (id), flag BLOB);"
            "INSERT INTO city VALUES (1, 'it''s \\ é', 1.5, NULL, x'00ff'), (2, 'b', NULL, 1, NULL);"
        )
    return path


def test_a_file_is_copied_with_its_constraints(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.duckdb"
    copy_to_duckdb(file, target)
    engine = ENGINES.get("duckdb")
    session = engine.open(target, Limits())
    outcome = session.run("SELECT * FROM city ORDER BY id")
    session.close()
    assert isinstance(outcome, Answer)
    assert outcome.rows == [(1, "it's \\ é", 1.5, None, b"\x00\xff"), (2, "b", None, 1, None)]
    (table,) = engine.schema(target).tables
    assert table.primary_key == ("id",)
    assert table.uniques == (("name",),)
    assert [key.parent for key in table.foreign_keys] == ["city"]
    assert table.columns[2].type == "DOUBLE"


def test_what_duckdb_does_not_take_is_said(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES ('no number');")
    target = tmp_path / "odd.duckdb"
    with pytest.raises(BenchmarkError, match="does not take"):
        copy_to_duckdb(path, target)
    assert not target.exists()


def test_statements_of_other_dialects_quote_as_they_do(file: Path) -> None:
    mysql = list(database_statements(file, "mysql"))
    assert "VARCHAR(255)" in mysql[0]
    assert "'it''s \\\\ é'" in mysql[1]
    assert "x'00ff'" in mysql[1]
    assert "'\\x00ff'::bytea" in list(database_statements(file, "postgres"))[1]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT julianday('2024-03-01') - julianday('2024-02-28')", 2.0),
        ("SELECT total(a) FROM (SELECT NULL AS a)", 0.0),
        ("SELECT strftime('%Y', '2024-03-01')", "2024"),
        ("SELECT group_concat(a) FROM (SELECT 1 AS a UNION ALL SELECT 1)", "1,1"),
        ("SELECT IIF(1 > 2, 'a', 'b')", "b"),
    ],
)
def test_queries_give_the_same_in_both(sql: str, expected: object) -> None:
    with closing(sqlite3.connect(":memory:")) as lite:
        assert lite.execute(sql).fetchone() == (expected,)
    with closing(duckdb.connect()) as connection:
        row = connection.execute(translated_query(sql, "duckdb")).fetchone()
    assert row == (expected,)


@pytest.mark.parametrize(
    "sql", ["SELECT (", "SELECT 1; SELECT 2", "", "I cannot say", "x" * 300_000]
)
def test_what_cannot_be_read_stays_as_it_is(sql: str) -> None:
    assert translated_query(sql, "duckdb") == sql


def test_predictions_keep_what_is_no_query() -> None:
    none = Prediction("a", abstained=True)
    assert translated_prediction(none, "duckdb") is none
    some = translated_prediction(
        Prediction("a", "SELECT a FROM t ORDER BY a", samples=("SELECT total(a) FROM t",)), "duckdb"
    )
    assert "NULLS FIRST" in (some.sql or "")
    assert "SUM" in some.samples[0]


@pytest.mark.slow
def test_every_gold_of_the_demo_gives_the_same_on_duckdb(tmp_path: Path) -> None:
    lite = {
        case.id: case for case in BENCHMARKS.get("demo").read(demo.DATA, databases=tmp_path).cases
    }
    location = DatabaseLocation(str(tmp_path), ENGINES.get("duckdb").suffixes)
    benchmark = BENCHMARKS.get("demo").read(demo.DATA, databases=location)
    assert benchmark.version.endswith("for DuckDB")
    sessions = {}
    try:
        for case in benchmark.cases:
            assert case.database is not None
            assert case.database.endswith(".duckdb")
            other = lite[case.id]
            for engine, each in (("duckdb", case), ("sqlite", other)):
                if each.database not in sessions:
                    sessions[each.database] = ENGINES.get(engine).open(
                        each.database or "", Limits()
                    )
            for gold, original in zip(case.golds, other.golds, strict=True):
                answers = [
                    sessions[case.database].run(gold),
                    sessions[other.database].run(original),
                ]
                bags = [
                    sorted(map(repr, answer.rows))
                    for answer in answers
                    if isinstance(answer, Answer)
                ]
                assert len(bags) == 2, (case.id, answers)
                if case.id != "food_market-23":  # it takes any rows, on purpose
                    assert bags[0] == bags[1], case.id
    finally:
        for session in sessions.values():
            session.close()


def test_predictions_of_the_demo_are_translated(tmp_path: Path) -> None:
    cases = list(BENCHMARKS.get("demo").read(demo.DATA, databases=tmp_path).cases)
    loaded = load_predictions(demo.predictions_path("rough"), [case.id for case in cases])
    texts = {key: translated_prediction(each, "duckdb").sql for key, each in loaded.items()}
    assert (texts["food_market-02"] or "").startswith("ATTACH")
