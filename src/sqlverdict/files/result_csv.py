"""Results as CSV, with the types that pandas gives to their columns.

Scorers that read results with ``pandas.read_csv`` compare what pandas makes of a cell: ``NA`` and
``null`` are no value, ``007`` in a column of digits is 7, an integer beside an empty cell is a
float. A column has one type: integers, else floats, else truth values, else texts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO

from sqlverdict.errors import DataError
from sqlverdict.records import Answer, Cell

NO_VALUE = frozenset(
    """#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan
null""".replace("\n", "|").split("|")
) | {""}
"""The texts that pandas reads as no value."""

_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
_FLOAT = re.compile(
    r"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity)\s*", re.IGNORECASE
)
_TRUTH = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}
_LARGEST, _SMALLEST = 2**64 - 1, -(2**63)
_LONGEST_CELL = 2**30


def typed_column(texts: Sequence[str]) -> list[Cell]:
    """The cells of a column with the type that pandas reads it as; no value is ``None``."""
    filled = [text for text in texts if text not in NO_VALUE]
    whole = len(filled) == len(texts)
    if filled and whole and all(map(_INTEGER.fullmatch, filled)):
        numbers = list(map(int, filled))
        if all(_SMALLEST <= number <= _LARGEST for number in numbers):
            return list(numbers)
        # Beyond 64 bits there is no number type: pandas keeps the texts.
        return list(texts)
    if all(map(_FLOAT.fullmatch, filled)):
        return [None if text in NO_VALUE else float(text) for text in texts]
    if all(text in _TRUTH for text in filled):
        return [_TRUTH.get(text) for text in texts]
    return [None if text in NO_VALUE else text for text in texts]


def typed_rows(rows: Iterable[Sequence[str]], width: int) -> list[tuple[Cell, ...]]:
    """Rows of texts, all of one width, with their columns typed."""
    columns = [typed_column(column) for column in zip(*rows, strict=True)]
    return list(zip(*columns, strict=True)) if width else []


def csv_cell(cell: object) -> str:
    """A cell as pandas writes it to CSV."""
    return "" if cell is None or cell != cell else str(cell)


def parse_result(text: str, source: str, error: type[DataError]) -> Answer:
    """The answer in the text of a CSV file with a header.

    A short row lacks values at its end; a blank line is no row, as pandas has it.

    Args:
        text: The file's text.
        source: The file's name.
        error: What to raise.

    Raises:
        DataError: of the given kind; a row is longer than the header, or a quote is not closed.
    """
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        lines = [row for row in csv.reader(StringIO(text, newline="")) if row]
    except csv.Error as bad:
        raise error(
            f"{source} is not a CSV file: {bad}. Check its quotes.", reason="unreadable"
        ) from bad
    finally:
        csv.field_size_limit(before)
    if not lines:
        return Answer((), [], source=source)
    header, *rows = lines
    long = next((row for row in rows if len(row) > len(header)), None)
    if long is not None:
        raise error(
            f"{source}: a row has {len(long)} cells, and the header {len(header)}. Expected as "
            f"many; quote cells that hold a comma. The row begins with {long[0]!r}.",
            reason="unreadable",
        )
    padded = [[*row, *[""] * (len(header) - len(row))] for row in rows]
    return Answer(tuple(header), typed_rows(padded, len(header)), source=source)
