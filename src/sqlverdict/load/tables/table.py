"""A table with a header, whatever file it is in, and its cells as fields.

An empty cell is a missing value, except in the columns of a prediction: there it is an empty
reply, since only a marked abstention (``abstained``, or a null in a Parquet file) is one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import decode_any_json
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
