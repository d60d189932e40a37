"""CSV and TSV files.

The separator is a comma, a semicolon, a tab or a bar: the one that parts the header line into most
columns. Where that is not the usual one of the file's ending, a note says so. Excel's own line
``sep=;`` is understood.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import stream_lines
from sqlverdict.load.tables.table import Rows, TableFile, TextReader

_LONGEST_CELL = 2**30
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SEP_LINE = re.compile(r"sep=(.)\s*\Z", re.IGNORECASE)


def open_delimited(path: Path, error: type[DataError], as_text: TextReader) -> TableFile:
    """The table in a CSV or TSV file.

    Raises:
        DataError: of the given kind; the message names the line.
    """
    usual = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    separator, skipped = _separator(path, usual, error, as_text)

    def lines() -> Iterator[str]:
        for number, line in stream_lines(path, error):
            if number > skipped:
                yield as_text(line, str(path), error, number)

    reader = csv.reader(lines(), delimiter=separator, strict=True)
    header = _next_row(reader, path, error)
    if not header:
        raise error(f"{path} is empty. Expected a header line such as id,db_id,question,gold.")

    def rows() -> Rows:
        while True:
            number = reader.line_num + skipped + 1
            row = _next_row(reader, path, error)
            if row is None:
                return
            if not row:
                raise error(f"{path}: line {number} is blank. Expected a row; remove the line.")
            if len(row) != len(header):
                raise error(
                    f"{path}: line {number} has {len(row)} cells, the header {len(header)}. "
                    f"Expected the same; quote cells that hold {separator!r}."
                )
            yield f"line {number}", dict(zip(header, row, strict=True))

    other = f"{path.name}: the columns are separated by {_SEPARATORS.get(separator, separator)}"
    return TableFile(path, tuple(header), rows(), (other,) if separator != usual else ())


def _separator(
    path: Path, usual: str, error: type[DataError], as_text: TextReader
) -> tuple[str, int]:
    """The separator of a file, and how many lines stand before its header."""
    _, first = next(stream_lines(path, error), (0, b""))
    line = as_text(first, str(path), error)
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
