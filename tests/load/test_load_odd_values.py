"""Any value in any field of any format: read, or refused with a message, and never our error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.errors import SqlverdictError
from sqlverdict.load.benchmark import BENCHMARKS

GOLD, PREDICTION = "SELECT 1", "SELECT 2"
TABLE = "| 1 |\nshape=(1, 1)"
RECORD: dict[str, Any] = {
    "id": "0",
    "question_id": 0,
    "i": 0,
    "set": "EQ",
    "ex": 1,
    "db_id": "shop",
    "question": "Which?",
    "evidence": "",
    "gold": GOLD,
    "query": GOLD,
    "SQL": GOLD,
    "gold_sql": GOLD,
    "pred_sql": PREDICTION,
    "prediction": PREDICTION,
    "raw": {},
    "gates": {},
    "difficulty": "easy",
    "hardness": "easy",
    "answerable": True,
    "type": "answerable",
    "gold_exec_text": TABLE,
    "pred_exec_text": TABLE,
    "note": "easy",
    "template": "t",
    "seen_sql": True,
    "unanswerable_type": None,
    "tags": {},
    "contract": None,
    "system": "a",
    "decision": {"voting": PREDICTION},
    "systems": {"voting": {"sql": PREDICTION, "confidence": 1.0}},
}
ODD = (
    None,
    True,
    -1,
    10**400,
    2.5,
    "",
    "\x1b[31m",
    [],
    [[]],
    ["a", None],
    {},
    {"a": []},
    {"voting": []},
)
FORMATS = {
    "spider": "dev.json",
    "bird": "dev.json",
    "trustsql": "cases.jsonl",
    "ehrsql2024": "cases.jsonl",
    "flex": "cases.jsonl",
    "triagesql": "cases.jsonl",
    "jsonl": "cases.jsonl",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_any_value_of_any_field_is_read_or_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / FORMATS[name]
    root = tmp_path if file.suffix == ".json" else file
    reader: Any = BENCHMARKS.get(name)
    for field in RECORD:
        for value in ODD:
            record = RECORD | {field: value}
            file.write_text(json.dumps([record] if file.suffix == ".json" else record) + "\n")
            try:
                for case in reader.read(root, databases=tmp_path).cases:
                    texts = (case.id, case.db_id, case.question, *case.golds, *case.tags.values())
                    assert all(isinstance(text, str) for text in texts), (field, value)
                if hasattr(reader, "predictions"):
                    dict(reader.predictions(root, "voting"))
            except SqlverdictError:
                # Refused, with a message: as it should be.
                continue
