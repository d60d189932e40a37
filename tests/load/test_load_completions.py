"""Files that model servers write are predictions: outputs of vLLM, choices, batches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict.errors import PredictionError
from sqlverdict.load.predictions import load_predictions, load_trials

SQL = "SELECT count(*) FROM item"
REPLY = f"<think>SELECT 2?</think>\n```sql\n{SQL}\n```<|im_end|>"
CHOICES = {"choices": [{"index": 0, "message": {"role": "assistant", "content": REPLY}}]}
RECORDS: dict[str, dict[str, Any]] = {
    "vLLM, outputs": {"request_id": "r-1", "index": 7, "prompt": "p", "outputs": [{"text": REPLY}]},
    "vLLM, text": {"index": 7, "prompt": "such as SELECT 5", "generated_text": REPLY},
    "a server": {"id": "cmpl-1", "nr": 7, **CHOICES},
    "its batch": {"id": "batch_1", "custom_id": "7", "response": {"status": 200, "body": CHOICES}},
    "texts": {"custom_id": "7", "choices": [{"text": REPLY}]},
}


def write(path: Path, *records: object) -> Path:
    lines = "\n".join(map(json.dumps, records))
    path.write_text(lines if path.suffix == ".jsonl" else json.dumps(records))
    return path


@pytest.mark.parametrize("name", ["p.jsonl", "p.json"])
@pytest.mark.parametrize("kind", RECORDS)
def test_the_reply_in_a_record_of_a_server_is_read(tmp_path: Path, kind: str, name: str) -> None:
    loaded = load_predictions(write(tmp_path / name, RECORDS[kind]), ["7"])
    assert (loaded["7"].sql, loaded["7"].raw) == (SQL, REPLY)


def test_several_outputs_are_trials(tmp_path: Path) -> None:
    record = {"index": 7, "outputs": [{"text": SQL}, {"text": "SELECT 2"}]}
    trials = load_trials(write(tmp_path / "p.jsonl", record), ["7"])
    assert [trial["7"].sql for trial in trials] == [SQL, "SELECT 2"]


def test_an_answer_of_ours_stands_before_a_servers(tmp_path: Path) -> None:
    record = {"id": "7", "sql": "SELECT 1", **CHOICES}
    assert load_predictions(write(tmp_path / "p.jsonl", record), ["7"])["7"].sql == "SELECT 1"


def test_a_lone_field_of_queries_is_named_and_two_are_not_guessed(tmp_path: Path) -> None:
    file = write(tmp_path / "p.jsonl", {"id": 7, "generated_text": REPLY, "note": "x"})
    loaded = load_predictions(file, ["7"])
    assert "p.jsonl: read 'generated_text' as prediction, as it holds queries" in loaded.notes
    file = write(tmp_path / "p.jsonl", {"id": 7, "first": REPLY, "second": "SELECT 1"})
    with refuses_data(PredictionError, "missing_field", "line 1: '7'"):
        load_predictions(file, ["7"])


def test_an_id_that_no_case_has_is_never_taken(tmp_path: Path) -> None:
    file = write(tmp_path / "p.jsonl", {"custom_id": "request-7", **CHOICES})
    with refuses_data(PredictionError, "missing_field", "line 1: found no id"):
        load_predictions(file, ["7"])
