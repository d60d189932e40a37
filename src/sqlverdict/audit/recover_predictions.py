"""A prediction file read past its errors: every problem is collected, none is the last.

The loader stops at the first problem, as it must. Here the file is cut into its records, and
each is read by the loader's own format on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import (
    UTF8_BOM,
    decode_json,
    encode_json,
    near,
    need_file,
    read_text,
    repeated_keys,
    split_lines,
)
from sqlverdict.load.columns.column_map import prediction_column_map
from sqlverdict.load.prediction_entries import PredictionEntry
from sqlverdict.load.prediction_formats import FORMATS, TABLE_FORMATS, PredictionFile, detect
from sqlverdict.load.submission_folders import FOLDER, read_folder
from sqlverdict.load.tables.open_table import table_format
from sqlverdict.load.turns import session_sizes, turn_lines
from sqlverdict.records import Case, Prediction

_BY_POSITION = ("lines", "lines_db")


@dataclass
class RecoveredPredictions:
    """What could be read, and what could not.

    Attributes:
        path: The file.
        format: What it was read as.
        entries: The predictions that could be read; ids may repeat.
        problems: What is wrong: where, what, what to do.
        records: How many records there are, where they pair by position; else ``None``.
        blank: Where blank records stand.
        unread: The ids of records that stand in the file but could not be read.
        columns: The user's column map, as far as it is about predictions.
    """

    path: Path
    format: str = "unknown"
    entries: list[PredictionEntry] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    records: int | None = None
    blank: list[str] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _FileRecord:
    """One record of the file: where it stands, its text as a file of its own, its case."""

    where: str
    text: str
    case_id: str


def recover_predictions(
    path: Path,
    cases: Sequence[Case],
    format: str | None = None,  # noqa: A002 (the word users know)
    columns: Mapping[str, str] | None = None,
) -> RecoveredPredictions:
    """Read as much of a prediction file as can be read.

    Args:
        path: The file, or a folder with a file for each case.
        cases: The cases, in their order.
        format: The file's format, if it is not to be detected.
        columns: From names in the file to our fields.

    Raises:
        UsageError: there is no such format.
    """
    known = (*FORMATS, FOLDER)
    if format is not None and format not in known:
        raise UsageError(
            f"there is no prediction format {format!r}.{near(format, known)} "
            f"Known: {', '.join(known)}"
        )
    recovered = RecoveredPredictions(path, columns=prediction_column_map(columns or {}))
    if path.is_dir():
        _folder(recovered)
        return recovered
    ids = [case.id for case in cases]
    if (format or table_format(path)) in TABLE_FORMATS:
        recovered.format = format or table_format(path) or ""
        _whole(recovered, ids)
        return recovered
    text = _text(path, recovered)
    if text is None:
        return recovered
    recovered.format = format or detect(PredictionFile(path, ids, part=text))
    try:
        records = list(_records(recovered, text, ids, session_sizes(cases)))
    except PredictionError as problem:
        recovered.problems.append((path.name, str(problem)))
        return recovered
    if not records and recovered.format == "bird_order":
        _whole(recovered, ids)
    for record in records:
        _read(recovered, record)
    return recovered


def recover_rows(
    path: Path, ids: Sequence[str], pairs: Iterable[tuple[Case, Prediction]]
) -> RecoveredPredictions:
    """The predictions in a table of cases without ids, up to the first that cannot be read.

    Args:
        path: The table.
        ids: The ids of its cases.
        pairs: Its cases, numbered by row, with their predictions.
    """
    recovered = RecoveredPredictions(path, table_format(path) or "csv")
    try:
        for case, prediction in pairs:
            recovered.entries.append(PredictionEntry(case.id, f"row {case.id}", prediction))
    except PredictionError as problem:
        recovered.problems.append((path.name, str(problem)))
        # Nothing is known of the rows behind it.
        recovered.unread.update(ids)
    return recovered


def _folder(recovered: RecoveredPredictions) -> None:
    recovered.format = FOLDER
    try:
        recovered.entries += read_folder(recovered.path)[0].predictions
    except PredictionError as problem:
        recovered.problems.append((recovered.path.name, str(problem)))


def _text(path: Path, recovered: RecoveredPredictions) -> str | None:
    try:
        return read_text(path, PredictionError)
    except PredictionError as problem:
        recovered.problems.append((path.name, str(problem)))
    try:
        need_file(path, PredictionError)
        data = path.read_bytes().removeprefix(UTF8_BOM)
    except (PredictionError, OSError):
        return None
    # One odd byte must not hide what else is wrong; UTF-16 or a binary file would.
    bad = data.count(b"\0") + data.decode("utf-8", "replace").count("\ufffd")
    return data.decode("utf-8", "replace") if data.strip() and bad * 4 < len(data) else None


def _records(
    recovered: RecoveredPredictions, text: str, ids: Sequence[str], sessions: Sequence[int]
) -> Iterator[_FileRecord]:
    if recovered.format in _BY_POSITION:
        lines = list(enumerate(split_lines(text), 1))
        if sessions and not all(line.strip() for _, line in lines):
            lines = turn_lines(recovered.path, lines, sessions)
        recovered.records = len(lines)
        for position, (number, line) in enumerate(lines):
            case_id = ids[position] if position < len(ids) else f"line {number}"
            if not line.strip():
                recovered.blank.append(f"line {number}")
            yield _FileRecord(f"line {number}", f"{line}\n", case_id)
    elif recovered.format == "jsonl":
        for number, line in enumerate(split_lines(text), 1):
            if line.strip():
                yield _FileRecord(f"line {number}", f"{line}\n", "")
    elif recovered.format in ("id_map", "bird_json"):
        yield from _from_object(recovered, text)
    elif recovered.format == "json_list":
        yield from _from_list(recovered, text, ids)


def _from_object(recovered: RecoveredPredictions, text: str) -> Iterator[_FileRecord]:
    values = _decoded(recovered, text)
    if not isinstance(values, dict):
        raise PredictionError(
            f"{recovered.path}: expected a JSON object of ids. Check the format.",
            reason="wrong_kind",
        )
    for key in repeated_keys(text):
        if key in values:
            recovered.problems.append(
                (f"case {key}", f"the key {key!r} occurs more than once; remove all but one")
            )
    for key, value in values.items():
        yield _FileRecord(f"key {key!r}", encode_json({key: value}).decode(), key)


def _from_list(
    recovered: RecoveredPredictions, text: str, ids: Sequence[str]
) -> Iterator[_FileRecord]:
    items = _decoded(recovered, text)
    if not isinstance(items, list):
        raise PredictionError(
            f"{recovered.path}: expected a JSON list. Check the format.", reason="wrong_kind"
        )
    if all(item is None or isinstance(item, str) for item in items):
        recovered.records = len(items)
    for number, item in enumerate(items, 1):
        case_id = ids[number - 1] if number <= len(ids) else f"item {number}"
        yield _FileRecord(f"item {number}", encode_json([item]).decode(), case_id)


def _decoded(recovered: RecoveredPredictions, text: str) -> object:
    return decode_json(text.encode(), str(recovered.path), PredictionError)


def _whole(recovered: RecoveredPredictions, ids: Sequence[str]) -> None:
    """A format that is not cut: only its first problem can be reported."""
    file = PredictionFile(recovered.path, ids, columns=recovered.columns)
    try:
        recovered.entries += FORMATS[recovered.format](file).predictions
    except PredictionError as problem:
        recovered.problems.append((recovered.path.name, str(problem)))


def _read(recovered: RecoveredPredictions, record: _FileRecord) -> None:
    # The formats refuse a file of nothing but blank lines; here it is one line of many.
    blank = recovered.format in _BY_POSITION and not record.text.strip()
    file = PredictionFile(
        recovered.path,
        [record.case_id],
        columns=recovered.columns,
        part="\t\n" if blank else record.text,
    )
    try:
        entries = FORMATS[recovered.format](file).predictions
    except PredictionError as problem:
        recovered.problems.append((record.where, _without_location(str(problem), recovered.path)))
        if record.case_id:
            recovered.unread.add(record.case_id)
        return
    recovered.entries += [
        PredictionEntry(entry.case_id, record.where, entry.prediction, entry.db_id)
        for entry in entries
    ]


def _without_location(message: str, path: Path) -> str:
    """A problem without its location, which was counted within the record alone."""
    rest = message.removeprefix(str(path)).lstrip(",: ")
    for location in ("line 1", "item 1"):
        rest = rest.removeprefix(location).lstrip(",: ")
    return rest
