r"""The formats of prediction files, one function each.

==========  =====================================================================
lines       one SQL a line, by position
lines_db    ``SQL<TAB>db_id`` a line, by position; the db_id is checked
bird_json   ``{"0": "SQL\t----- bird -----\tdb_id"}``, by key; the db_id is checked
bird_order  the same by the order of the file, its texts as they are: mini-dev's script
id_map      ``{id: SQL | null | "null"}``, by key; null and "null" are abstentions
jsonl       one object a line with ``id``, ``sql`` (or ``prediction``, ``raw``) ...
json_list   a list of such objects, or a list of SQL texts by position
csv         a header line, then rows with the same fields
excel       the same in the sheet of a workbook that has the columns
parquet     the same in a Parquet file
folder      ``<id>.sql`` or ``<id>.csv`` for each case (``submission_folders.py``)
==========  =====================================================================

A function turns a file into entries; ``predictions.py`` pairs them with the cases. Where a file has
several answers to each question (``trials.py``), each is an entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from sqlverdict.errors import PredictionError, UnclearColumns
from sqlverdict.files.text import (
    any_text,
    count,
    decode_any_json,
    few_of,
    read_any_text,
    repeated_keys,
    split_lines,
)
from sqlverdict.load.columns.column_map import absent_from, mapped_names, other_spellings
from sqlverdict.load.columns.guess import (
    HEAD,
    HOLDS_IDS,
    HOLDS_QUERIES,
    answer_columns,
    answer_field,
)
from sqlverdict.load.fields import ANSWER_KEYS, ID_KEYS, SQL_KEYS
from sqlverdict.load.prediction_entries import (
    Entries,
    PredictionEntry,
    PredictionSource,
    answer_entries,
    entries_of,
    json_kind,
    named_entries,
    record_entries,
)
from sqlverdict.load.replies.fenced import text_prediction
from sqlverdict.load.tables.open_table import open_table, table_format
from sqlverdict.load.tables.table import TableSpot, cells_as_fields
from sqlverdict.load.turns import NumberedLine, turn_lines
from sqlverdict.records import Prediction


@dataclass(frozen=True)
class PredictionFile(PredictionSource):
    """A file with what the benchmark expects of it."""

    db_ids: Mapping[str, str] = field(default_factory=dict)
    """The database of each case; empty: not known, so not checked."""
    part: str | None = None
    """The part of the text that is to be read; ``None``: all of it."""
    sessions: Sequence[int] = ()
    """How many turns each conversation has; blank lines may stand between them."""
    sheet: str = ""
    """The sheet of a workbook; empty: the one that has the columns."""

    @cached_property
    def text(self) -> str:
        """What is to be read. A table is read from its file instead, as it may be binary."""
        return self.part if self.part is not None else read_any_text(self.path, PredictionError)


BIRD_MARK = "\t----- bird -----\t"
_DB_ENDING = re.compile(r"\t[ ]*[\w.\-]+[ ]*\Z")


def lines(file: PredictionFile) -> Entries:
    """One SQL a line, by position."""
    texts, notes = _lines_of(file)
    return Entries(
        [
            PredictionEntry(case_id, f"line {number}", text_prediction(case_id, text))
            for case_id, (number, text) in zip(file.case_ids, texts, strict=True)
        ],
        notes,
    )


def _lines_of(file: PredictionFile) -> tuple[list[NumberedLine], tuple[str, ...]]:
    """The lines with their numbers, one for each case, and notes on blank ones."""
    texts = list(enumerate(split_lines(file.text), 1))
    blank = [number for number, text in texts if not text.strip()]
    if file.sessions and blank:
        return turn_lines(file.path, texts, file.sessions), ()
    return texts, _check_count(file, len(texts), blank)


def lines_db(file: PredictionFile) -> Entries:
    r"""``SQL\tdb_id`` a line, by position; the last tab parts a line."""
    texts, notes = _lines_of(file)
    untabbed = [number for number, text in texts if text.strip() and "\t" not in text]
    if untabbed:
        raise PredictionError(
            f"{file.path}: {len(untabbed)} of {len(texts)} lines have no tab (line "
            f"{few_of(untabbed)}). Expected SQL<TAB>db_id on every line; if this is one query per "
            "line, force the format 'lines'.",
            reason="unreadable",
        )
    entries = []
    for case_id, (number, text) in zip(file.case_ids, texts, strict=True):
        sql, _, db_id = text.rpartition("\t")
        prediction = text_prediction(case_id, sql)
        entries.append(
            PredictionEntry(case_id, f"line {number}", prediction, db_id.strip() or None)
        )
    return Entries(entries, notes)


def bird_json(file: PredictionFile) -> Entries:
    """BIRD's JSON: pairs by key, whatever the order of the file."""
    entries = []
    bare = []
    for key, value in _object(file).items():
        where = f"key {key!r}"
        if value is not None and not isinstance(value, str):
            raise PredictionError(_no_text(file, where, value), reason="wrong_value")
        sql, mark, db_id = (value or "").rpartition(BIRD_MARK)
        if value is None:
            entries.append(PredictionEntry(key, where, Prediction(key, abstained=True)))
        elif not mark:
            bare.append(key)
            entries.append(PredictionEntry(key, where, text_prediction(key, value)))
        else:
            entries.append(PredictionEntry(key, where, text_prediction(key, sql), db_id.strip()))
    without = count(len(bare), "prediction names", "predictions name")
    notes = (f"{without} no database (key {few_of(bare)})",) if bare else ()
    return Entries(entries, notes)


