"""Parquet files. Cells keep their values: lists, objects and numbers need no quoting."""

from __future__ import annotations

from pathlib import Path

from sqlverdict.errors import DataError, MissingExtra
from sqlverdict.load.tables.table import Rows, TableFile

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
        raise error(f"{path} cannot be read as a Parquet file: {bad}.") from bad

    def rows() -> Rows:
        number = 0
        try:
            for batch in file.iter_batches(max(1, _CELLS // max(1, len(names)))):
                for record in batch.to_pylist():
                    number += 1
                    yield f"row {number}", record
        except (ArrowException, *_UNREADABLE) as bad:
            raise error(f"{path}: a row after row {number} cannot be read: {bad}.") from bad

    return TableFile(path, names, rows())
