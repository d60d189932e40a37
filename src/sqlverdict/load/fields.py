"""From a record of named fields to a case or a prediction.

JSONL, CSV and JSON lists all come through here, so that a field means the same in each of them.
The fields of a case: ``id``, ``db_id``, ``question``, ``gold`` (a text, a list of texts, or null:
no query answers the question), ``gold_rows`` (rows, instead of a query), ``answerable``,
``difficulty``, ``knowledge`` (also ``evidence``), ``contract``, ``database``, ``tags``,
``unanswerable_type`` (kept as a tag), ``recorded`` (see ``recorded.py``). The fields of a
prediction: ``sql`` (also ``prediction``, ``predicted_sql``; null is an abstention), ``raw`` (a
model's reply), ``prediction_rows`` (rows, instead of a query), ``abstained``, ``confidence``,
``samples``, and ``cost``, ``tokens``, ``latency`` (see ``usage.py``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.errors import (
    BenchmarkError,
    DataError,
    OptionName,
    PredictionError,
    UsageError,
    column_option,
)
from sqlverdict.files.references import check_reference, file_of, scheme_of
from sqlverdict.files.text import decode_any_json, few_of
from sqlverdict.load.columns.ids import id_from
from sqlverdict.load.databases import Databases
from sqlverdict.load.recorded import answer_in, recording_from
from sqlverdict.load.replies.fenced import extract_sql, is_plain_sql, text_prediction
from sqlverdict.load.turns import TURN_FIELDS
from sqlverdict.load.usage import USAGE_FIELDS, usage_from
from sqlverdict.records import Case, Contract, Prediction, Recording, Script

CASE_FIELDS = (
    "id",
    "db_id",
    "question",
    "gold",
    "gold_rows",
    "answerable",
    "difficulty",
    "knowledge",
    "contract",
    "database",
    "tags",
    "unanswerable_type",
    "recorded",
    "script",
    *TURN_FIELDS,
)
_BESIDE = ("confidence", "samples", *USAGE_FIELDS)
"""Fields that say more about an answer."""
PREDICTION_FIELDS = ("prediction", "raw", "prediction_rows", "abstained", *_BESIDE)
ID_KEYS = (
    "id",
    "question_id",
    "case_id",
    "instance_id",
    "qid",
    "q_id",
    "query_id",
    "item_id",
    "example_id",
)
CASE_ALIASES = {
    **dict.fromkeys(ID_KEYS[1:], "id"),
    **dict.fromkeys(("db", "db_name", "database_id", "database_name"), "db_id"),
    **dict.fromkeys(("level", "hardness", "difficulty_level"), "difficulty"),
    **dict.fromkeys(("schwierigkeit", "niveau"), "difficulty"),
    "gold_sql": "gold",
    "gold_query": "gold",
    "golds": "gold",
    "evidence": "knowledge",
    "external_knowledge": "knowledge",
    "hint": "knowledge",
    "predicted_sql": "prediction",
    "generated_sql": "prediction",
}
TRIAL = "trial"
"""The field of a prediction that tells several answers to one question apart."""
SQL_KEYS = ("sql", "prediction", "predicted_sql", "pred_sqls")
ANSWER_KEYS = (*SQL_KEYS, "raw", "prediction_rows", "abstained")
"""A record with one of these has a prediction."""
FIELD_NAMES = frozenset(
    (*CASE_FIELDS, *CASE_ALIASES, *PREDICTION_FIELDS, *SQL_KEYS, *ID_KEYS, TRIAL)
)
"""Every name that a field of a case or a prediction may have."""
SHARED_FIELDS = ("id", "db_id")
"""Fields that files of cases and files of predictions both have."""

_NO_QUERY = ("null", "none", "nan", "n/a", "na", "-")
"""What tables write where there is no query."""
_TEXTS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


def case_from(
    record: Mapping[str, Any], where: str, databases: Databases | None, home: Path
) -> Case:
    """The case in a record of our field names.

    Args:
        record: The fields; others than ours are ignored.
        where: File and line, for messages.
        databases: Where databases lie that the record gives no path for.
        home: What a relative ``database`` is relative to.

    Raises:
        BenchmarkError: a field is missing or not what it should be.
    """
    case_id = id_from(record.get("id"), where, BenchmarkError)
    golds = _golds(record, where)
    gold_answer = answer_in(record, "gold_rows", where, BenchmarkError)
    answerable = _flag(record.get("answerable"), "answerable", where, BenchmarkError)
    has_gold = bool(golds) or gold_answer is not None
    if answerable is None:
        answerable = has_gold
    if answerable and not has_gold:
        raise BenchmarkError(
            f"{where}: case {case_id!r} is answerable but has no gold query. "
            f'Give "gold", or "answerable": false.',
            reason="missing_field",
        )
    database_path = _text(record, "database", where)
    db_id = _text(record, "db_id", where) or _stem(database_path)
    if not db_id:
        db_id = (databases.only if databases is not None else None) or ""
    if not db_id:
        raise BenchmarkError(
            f"{where}: case {case_id!r} names no database. If all cases are on one, name its "
            "file: ",
            OptionName("databases", "FILE"),
            ". Otherwise expected a field 'db_id' or 'database'; found "
            f"{few_of(record, 8)}. If it has another name, map it: ",
            column_option("NAME", "db_id"),
            reason="missing_field",
        )
    if database_path:
        database: str | None = _reference(home, database_path)
    else:
        database = databases.expected(db_id) if databases else None
    return Case(
        id=case_id,
        db_id=db_id,
        question=_text(record, "question", where),
        golds=golds,
        gold_answers=(gold_answer,) if gold_answer is not None else (),
        database=database,
        answerable=answerable,
        difficulty=_text(record, "difficulty", where) or None,
        knowledge=_text(record, "knowledge", where),
        contract=contract_from(record.get("contract"), where),
        tags=_tags(record, where),
        recorded=_recording(record, case_id, where),
        script=_script(record.get("script"), where),
    )


@lru_cache(maxsize=1_024)
def _stem(database: str) -> str:
    """The name of a database's file; empty where there is none."""
    return (file_of(database) or Path(database)).stem if database else ""


