"""Predictions files with what detectors need and ``evaluate`` does not look at.

A line is a prediction as ``evaluate`` reads it (``id``, ``db_id``, ``sql``, ``abstained``,
``confidence``, ``raw``, ``samples``) and, where there are any, ``tokens`` (``probabilities`` and
``entropies``), ``state`` and ``abstain``: what each detector found, who abstained, and the draft
that was held back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlverdict.abstain.method import Draft
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import read_text, split_lines
from sqlverdict.load.prediction_formats import FORMATS, PredictionFile, detect
from sqlverdict.load.tables.open_table import table_format
from sqlverdict.records import Prediction

_BY_POSITION = ("lines", "lines_db")
_DIGITS = 7


def read_drafts(path: Path) -> dict[str, Draft]:
    """The predictions of a file as drafts, by id.

    Raises:
        PredictionError: the file cannot be read, an id stands twice, or numbers are no numbers.
        UsageError: its format has no ids.
    """
    text = None if table_format(path) else read_text(path, PredictionError)
    file = PredictionFile(path, (), part=text)
    name = detect(file)
    if name in _BY_POSITION:
        raise UsageError(
            f"{path} has no ids, so its lines cannot be paired with questions here. Give it to "
            f"sqlverdict abstain run --predictions, which knows the order of the cases"
        )
    extras = dict(_extras(path, file.text)) if name == "jsonl" else {}
    drafts: dict[str, Draft] = {}
    for entry in FORMATS[name](file).predictions:
        if entry.case_id in drafts:
            raise PredictionError(
                f"{path}: id {entry.case_id!r} occurs twice. Remove one of them.", reason="repeated"
            )
        drafts[entry.case_id] = draft_of(entry.prediction, extras.get(entry.case_id, {}))
    return drafts


def draft_of(prediction: Prediction, extra: Mapping[str, Any] | None = None) -> Draft:
    """A prediction as a draft; ``extra`` holds its line's further fields.

    A draft that an earlier detector held back is used again.
    """
    extra = extra or {}
    earlier = (extra.get("abstain") or {}).get("draft")
    tokens = extra.get("tokens") or {}
    return Draft(
        sql=prediction.sql if earlier is None else earlier,
        raw=prediction.raw,
        abstained=prediction.abstained and earlier is None,
        samples=prediction.samples,
        probabilities=_numbers(tokens.get("probabilities"), prediction.case_id),
        entropies=_numbers(tokens.get("entropies"), prediction.case_id),
        state=_numbers(extra.get("state"), prediction.case_id),
        confidence=prediction.confidence,
    )


def line_of(
    prediction: Prediction, db_id: str, draft: Draft | None, about: Mapping[str, Any]
) -> str:
    """One line of a predictions file."""
    line: dict[str, Any] = {
        "id": prediction.case_id,
        "db_id": db_id,
        "sql": prediction.sql,
        "abstained": prediction.abstained,
        "confidence": _finite(prediction.confidence),
    }
    if prediction.raw is not None:
        line["raw"] = prediction.raw
    if prediction.samples:
        line["samples"] = prediction.samples
    if draft is not None and (draft.probabilities or draft.entropies):
        line["tokens"] = {
            "probabilities": [_short(number) for number in draft.probabilities],
            "entropies": [_short(number) for number in draft.entropies],
        }
    if draft is not None and draft.state:
        line["state"] = [_short(number) for number in draft.state]
    line["abstain"] = about
    text = json.dumps(line, ensure_ascii=False, allow_nan=False)
    # Half a surrogate pair is no text; it is kept visible.
    return text.encode("utf-8", "backslashreplace").decode()


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _short(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")


def _extras(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(split_lines(text), 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise PredictionError(
                f"{path}, line {number}: not valid JSON ({error})", reason="unreadable"
            ) from error
        if isinstance(record, dict):
            case_id = record.get("id", record.get("question_id", record.get("case_id")))
            yield str(case_id), record


def _numbers(value: Any, case_id: str) -> tuple[float, ...]:
    if value is None:
        return ()
    try:
        numbers = tuple(float(number) for number in value)
    except (TypeError, ValueError) as error:
        raise PredictionError(
            f"{case_id!r}: tokens or state hold {value!r:.60}. Expected lists of numbers.",
            reason="wrong_value",
        ) from error
    if not all(map(math.isfinite, numbers)):
        raise PredictionError(
            f"{case_id!r}: tokens or state hold an infinity or NaN", reason="wrong_value"
        )
    return numbers
