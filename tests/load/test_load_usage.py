"""What predictions say about money, tokens and seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import PredictionUsage


def usage(tmp_path: Path, record: dict[str, Any], **options: Any) -> PredictionUsage | None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": "1", "sql": "SELECT 1"} | record))
    return load_predictions(path, ["1"], **options)["1"].usage


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({}, None),
        ({"cost": None, "tokens": None, "latency": None}, None),
        ({"cost": 0}, PredictionUsage(cost=0.0)),
        ({"cost": "0.25", "latency": 1.5}, PredictionUsage(cost=0.25, latency=1.5)),
        ({"tokens": 12}, PredictionUsage(tokens=12)),
        ({"tokens": 12.0}, PredictionUsage(tokens=12)),
        ({"tokens": {"prompt": 3}}, PredictionUsage(prompt_tokens=3)),
        (
            {"tokens": {"prompt": 3, "completion": 4}},
            PredictionUsage(prompt_tokens=3, completion_tokens=4, tokens=7),
        ),
        (
            {"tokens": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 9, "cached": 1}},
            PredictionUsage(prompt_tokens=3, completion_tokens=4, tokens=9),
        ),
        ({"tokens.prompt": 3, "tokens.total": 5}, PredictionUsage(prompt_tokens=3, tokens=5)),
    ],
)
def test_usage_is_read_and_the_unknown_stays_unknown(
    tmp_path: Path, record: dict[str, Any], expected: PredictionUsage | None
) -> None:
    assert usage(tmp_path, record) == expected


@pytest.mark.parametrize(
    ("record", "reason", "message"),
    [
        ({"cost": "NaN"}, "wrong_value", "'cost' is 'NaN'"),
        ({"cost": "inf"}, "wrong_value", "'cost' is 'inf'"),
        ({"cost": 1e30}, "wrong_value", r"'cost' is 1e\+30"),
        ({"cost": -0.01}, "wrong_value", "'cost' is -0.01"),
        ({"cost": "cheap"}, "wrong_value", "'cost' is 'cheap'"),
        ({"cost": True}, "wrong_value", "'cost' is True"),
        ({"latency": [1]}, "wrong_value", r"'latency' is \[1\]"),
        ({"latency": 10**400}, "wrong_value", "'latency' is 1000"),
        ({"tokens": 1.5}, "wrong_value", "'tokens' is 1.5. Expected a whole"),
        ({"tokens": ["How", "many"]}, "wrong_value", "'tokens' is .*map it to off"),
        ({"tokens": {"words": 3}}, "missing_field", "'words'"),
        ({"tokens": {"prompt": -1}}, "wrong_value", "'tokens.prompt' is -1"),
        ({"tokens": {"prompt": 1, "input_tokens": 1}}, "conflict", "two parts of 'tokens'"),
    ],
)
def test_wrong_usage_is_refused_with_words(
    tmp_path: Path, record: dict[str, Any], reason: DataReason, message: str
) -> None:
    with refuses_data(PredictionError, reason, match=message):
        usage(tmp_path, record)


def test_columns_of_the_prediction_file_are_mapped(tmp_path: Path) -> None:
    columns = {"usd": "cost", "tokens": "off", "time.total": "latency"}
    record = {"usd": 2, "tokens": ["How"], "time": {"total": 3}}
    assert usage(tmp_path, record, columns=columns) == PredictionUsage(cost=2, latency=3)
    with pytest.raises(UsageError, match=r"'usd'.* 'gold'"):
        usage(tmp_path, record, columns={"usd": "gold"})
    with refuses_data(PredictionError, "conflict", "'cost'"):
        usage(tmp_path, record | {"cost": 1}, columns=columns)


def test_an_empty_cell_of_a_table_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,sql,usd,tokens.prompt,latency\n1,SELECT 1,,,\n2,SELECT 1,0.5,7,2\n3,,,,\n")
    loaded = load_predictions(path, ["1", "2", "3"], columns={"usd": "cost"})
    expected = PredictionUsage(cost=0.5, prompt_tokens=7, latency=2)
    assert [loaded[key].usage for key in "123"] == [None, expected, None]
    assert not loaded["3"].abstained


def test_usage_may_stand_inside_or_beside_an_object(tmp_path: Path) -> None:
    inside = {"prediction": {"sql": "SELECT 1", "cost": 1}, "latency": 2}
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": "1"} | inside))
    loaded = load_predictions(path, ["1"])["1"]
    assert loaded.usage == PredictionUsage(cost=1, latency=2)
