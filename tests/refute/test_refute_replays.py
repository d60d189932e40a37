"""A witness runs again on every engine, views and computed columns too; nothing in it is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from engine_examples import examples_of
from small_databases import EVERY_ENGINE, database_of
from sqlverdict.api.calls import load_schema, refute_pair
from sqlverdict.errors import SqlverdictError
from sqlverdict.execute.engine import ENGINES, Limits, ScratchEngine
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.prove.prover import prove
from sqlverdict.refute.explain.sentence import rows_table
from sqlverdict.refute.target.script import replay_script, to_script, write_script
from sqlverdict.refute.witness import NotRefuted, Witness
from sqlverdict.refute.witness_files import replay, write

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)"
VIEW = "CREATE VIEW v AS SELECT id, a FROM t"
CASES = {
    "a view": ([TABLE, VIEW], "SELECT id FROM v WHERE a > 1", "SELECT id FROM v WHERE a > 0"),
    "a view of a view": (
        [TABLE, VIEW, "CREATE VIEW w AS SELECT id, a + 1 AS b FROM v"],
        "SELECT id FROM w WHERE b > 1",
        "SELECT id FROM w WHERE b > 0",
    ),
    "a computed column": (
        [TABLE.replace(")", ", b INTEGER GENERATED ALWAYS AS (a * 2) {storage})")],
        "SELECT id FROM t WHERE b > 2",
        "SELECT id FROM t WHERE b > 0",
    ),
    "checks and defaults": (
        [TABLE.replace(")", " DEFAULT 3 CHECK (a > 0))")],
        "SELECT id FROM t WHERE a > 1",
        "SELECT id FROM t WHERE a > 2",
    ),
}


def witness_of(db: str, gold: str, prediction: str) -> Witness:
    refutation = refute_pair(gold, prediction, db=db)
    assert isinstance(refutation, Witness)
    return refutation


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_a_witness_runs_again(engine: str, case: str, tmp_path: Path) -> None:
    statements, gold, prediction = CASES[case]
    storage = examples_of(engine).computed
    with database_of(
        engine, tmp_path, *(each.format(storage=storage) for each in statements)
    ) as db:
        witness = witness_of(db, gold, prediction)
        if ENGINES.get(engine).search == "in_memory":
            assert all(replay(path).differ for path in write(witness, tmp_path / "out", "one"))
        else:
            assert replay_script(write_script(witness, tmp_path / "out", "one"), near=db).differ


def in_view(text: str) -> Callable[[dict[str, list[dict[str, object]]]], None]:
    return lambda content: content["views"][0].update(query=text)


def in_column(text: str) -> Callable[[dict[str, list[dict[str, object]]]], None]:
    def change(content: dict[str, list[dict[str, object]]]) -> None:
        content["tables"][0]["columns"][1]["generated"] = text  # type: ignore[index]

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine", [name for name in ENGINES.names() if ENGINES.get(name).search != "in_memory"]
)
def test_no_sql_of_a_file_is_run_unguarded(engine: str, tmp_path: Path) -> None:
    file = tmp_path / "stolen"
    write_file = examples_of(engine).write_file.format(file=file)
    changes = [
        change(text)
        for harm in (write_file, "DROP TABLE kept")
        for change, text in (
            (in_view, harm),
            (in_view, f"SELECT 1, 2; {harm}"),
            (in_view, f"SELECT id, a FROM t; {harm}; SELECT id, a FROM t"),
            (in_column, f"1); {harm}; SELECT (1"),
            (in_column, f"1) FROM t; {harm}; SELECT (1"),
        )
    ]
    with database_of(engine, tmp_path, TABLE, VIEW, "CREATE TABLE kept (n INTEGER)") as db:
        witness = witness_of(db, *CASES["a view"][1:])
        script = to_script(witness)
        line = next(each for each in script.split("\n") if each.startswith("-- tables "))
        for number, change in enumerate(changes):
            content = json.loads(line.removeprefix("-- tables "))
            change(content)
            path = tmp_path / f"{number}.sql"
            path.write_text(script.replace(line, "-- tables " + json.dumps(content)))
            with pytest.raises(SqlverdictError):
                replay_script(path, near=db)
        assert load_schema(db).table("kept") is not None
    assert not file.exists()


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_a_type_that_is_several_statements_makes_nothing(engine: str, tmp_path: Path) -> None:
    member, file = ENGINES.get(engine), tmp_path / "stolen"
    with database_of(engine, tmp_path, TABLE, "CREATE TABLE kept (n INTEGER)") as db:
        harm = examples_of(engine).harm.format(file=file, database=db.rpartition("/")[2])
        type_ = f"INTEGER); {harm}; CREATE TABLE more (n INTEGER"
        columns = (Column("id", "INTEGER"), Column("a", type_), Column("s", "VARCHAR(9)"))
        schema = Schema("hostile", (Table("t", columns),), "ddl")
        gold, other = (f"SELECT id FROM {name} WHERE UPPER(s) = 'A'" for name in ("t", "t AS t"))
        prove(gold, other, schema, dialect=member.dialect)
        if isinstance(member, ScratchEngine):
            with suppress(SqlverdictError):
                scratch = member.scratch(schema, Limits(), db)
                scratch.run(gold)
                scratch.close()
        else:
            assert isinstance(refute_pair(gold, other, schema=schema), NotRefuted)
        assert load_schema(db).table("kept") is not None
    assert not file.exists()


@pytest.mark.slow
@pytest.mark.parametrize("case", ["a view", "a view of a view", "a computed column"])
def test_what_a_view_or_a_computed_column_reads_is_shown(case: str, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    statements, gold, prediction = CASES[case]
    with database_of(
        "duckdb", tmp_path, *(each.format(storage="VIRTUAL") for each in statements)
    ) as db:
        witness = witness_of(db, gold, prediction)
    path = write_script(witness, tmp_path, "one")
    for tables in (rows_table(witness), replay_script(path, near=None).tables):
        assert [table.columns for table in tables] == [("id", "a")]
    assert ('INSERT INTO "t" ("id", "a") VALUES' in path.read_text()) is (
        case == "a computed column"
    )


def test_a_witness_file_of_sqlite_shows_what_a_view_reads(tmp_path: Path) -> None:
    statements, gold, prediction = CASES["a view of a view"]
    with database_of("sqlite", tmp_path, *statements) as db:
        paths = write(witness_of(db, gold, prediction), tmp_path / "out", "one")
    for path in paths:
        assert [table.columns for table in replay(path).tables] == [("id", "a")]
