"""Parquet files. Cells keep their values: lists, objects and numbers need no quoting."""

from __future__ import annotations

from pathlib import Path

from sqlverdict.errors import DataError, MissingExtra
from sqlverdict.load.tables.table import Rows, TableFile


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
    except (ArrowException, OSError) as bad:
        raise error(f"{path} cannot be read as a Parquet file: {bad}.") from bad

    def rows() -> Rows:
        number = 0
        try:
            for batch in file.iter_batches():
                for record in batch.to_pylist():
                    number += 1
                    yield f"row {number}", record
        except (ArrowException, OSError) as bad:
            raise error(f"{path}: a row after row {number} cannot be read: {bad}.") from bad

    return TableFile(path, tuple(file.schema_arrow.names), rows())
