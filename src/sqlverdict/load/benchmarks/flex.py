"""Reads FLEX's agreement format: pairs of queries with recorded results, votes and replies.

Files: ``root`` is one JSONL file. Each line has ``set`` and ``i`` (together the case's id, as in
``EQ-0``), ``db_id``, ``question``, ``evidence``, ``gold_sql``, ``pred_sql``, ``ex`` (whether the
results matched), ``gold_exec_text`` and ``pred_exec_text`` (the results as text), and may have
``schema_text``, ``gpt4o_text`` (a recorded reply, for ``--judge replay``), ``difficulty``,
``system`` and ``bird_question_id``. The predictions are in the file; there are no databases, and
nothing is run: the recorded results stand in for execution, and every comparison gives the
recorded ``ex``. Lines of FLEX's own result files (``gt_sql``, ``gt_exec``, ``pred_exec``,
``judge_text`` ...) are read as they are, with the kinds of error in
``judge_result_category``, which ``--judge replay`` takes over. Give the schemas with
``--schema``, so that proofs and witnesses can be sought.
A file of FLEX's own that holds one system's answers (matches and mismatches, with an ``index`` that
is unique) takes the index as the case's id, so that the runs of several systems can be compared;
its sets of pairs for people, EQ and NEQ, keep the line's place in its set, in files of their own
or in one file.
Options: none. Human labels are not read here; ``sqlverdict agree`` reads them.

What the records cost: they were made from sets, so order and duplicates are lost, and with them
sums over lists; above 20 rows only 10 from either end are kept, and no relation can be found;
text is cut at 30 characters, and numbers in text columns cannot be told from numbers. "No
execution result" does not say whether a query failed or found nothing: it is read as no rows.

Oddities: a missing field, a repeated id or a line that is no JSON object is an error that names
the line; a table that does not fit its recorded shape is kept as text and related to nothing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.errors import BenchmarkError, OptionName, UsageError
from sqlverdict.files.text import decode_json, need_file, stream_lines
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader, SourceFile
from sqlverdict.load.databases import Location
from sqlverdict.load.recorded import read_table
from sqlverdict.records import Case, Failure, Prediction, Reason, Recording

_MODEL = "gpt-4o"


class _FlexRecord(msgspec.Struct):
    """What is used of a line."""

    set: str
    i: int
    db_id: str
    gold_sql: str
    pred_sql: str
    ex: int | bool
    gold_exec_text: str
    pred_exec_text: str
    index: int | None = None
    question: str = ""
    evidence: str = ""
    difficulty: str | None = None
    system: str = ""
    bird_question_id: int | None = None
    schema_text: str = ""
    gpt4o_text: str = ""
    reply: str = ""
    categories: str = ""
    model: str = _MODEL
    verdicts: dict[str, float] = {}
    error: str | None = None


@BENCHMARKS.member
class FlexReader(OneFileReader):
    """Reads a file of FLEX's agreement format."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        del databases
        if options:
            raise UsageError(
                f"flex takes no options, found {dict(options)}; leave out ", OptionName("column")
            )
        need_file(file, BenchmarkError)
        source = SourceFile.of(file)
        cases: dict[str, Case] = {}
        predictions: dict[str, Prediction] = {}
        earlier: Counter[str] = Counter()
        records = [
            (number, _read(line, earlier, f"{file}, line {number}"))
            for number, line in stream_lines(file, BenchmarkError)
        ]
        by_index = _holds_one_system([record for _, record in records])
        for number, record in records:
            case = _case(record, by_index=by_index)
            if case.id in cases:
                raise BenchmarkError(
                    f"{file}, line {number}: the id {case.id!r} occurs twice; expected it once",
                    reason="repeated",
                )
            cases[case.id] = case
            predictions[case.id] = Prediction(case.id, sql=record.pred_sql)
        if not cases:
            raise BenchmarkError(
                f"{file} is empty. Expected one JSON object per line.", reason="empty"
            )
        notes = ("recorded results stand in for execution: order and duplicates are lost",)
        return Benchmark(
            "flex",
            f"sha256 {source.sha256[:12]}",
            list(cases.values()),
            len(cases),
            (source,),
            notes,
            predictions,
        )