def bird_order(file: PredictionFile) -> Entries:
    """BIRD's JSON by position and to the letter, as by the script of mini-dev.

    Keys are ignored, and a query in a code block is no query. What is no text is a blank query.
    """
    values = list(_object(file).values())
    if len(values) != len(file.case_ids):
        raise PredictionError(
            f"{file.path}: found {count(len(values), 'prediction')}, expected "
            f"{len(file.case_ids)}, one for each case in their order.",
            reason="mismatch",
        )
    entries = []
    for number, (case_id, value) in enumerate(zip(file.case_ids, values, strict=True), 1):
        text = value if isinstance(value, str) else ""
        sql, mark, db_id = text.partition(BIRD_MARK)
        prediction = Prediction(case_id, sql if mark else text.strip())
        entries.append(
            PredictionEntry(case_id, f"value {number}", prediction, db_id.strip() or None)
        )
    return Entries(entries)


def id_map(file: PredictionFile) -> Entries:
    """A map from id to SQL; null and "null" are abstentions, as TrustSQL writes them."""
    entries = []
    content = _object(file)
    for key, value in content.items():
        where = f"key {key!r}"
        if isinstance(value, list | dict):
            record = value if isinstance(value, dict) else {"prediction": value}
            entries += answer_entries(record, key, where, file)
            continue
        if value is None or value == "null":
            prediction = Prediction(key, abstained=True)
        elif isinstance(value, str):
            prediction = text_prediction(key, value)
        else:
            raise PredictionError(_no_text(file, where, value), reason="wrong_value")
        entries.append(PredictionEntry(key, where, prediction))
    return named_entries(file, entries, content.values())


def jsonl(file: PredictionFile) -> Entries:
    """One JSON object a line; blank lines hold none, and ids pair the others."""
    lines = {
        f"line {number}": line
        for number, line in enumerate(split_lines(file.text), 1)
        if line.strip()
    }
    return _of_records(
        file,
        {
            where: decode_any_json(line, f"{file.path}, {where}", PredictionError)
            for where, line in lines.items()
        },
    )


def _of_records(file: PredictionFile, places: Mapping[str, object]) -> Entries:
    """The entries of JSON records; a lone field of queries is the prediction if no name says so."""
    records = list(places.values())
    rows = [record for record in records[:HEAD] if isinstance(record, dict)]
    guess = answer_field(rows, file.columns)
    own = replace(file, columns={**file.columns, **guess}) if guess else file
    entries = [
        entry for where, record in places.items() for entry in record_entries(record, where, own)
    ]
    note = _column_note(file, guess)
    notes = (note,) if note else ()
    return replace(named_entries(file, entries, records), notes=notes, column_note=note)


def _column_note(file: PredictionFile, guess: Mapping[str, str]) -> str:
    """Which columns were taken for what by their cells; empty where none was."""
    reasons = {"id": HOLDS_IDS, "prediction": HOLDS_QUERIES}
    read = ", ".join(f"{name!r} as {own}, {reasons[own]}" for name, own in guess.items())
    return f"{file.path.name}: read {read}" if guess else ""


def json_list(file: PredictionFile) -> Entries:
    """A JSON list of objects with ids, or of SQL texts by position."""
    items = decode_any_json(file.text, str(file.path), PredictionError)
    if not isinstance(items, list):
        raise PredictionError(
            f"{file.path}: found {json_kind(items)}. Expected a JSON list.", reason="wrong_kind"
        )
    if not all(item is None or isinstance(item, str) for item in items):
        return _of_records(file, {f"item {n}": item for n, item in enumerate(items, 1)})
    if len(items) != len(file.case_ids):
        raise PredictionError(
            f"{file.path}: found a list of {len(items)} texts, expected {len(file.case_ids)}, one "
            f"for each case. Give every case its text (null for an abstention).",
            reason="mismatch",
        )
    entries = []
    for number, (case_id, item) in enumerate(zip(file.case_ids, items, strict=True), 1):
        absent = Prediction(case_id, abstained=True)
        prediction = absent if item is None else text_prediction(case_id, item)
        entries.append(PredictionEntry(case_id, f"item {number}", prediction))
    return Entries(entries)


