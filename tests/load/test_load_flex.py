"""FLEX's agreement format: what a line becomes, and what the recorded tables hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from error_parts import asks_for, refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import BenchmarkError
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.recorded import read_table
from sqlverdict.records import Cell, Failure

LINE: dict[str, Any] = {
    "set": "NEQ",
    "i": 4,
    "db_id": "shop",
    "question": "Which items?",
    "evidence": "an item is a thing",
    "gold_sql": "SELECT name FROM item",
    "pred_sql": "SELECT name, price FROM item",
    "gold_exec_text": "| pen |\n| pad |\nshape=(2, 1)",
    "pred_exec_text": "| pad | 2.5 |\n| pen | 1 |\nshape=(2, 2)",
    "ex": 0,
    "system": "mine",
    "difficulty": "simple",
    "bird_question_id": 7,
    "schema_text": "CREATE TABLE item (name, price)",
    "gpt4o_text": 'right {"correct": true}',
    "human": 1,
}


def read(tmp_path: Path, *lines: dict[str, Any] | str) -> Benchmark:
    path = tmp_path / "agreement.jsonl"
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines) + "\n")
    return BENCHMARKS.get("flex").read(path)


def test_a_line_becomes_a_case_with_its_prediction_and_record(tmp_path: Path) -> None:
    benchmark = read(tmp_path, LINE)
    (case,) = benchmark.cases
    assert (case.id, case.db_id, case.golds) == ("NEQ-4", "shop", ("SELECT name FROM item",))
    assert (case.knowledge, case.difficulty) == ("an item is a thing", "simple")
    assert case.tags == {"set": "NEQ", "system": "mine", "question_id": "7"}
    assert benchmark.predictions is not None
    assert benchmark.predictions["NEQ-4"].sql == "SELECT name, price FROM item"
    record = case.recorded
    assert record is not None
    assert (record.equal, record.whole, record.ordered) == (False, True, False)
    assert record.replies == (LINE["gpt4o_text"],)
    assert record.prediction.rows == [("pad", 2.5), ("pen", 1)]  # type: ignore[union-attr]


def test_labels_are_not_read_here(tmp_path: Path) -> None:
    """Nothing that people said may reach a verdict."""
    (labelled,) = read(tmp_path, LINE).cases
    (other,) = read(tmp_path, {**LINE, "human": 0, "votes": [0, 0, 1]}).cases
    assert labelled == other


@pytest.mark.parametrize(
    ("change", "reason", "says"),
    [
        ({"gold_sql": None}, "wrong_value", "$.gold_sql"),
        ({"ex": "yes"}, "wrong_value", "$.ex"),
        ({"set": None}, "wrong_value", "$.set"),
    ],
)
def test_a_wrong_field_is_named_with_its_line(
    tmp_path: Path, change: dict[str, Any], reason: DataReason, says: str
) -> None:
    with refuses_data(BenchmarkError, reason, says):
        read(tmp_path, LINE, {**LINE, "i": 5, **change})


def test_a_repeated_id_an_empty_file_and_options_are_refused(tmp_path: Path) -> None:
    with refuses_data(BenchmarkError, "repeated", "'NEQ-4'"):
        read(tmp_path, LINE, LINE)
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    with refuses_data(BenchmarkError, "empty", "empty.jsonl"):
        BENCHMARKS.get("flex").read(empty)
    with asks_for("column"):
        BENCHMARKS.get("flex").read(tmp_path / "agreement.jsonl", options={"a": "b"})


@pytest.mark.parametrize(
    ("text", "rows", "whole"),
    [
        ("| 1.0 |\nshape=(1, 1)", [(1.0,)], True),
        ("| None | 03050 |\nshape=(1, 2)", [(None, "03050")], True),
        ("| -3 | 1e5 | +4 |\nshape=(1, 3)", [(-3, "1e5", "+4")], True),
        ("| nan | inf |\nshape=(1, 2)", [("nan", "inf")], True),
        ("| a |\n...\n| z |\nshape=(40, 1)", [("a",), ("z",)], False),
        ("| a |\n| b |\nshape=(3, 1)", [("a",), ("b",)], False),
        ("| a | b |\nshape=(1, 3)", [], False),
        ("| first\nsecond |\nshape=(1, 1)", [], False),
        ("| a |", [], False),
        ("No execution result", [], True),
        ("Empty execution result", [], True),
    ],
)
def test_recorded_tables(text: str, rows: list[tuple[Cell, ...]], whole: bool) -> None:
    answer, is_whole = read_table(text)
    assert (answer.rows, is_whole) == (rows, whole)
    assert [type(cell) for row in answer.rows for cell in row] == [
        type(cell) for row in rows for cell in row
    ]


CELLS = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.text("abcXYZ ._", min_size=1).map(str.strip).filter(bool)


@given(st.integers(1, 4).flatmap(lambda w: st.lists(st.tuples(*[CELLS | PLAIN] * w), min_size=1)))
def test_what_python_wrote_is_read_again(rows: list[tuple[Cell, ...]]) -> None:
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    text = "\n".join([*lines, f"shape=({len(rows)}, {len(rows[0])})"])
    answer, whole = read_table(text)
    if not any(str(cell) == "None" and cell is not None for row in rows for cell in row):
        assert (answer.rows, whole) == (rows, True)


@given(st.text())
def test_any_text_is_read_without_an_exception(text: str) -> None:
    read_table(text)


OWN: dict[str, Any] = {
    "index": 31,
    "schema": "Database: shop\nCREATE TABLE item (name, price)",
    "question": "Which items?",
    "hint": "an item is a thing",
    "pred_sql": "SELECT name, price FROM item",
    "pred_exec": "| pad | 2.5 |\nshape=(1, 2)",
    "gt_sql": "SELECT name FROM item",
    "gt_exec": "| pad |\nshape=(1, 1)",
    "judge_text": 'wrong {"correct": false}',
    "judge_result": False,
    "judge_model": "gpt-4o-2024-08-06",
    "hardness": "simple",
    "ex": 0,
}


def test_a_file_of_one_systems_answers_has_its_questions_as_ids(tmp_path: Path) -> None:
    one = read(tmp_path, {**OWN, "index": 7, "ex": 1}, {**OWN, "index": 9})
    other = read(tmp_path, {**OWN, "index": 7}, {**OWN, "index": 9, "ex": 1})
    assert [case.id for case in one.cases] == [case.id for case in other.cases] == ["7", "9"]
    assert [case.tags["set"] for case in one.cases] == ["EQ", "NEQ"]
    # Files of pairs for people hold matches or mismatches, and are labelled by place.
    pairs = read(tmp_path, {**OWN, "index": 7}, {**OWN, "index": 9})
    assert [case.id for case in pairs.cases] == ["NEQ-0", "NEQ-1"]


def test_the_result_files_of_flex_are_read_as_they_are(tmp_path: Path) -> None:
    benchmark = read(tmp_path, {**OWN, "ex": 1}, OWN)
    first, second = benchmark.cases
    assert (first.id, second.id) == ("EQ-0", "NEQ-0")
    assert (second.db_id, second.golds) == ("shop", ("SELECT name FROM item",))
    assert (second.knowledge, second.difficulty) == ("an item is a thing", "simple")
    record = second.recorded
    assert record is not None
    assert (record.equal, record.whole, record.replies) == (False, True, (OWN["judge_text"],))
    assert (record.model, record.verdicts) == (OWN["judge_model"], {OWN["judge_model"]: 0.0})
    assert (record.schema_text, record.about) == (OWN["schema"], OWN["pred_sql"])


@pytest.mark.parametrize(
    ("result", "verdicts"),
    [
        (True, {"judge": 1.0}),
        ({"score": 4}, {"judge": 1.0}),
        ({"score": 3, "feedback": "x"}, {"judge": 0.0}),
        ("error", {}),
        (None, {}),
        ({}, {}),
    ],
)
def test_verdicts_of_flexs_judges(
    tmp_path: Path, result: object, verdicts: dict[str, float]
) -> None:
    line = {**OWN, "judge_result": result}
    del line["judge_model"]
    (case,) = read(tmp_path, line).cases
    assert case.recorded is not None
    assert case.recorded.verdicts == verdicts


def test_a_prediction_that_failed_in_flexs_run_is_a_failure(tmp_path: Path) -> None:
    line = {**OWN, "pred_exec": None, "gt_exec": None, "judge_text": "no such column: x"}
    (case,) = read(tmp_path, {**line, "judge_result": "error"}).cases
    assert case.recorded is not None
    failed = case.recorded.prediction
    assert isinstance(failed, Failure)
    assert failed.message == "no such column: x"
    assert (case.recorded.equal, case.recorded.replies) == (False, ())


def test_a_result_file_that_names_no_database_is_refused(tmp_path: Path) -> None:
    with refuses_data(BenchmarkError, "missing_field", "line 1", "'db_id'"):
        read(tmp_path, {**OWN, "schema": "CREATE TABLE item (name)"})


def test_kinds_of_error_are_kept_beside_the_reply(tmp_path: Path) -> None:
    """What FLEX's scripts call ``_cat.jsonl``."""
    labels = {"incorrect_schema_linking": {"issued": True, "explanation": "another table"}}
    (judged,) = read(tmp_path, OWN).cases
    (categorised,) = read(tmp_path, {**OWN, "judge_result_category": labels}).cases
    assert judged.recorded is not None
    assert categorised.recorded is not None
    assert json.loads(categorised.recorded.categories) == labels
    assert replace(categorised.recorded, categories="") == judged.recorded


@pytest.mark.data
@pytest.mark.parametrize("kind", ["fn", "fp"])
def test_the_published_files_are_read_as_they_are(data_root: Path, kind: str) -> None:
    """Each line of each file: those with kinds of error name no database."""
    published = data_root / "flex" / "published"
    databases = set()
    for file in sorted(published.glob(f"*/*{kind}*.jsonl")):
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        cases = list(BENCHMARKS.get("flex").read(file).cases)
        assert [case.golds[0] for case in cases] == [line["gt_sql"] for line in lines]
        assert all(case.recorded is not None for case in cases)
        recorded = [case.recorded.categories for case in cases if case.recorded is not None]
        assert [bool(kinds) for kinds in recorded] == [
            "judge_result_category" in line for line in lines
        ]
        if any(recorded):
            databases = {case.db_id for case in cases}
    assert len(databases) == 11, "one for each database of BIRD's dev set"
