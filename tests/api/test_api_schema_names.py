"""One test over every engine and door: a table that a query names with its schema is that table.

An engine joins by what its schema says: the paths by which a query can name a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import sqlverdict as sv
from small_databases import EVERY_ENGINE, database_of
from sqlverdict.dialects import dialect_of
from sqlverdict.evidence import Refuted
from sqlverdict.execute.engine import ENGINES, Limits, engine_of
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Case, Prediction
from sqlverdict.refute.target.script import replay_script
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.judging.brief_parts import brief_schema, surroundings
from sqlverdict.run.options import SearchOptions
from sqlverdict.run.plan import RunPlan
from sqlverdict.score.metric import parse_metrics

TABLES = (
    "CREATE TABLE emp (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, pay INTEGER)",
    "INSERT INTO emp VALUES (1, 'Ann', 100), (2, 'Bob', 200), (3, 'Cid', 300)",
)
OTHER_SCHEMA = (
    "CREATE SCHEMA abroad",
    "CREATE TABLE abroad.emp (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, pay INTEGER)",
    "INSERT INTO abroad.emp VALUES (1, 'Ann', 100), (2, 'Bob', 200), (3, 'Cid', 300)",
    "CREATE TABLE abroad.trip (id INTEGER PRIMARY KEY, emp_id INTEGER NOT NULL"
    " REFERENCES abroad.emp (id))",
    "INSERT INTO abroad.trip VALUES (1, 1), (2, 3)",
    "CREATE VIEW abroad.rich AS SELECT emp.name, emp.pay FROM abroad.emp WHERE emp.pay > 250",
)
PARTS: dict[str, Any] = {"prove": True, "refute": 60, "policy": "strict"}


class Evidence(NamedTuple):
    """What a door says of a pair whose answers match on the database."""

    is_correct: bool
    is_proved: bool
    is_refuted: bool


PROVED = Evidence(is_correct=True, is_proved=True, is_refuted=False)
REFUTED = Evidence(is_correct=False, is_proved=False, is_refuted=True)


def by_scorer(db: str, gold: str, prediction: str, _folder: Path) -> Evidence:
    with sv.Scorer(db=db, **PARTS) as scorer:
        return _of_pair(scorer.check(gold, prediction))


def by_check(db: str, gold: str, prediction: str, _folder: Path) -> Evidence:
    return _of_pair(sv.check(gold, prediction, db=db, **PARTS))


def _of_pair(result: Any) -> Evidence:
    return Evidence(result.correct is True, result.proof is not None, result.witness is not None)


def by_evaluate(db: str, gold: str, prediction: str, folder: Path) -> Evidence:
    cases = [Case("a", "staff", "Who?", (gold,), db)]
    options = sv.Options("ex,verdict", policy="strict", workers=0)
    result = sv.evaluate(cases, {"a": prediction}, options=options, out=folder / "run")["a"]
    kinds = {type(each).__name__ for each in result.evidence}
    return Evidence(result.verdict is sv.Verdict.CORRECT, "Proved" in kinds, "Refuted" in kinds)


Door = Callable[[str, str, str, Path], Evidence]
doors = pytest.mark.parametrize("door", [by_scorer, by_check, by_evaluate])


@pytest.fixture(scope="module", params=EVERY_ENGINE)
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with database_of(request.param, tmp_path_factory.mktemp("db"), *TABLES) as database:
        yield database


@pytest.fixture(scope="module", params=EVERY_ENGINE)
def two_schemas(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A database with the same table in two schemas, of an engine that has schemas in it."""
    with database_of(request.param, tmp_path_factory.mktemp("db"), *TABLES) as database:
        if not any(len(path) > 2 for path in paths_of(database)):
            pytest.skip(f"a database of {request.param} has no further schemas")
    folder = tmp_path_factory.mktemp("two")
    with database_of(request.param, folder, *TABLES, *OTHER_SCHEMA) as database:
        yield database


def paths_of(db: str) -> tuple[tuple[str, ...], ...]:
    table = sv.load_schema(db).table("emp")
    assert table is not None
    # SQLite's catalogue has no word for its one schema.
    return table.paths or (("main", "emp"),)


