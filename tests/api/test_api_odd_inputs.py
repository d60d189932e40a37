"""Odd but plausible inputs: taken for what they are, or refused in words, and never guessed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from sqlverdict.errors import UsageError
from sqlverdict.rl import Rewarder

GOLD = "SELECT name FROM t WHERE n > 1"
CASES: list[Any] = [{"id": "1", "gold": GOLD}, {"id": "2", "gold": "SELECT 1"}]
ONE = [sv.Case("1", "shop", "", ("SELECT 1",))]
A = sv.System("a", {"1": "SELECT 1"})


def _run(db: Path) -> sv.EvaluatedRun:
    return sv.evaluate(CASES, [GOLD, "SELECT 1"], db=db)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda db: sv.check(b"SELECT 1", GOLD, db=db), "a gold is b'SELECT 1'"),  # type: ignore[arg-type]
        (lambda db: sv.check(GOLD, GOLD, db=""), "a database is ''"),
        (lambda db: sv.check(GOLD, GOLD, db="a\0b"), "a database is"),
        (lambda db: sv.check(GOLD, GOLD, db=db, refute=True), "refute is True"),
        (lambda db: sv.check(GOLD, GOLD, db=db, metrics=None), "a metric is None"),  # type: ignore[arg-type]
        (lambda db: sv.check(GOLD, GOLD, db=db, metrics=["ex", 5]), "a metric is 5"),  # type: ignore[list-item]
        (lambda db: sv.load_schema(None), "is None"),  # type: ignore[arg-type]
        (lambda db: sv.load_schema(b"shop.sqlite"), "a database is bytes"),  # type: ignore[arg-type]
        (lambda db: sv.load_schema(db, 5), "db_id is int"),  # type: ignore[arg-type]
        (lambda db: sv.prove_pair(None, GOLD, db=db), "gold is NoneType"),  # type: ignore[arg-type]
        (lambda db: sv.prove_pair(GOLD, [GOLD], db=db), "prediction is list"),  # type: ignore[arg-type]
        (lambda db: sv.prove_pair(GOLD, GOLD, schema="CREATE TABLE t (n)"), "schema is str"),  # type: ignore[arg-type]
        (lambda db: sv.refute_pair(GOLD, b"SELECT 1", db=db), "prediction is bytes"),  # type: ignore[arg-type]
        (lambda db: sv.refute_pair(GOLD, "SELECT 1", db=db, instances=-1), "instances is -1"),
        (lambda db: sv.refute_pair(GOLD, "SELECT 1", db=db, seed="x"), "seed is 'x'"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate(CASES, {GOLD, "SELECT 1"}, db=db), "are a set"),
        (lambda db: sv.evaluate(CASES, [GOLD] * 2, db=db, workers="2"), "workers is '2'"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate(CASES, [GOLD] * 2, db=db, options={}), "options is dict"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate(CASES, [GOLD] * 2, db=db, columns=["gold"]), "columns is list"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_pairs([(GOLD, GOLD)]), "expected a Case and its Prediction"),  # type: ignore[list-item]
        (lambda db: sv.evaluate_systems([], []), "there is no system"),
        (lambda db: sv.evaluate_systems(CASES, [sv.System("a", {})]), "a case is dict"),
        (lambda db: sv.evaluate_systems(ONE, [A, A]), "two systems are called 'a'"),
        (lambda db: sv.evaluate_systems(ONE, [sv.System(3, {})]), "name of a system is 3"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_systems(ONE, 5), "systems is int"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_systems(5, [A]), "cases is int"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_systems(ONE, [A], options=3), "options is int"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_golds(ONE, [A, A], {"x": {}}), "two systems are called 'a'"),
        (lambda db: sv.evaluate_golds(ONE, 5, {"x": {}}), "systems is int"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_golds(ONE, [A], 5), "golds is int"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_pairs(5), "pairs is int"),  # type: ignore[arg-type]
        (lambda db: sv.evaluate_pairs([], options=3), "options is int"),  # type: ignore[arg-type]
        (lambda db: _run(db).compare(3), "other is int"),  # type: ignore[arg-type]
        (lambda db: _run(db).compare(_run(db), 3), "metric is int"),  # type: ignore[arg-type]
        (lambda db: sv.refute_pair(GOLD, GOLD, db=db, limits=3), "limits is 3"),  # type: ignore[arg-type]
        (lambda db: sv.check(GOLD, GOLD, db=db, limits=0), "limits is 0"),  # type: ignore[arg-type]
        (lambda db: sv.Options(limits=3), "limits is 3"),  # type: ignore[arg-type]
        (lambda db: Rewarder(db=db, limits=0), "limits is 0"),  # type: ignore[arg-type]
        (lambda db: sv.Scorer(db=db, limits={"seconds": 1}), "limits is"),  # type: ignore[arg-type]
        (lambda db: sv.Scorer(db=db, now="2024-01-01"), "now is '2024-01-01'"),  # type: ignore[arg-type]
        (lambda db: sv.Scorer(db=db, budget_ms=float("inf")), "budget_ms is inf"),
        (lambda db: sv.Scorer(db=db).batch([(GOLD, GOLD)], threads="2"), "threads is '2'"),  # type: ignore[arg-type]
        (lambda db: Rewarder(db=db, threads=-1), "threads is -1"),
        (lambda db: Rewarder(db=db, tag=""), "tag is ''"),
        (lambda db: Rewarder(db=db, tag="<answer>"), "tag is '<answer>'"),
        (lambda db: Rewarder(db=db, values=None), "values is NoneType"),  # type: ignore[arg-type]
        (lambda db: sv.read_run(None), "a run is NoneType"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_a_wrong_argument_is_a_usage_error(
    db: Path, call: Callable[[Path], object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        call(db)


def test_numbers_of_arrays_are_numbers(db: Path) -> None:
    numpy = pytest.importorskip("numpy")
    result = sv.check(GOLD, GOLD, db=db, refute=numpy.int64(3))
    assert result.correct
    run = sv.evaluate(CASES, [GOLD, "SELECT 1"], db=db, workers=numpy.int64(0))
    assert run.estimate("ex").value == 1.0
    rewarder = Rewarder(db=db, values={"right": numpy.float32(0.5)}, unscored=numpy.int64(0))
    assert rewarder(numpy.array(["SELECT 1", GOLD]), GOLD) == 0.5  # type: ignore[arg-type]
    assert rewarder("SELECT nope", GOLD) == 0.0


class Frame:
    """As polars' frames: to iterate one gives its columns."""

    columns = ("a", "b")

    def __iter__(self) -> Any:
        return iter([[1, 2], [3, 4]])


def test_columns_of_a_frame_are_not_taken_for_rows() -> None:
    with pytest.raises(UsageError, match=r"Frame.*frame\.rows\(\)"):
        sv.compare_answers(Frame(), [(1, 3), (2, 4)])  # type: ignore[arg-type]


def test_records_that_name_another_database_than_the_one_for_all_get_a_note(db: Path) -> None:
    cases = [{"id": "1", "gold": GOLD, "db_id": "club", "prediction": GOLD}]
    (note,) = sv.evaluate(cases, databases=db, workers=0).manifest.notes
    assert "names 'club'" in note
    records = [{**cases[0], "db_id": "shop"}]
    assert sv.evaluate(records, databases=db, workers=0).manifest.notes == ()
