"""Reads cases from one CSV or TSV file with a header line.

Files: ``root`` is the file itself; columns are parted by tabs if its name ends in ``.tsv`` or
``.tab``, otherwise by commas (never guessed), and quoted with ``"``. Databases and options as
in ``jsonl.py``: the header's names are our fields, or a column map says which they are.

Oddities: an empty cell is a missing value; an empty gold cell is an unanswerable question, so
there must be a gold column; a ``contract``, ``tags`` or ``recorded`` cell holds JSON, and a column
may be called ``recorded.equal`` or ``tags.set``. A row with more or fewer cells than
the header, a repeated column or id, text that is not UTF-8 is an error that names the line.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlverdict.errors import BenchmarkError, DataError
from sqlverdict.files.text import check_text, decode_json, few_of, need_file, stream_lines
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader, SourceFile
from sqlverdict.load.columns import column_map, rename
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.fields import case_from
from sqlverdict.records import Case

_LONGEST_CELL = 2**30


def table_rows(
    path: Path, error: type[DataError], as_text: Callable[..., str] = check_text
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a CSV or TSV file under its header, with the line each starts on.

    ``as_text`` makes text of a line: strictly, or by :func:`~sqlverdict.files.text.any_text`.

    Raises:
        DataError: of the given kind; the message names the line.
    """
    delimiter = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","

    def lines() -> Iterator[str]:
        for number, line in stream_lines(path, error):
            yield as_text(line, str(path), error, number)

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    header = _next_row(reader, path, error)
    if not header:
        raise error(f"{path} is empty. Expected a header line such as id,db_id,question,gold.")
    repeated = sorted(name for name, times in Counter(header).items() if times > 1)
    if repeated:
        raise error(f"{path}: the header names {few_of(repeated)} twice. Rename one of them.")
    while True:
        number = reader.line_num + 1
        row = _next_row(reader, path, error)
        if row is None:
            return
        if not row:
            raise error(f"{path}: line {number} is blank. Expected a row; remove the line.")
        if len(row) != len(header):
            raise error(
                f"{path}: line {number} has {len(row)} cells, the header {len(header)}. "
                f"Expected the same; quote cells that hold {delimiter!r}."
            )
        yield number, dict(zip(header, row, strict=True))


def _next_row(reader: Any, path: Path, error: type[DataError]) -> list[str] | None:
    # The longest cell is a setting of the whole process, so it is set back after each row.
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        row: list[str] | None = next(reader, None)
    except csv.Error as bad:
        raise error(f"{path}: line {reader.line_num}: {bad}. Check the quotes there.") from bad
    finally:
        csv.field_size_limit(before)
    return row


class CsvCases:
    """The cases of a CSV file, read anew at each iteration."""

    def __init__(self, path: Path, columns: Mapping[str, str], databases: Databases) -> None:
        self.path = path
        self.columns = columns
        self.databases = databases

    def __iter__(self) -> Iterator[Case]:
        lines: dict[str, int] = {}
        for number, row in table_rows(self.path, BenchmarkError):
            where = f"{self.path}, line {number}"
            values = {key: value or None for key, value in row.items()}
            record = _typed(rename(values, self.columns, where), where)
            case = case_from(record, where, self.databases, self.path.parent)
            first = lines.setdefault(case.id, number)
            if first != number:
                raise BenchmarkError(
                    f"{self.path}: id {case.id!r} stands on line {first} and again on line "
                    f"{number}. Expected each id once; rename or remove one of them."
                )
            yield case
        if not lines:
            raise BenchmarkError(f"{self.path} has a header but no rows. Expected cases.")


@BENCHMARKS.member
class Csv(OneFileReader):
    """Reads a CSV file of cases."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        need_file(file, BenchmarkError)
        folder = find_databases(file.parent, ("databases", "database", "."), databases)
        cases = CsvCases(file, column_map(options), folder)
        source = SourceFile.of(file)
        return Benchmark("csv", f"sha256 {source.sha256[:12]}", cases, sources=(source,))


def _typed(record: dict[str, Any], where: str) -> dict[str, Any]:
    """A row with JSON read where a field needs structure."""
    for key in ("contract", "tags", "recorded"):
        if isinstance(text := record.get(key), str):
            record[key] = decode_json(text.encode(), f"{where}, {key}", BenchmarkError)
    return record
