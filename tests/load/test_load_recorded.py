"""What was recorded about a case elsewhere: the field, its parts, and column maps into it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import asks_for, refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import BenchmarkError, UsageError, column_option
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.columns.column_map import column_map, rename
from sqlverdict.load.recorded import recording_from
from sqlverdict.records import Answer, Case, Failure, Recording

START = {"id": "a", "db_id": "shop", "gold": "SELECT 1", "prediction": "SELECT 2"}


def read(value: object) -> Recording:
    result = recording_from(value, "SELECT 2", "here")
    assert result is not None
    return result


def load(path: Path, *lines: dict[str, Any], **columns: str) -> list[Case]:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return list(BENCHMARKS.get("jsonl").read(path, options=columns).cases)


def test_a_record_may_say_only_whether_the_results_matched() -> None:
    for value, equal in ((True, True), (0, False), (1.0, True), ("false", False)):
        result = read({"equal": value})
        assert (result.equal, result.has_results, result.whole) == (equal, False, False)
        assert (result.use, result.about) == ("stands_in", "SELECT 2")


def test_opinions_alone_stand_in_for_nothing() -> None:
    result = read({"verdicts": {"a": 1, "b": 0.0, "c": 0.5, "d": None, "e": True}})
    assert result.verdicts == {"a": 1.0, "b": 0.0, "e": 1.0}
    assert (result.equal, result.use) == (None, "beside")
    assert read({"equal": 0.5, "replies": "yes"}).use == "beside"
    assert read({"replies": ["x", "y"], "model": "m"}).replies == ("x", "y")


def test_rows_text_tables_and_errors_are_results() -> None:
    rows = read({"gold_result": [[1, "x"], [None, True]], "prediction_result": []})
    assert rows.golds == (Answer(("column 1", "column 2"), [(1, "x"), (None, 1)]),)
    assert rows.prediction == Answer((), [])
    assert (rows.whole, rows.ordered, rows.equal) == (True, True, None)
    records = read({"gold_result": [{"n": 1}, {"n": 2}], "prediction_result": [[3]]})
    assert records.golds == (Answer(("n",), [(1,), (2,)]),)
    text = "| 1 |\n| 2 |\nshape=(2, 1)"
    table = read({"equal": True, "gold_result": text, "prediction_result": "..."})
    assert (table.gold_text, table.whole, table.ordered) == (text, False, False)
    failed = read({"gold_result": [[1]], "prediction_result": {"error": "no such column"}})
    assert isinstance(failed.prediction, Failure)
    cut = read({"equal": False, "gold_result": [[1]], "prediction_result": [[2]], "whole": False})
    assert not cut.whole


@pytest.mark.parametrize(
    ("value", "reason", "says"),
    [
        ("yes", "wrong_value", "'recorded' is 'yes'"),
        ({"equal": 2}, "wrong_value", "'equal' is 2"),
        ({"equals": True}, "unknown_name", "Did you mean 'equal'"),
        (
            {"equal": True, "gold_result": [[1]]},
            "missing_field",
            "gold_result and prediction_result",
        ),
        ({"gold_result": [[1], [1, 2]], "prediction_result": []}, "wrong_value", "'gold_result'"),
        ({"gold_result": [[[1]]], "prediction_result": []}, "wrong_value", "'gold_result'"),
        ({"gold_result": 3, "prediction_result": []}, "wrong_value", "'gold_result'"),
        ({"gold_result": "x", "prediction_result": "y"}, "missing_field", "'equal'"),
        ({"gold_result": "", "prediction_result": ""}, "missing_field", "'equal'"),
        ({"gold_result": [], "prediction_result": [], "whole": False}, "missing_field", "'equal'"),
        (
            {"equal": True, "gold_result": [], "prediction_result": {"error": "x"}},
            "conflict",
            "'x'",
        ),
        ({"verdicts": {"a": "maybe"}}, "wrong_value", "'a' is 'maybe'"),
        ({"verdicts": [1]}, "wrong_value", "verdicts are [1]"),
        ({"replies": [1]}, "wrong_value", "replies are [1]"),
        ({"equal": True, "model": 3}, "wrong_value", "'model' of the record is 3"),
    ],
)
def test_a_record_that_makes_no_sense_is_an_error(
    value: object, reason: DataReason, says: str
) -> None:
    with refuses_data(BenchmarkError, reason, says):
        recording_from(value, "", "here")


def test_a_record_needs_its_prediction_on_the_same_line(tmp_path: Path) -> None:
    line = {**START, "recorded": {"equal": True}}
    (case,) = load(tmp_path / "a.jsonl", line)
    assert case.recorded is not None
    assert case.recorded.about == "SELECT 2"
    del line["prediction"]
    with refuses_data(BenchmarkError, "missing_field", "'a'", "'prediction'"):
        load(tmp_path / "a.jsonl", line)
    (case,) = load(tmp_path / "a.jsonl", {**line, "recorded": None})
    assert case.recorded is None


def test_a_map_leads_into_objects_on_both_sides(tmp_path: Path) -> None:
    verdicts = {"x/EX": 1.0, "gpt-4.1/FLEX": 0.0}
    line = {**START, "verdicts": verdicts, "part": 7, "deep": {"a": {"b": "c"}}}
    (case,) = load(
        tmp_path / "a.jsonl",
        line,
        **{
            "verdicts": "recorded.verdicts",
            "verdicts.x/EX": "recorded.equal",
            "part": "tags.part",
            "deep.a.b": "difficulty",
        },
    )
    assert case.recorded is not None
    assert (case.recorded.equal, case.recorded.verdicts) == (True, verdicts)
    assert (case.tags, case.difficulty) == ({"part": "7"}, "c")


def test_a_name_with_a_dot_is_itself_first() -> None:
    record = {"a.b": 1, "a": {"b": 2, "gpt-4.1": 3}}
    assert rename(record, {"a.b": "id"}, "here")["id"] == 1
    assert rename(record, {"a.gpt-4.1": "id"}, "here")["id"] == 3
    assert "id" not in rename(record, {"a.nothing": "id"}, "here")
    assert rename({"recorded.equal": 1, "tags.set": "x"}, {}, "here") == {
        "recorded": {"equal": 1},
        "tags": {"set": "x"},
    }
    with refuses_data(BenchmarkError, "conflict", "'equal'"):
        rename({"recorded.equal": 1, "recorded": {"equal": 0}}, {}, "here")


def test_a_map_to_nowhere_is_refused_and_so_is_one_from_nowhere(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"recorded\.equal"):
        column_map({"x": "recorded.equals"})
    with pytest.raises(UsageError, match="two columns"):
        column_map({"x": "recorded.equal", "y": "recorded.equal"})
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(START) + "\n")
    with asks_for(column_option("verdicts.x", "recorded.equal")):
        BENCHMARKS.get("jsonl").read(file, options={"verdicts.x": "recorded.equal"})


def test_a_table_has_columns_for_parts_of_a_record(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        "id,db_id,gold,prediction,recorded.equal,tags.set\n"
        "a,shop,SELECT 1,SELECT 2,1,x\n"
        "b,shop,SELECT 1,SELECT 2,,\n"
    )
    first, second = BENCHMARKS.get("csv").read(file).cases
    assert first.recorded is not None
    assert (first.recorded.equal, first.tags) == (True, {"set": "x"})
    assert (second.recorded, second.tags) == (None, {})
