"""Reads cases from one JSONL file: one JSON object per line, with the fields of ``fields.py``.

A JSON file with a list of such objects is read, too, whole.

Files: ``root`` is the file itself. Databases: the given folder, else ``databases`` or
``database`` beside the file, else the file's own folder; a ``database`` field is a path
relative to the file, or a URL. Options: a column map, from a name in the file to one of our fields
(``{"sql": "gold", "db": "db_id"}``; ``off`` leaves a column out; see ``column_map.py``).

A line may say in ``recorded`` what is known of its prediction from elsewhere: whether the results
matched, the results, replies and verdicts of judges (see ``recorded.py``). Where the database is
at hand the queries are run all the same, and where it is not, the record stands in for running.

A line with a ``script`` (``setup``, a list of statements; ``check``, a query) has a gold and a
prediction that may write; each runs on a copy of the database.

A file of lines is never held in memory: every iteration reads it again, line by line. Oddities: a
blank line that is not at the end, broken JSON, a repeated id or a field of the wrong kind is an
error that names the line; other fields are ignored, and a note names those of the first line. A
line may carry its own prediction: see :meth:`JsonlCases.pairs`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlverdict.errors import BenchmarkError, UnclearColumns, message_text
from sqlverdict.files.text import (
    any_text,
    decode_any_json,
    decode_json,
    encode_json,
    is_unicode,
    need_file,
    read_bytes,
    stream_lines,
)
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader, SourceFile
from sqlverdict.load.columns.column_map import (
    Names,
    absent_columns,
    check_case_columns,
    column_map,
    mapped_names,
    other_spellings,
    rename,
    texts_of,
    unused_note,
)
from sqlverdict.load.columns.database_names import database_names
from sqlverdict.load.columns.guess import HEAD, guess_columns
from sqlverdict.load.databases import Databases, Location, find_databases, shared_note
from sqlverdict.load.fields import (
    PREDICTION_FIELDS,
    SQL_KEYS,
    case_from,
    prediction_from,
)
from sqlverdict.load.turns import TurnReader
from sqlverdict.records import Case, Prediction

_PREDICTION_KEYS = (*PREDICTION_FIELDS, *SQL_KEYS)


class JsonlCases:
    """The cases of a JSONL file, read anew at each iteration."""

    def __init__(self, path: Path, columns: Mapping[str, str], databases: Databases) -> None:
        self.path = path
        self.databases = databases
        head = self._head(columns)
        names = dict.fromkeys(name for record in head for name in record)
        spellings = other_spellings(list(names), columns)
        self.guess = guess_columns(list(names), head, columns, spellings)
        self.db_names = database_names(head, columns, spellings, databases, path.parent)
        self.columns = {**columns, **spellings, **self.guess.columns, **self.db_names}
        self.db_ids = texts_of("db_id", head, self.columns)
        self.lacks = self._absent(mapped_names(columns))
        check_case_columns(columns, self.lacks, self.named_columns)
        if head and not self.guess.has_gold:
            raise self.guess.missing(f"{path} has no gold queries.")

    def __iter__(self) -> Iterator[Case]:
        for case, _, _ in self.records():
            yield case

    @property
    def carries_predictions(self) -> bool:
        """Whether the first lines have a prediction."""
        return self.guess.has_prediction or "abstained" in self.guess.header

    def no_predictions(self, problem: str) -> UnclearColumns:
        """The error where the lines have no predictions and none are given."""
        return self.guess.missing(problem)

    @property
    def named_columns(self) -> Names:
        """The file, and the names in its first lines."""
        return str(self.path), self.guess.header

    def _absent(self, paths: Sequence[str]) -> tuple[str, ...]:
        """The names of the map that no line has; none before a line that cannot be read."""
        lines = _lines(self.path) if paths else iter(())
        records = (_object(line, f"{self.path}, {where}", self.columns) for where, line in lines)
        try:
            return tuple(absent_columns(records, paths))
        except BenchmarkError:
            # Reading the cases says what is wrong.
            return ()

    def _head(self, columns: Mapping[str, str]) -> list[dict[str, Any]]:
        """The first records, up to one that cannot be read; reading the cases raises its error."""
        records = []
        for where, line in islice(_lines(self.path), HEAD):
            try:
                records.append(_object(line, f"{self.path}, {where}", columns))
            except BenchmarkError:
                break
        return records

    def pairs(self) -> Iterator[tuple[Case, Prediction]]:
        """Each case with the prediction on its line.

        ``prediction`` is SQL, null for an abstention, or an object with ``sql``, ``raw``,
        ``abstained``, ``confidence`` and ``samples``; the last four may also stand beside it.

        Raises:
            PredictionError: a line has no prediction, or one that cannot be read.
        """
        for case, record, where in self.records():
            yield case, prediction_from(record, case.id, where)

    def records(self) -> Iterator[tuple[Case, dict[str, Any], str]]:
        """Each case with the record it was made from and its place in the file.

        Raises:
            BenchmarkError: a line is not a case, or an id stands twice.
        """
        seen: set[int] = set()
        home = self.path.parent
        name = str(self.path)
        turns = TurnReader()
        for line_name, line in _lines(self.path):
            where = f"{name}, {line_name}"
            record = rename(_object(line, where, self.columns), self.columns, where)
            case = case_from(record, where, self.databases, home)
            key = hash(case.id)
            if key in seen:
                self._check_repeated(case.id, line_name)
            seen.add(key)
            yield turns.with_turn(case, record, where), record, where
        if not seen:
            raise BenchmarkError(
                f"{self.path} is empty. Expected one JSON object per line.", reason="empty"
            )

    def _check_repeated(self, case_id: str, second: str) -> None:
        """Read the file up to a suspected repetition: two ids may share a hash."""
        for line_name, line in _lines(self.path):
            if line_name == second:
                return
            where = f"{self.path}, {line_name}"
            if (
                str(rename(_object(line, where, self.columns), self.columns, where).get("id"))
                == case_id
            ):
                raise BenchmarkError(
                    f"{self.path}: id {case_id!r} appears on {line_name} and again on {second}. "
                    f"Expected each id once; rename or remove one of them.",
                    reason="repeated",
                )


@BENCHMARKS.member
class Jsonl(OneFileReader):
    """Reads a JSONL file of cases."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        need_file(file, BenchmarkError)
        folder = find_databases(file.parent, ("databases", "database", "."), databases)
        cases = JsonlCases(file, column_map(options), folder)
        source = SourceFile.of(file)
        line_name, first = next(_lines(file), ("", b""))
        if not line_name:
            raise BenchmarkError(
                f"{file} is empty. Expected one JSON object per line.", reason="empty"
            )
        where = f"{file}, {line_name}"
        first_record = _object(first, where, cases.columns)
        record = rename(first_record, cases.columns, where)
        column_note = cases.guess.sentence(file.name)
        notes = [message_text(column_note)] if column_note else []
        notes += [f"{file.name}: read {name!r} as db_id" for name in cases.db_names]
        if unused := unused_note(file.name, record, cases.guess.queries):
            notes.append(unused)
        if not record.get("db_id") and not record.get("database") and folder.only is not None:
            notes.append(f"{file.name} names no database: such cases are on {folder.only}")
        if shared := shared_note(file.name, folder, cases.db_ids):
            notes.append(shared)
        count = sum(1 for _ in _lines(file))
        digest = f"sha256 {source.sha256[:12]}"
        return Benchmark(
            "jsonl", digest, cases, count, (source,), tuple(notes), column_note=column_note
        )


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """The objects of a file as text, and where each stands; blank lines hold none.

    Raises:
        BenchmarkError: the file cannot be read, or is a list that is no JSON.
    """
    for number, line in stream_lines(path, BenchmarkError):
        if number == 1 and line.lstrip().startswith(b"["):
            items = decode_json(read_bytes(path, BenchmarkError), str(path), BenchmarkError)
            yield from ((f"item {n}", encode_json(item)) for n, item in enumerate(items, 1))
            return
        if line.strip():
            yield f"line {number}", line


def _object(line: bytes, where: str, columns: Mapping[str, str]) -> dict[str, Any]:
    record = _decode(line.rstrip(), where, columns)
    if not isinstance(record, dict):
        raise BenchmarkError(
            f"{where}: found {type(record).__name__}. Expected one JSON object per line; of a list "
            f"in FILE, jq -c '.[]' FILE makes such lines.",
            reason="wrong_kind",
        )
    return record


def _decode(line: bytes, where: str, columns: Mapping[str, str]) -> Any:
    """A line as JSON; what is no Unicode text may stand in a prediction, and nowhere else."""
    try:
        return decode_json(line, where, BenchmarkError)
    except BenchmarkError:
        record = decode_any_json(any_text(line, where, BenchmarkError), where, BenchmarkError)
    fields = record.items() if isinstance(record, dict) else ()
    case = {
        name: value for name, value in fields if columns.get(name, name) not in _PREDICTION_KEYS
    }
    if not is_unicode(json.dumps(case, ensure_ascii=False)):
        return decode_json(line, where, BenchmarkError)
    return record
