"""Parquet files for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_parquet(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write a table; pyarrow is loaded by the worker that runs the test, not by all."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    write_table(pa.table(columns), path)
