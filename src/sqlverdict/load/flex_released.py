"""FLEX's own result files, line by line, under the names of its agreement format.

FLEX's scripts write one JSON object a line: ``question``, ``hint``, ``schema`` (a text that
begins with ``Database: NAME``), ``gt_sql``, ``gt_exec``, ``pred_sql``, ``pred_exec``, ``ex``,
``hardness`` and, where a judge was asked, ``judge_text``, ``judge_result`` and ``judge_model``.
There are no ids: their scripts pair lines and labels by position, so that the id is ``EQ``
(``ex`` is 1) or ``NEQ`` and the line's place among those of its set, counted from 0. So the two
files of pairs for people may be read one by one, or as one file with both.

``judge_result`` is true, false, or a rubric's ``{"score": 1 to 5}``, of which 4 and 5 are right;
it is the recorded verdict of ``judge_model``. ``judge_result_category`` (in files called
``_cat.jsonl``) holds FLEX's kinds of error or of difference, each ``{"issued", "explanation"}``. A
line with ``error``, or without a result of the prediction, is one whose prediction failed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlverdict.errors import BenchmarkError

RUBRIC_RIGHT = 4
_DATABASE = re.compile(r"\s*Database: *([^\n]+)")
_NAMES = {
    "hint": "evidence",
    "schema": "schema_text",
    "gt_sql": "gold_sql",
    "gt_exec": "gold_exec_text",
    "pred_exec": "pred_exec_text",
    "hardness": "difficulty",
    "judge_text": "reply",
    "judge_model": "model",
}


def is_released(record: Mapping[str, Any]) -> bool:
    """Whether a line is one of FLEX's own, and not of the agreement format."""
    return "gt_sql" in record and "gold_sql" not in record


def as_agreement(record: Mapping[str, Any], earlier: Counter[str], where: str) -> dict[str, Any]:
    """A line of FLEX's own under the names of the agreement format.

    Args:
        record: The line.
        earlier: How many lines of each set stood before; this line is counted here.
        where: File and line, for messages.

    Raises:
        BenchmarkError: nothing says which database it is about.
    """
    fields = {_NAMES.get(name, name): value for name, value in record.items()}
    fields = {name: value for name, value in fields.items() if value is not None}
    if "db_id" not in fields:
        match = _DATABASE.match(str(fields.get("schema_text", "")))
        if match is None:
            raise BenchmarkError(
                f"{where}: found no database. Expected 'db_id', or a 'schema' that begins with "
                f"'Database: NAME'."
            )
        fields["db_id"] = match[1].strip()
    if (categories := fields.pop("judge_result_category", None)) is not None:
        fields["categories"] = json.dumps(categories)
    verdict = _verdict(fields.pop("judge_result", None))
    if verdict is not None:
        fields["verdicts"] = {str(fields.get("model") or "judge"): verdict}
    if fields.get("error") is not None or "pred_exec_text" not in fields:
        fields["error"] = str(fields.get("error") or fields.pop("reply", "") or "no result")
    fields.setdefault("gold_exec_text", "")
    fields.setdefault("pred_exec_text", "")
    own_set = "EQ" if fields.get("ex") else "NEQ"
    earlier[own_set] += 1
    return {**fields, "set": own_set, "i": earlier[own_set] - 1}


def _verdict(value: object) -> float | None:
    if isinstance(value, bool):
        return float(value)
    score = value.get("score") if isinstance(value, Mapping) else None
    if isinstance(score, int | float) and not isinstance(score, bool):
        return float(score >= RUBRIC_RIGHT)
    return None
