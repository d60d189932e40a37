"""CSV and TSV files.

The separator is a comma, a semicolon, a tab or a bar: the one that parts the header line into most
columns. Where that is not the usual one of the file's ending, a note says so. Excel's own line
``sep=;`` is understood, and so is its "Unicode text", UTF-16 with a byte-order mark. Rows without
text are left out; between the rows of a single column they are an error, as an empty cell may be a
missing value there. Empty cells to the right of the header's last column are left out. Where the
header has spaces beside separators, those beside cells do not count either. The first line with
text is the header, unless only a line below it makes a table that fits (``table.py``).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import UTF16_BOMS, stream_lines
from sqlverdict.load.tables.table import (
    DEEPEST,
    LOOKED_AT,
    TITLE_HINT,
    Fit,
    Rows,
    TableFile,
    TableSpot,
    TextReader,
    best_header,
    header_columns,
    is_column_name,
    joined_names,
    joined_note,
)

_LONGEST_CELL = 2**30
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SEP_LINE = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)


def open_delimited(
    path: Path,
    error: type[DataError],
    as_text: TextReader,
    fit: Fit,
    spot: TableSpot | None = None,
) -> TableFile:
    """The table in a CSV or TSV file.

    Args:
        path: The file.
        error: What to raise.
        as_text: How bytes become text.
        fit: How well a table fits what is looked for.
        spot: Where the table was before.

    Raises:
        DataError: of the given kind; the message names the line.
    """
    usual = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    texts = (line for line in _lines(path, error, as_text) if line.strip())
    separator, skipped = _separator(list(islice(texts, DEEPEST)), usual)

    def numbered() -> Iterator[tuple[int, list[str]]]:
        lines = islice(_lines(path, error, as_text), skipped, None)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        while True:
            number = reader.line_num + skipped + 1
            row = _next_row(reader, path, error)
            if row is None:
                return
            yield number, row

    header = _header(numbered(), fit, 0 if spot is None else spot.header)
    header_line, names = header[0] if header else (1, [])
    last_line = header_line
    if not any(names):
        raise error(
            f"{path} is empty. Expected a header line such as id,db_id,question,gold.",
            reason="empty",
        )
    joined = joined_names(names, header[1][1]) if len(header) > 1 else None
    two_lines = ""
    if joined is not None:
        last_line = header[1][0]
        two_lines = joined_note(path.name, f"lines {header_line} and {last_line}", joined, names)
        names = joined
    columns, notes = header_columns(names, path)
    notes = (two_lines, *notes) if two_lines else notes
    title = TITLE_HINT if len(columns) == 1 else ""
    padded = any(name != name.strip() for name in names)

    def rows() -> Rows:
        blank = 0
        for number, row in numbered():
            if number <= last_line:
                continue
            if not any(cell.strip() for cell in row):
                blank = blank or number
                continue
            if blank and len(names) == 1:
                # An empty cell of the only column may be a missing value.
                raise error(
                    f"{path}: line {blank} is blank. Expected a row; remove the line.{title}",
                    reason="unreadable",
                )
            if not any(cell.strip() for cell in row[len(names) :]):
                row = row[: len(names)]
            if len(row) != len(names):
                raise error(
                    f"{path}: line {number} has {len(row)} cells, the header {len(names)}. "
                    f"Expected the same; quote cells that hold {separator!r}.{title}",
                    reason="unreadable",
                )
            cells = [cell.strip() for cell in row] if padded else row
            yield f"line {number}", {name: cells[position] for name, position in columns}

    if separator != usual:
        words = _SEPARATORS.get(separator, separator)
        notes = (f"{path.name}: the columns are separated by {words}", *notes)
    if header_line > skipped + 1:
        above = f"{path.name}: the header is line {header_line}; what stands above it is not read"
        notes = (above, *notes)
    own_names = tuple(name for name, _ in columns)
    return TableFile(path, own_names, rows(), notes, TableSpot(header=header_line))


def _header(
    rows: Iterator[tuple[int, list[str]]], fit: Fit, known: int
) -> list[tuple[int, list[str]]]:
    """The header's line and the next one with text, each with its number; none in an empty file."""
    filled = (row for row in rows if any(cell.strip() for cell in row[1]))
    if known:
        return list(islice((row for row in filled if row[0] >= known), 2))
    head = list(islice(filled, LOOKED_AT))
    at = best_header([row for _, row in head], fit, alone=True)[0] if head else 0
    return head[at : at + 2]


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
        raise error(
            f"{path} is UTF-16 with a fault: {bad}. Save it as UTF-8.", reason="unreadable"
        ) from bad


def _separator(lines: Sequence[str], usual: str) -> tuple[str, int]:
    """The separator of a file, and 1 where its first line says it.

    It is that of the first line, or below a title that of the first line of names.
    """
    line = lines[0] if lines else ""
    if sep_line := _SEP_LINE.match(line):
        return sep_line[1], 1
    if not any(separator in line for separator in _SEPARATORS):
        line = next((each for each in lines if _has_names(each)), line)
    # A name in quotes may hold any of them.
    bare = re.sub(r'"[^"]*"', "", line)
    most = max(bare.count(separator) for separator in _SEPARATORS)
    best = [separator for separator in _SEPARATORS if bare.count(separator) == most]
    return usual if usual in best else best[0], 0


def _has_names(line: str) -> bool:
    """Whether a line parts into names of columns."""
    parts = re.split(r"[,;|\t]", line.strip())
    return len(parts) > 2 and all(part.strip() and is_column_name(part.strip()) for part in parts)


def _next_row(reader: Any, path: Path, error: type[DataError]) -> list[str] | None:
    # The longest cell is a setting of the whole process, so it is set back after each row.
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        row: list[str] | None = next(reader, None)
    except csv.Error as bad:
        raise error(
            f"{path}: line {reader.line_num}: {bad}. Check the quotes there.", reason="unreadable"
        ) from bad
    finally:
        csv.field_size_limit(before)
    return row
