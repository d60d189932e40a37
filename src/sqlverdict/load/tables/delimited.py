"""CSV and TSV files.

The separator is a comma, a semicolon, a tab or a bar: the one that parts the header line into most
columns. Where that is not the usual one of the file's ending, a note says so. Excel's own line
``sep=;`` is understood, and so is its "Unicode text", UTF-16 with a byte-order mark. Rows without
text at the end of the file are left out; anywhere else they are an error. Empty cells to the right
of the header's last column are left out. Where the header has spaces beside separators, those
beside cells do not count either.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import UTF16_BOMS, stream_lines
from sqlverdict.load.tables.table import TITLE_HINT, Rows, TableFile, TextReader, header_columns

_LONGEST_CELL = 2**30
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SEP_LINE = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)


def open_delimited(path: Path, error: type[DataError], as_text: TextReader) -> TableFile:
    """The table in a CSV or TSV file.

    Raises:
        DataError: of the given kind; the message names the line.
    """
    usual = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    first = next(_lines(path, error, as_text), "")
    separator, skipped = _separator(first, usual)

    def lines() -> Iterator[str]:
        every = _lines(path, error, as_text)
        for _ in range(skipped):
            next(every, None)
        yield from every

    reader = csv.reader(lines(), delimiter=separator, strict=True)
    names = _next_row(reader, path, error)
    if not names or not any(names):
        raise error(f"{path} is empty. Expected a header line such as id,db_id,question,gold.")
    columns, notes = header_columns(names, path)
    title = TITLE_HINT if len(columns) == 1 else ""
    padded = any(name != name.strip() for name in names)

    def rows() -> Rows:
        blank = 0
        while True:
            number = reader.line_num + skipped + 1
            row = _next_row(reader, path, error)
            if row is None:
                return
            if not any(cell.strip() for cell in row):
                blank = blank or number
                continue
            if blank:
                raise error(
                    f"{path}: line {blank} is blank. Expected a row; remove the line.{title}"
                )
            if not any(cell.strip() for cell in row[len(names) :]):
                row = row[: len(names)]
            if len(row) != len(names):
                raise error(
                    f"{path}: line {number} has {len(row)} cells, the header {len(names)}. "
                    f"Expected the same; quote cells that hold {separator!r}.{title}"
                )
            cells = [cell.strip() for cell in row] if padded else row
            yield f"line {number}", {name: cells[position] for name, position in columns}

    other = f"{path.name}: the columns are separated by {_SEPARATORS.get(separator, separator)}"
    notes = ((other,) if separator != usual else ()) + notes
    return TableFile(path, tuple(name for name, _ in columns), rows(), notes)


def _lines(path: Path, error: type[DataError], as_text: TextReader) -> Iterator[str]:
    """The lines of a file as text; those of UTF-16 are read as such."""
    lines = stream_lines(path, error)
    for number, line in lines:
        if number == 1 and line.startswith(UTF16_BOMS):
            lines.close()
            yield from _utf16_lines(path, error)
            return
        yield as_text(line, str(path), error, number)


def _utf16_lines(path: Path, error: type[DataError]) -> Iterator[str]:
    try:
        with path.open(encoding="utf-16", newline="") as stream:
            yield from stream
    except UnicodeError as bad:
        raise error(f"{path} is UTF-16 with a fault: {bad}. Save it as UTF-8.") from bad


def _separator(line: str, usual: str) -> tuple[str, int]:
    """The separator of a file by its first line, and how many lines stand before its header."""
    if sep_line := _SEP_LINE.match(line):
        return sep_line[1], 1
    # A name in quotes may hold any of them.
    bare = re.sub(r'"[^"]*"', "", line)
    most = max(bare.count(separator) for separator in _SEPARATORS)
    best = [separator for separator in _SEPARATORS if bare.count(separator) == most]
    return usual if usual in best else best[0], 0


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
