"""A table is opened by the ending of its name.

Cells of a Parquet file keep their values: lists, objects and numbers need no quoting.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sqlverdict.errors import DataError, MissingExtra
from sqlverdict.files.text import check_text, few_of, need_file
from sqlverdict.load.columns.guess import is_query
from sqlverdict.load.tables.delimited import open_delimited
from sqlverdict.load.tables.excel import open_excel
from sqlverdict.load.tables.table import Fit, Rows, TableFile, TableSpot, TextReader, is_table

_UNREADABLE = (OSError, ValueError, LookupError, OverflowError, TypeError, RecursionError)
"""What a damaged file raises, and values that Python has no type for: a time with nanoseconds, an
unknown time zone, text that is none, an object with two fields of one name."""
_CELLS = 200_000
"""So many values are in memory at a time."""


def open_parquet(path: Path, error: type[DataError]) -> TableFile:
    """The table in a Parquet file, read group by group.

    Raises:
        DataError: of the given kind; the file cannot be read.
        MissingExtra: pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as missing:
        raise MissingExtra(f"{path.name}: a Parquet file", "tables") from missing
    try:
        file = ParquetFile(path)
        names = tuple(file.schema_arrow.names)
    except (ArrowException, *_UNREADABLE) as bad:
        raise error(
            f"{path} cannot be read as a Parquet file: {bad}.", reason="unreadable"
        ) from bad

    def rows() -> Rows:
        number = 0
        try:
            for batch in file.iter_batches(max(1, _CELLS // max(1, len(names)))):
                for record in batch.to_pylist():
                    number += 1
                    yield f"row {number}", record
        except (ArrowException, *_UNREADABLE) as bad:
            raise error(
                f"{path}: a row after row {number} cannot be read: {bad}.", reason="unreadable"
            ) from bad

    return TableFile(path, names, rows())


SUFFIXES = {
    "csv": (".csv", ".tsv", ".tab"),
    "excel": (".xlsx", ".xlsm"),
    "parquet": (".parquet", ".pq"),
}
"""How the names of tables end, by format."""
_NOT_READ = {".xls": "an old Excel file", ".ods": "an OpenDocument sheet", ".numbers": "a sheet"}


def table_format(path: Path) -> str | None:
    """``csv``, ``excel`` or ``parquet``, by the ending of a file's name; ``None``: no table.

    Raises:
        DataError: it is a table of a kind that is not read.
    """
    suffix = path.suffix.lower()
    if suffix in _NOT_READ:
        raise DataError(
            f"{path} is {_NOT_READ[suffix]}. Save it as .xlsx or .csv.", reason="unsupported"
        )
    return next((name for name, suffixes in SUFFIXES.items() if suffix in suffixes), None)


def open_table(
    path: Path,
    error: type[DataError],
    as_text: TextReader = check_text,
    *,
    fit: Fit = is_table,
    spot: TableSpot | None = None,
) -> TableFile:
    """Open a table by the ending of its name; what is no other kind is read as CSV.

    Args:
        path: The file.
        error: What to raise.
        as_text: How the bytes of a CSV file become text.
        fit: How well a table fits what is looked for: a workbook may have several, and a title
            may stand above one.
        spot: The sheet that the user names, or where the table was before.

    Raises:
        DataError: of the given kind; the message names the line.
        MissingExtra: the package for this kind of file is not installed.
    """
    need_file(path, error)
    match table_format(path):
        case "excel":
            table = open_excel(path, error, fit, spot)
        case "parquet":
            table = open_parquet(path, error)
        case _:
            table = open_delimited(path, error, as_text, fit, spot)
    if any(is_query(name) for name in table.header):
        raise error(
            f"{path} has no header: its first line holds a query. Write a line with the names of "
            f"the columns above it, such as id,question,gold,prediction.",
            reason="unreadable",
        )
    repeated = sorted(name for name, times in Counter(table.header).items() if times > 1)
    if repeated:
        raise error(
            f"{path}: the header names {few_of(repeated)} twice. Rename one of them.",
            reason="repeated",
        )
    return table