@lru_cache(maxsize=1_024)
def _reference(home: Path, database: str) -> str:
    """A URL as it is, else a path relative to a folder; many cases share a database."""
    return check_reference(database) if scheme_of(database) else str(home / database)


def _script(value: object, where: str) -> Script | None:
    """The set-up and the check of a case that may write."""
    if value is None:
        return None
    try:
        return msgspec.convert(value, Script)
    except msgspec.ValidationError as bad:
        raise BenchmarkError(
            f"{where}: the script cannot be read: {bad}. Expected an object with setup, a list "
            f"of statements, and check, a query; both may be left out.",
            reason="wrong_value",
        ) from bad


def _recording(record: Mapping[str, Any], case_id: str, where: str) -> Recording | None:
    """The line's record; it is about the line's own prediction and no other."""
    value = record.get("recorded")
    if value is None:
        return None
    if not any(key in record for key in ANSWER_KEYS):
        raise BenchmarkError(
            f"{where}: {case_id!r} has a record and no prediction. A record is about one "
            f"prediction: expected 'prediction' on the same line.",
            reason="missing_field",
        )
    about = prediction_from(record, case_id, where).sql or ""
    return recording_from(value, about, where)


def prediction_from(record: Mapping[str, Any], case_id: str, where: str) -> Prediction:
    """The prediction in a record.

    A null query is an abstention, unless ``abstained`` is false or there is a ``raw`` reply,
    from which the query is then taken.

    Raises:
        PredictionError: a field is missing or not what it should be.
    """
    key = _sql_key(record, case_id, where)
    abstained = _flag(record.get("abstained"), "abstained", where, PredictionError)
    answer = answer_in(record, "prediction_rows", where, PredictionError)
    if key is None and "raw" not in record and not abstained and answer is None:
        raise PredictionError(
            f"{where}: {case_id!r} has no prediction. Expected one of 'sql', 'prediction', 'raw' "
            f"(null for an abstention); found {few_of(record, 8)}. If it has another name, map "
            "it: ",
            column_option("NAME", "prediction"),
            reason="missing_field",
        )
    value = record[key] if key is not None else None
    if key == "pred_sqls" and isinstance(value, list):
        # LiveSQLBench and its relatives give a list of statements.
        value = ";\n".join(map(str, value))
    if isinstance(value, dict):
        beside = {name: record[name] for name in _BESIDE if name in record}
        return prediction_from({**beside, **value}, case_id, f"{where}, {key}")
    sql = _maybe_text(value, key or "sql", where)
    raw = _maybe_text(record.get("raw"), "raw", where)
    extras: dict[str, Any] = {
        "confidence": _confidence(record.get("confidence"), where),
        "samples": _samples(record.get("samples"), where),
        "usage": usage_from(record, where),
    }
    if abstained and sql is not None:
        raise PredictionError(
            f"{where}: {case_id!r} both abstains and gives SQL. "
            f"Write null as its SQL, or abstained: false.",
            reason="conflict",
        )
    if answer is not None:
        if abstained or sql is not None:
            raise PredictionError(
                f"{where}: {case_id!r} gives an answer, and SQL or an abstention. Expected one.",
                reason="conflict",
            )
        return Prediction(case_id, raw=raw, answer=answer, **extras)
    if abstained or (abstained is None and sql is None and raw is None):
        return Prediction(case_id, abstained=True, raw=raw, **extras)
    if sql is None:
        return Prediction(case_id, sql=extract_sql(raw) if raw else None, raw=raw, **extras)
    if is_plain_sql(sql):
        return Prediction(case_id, sql=sql, raw=raw, **extras)
    read = text_prediction(case_id, sql)
    return Prediction(case_id, sql=read.sql, raw=raw if raw is not None else read.raw, **extras)


