"""A table with a header, whatever file it is in: which row is the header, and its cells as fields.

Sheets of people often start with a title, a date, or a row of headings over groups of columns. A
row below the first one can be the header if it has more cells than each row above it, and all of
them are short texts. It is taken only where the table then fits and did not before.

An empty cell is a missing value, except in the columns of a prediction: there it is an empty
reply, since only a marked abstention (``abstained``, or a null in a Parquet file) is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import decode_any_json, few_of
from sqlverdict.load.columns.column_map import rename
from sqlverdict.load.fields import SQL_KEYS

Rows = Generator[tuple[str, dict[str, Any]], None, None]
TextReader = Callable[..., str]
"""Makes text of bytes: strictly, or by :func:`~sqlverdict.files.text.any_text`."""


@dataclass(frozen=True)
class TableSpot:
    """Where a table stands in its file.

    Attributes:
        sheet: The sheet of a workbook; empty: the file has none, or the one that fits.
        header: The number of the row that is the header; 0: it is to be looked for.
    """

    sheet: str = ""
    header: int = 0


@dataclass(frozen=True)
class TableFile:
    """A table that is being read.

    Attributes:
        path: The file.
        header: The names of its columns.
        rows: The rows, once: where each stands (``line 3``), and its cells by column. Cells are
            texts in CSV and Excel files, and values in Parquet files.
        notes: What a user should know about how the file was read.
        spot: Where the table stands in the file, to open it again.
    """

    path: Path
    header: tuple[str, ...]
    rows: Rows
    notes: tuple[str, ...] = ()
    spot: TableSpot = TableSpot()


TITLE_HINT = " If the first line is a title, remove what is above the header."
"""What to do where the first line has one cell, and others have more."""


def header_columns(
    names: Sequence[str], path: Path
) -> tuple[list[tuple[str, int]], tuple[str, ...]]:
    """The columns of a header that have a name, each with its position, and a note on the others.

    A column without a name is the index of a data frame, or an empty one at the right. Spaces at
    either end of a name do not count.
    """
    columns = [(name.strip(), position) for position, name in enumerate(names) if name.strip()]
    unnamed = [str(position) for position, name in enumerate(names, 1) if not name.strip()]
    if not unnamed:
        return columns, ()
    which = f"column {unnamed[0]}" if len(unnamed) == 1 else f"columns {', '.join(unnamed)}"
    return columns, (f"{path.name}: {which} without a name in the header: not read",)


_REPLIES = (*SQL_KEYS, "raw")
_JSON = (
    *("contract", "tags", "recorded", "script", "gold_rows", "prediction_rows", "samples"),
    "earlier",
)
"""Fields with parts: such a cell holds JSON."""


def cells_as_fields(
    row: Mapping[str, Any], columns: Mapping[str, str], where: str, error: type[DataError]
) -> dict[str, Any]:
    """A row under our field names.

    Args:
        row: The cells by column.
        columns: From names of columns to our fields.
        where: File and line, for messages.
        error: What to raise.

    Raises:
        DataError: of the given kind; two columns mean one field, or a cell is broken JSON.
    """
    values = {
        name: None if cell == "" and columns.get(name, name) not in _REPLIES else cell
        for name, cell in row.items()
    }
    fields = rename(values, columns, where, error)
    for name in _JSON:
        if isinstance(text := fields.get(name), str):
            fields[name] = decode_any_json(text, f"{where}, {name}", error)
    key = next((key for key in SQL_KEYS if key in fields), None)
    if key is not None and fields[key] == "" and (fields.get("abstained") or fields.get("raw")):
        # A text cell cannot say null; the other columns do.
        fields[key] = None
    return fields


Fit = Callable[[Sequence[str], Sequence[Mapping[str, Any]]], int]
"""How well a table fits, from its header and its first rows; 0: not at all."""

LOOKED_AT = 200
"""So many rows of a table are looked at."""
DEEPEST = 20
"""The header is among so many first rows."""
_LONGEST_NAME = 60
_NO_NAME = re.compile(r"[\d.,:/ -]+|\s*(?:select|with)\b.*", re.IGNORECASE | re.DOTALL)
"""A number, a date or a query."""


def is_table(header: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> int:
    """The fit of any table: several columns, and rows with several cells."""
    wide = any(sum(bool(str(cell).strip()) for cell in row.values()) > 1 for row in rows)
    return int(len(header) > 1 and wide)


def best_header(rows: Sequence[Sequence[str]], fit: Fit, *, alone: bool) -> tuple[int, int]:
    """The position of the header among the first rows, and how well the table fits with it.

    Args:
        rows: The first rows with text.
        fit: How well a table fits.
        alone: The file has no other table, so that the fit of this one says nothing.
    """
    lower = list(_lower_headers(rows))
    if alone and not lower:
        return 0, 0
    best = 0, _fit_at(rows, 0, fit)
    for position in lower:
        if (own := _fit_at(rows, position, fit)) > best[1]:
            best = position, own
    return best


def _fit_at(rows: Sequence[Sequence[str]], position: int, fit: Fit) -> int:
    names = [name.strip() for name in rows[position]]
    header = [name for name in names if name]
    if len({*header}) < len(header):
        return 0
    records = [
        {name: cell for name, cell in zip(names, row, strict=False) if name}
        for row in rows[position + 1 :]
    ]
    return fit(header, records)


def _lower_headers(rows: Sequence[Sequence[str]]) -> Iterator[int]:
    widest = 0
    for position, row in enumerate(rows[:DEEPEST]):
        names = [cell.strip() for cell in row if cell.strip()]
        if position and len(names) > widest and all(map(is_column_name, names)):
            yield position
        widest = max(widest, len(names))


def is_column_name(cell: str) -> bool:
    """Whether a cell may be the name of a column."""
    return len(cell) <= _LONGEST_NAME and _NO_NAME.fullmatch(cell) is None


def joined_names(upper: Sequence[str], lower: Sequence[str]) -> list[str] | None:
    """The names of columns in a header of two rows; ``None`` where the two are none.

    In such a header a name above stands for the columns to its right that have none, and each of
    these has a name below: ``Model A`` above ``SQL`` and ``Time`` are the columns ``Model A SQL``
    and ``Model A Time``. Other columns have a name above alone: a row that has cells there is data.

    Args:
        upper: The first row.
        lower: The row below it.
    """
    width = max(len(upper), len(lower))
    above, below = (
        [cell.strip() for cell in row] + [""] * (width - len(row)) for row in (upper, lower)
    )
    while above and not above[-1] and not below[-1]:
        above, below = above[:-1], below[:-1]
    if not all(is_column_name(cell) for cell in (*above, *below) if cell):
        return None
    names: list[str] = []
    group = ""
    for name, part in zip(above, below, strict=True):
        if name:
            group = name if part else ""
        elif not (group and part):
            return None
        names.append(f"{group} {part}" if part else name)
    is_header = "" in above and "" in below and len({*names}) == len(names)
    return names if is_header else None


def joined_note(file: str, rows: str, names: Sequence[str], upper: Sequence[str]) -> str:
    """The note on a header of two rows.

    Args:
        file: The name of the file.
        rows: The two rows, in words.
        names: The names of the columns.
        upper: The first of the two rows.
    """
    joined = [name for name in names if name not in upper]
    return f"{file}: {rows} are one header; joined are {few_of(joined, 8)}"
