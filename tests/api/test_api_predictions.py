"""Predictions in memory: paired and checked as those of files are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import PredictionError, UsageError

GOLD = "SELECT name FROM t"
WRONG = "SELECT 3"
CASES: list[dict[str, Any]] = [{"id": key, "db_id": "shop", "gold": GOLD} for key in "12"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (name TEXT)")
        connection.execute("INSERT INTO t VALUES ('a')")
        connection.commit()
    return path


def verdicts(run: sv.Run) -> dict[str, str]:
    return {result.id: str(result.verdict) for result in run.results()}


@pytest.mark.parametrize(
    ("predictions", "reason", "name"),
    [
        ({1: GOLD, "1": WRONG, "2": GOLD}, "repeated", "key 1 and key '1'"),
        ({"1": GOLD, "2": GOLD, "9": GOLD}, "unknown_name", "'9'"),
        ({"1": GOLD}, "incomplete", "no prediction (id '2')"),
        ({"1": GOLD, "2": sv.Prediction("1", GOLD)}, "mismatch", "'2' has the case_id '1'"),
        ([sv.Prediction("1", GOLD), sv.Prediction("1", GOLD)], "repeated", "'1'"),
        ([GOLD, sv.Prediction("1", GOLD)], "mismatch", "'2' has the case_id '1'"),
        ({"1": GOLD, None: GOLD}, "missing_field", "'id'"),
        ([GOLD, float("nan")], "incomplete", "NaN (id '2')"),
        ([{"id": 1, "sql": GOLD}, {"id": 2, "sql": float("nan")}], "incomplete", "NaN (id '2')"),
    ],
)
def test_what_does_not_fit_the_cases_is_refused(
    db: Path, predictions: Any, reason: DataReason, name: str
) -> None:
    with refuses_data(PredictionError, reason, name):
        sv.evaluate(CASES, predictions, db=db)


@pytest.mark.parametrize("wrong", [b"SELECT 1", 5, {"id": 2, "sql": GOLD}])
def test_what_is_no_prediction_is_refused(db: Path, wrong: Any) -> None:
    with pytest.raises(UsageError, match=f"a prediction is {type(wrong).__name__}"):
        sv.evaluate(CASES, [GOLD, wrong], db=db)


def test_prediction_objects_are_paired_by_their_case(db: Path) -> None:
    predictions = [sv.Prediction("2", WRONG), sv.Prediction("1", GOLD)]
    run = sv.evaluate(CASES, predictions, db=db)
    assert verdicts(run) == {"1": "correct", "2": "incorrect"}


def test_none_abstains_in_lists_and_mappings(db: Path) -> None:
    for predictions in ([GOLD, None], {"1": GOLD, "2": None}):
        run = sv.evaluate(CASES, predictions, db=db)
        assert verdicts(run) == {"1": "correct", "2": "abstained_wrong"}


def test_texts_and_arrays_of_numpy_are_predictions(db: Path) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    for predictions in (
        numpy.array([GOLD, WRONG]),
        [numpy.str_(GOLD), numpy.str_(WRONG)],
        {numpy.int64(1): numpy.str_(GOLD), numpy.int64(2): WRONG},
    ):
        run = sv.evaluate(CASES, predictions, db=db)
        assert verdicts(run) == {"1": "correct", "2": "incorrect"}


def test_a_column_is_paired_by_position_or_by_its_index_of_ids(db: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    expected = {"1": "correct", "2": "incorrect"}
    by_position = pandas.Series([GOLD, WRONG])
    assert verdicts(sv.evaluate(CASES, by_position, db=db)) == expected
    by_id = pandas.Series([WRONG, GOLD], index=[2, 1])
    assert verdicts(sv.evaluate(CASES, by_id, db=db)) == expected
    with refuses_data(PredictionError, "incomplete", "(id '2')"):
        sv.evaluate(CASES, pandas.Series([GOLD, None]), db=db)


def test_a_row_that_a_join_did_not_find_is_no_abstention(db: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    cases = pandas.DataFrame([CASES[0], {**CASES[1], "gold": None}], dtype=object)
    result = pandas.DataFrame([{"id": "1", "prediction": GOLD}])
    joined = cases.merge(result, how="left")
    with refuses_data(PredictionError, "incomplete", "1 of 2", "(id '2')"):
        sv.evaluate(joined, db=db)
    with refuses_data(PredictionError, "incomplete", "1 of 2", "(id '2')"):
        sv.evaluate(cases, joined[["id", "prediction"]], db=db)
    assert verdicts(sv.evaluate(joined, [GOLD, None], db=db))["2"] == "abstained_right"
    marked = joined.assign(abstained=[False, True])
    expected = {"1": "correct", "2": "abstained_right"}
    assert verdicts(sv.evaluate(marked, db=db)) == expected
    objects = joined.astype(object)
    objects["prediction"] = pandas.Series([GOLD, None], dtype=object)
    assert verdicts(sv.evaluate(objects, db=db)) == expected


def test_a_null_of_a_table_without_python_values_is_no_abstention(db: Path) -> None:
    class Table:
        """As polars has it."""

        def to_dicts(self) -> list[dict[str, Any]]:
            return [{**case, "prediction": None, "question": None} for case in CASES]

    with refuses_data(PredictionError, "incomplete", "2 of 2"):
        sv.evaluate(Table(), db=db)


@pytest.mark.parametrize("method", ["to_list", "to_pylist"])
def test_a_null_of_a_column_of_polars_or_arrow_is_no_abstention(db: Path, method: str) -> None:
    column = type("Series", (), {method: lambda _: [GOLD, None]})()
    with refuses_data(PredictionError, "incomplete", "1 of 2"):
        sv.evaluate(CASES, column, db=db)


def test_a_query_of_polars_that_was_not_run_is_refused(db: Path) -> None:
    frame = type("LazyFrame", (), {"collect": lambda _: None})()
    with pytest.raises(UsageError, match=r"LazyFrame.* collect\(\)"):
        sv.evaluate(frame, db=db)


def test_frames_of_polars(db: Path) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    ids = [case["id"] for case in CASES]
    cases = polars.DataFrame({"id": ids, "q": [case["gold"] for case in CASES]})
    answers = polars.DataFrame({"id": ids, "bot": [GOLD, None]})
    columns = {"q": "gold", "bot": "prediction"}
    with refuses_data(PredictionError, "incomplete", "1 of 2"):
        sv.evaluate(cases, answers, db=db, columns=columns)
    whole = answers.with_columns(polars.lit(GOLD).alias("bot"))
    assert sv.evaluate(cases, whole, db=db, columns=columns)[ids[0]].scores["ex"] == 1.0


def test_columns_of_one_name_are_refused(db: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra pandas is not installed")
    rows = [[case["id"], case["gold"], GOLD, WRONG] for case in CASES]
    frame = pandas.DataFrame(rows, columns=["id", "gold", "prediction", "prediction"])
    with pytest.raises(UsageError, match="'prediction' as the name"):
        sv.evaluate(frame, db=db)