def spellings(db: str) -> list[str]:
    """The names of the table with its schema, plain and in quotes."""
    mark = dialect_of(ENGINES.get(engine_of(db)).dialect).quote
    return [
        text
        for path in paths_of(db)
        for text in (".".join(path), ".".join(f"{mark}{part}{mark}" for part in path))
    ]


@doors
def test_a_table_with_its_schema_is_the_table_without(db: str, door: Door, tmp_path: Path) -> None:
    gold = "SELECT name FROM emp WHERE pay > 250"
    # One door tries all spellings; that the others read names at all shows with the longest.
    names = spellings(db) if door is by_check else spellings(db)[-1:]
    for number, name in enumerate(names):
        prediction = f"SELECT e.name FROM {name} AS e WHERE 250 < e.pay"
        assert door(db, gold, prediction, tmp_path / str(number)) == PROVED, name


def test_a_column_may_be_named_with_the_schema(db: str, tmp_path: Path) -> None:
    gold = "SELECT name FROM emp WHERE pay > 250"
    name = spellings(db)[0]
    prediction = f"SELECT {name}.name FROM {name} WHERE 250 < {name}.pay"
    assert by_check(db, gold, prediction, tmp_path) == PROVED


@doors
def test_a_difference_behind_a_schema_gets_a_witness(db: str, door: Door, tmp_path: Path) -> None:
    name = spellings(db)[0]
    gold = f"SELECT name FROM {name} WHERE pay > 250"
    assert door(db, gold, f"SELECT name FROM {name} WHERE pay > 255", tmp_path / "a") == REFUTED
    assert door(db, gold, "SELECT name FROM emp WHERE id = 3", tmp_path / "b") == REFUTED


def test_a_common_table_does_not_hide_a_table_with_its_schema(db: str, tmp_path: Path) -> None:
    name = spellings(db)[0]
    gold = "SELECT name FROM emp WHERE pay > 250"
    lucky = f"WITH emp AS (SELECT 250 AS pay) SELECT b.name FROM {name} AS b, emp WHERE b.id = 3"
    assert by_check(db, gold, lucky, tmp_path).is_refuted
    same = f"WITH emp AS (SELECT 250 AS p) SELECT b.name FROM {name} AS b, emp WHERE b.pay > emp.p"
    assert not by_check(db, gold, same, tmp_path).is_refuted


def test_a_common_table_may_be_made_of_the_table_of_its_name(db: str, tmp_path: Path) -> None:
    start = "WITH emp AS (SELECT name, pay FROM emp WHERE pay > 50)"
    gold = f"{start} SELECT name FROM emp WHERE pay > 250"
    if sv.check(gold, gold, db=db).correct is not True:
        pytest.skip("the engine takes the name for the expression itself")
    assert by_check(db, gold, gold.replace("pay > 250", "250 < pay"), tmp_path) == PROVED
    assert by_check(db, gold, gold.replace("pay > 250", "pay > 255"), tmp_path) == REFUTED


def test_a_schema_that_is_not_there_is_the_predictions_fault(db: str) -> None:
    result = sv.check("SELECT name FROM emp", "SELECT name FROM nowhere.emp", db=db, **PARTS)
    assert result.verdict is sv.Verdict.INCORRECT
    assert "nowhere" in result.message


@doors
def test_tables_of_one_name_in_two_schemas_are_two(
    two_schemas: str, door: Door, tmp_path: Path
) -> None:
    gold = "SELECT name FROM emp WHERE pay > 250"
    abroad = "SELECT name FROM abroad.emp WHERE pay > 250"
    assert door(two_schemas, gold, abroad, tmp_path / "a") == REFUTED
    same = "SELECT emp.name FROM abroad.emp WHERE 250 < abroad.emp.pay"
    assert door(two_schemas, abroad, same, tmp_path / "b") == PROVED


