"""A file of predictions as entries: one prediction each, and where it stands.

``prediction_formats.py`` reads the formats; here is what those with named fields share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlverdict.errors import PredictionError, column_option
from sqlverdict.files.text import count, few_of
from sqlverdict.load.columns.column_map import absent_columns, mapped_names, rename
from sqlverdict.load.columns.ids import id_from, is_number_name
from sqlverdict.load.fields import ANSWER_KEYS, ID_KEYS, prediction_from
from sqlverdict.load.trials import answers_of
from sqlverdict.records import Prediction

_BATCH_ID = "custom_id"


@dataclass(frozen=True)
class PredictionSource:
    """Where records stand, and what the benchmark expects of them."""

    path: Path
    case_ids: Sequence[str]
    columns: Mapping[str, str] = field(default_factory=dict)
    """The user's column map, for formats with named fields."""

    @cached_property
    def known_ids(self) -> frozenset[str]:
        """The ids of the cases."""
        return frozenset(self.case_ids)


@dataclass(frozen=True)
class PredictionEntry:
    """One prediction and where it stands; ``trial`` is set where a case has several."""

    case_id: str
    where: str
    prediction: Prediction
    db_id: str | None = None
    trial: str | None = None


@dataclass(frozen=True)
class Entries:
    """What a file holds."""

    predictions: list[PredictionEntry]
    notes: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    """The names of its columns or fields, as the file has them."""
    lacks: tuple[str, ...] | None = None
    """The columns of the user's map that it does not have; ``None``: it has no names at all."""
    column_note: str = ""
    """Which columns were taken for what by their cells; one of the notes."""


def named_entries(
    file: PredictionSource, entries: list[PredictionEntry], values: Iterable[object]
) -> Entries:
    """The entries of records, with the names that the records have."""
    records = [value for value in values if isinstance(value, dict)]
    header = tuple(dict.fromkeys(name for record in records for name in record))
    lacks = absent_columns(records, mapped_names(file.columns))
    return Entries(entries, header=header, lacks=tuple(lacks) if records else None)


def record_entries(value: object, where: str, file: PredictionSource) -> list[PredictionEntry]:
    """The answers in a record with an id: one, or several trials.

    Raises:
        PredictionError: it is no such record.
    """
    location = f"{file.path}, {where}"
    if not isinstance(value, dict):
        raise PredictionError(
            f"{location}: found {json_kind(value)}. Expected an object.", reason="wrong_kind"
        )
    record = rename(value, file.columns, location, PredictionError)
    return entries_of(_with_completion(record, file.known_ids), where, file)


def entries_of(
    record: Mapping[str, Any], where: str, file: PredictionSource
) -> list[PredictionEntry]:
    """The answers in a record under our names."""
    location = f"{file.path}, {where}"
    key = next((key for key in ID_KEYS if key in record), None)
    numbers = [name for name in record if key is None and is_number_name(name)]
    if len(numbers) == 1:
        case_id = id_from(record[numbers[0]], location, PredictionError)
        # A number of something else would pair answers with other questions.
        key = numbers[0] if case_id in file.known_ids else None
    if key is None:
        raise PredictionError(
            f"{location}: found no id among {few_of(record, 8)}. Expected 'id' or 'question_id' in "
            f"every record: records are never paired by position. If the id has another name, map "
            "it: ",
            column_option(numbers[0] if len(numbers) > 1 else "NAME", "id"),
            reason="missing_field",
        )
    return answer_entries(record, id_from(record[key], location, PredictionError), where, file)


def answer_entries(
    record: Mapping[str, Any], case_id: str, where: str, file: PredictionSource
) -> list[PredictionEntry]:
    """The answers in a record of our fields for a case: one, or several trials.

    Raises:
        PredictionError: it has none.
    """
    db_id = record.get("db_id")
    database = db_id if isinstance(db_id, str) else None
    return [
        PredictionEntry(case_id, where, prediction_from(own, case_id, at), database, trial)
        for trial, own, at in answers_of(record, f"{file.path}, {where}")
    ]


def json_kind(value: object) -> str:
    """What a value of JSON is, in words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return names.get(type(value), "null" if value is None else f"the number {value!r}")


def _with_completion(record: Mapping[str, Any], case_ids: Collection[str]) -> Mapping[str, Any]:
    """The record, with a model server's replies as ``raw`` where it has no answer of another kind.

    ===================================================  ==========================
    record                                               written by
    ===================================================  ==========================
    ``{"outputs": [{"text": ...}]}``                     vLLM, as it dumps outputs
    ``{"choices": [{"message": {"content": ...}}]}``     an OpenAI-compatible server
    ``{"custom_id": ..., "response": {"body": {...}}}``  its batch
    ===================================================  ==========================

    The id is ``custom_id``, where it is the id of a case; that of the server's record is none.
    """
    if any(key in record for key in ANSWER_KEYS):
        return record
    texts = _reply_texts(record)
    if not texts or None in texts:
        return record
    fields = {**record, "raw": texts[0] if len(texts) == 1 else texts}
    if str(record.get(_BATCH_ID)) in case_ids:
        return {**fields, "id": str(record[_BATCH_ID])}
    if str(record.get("id")) not in case_ids:
        fields.pop("id", None)
    return fields


def _reply_texts(record: Mapping[str, Any]) -> list[str | None]:
    for name in ("response", "body"):
        inner = record.get(name)
        if isinstance(inner, Mapping):
            return _reply_texts(inner)
    for name in ("outputs", "choices"):
        items = record.get(name)
        if isinstance(items, list) and all(isinstance(item, Mapping) for item in items):
            return [_reply_text(item) for item in items]
    return []


def _reply_text(item: Mapping[str, Any]) -> str | None:
    message = item.get("message")
    text = message.get("content") if isinstance(message, Mapping) else item.get("text")
    return text if isinstance(text, str) else None


def check_repeated_ids(path: str, places: Iterable[tuple[str, str]]) -> None:
    """Check that each case has one prediction.

    Args:
        path: The file.
        places: The case of each prediction, and where it stands.

    Raises:
        PredictionError: a case has several.
    """
    first: dict[str, str] = {}
    repeated: list[str] = []
    for case_id, where in places:
        if case_id in first:
            repeated.append(f"{case_id!r} at {first[case_id]} and {where}")
        first.setdefault(case_id, where)
    if repeated:
        more = f" and {len(repeated) - 3} more" if len(repeated) > 3 else ""
        raise PredictionError(
            f"{path}: {count(len(repeated), 'id')} repeated: {'; '.join(repeated[:3])}{more}. "
            f"Expected one prediction per case: remove all but one, or number several answers in a "
            f"field 'trial'.",
            reason="repeated",
        )
