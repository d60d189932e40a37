"""Reads cases from the sheet of an Excel workbook (``.xlsx``, ``.xlsm``) that has the columns.

Files: ``root`` is the workbook. All sheets are looked at, hidden ones last; the first of those that
fit best is read (``--sheet`` names another), from its header on, which may stand below a title. It
needs the extra ``tables``. Everything else is as for ``csv``, answers in the same rows included.

Oddities: other sheets are named in a note and not read; empty rows are left out; a formula counts
as the value that Excel saved with it; 1.0 is the id ``1``; a date is ``2024-03-01``. A cell to the
right of the header's last column is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader
from sqlverdict.load.databases import Location
from sqlverdict.load.tables.cases import table_benchmark


@BENCHMARKS.member
class Excel(OneFileReader):
    """Reads an Excel sheet of cases."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        return table_benchmark("excel", file, databases, options)
