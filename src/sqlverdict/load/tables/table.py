"""A table with a header, whatever file it is in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.errors import DataError
from sqlverdict.files.text import check_text, few_of, need_file

Rows = Generator[tuple[str, dict[str, Any]], None, None]
TextReader = Callable[..., str]
"""Makes text of bytes: strictly, or by :func:`~sqlverdict.files.text.any_text`."""


@dataclass(frozen=True)
class TableFile:
    """A table that is being read.

    Attributes:
        path: The file.
        header: The names of its columns.
        rows: The rows, once: where each stands (``line 3``), and its cells by column. Cells are
            texts in CSV and Excel files, and values in Parquet files.
        notes: What a user should know about how the file was read.
    """

    path: Path
    header: tuple[str, ...]
    rows: Rows
    notes: tuple[str, ...] = ()


SUFFIXES = {
    "csv": (".csv", ".tsv", ".tab"),
    "excel": (".xlsx", ".xlsm"),
    "parquet": (".parquet", ".pq"),
}
"""How the names of tables end, by format."""

TITLE_HINT = " If the first line is a title, remove what is above the header."
"""What to do where the first line has one cell, and others have more."""
_NOT_READ = {".xls": "an old Excel file", ".ods": "an OpenDocument sheet", ".numbers": "a sheet"}


def table_format(path: Path) -> str | None:
    """``csv``, ``excel`` or ``parquet``, by the ending of a file's name; ``None``: no table.

    Raises:
        DataError: it is a table of a kind that is not read.
    """
    suffix = path.suffix.lower()
    if suffix in _NOT_READ:
        raise DataError(f"{path} is {_NOT_READ[suffix]}. Save it as .xlsx or .csv.")
    return next((name for name, suffixes in SUFFIXES.items() if suffix in suffixes), None)


def open_table(path: Path, error: type[DataError], as_text: TextReader = check_text) -> TableFile:
    """Open a table by the ending of its name; what is no other kind is read as CSV.

    Args:
        path: The file.
        error: What to raise.
        as_text: How the bytes of a CSV file become text.

    Raises:
        DataError: of the given kind; the message names the line.
        MissingExtra: the package for this kind of file is not installed.
    """
    from sqlverdict.load.columns.guess import is_query
    from sqlverdict.load.tables.delimited import open_delimited
    from sqlverdict.load.tables.excel import open_excel
    from sqlverdict.load.tables.parquet import open_parquet

    need_file(path, error)
    match table_format(path):
        case "excel":
            table = open_excel(path, error)
        case "parquet":
            table = open_parquet(path, error)
        case _:
            table = open_delimited(path, error, as_text)
    if any(is_query(name) for name in table.header):
        raise error(
            f"{path} has no header: its first line holds a query. Write a line with the names of "
            f"the columns above it, such as id,question,gold,prediction."
        )
    repeated = sorted(name for name, times in Counter(table.header).items() if times > 1)
    if repeated:
        raise error(f"{path}: the header names {few_of(repeated)} twice. Rename one of them.")
    return table


def table_rows(path: Path, error: type[DataError], as_text: TextReader = check_text) -> Rows:
    """The rows of a table: where each stands, and its cells by column."""
    return open_table(path, error, as_text).rows


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
