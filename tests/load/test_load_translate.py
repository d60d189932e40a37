"""Databases and queries of SQLite for other engines, and the demo on them."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import duckdb
import pytest

from error_parts import asks_for, refuses_data
from servers import mysql_server
from sqlverdict.cli.commands.runs.demo import demo_engine, demo_location
from sqlverdict.errors import BenchmarkError, OptionName, UsageError
from sqlverdict.execute.engine import ENGINES, FileEngine, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks import demo
from sqlverdict.load.predictions import load_predictions
from sqlverdict.load.translate import (
    copy_to_file,
    database_statements,
    translated_prediction,
    translated_query,
)
from sqlverdict.records import Answer, Prediction

DUCKDB = ENGINES.get("duckdb")
assert isinstance(DUCKDB, FileEngine)


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
    copy_to_file(file, target, DUCKDB)
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
    with refuses_data(BenchmarkError, "failed", "DuckDB", "odd.sqlite"):
        copy_to_file(path, target, DUCKDB)
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


ANY_ROWS = {"food_market-23"}
"""A gold that takes any rows, on purpose."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duckdb", "postgres", "mysql"])
def test_every_gold_of_the_demo_gives_the_same(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    lite = BENCHMARKS.get("demo").read(demo.DATA, databases=tmp_path).cases
    sqlite, engine = ENGINES.get("sqlite"), ENGINES.get(name)
    with ExitStack() as stack:
        location = demo_location(engine, _server(name, request), tmp_path, stack)
        benchmark = BENCHMARKS.get("demo").read(demo.DATA, databases=location)
        assert benchmark.version.endswith(f"for {name}")
        runners = [
            stack.enter_context(closing(QueryRunner(each.name, Limits())))
            for each in (sqlite, engine)
        ]
        for original, case in zip(lite, benchmark.cases, strict=True):
            for golds in zip(original.golds, case.golds, strict=True):
                first, second = (
                    runner.run(each.database or "", gold)
                    for runner, each, gold in zip(runners, (original, case), golds, strict=True)
                )
                assert isinstance(first, Answer), (case.id, first)
                assert isinstance(second, Answer), (case.id, second)
                # MySQL divides to four digits more than its operands have.
                digits = 3 if name == "mysql" else 9
                if case.id not in ANY_ROWS:
                    assert _bag(first, digits) == _bag(second, digits), case.id


def _server(name: str, request: pytest.FixtureRequest) -> str | None:
    if name == "duckdb":
        return None
    if name == "mysql":
        return mysql_server()
    url: str = request.getfixturevalue("postgres_database")
    return url


def _bag(answer: Answer, digits: int) -> list[str]:
    return sorted(
        repr([round(float(c), digits) if isinstance(c, int | float) else c for c in row])
        for row in answer.rows
    )


def test_predictions_of_the_demo_are_translated(tmp_path: Path) -> None:
    cases = list(BENCHMARKS.get("demo").read(demo.DATA, databases=tmp_path).cases)
    loaded = load_predictions(demo.predictions_path("rough"), [case.id for case in cases])
    texts = {key: translated_prediction(each, "duckdb").sql for key, each in loaded.items()}
    assert (texts["food_market-02"] or "").startswith("ATTACH")


@pytest.mark.parametrize(
    ("engine", "server", "option"),
    [
        ("postgres", None, OptionName("server", "postgresql://USER@HOST/DATABASE")),
        ("mysql", None, OptionName("server", "mysql://USER@HOST/DATABASE")),
        ("mysql", "postgresql://h/x", OptionName("engine", "postgres")),
        ("duckdb", "postgresql://h/x", OptionName("engine", "postgres")),
    ],
)
def test_the_demo_says_which_server_it_needs(
    engine: str | None, server: str | None, option: OptionName
) -> None:
    with asks_for(option):
        demo_engine(engine, server)


def test_the_demo_is_on_no_server_of_another_engine() -> None:
    with pytest.raises(UsageError, match="oracle://"):
        demo_engine(None, "oracle://h/x")


def test_the_server_tells_the_engine_of_the_demo() -> None:
    assert demo_engine(None, None).name == "sqlite"
    assert demo_engine(None, "mariadb://h/x").name == "mysql"