def test_both_tables_of_one_name_stand_in_one_query(two_schemas: str, tmp_path: Path) -> None:
    home = paths_of(two_schemas)[0][0]
    gold = "SELECT a.name FROM emp AS a JOIN abroad.emp AS b ON a.id = b.id"
    same = (
        f"SELECT {home}.emp.name FROM abroad.emp JOIN {home}.emp ON abroad.emp.id = {home}.emp.id"
    )
    assert by_check(two_schemas, gold, same, tmp_path) == PROVED
    other = same.replace(f"SELECT {home}", "SELECT abroad")
    assert by_check(two_schemas, gold, other, tmp_path) == REFUTED


def test_an_alias_may_have_the_name_of_a_schema(two_schemas: str, tmp_path: Path) -> None:
    gold = "SELECT name FROM emp WHERE pay > 250"
    same = "SELECT abroad.name FROM emp AS abroad WHERE 250 < abroad.pay"
    assert by_check(two_schemas, gold, same, tmp_path) == PROVED
    lucky = "SELECT abroad.name FROM emp AS abroad WHERE abroad.pay > 255"
    assert by_check(two_schemas, gold, lucky, tmp_path) == REFUTED


def test_the_words_of_a_difference_tell_two_tables_of_one_name_apart(two_schemas: str) -> None:
    abroad = "SELECT name FROM abroad.emp WHERE pay > 250"
    result = sv.check("SELECT name FROM emp WHERE pay > 250", abroad, db=two_schemas, **PARTS)
    (witness,) = (each for each in result.evidence if isinstance(each, Refuted))
    assert "other_tables" in {tag.name for tag in witness.tags or ()}
    assert "abroad.emp" in witness.in_words


def test_keys_and_views_of_a_schema_count(two_schemas: str, tmp_path: Path) -> None:
    trips = "SELECT emp_id FROM abroad.trip"
    joined = "SELECT t.emp_id FROM abroad.trip AS t JOIN abroad.emp AS e ON e.id = t.emp_id"
    assert by_check(two_schemas, trips, joined, tmp_path) == PROVED
    elsewhere = joined.replace("JOIN abroad.emp", "JOIN emp")
    assert by_check(two_schemas, trips, elsewhere, tmp_path).is_refuted
    rich = "SELECT name FROM abroad.rich"
    lucky = "SELECT name FROM abroad.emp WHERE pay > 255"
    assert by_check(two_schemas, rich, lucky, tmp_path) == REFUTED


def test_a_witness_names_the_schema_and_can_be_replayed(two_schemas: str, tmp_path: Path) -> None:
    golds = ("SELECT name FROM abroad.emp WHERE pay > 250",)
    cases = [Case("a", "staff", "Who?", golds, two_schemas)]
    search = SearchOptions(folder=Path("witnesses"))
    options = sv.Options("ex,verdict", policy="strict", workers=0, search=search)
    predictions = {"a": "SELECT name FROM abroad.emp WHERE pay > 255"}
    result = sv.evaluate(cases, predictions, options=options, out=tmp_path / "run")["a"]
    (file,) = (tmp_path / "run").rglob("a-*.sql")
    replay = replay_script(file, near=two_schemas)
    assert replay.differ
    assert [table.name for table in replay.tables if table.rows] == ["abroad.emp"]
    (witness,) = (each for each in result.evidence if isinstance(each, Refuted))
    assert list(witness.rows) == ["abroad.emp"]


def test_a_judge_sees_the_tables_of_a_schema_that_a_query_reads(two_schemas: str) -> None:
    home = "SELECT name FROM emp WHERE pay > 250"
    schemas = {}
    for sql in (home, "SELECT name FROM abroad.emp WHERE pay > 250"):
        case = Case("a", "staff", "Who?", (home,), two_schemas)
        runner = QueryRunner(engine_of(two_schemas), Limits())
        with closing(runner):
            inputs = StageInputs(case, Prediction("a", sql), runner, RunPlan(parse_metrics("ex")))
            schema = brief_schema(inputs)
            assert schema is not None
            schemas[sql] = [table.name for table in schema.tables]
            sizes = surroundings(inputs, home).sizes
    assert list(schemas.values()) == [["emp"], ["emp", "abroad.emp"]]
    assert set(sizes) == {"emp: 3 rows", "abroad.emp: 3 rows"}