def _read(line: bytes, earlier: Counter[str], where: str) -> _FlexRecord:
    content = decode_json(line, where, BenchmarkError)
    if not isinstance(content, dict) or not is_released(content):
        return decode_json(line, where, BenchmarkError, _FlexRecord)
    try:
        return msgspec.convert(as_agreement(content, earlier, where), _FlexRecord)
    except msgspec.ValidationError as bad:
        raise BenchmarkError(f"{where}: {bad}. Check that line.", reason="wrong_value") from bad


def _holds_one_system(records: Sequence[_FlexRecord]) -> bool:
    """Whether a file of FLEX's own holds one system's answers to a benchmark."""
    indices = {record.index for record in records}
    mixed = len({record.set for record in records}) == 2
    return mixed and None not in indices and len(indices) == len(records)


def _case(record: _FlexRecord, *, by_index: bool) -> Case:
    gold, gold_whole = read_table(record.gold_exec_text)
    prediction, prediction_whole = read_table(record.pred_exec_text)
    failed = None if record.error is None else Failure(Reason.EXECUTION_ERROR, record.error)
    reply = record.reply or record.gpt4o_text
    recorded = Recording(
        golds=(gold,),
        prediction=failed or prediction,
        equal=bool(record.ex) and failed is None,
        whole=gold_whole and prediction_whole,
        gold_text=record.gold_exec_text,
        prediction_text=record.pred_exec_text,
        schema_text=record.schema_text,
        replies=(reply,) if reply else (),
        categories=record.categories,
        model=record.model,
        verdicts=record.verdicts,
        about=record.pred_sql,
    )
    tags = {"set": record.set}
    if record.system:
        tags["system"] = record.system
    if record.bird_question_id is not None:
        tags["question_id"] = str(record.bird_question_id)
    return Case(
        id=str(record.index) if by_index else f"{record.set}-{record.i}",
        db_id=record.db_id,
        question=record.question,
        golds=(record.gold_sql,),
        difficulty=record.difficulty,
        knowledge=record.evidence,
        tags=tags,
        recorded=recorded,
    )


RUBRIC_RIGHT = 4
_DATABASE = re.compile(r"\s*Database: *([^\n]+)")
_TABLE = re.compile(r"^CREATE TABLE +[\"`]?(.+?)[\"`]? *\($", re.MULTILINE)
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
    """A line of FLEX's own result files under the names of the agreement format.

    FLEX's scripts write one JSON object a line: ``question``, ``hint``, ``schema`` (CREATE
    statements, behind ``Database: NAME`` in the pairs for people), ``gt_sql``, ``gt_exec``,
    ``pred_sql``, ``pred_exec``, ``ex``, ``hardness`` and, where a judge was asked, ``judge_text``,
    ``judge_result`` and
    ``judge_model``. There are no ids: their scripts pair lines and labels by position, so that the
    id is ``EQ`` (``ex`` is 1) or ``NEQ`` and the line's place among those of its set, counted from
    0. So the two files of pairs for people may be read one by one, or as one file with both.

    ``judge_result`` is true, false, or a rubric's ``{"score": 1 to 5}``, of which 4 and 5 are
    right; it is the recorded verdict of ``judge_model``. ``judge_result_category`` (in files called
    ``_cat.jsonl``) holds FLEX's kinds of error or of difference, each ``{"issued",
    "explanation"}``. A line with ``error``, or without a result of the prediction, is one whose
    prediction failed.

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
        fields["db_id"] = _database_of(str(fields.get("schema_text", "")), where)
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


def _database_of(schema: str, where: str) -> str:
    """The name of the database; where the text says none, one that stands for its tables."""
    heading = _DATABASE.match(schema)
    if heading is not None:
        return heading[1].strip()
    tables = [name for name in _TABLE.findall(schema) if not name.startswith("sqlite_")]
    if not tables:
        raise BenchmarkError(
            f"{where}: found no database. Expected 'db_id', or a 'schema' that begins with "
            f"'Database: NAME' or holds CREATE TABLE statements.",
            reason="missing_field",
        )
    return f"{tables[0]}-{sha256(repr(tables).encode()).hexdigest()[:6]}"


def _verdict(value: object) -> float | None:
    if isinstance(value, bool):
        return float(value)
    score = value.get("score") if isinstance(value, Mapping) else None
    if isinstance(score, int | float) and not isinstance(score, bool):
        return float(score >= RUBRIC_RIGHT)
    return None