def _sql_key(record: Mapping[str, Any], case_id: str, where: str) -> str | None:
    """The field of the prediction; two that differ are an error, for one of them is not it."""
    keys = [key for key in SQL_KEYS if key in record]
    if len(keys) > 1 and any(record[key] != record[keys[0]] for key in keys[1:]):
        raise PredictionError(
            f"{where}: {case_id!r} has {few_of(keys)}, which differ, and each may be the "
            f"prediction. Leave one out: ",
            column_option(keys[0], "off"),
            reason="conflict",
        )
    return keys[0] if keys else None


def _golds(record: Mapping[str, Any], where: str) -> tuple[str, ...]:
    gold = record.get("gold")
    needs_gold = record.get("answerable") is not False and record.get("gold_rows") is None
    if "gold" not in record and needs_gold:
        raise BenchmarkError(
            f"{where}: found no gold query. Expected a field 'gold' (null: unanswerable); "
            f"found {few_of(record, 8)}. If it has another name, map it: ",
            column_option("NAME", "gold"),
            reason="missing_field",
        )
    if isinstance(gold, str) and gold.lstrip().startswith("["):
        # A cell of a table has several golds as a JSON list; no query starts so.
        gold = decode_any_json(gold, f"{where}, gold", BenchmarkError)
    golds = [] if gold is None else gold if isinstance(gold, list) else [gold]
    for one in golds:
        if not isinstance(one, str) or one.strip().lower() in ("", *_NO_QUERY):
            raise BenchmarkError(
                f"{where}: the gold {one!r} is not a query. Expected SQL text, or a list of SQL "
                f"texts. Of an unanswerable question it is null in JSON, and an empty cell in a "
                f"table.",
                reason="wrong_value",
            )
    return tuple(golds)


def contract_from(value: object, where: str) -> Contract | None:
    """The contract in an object.

    Raises:
        BenchmarkError: it is none.
    """
    if value is None:
        return None
    known = Contract.__dataclass_fields__
    unknown = [key for key in value if key not in known] if isinstance(value, dict) else []
    try:
        contract = msgspec.convert(value, Contract)
    except (msgspec.ValidationError, UsageError) as bad:
        raise BenchmarkError(_no_contract(where, str(bad)), reason="wrong_value") from bad
    if unknown:
        raise BenchmarkError(
            _no_contract(where, f"it holds {few_of(unknown)}"), reason="unknown_name"
        )
    return contract


def _no_contract(where: str, problem: str) -> str:
    return (
        f"{where}: the contract cannot be read: {problem}. Expected some of order (auto, respect, "
        f"ignore), columns (any_order, same_order), float_rel and float_abs (numbers), rows (set, "
        f"multiset, list, any_of with n and or_more), key_columns (lists of positions)."
    )


def _tags(record: Mapping[str, Any], where: str) -> Mapping[str, str]:
    value = record.get("tags")
    kind = _text(record, "unanswerable_type", where)
    if value is None:
        return {"unanswerable_type": kind} if kind else {}
    if not isinstance(value, dict) or not all(isinstance(tag, str) for tag in value.values()):
        raise BenchmarkError(
            f"{where}: the tags are {value!r}. Expected an object of texts.", reason="wrong_value"
        )
    return {**value, "unanswerable_type": kind} if kind else value


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if name in ("db_id", "difficulty") and isinstance(value, int):
        return str(value)
    raise BenchmarkError(f"{where}: {name!r} is {value!r}. Expected text.", reason="wrong_value")


def _maybe_text(value: object, name: str, where: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    several = " Several answers are read from a file of predictions." * isinstance(value, list)
    raise PredictionError(
        f"{where}: {name!r} is {value!r}. Expected SQL text, or null for an abstention.{several}",
        reason="wrong_value",
    )


def _flag(value: object, name: str, where: str, error: type[DataError]) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _TEXTS:
        return _TEXTS[value.strip().lower()]
    raise error(f"{where}: {name!r} is {value!r}. Expected true or false.", reason="wrong_value")


def _confidence(value: object, where: str) -> float | None:
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise PredictionError(
            f"{where}: the confidence is {value!r}. Expected a number such as 0.9, with a point, "
            f"or null.",
            reason="wrong_value",
        )
    return number


def _samples(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(s, str | None) for s in value):
        raise PredictionError(
            f"{where}: the samples are not a list of SQL texts. "
            f"Write each sample as text; null stands for a sample that abstains.",
            reason="wrong_value",
        )
    # A sample without SQL keeps its text, so that votes over samples still see it.
    return tuple(extract_sql(sample) or sample if sample else "" for sample in value)
