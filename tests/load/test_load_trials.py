"""Several answers to each question in one file of predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import PredictionError
from sqlverdict.load.predictions import Predictions, load_predictions, load_trials
from sqlverdict.load.trials import MOST_TRIALS

TWO = ["SELECT 1", "SELECT 2"]


def load(tmp_path: Path, records: Any, name: str = "p.jsonl", **options: Any) -> list[Predictions]:
    path = tmp_path / name
    lines = "\n".join(map(json.dumps, records)) if name == "p.jsonl" else json.dumps(records)
    path.write_text(lines)
    return load_trials(path, ["a", "b"], **options)


def queries(trials: list[Predictions]) -> list[list[str | None]]:
    return [[trial[key].sql for key in "ab"] for trial in trials]


@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("p.jsonl", [{"id": "a", "sql": TWO}, {"id": "b", "raw": TWO}]),
        (
            "p.jsonl",
            [{"id": "a", "prediction": [{"sql": s} for s in TWO]}, {"id": "b", "sql": TWO}],
        ),
        ("p.jsonl", [{"id": k, "sql": s, "trial": n} for n, s in enumerate(TWO, 1) for k in "ab"]),
        ("p.jsonl", [{"id": k, "sql": TWO[n - 9], "trial": n} for n in (10, 9) for k in "ba"]),
        ("p.json", [{"id": "a", "sql": TWO}, {"id": "b", "sql": TWO}]),
        ("p.json", {"a": TWO, "b": TWO}),
    ],
)
def test_each_answer_is_a_trial(tmp_path: Path, name: str, records: Any) -> None:
    trials = load(tmp_path, records, name)
    assert queries(trials) == [["SELECT 1"] * 2, ["SELECT 2"] * 2]
    with refuses_data(PredictionError, "repeated", "2 answers"):
        load_predictions(tmp_path / name, ["a", "b"])


def test_a_table_has_a_column_of_trials(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,sample,sql\na,x,SELECT 1\nb,x,SELECT 1\na,y,SELECT 2\nb,y,SELECT 2\n")
    trials = load_trials(path, ["a", "b"], columns={"sample": "trial"})
    assert [trial.trial for trial in trials] == ["x", "y"]
    assert queries(trials) == [["SELECT 1"] * 2, ["SELECT 2"] * 2]


def test_what_stands_beside_a_list_is_a_list(tmp_path: Path) -> None:
    record = {"sql": ["SELECT 1", None], "cost": [1, None], "abstained": [False, True]}
    first, second = load(tmp_path, [{"id": key} | record for key in "ab"])
    assert first["a"].usage is not None
    assert first["a"].usage.cost == 1
    assert (second["a"].usage, second["a"].abstained) == (None, True)


def test_a_list_of_one_is_no_trial(tmp_path: Path) -> None:
    load(tmp_path, [{"id": key, "sql": TWO[:1]} for key in "ab"])
    assert load_predictions(tmp_path / "p.jsonl", ["a", "b"])["a"].sql == "SELECT 1"


@pytest.mark.parametrize(
    ("records", "reason", "says"),
    [
        (
            [{"id": "a", "sql": TWO}, {"id": "b", "sql": TWO[:1]}],
            "incomplete",
            "trial 2 has no answer for 1 case",
        ),
        (
            [{"id": "a", "sql": TWO}, {"id": "b", "sql": "SELECT 1"}],
            "conflict",
            "one answer (line 2)",
        ),
        ([{"id": "a", "sql": []}], "wrong_value", "a list of 0 answers"),
        (
            [{"id": "a", "sql": ["SELECT 1"] * (MOST_TRIALS + 1)}],
            "wrong_value",
            "a list of 201 answers",
        ),
        ([{"id": "a", "sql": TWO, "cost": 1}], "mismatch", "'cost' is not a list of 2"),
        ([{"id": "a", "sql": TWO, "cost": [1]}], "mismatch", "'cost' is not a list of 2"),
        ([{"id": "a", "sql": TWO, "trial": 1}], "conflict", "'trial'"),
        ([{"id": "a", "sql": "x", "trial": "../x"}], "wrong_value", "the trial is '../x'"),
        ([{"id": "a", "sql": "x", "trial": [1]}], "wrong_value", "the trial is [1]"),
        ([{"id": "a", "sql": [["x"]]}], "wrong_value", "answer 1: 'sql' is ['x']"),
        (
            [{"id": k, "sql": "x", "trial": 1} for k in "aab"],
            "repeated",
            "'a' at line 1 and line 2",
        ),
        (
            [{"id": k, "sql": "x"} for k in "aab"],
            "repeated",
            "number several answers in a field 'trial'",
        ),
    ],
)
def test_what_does_not_fit_is_an_error(
    tmp_path: Path, records: Any, reason: DataReason, says: str
) -> None:
    with refuses_data(PredictionError, reason, says):
        load(tmp_path, records)