def table_entries(file: PredictionFile) -> Entries:
    """A table with a header; an empty SQL cell is an empty prediction, not an abstention."""
    fit, spot = partial(_answer_fit, file), TableSpot(file.sheet) if file.sheet else None
    source = open_table(file.path, PredictionError, any_text, fit=fit, spot=spot)
    columns = {**file.columns, **other_spellings(source.header, file.columns)}
    rows = list(source.rows)
    texts = [row for _, row in rows]
    guess = answer_columns(file.path, source.header, texts, columns, file.case_ids)
    columns |= guess
    entries: list[PredictionEntry] = []
    for line, row in rows:
        record = cells_as_fields(row, columns, f"{file.path}, {line}", PredictionError)
        entries += entries_of(record, line, file)
    note = _column_note(file, guess)
    notes = (*source.notes, note) if note else source.notes
    lacks = absent_from(source.header, mapped_names(file.columns))
    return Entries(entries, notes, source.header, tuple(lacks), note)


def _answer_fit(
    file: PredictionFile, header: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> int:
    """How clearly a table is one of predictions: it has ids and answers."""
    columns = {**file.columns, **other_spellings(header, file.columns)}
    try:
        guess = answer_columns(file.path, header, rows, columns, file.case_ids)
    except UnclearColumns:
        return 0
    fields = {columns.get(name, name) for name in header} | {*guess.values()}
    return 0 if fields.isdisjoint(ANSWER_KEYS) else 1 + sum(name in header for name in file.columns)


TABLE_FORMATS = ("csv", "excel", "parquet")
FORMATS: dict[str, Callable[[PredictionFile], Entries]] = {
    "lines": lines,
    "lines_db": lines_db,
    "bird_json": bird_json,
    "bird_order": bird_order,
    "id_map": id_map,
    "jsonl": jsonl,
    "json_list": json_list,
    **dict.fromkeys(TABLE_FORMATS, table_entries),
}


def detect(file: PredictionFile) -> str:
    """The format of a prediction file, from its name and its first characters."""
    suffix = file.path.suffix.lower()
    if (table_kind := table_format(file.path)) is not None:
        return table_kind
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"
    text = file.text
    start = text.lstrip()
    if start.startswith("["):
        return "json_list"
    if start.startswith("{"):
        return _detect_object(text)
    if suffix == ".json":
        return "id_map"
    nonblank = [line for line in split_lines(text) if line.strip()]
    endings = sum(_DB_ENDING.search(line) is not None for line in nonblank)
    return "lines_db" if endings * 2 > len(nonblank) else "lines"


def _detect_object(text: str) -> str:
    """One JSON object, or one a line: many files called .json hold JSON lines."""
    first, _, rest = text.lstrip().partition("\n")
    if _is_object(first) and (rest.strip() or _is_record(first)):
        return "jsonl"
    return "bird_json" if "----- bird -----" in text else "id_map"


def _is_object(line: str) -> bool:
    try:
        return isinstance(decode_any_json(line, "", PredictionError), dict)
    except PredictionError:
        return False


def _is_record(line: str) -> bool:
    record = decode_any_json(line, "", PredictionError)
    return any(key in record for key in ID_KEYS) and any(
        key in record for key in (*SQL_KEYS, "raw", "abstained")
    )


def _object(file: PredictionFile) -> dict[str, Any]:
    content = decode_any_json(file.text, str(file.path), PredictionError)
    if not isinstance(content, dict):
        raise PredictionError(
            f"{file.path}: found {json_kind(content)}. Expected an object of ids.",
            reason="wrong_kind",
        )
    repeated = repeated_keys(file.text)
    if repeated:
        raise PredictionError(
            f"{file.path}: {count(len(repeated), 'key occurs', 'keys occur')} more than once "
            f"({few_of(repeated)}). Expected each once; remove all but one.",
            reason="repeated",
        )
    return content


def _check_count(file: PredictionFile, number: int, blank: Sequence[int]) -> tuple[str, ...]:
    """Check that there are as many lines as cases; a note on the blank ones."""
    expected = len(file.case_ids)
    if number == expected:
        lines = count(len(blank), "line is", "lines are")
        return (f"{lines} blank (line {few_of(blank)}): no SQL there",) if blank else ()
    advice = "Write exactly one prediction per line, in the order of the cases."
    if blank and number - len(blank) == expected:
        advice = (
            f"Without its {len(blank)} blank lines (line {few_of(blank)}) the count would be "
            "right: remove them, after checking that they do not stand for empty predictions."
        )
    elif blank:
        advice += f" Blank: line {few_of(blank)}."
    what = f"found {count(number, 'line')}, expected {expected}, one for each case"
    raise PredictionError(f"{file.path}: {what}. {advice}", reason="mismatch")


def _no_text(file: PredictionFile, where: str, value: object) -> str:
    problem = f"{file.path}, {where}: found {json_kind(value)}"
    return f"{problem}. Expected SQL text, or null for an abstention."
