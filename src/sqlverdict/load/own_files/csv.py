"""Reads cases from one CSV or TSV file with a header line; the answers may stand in the same rows.

Files: ``root`` is the file itself, in UTF-8. The columns are separated by commas, semicolons, tabs
or bars: the header line shows by which, and a note says so where it is not the usual one. Cells are
quoted with ``"``. Databases and options as in ``jsonl.py``: the header's names are our fields
(``Gold SQL`` counts as ``gold_sql``), or a column map says which they are.

What may be missing: without an id column (``id``, ``nr``, ``#`` ...) the cases are numbered by row,
from 1. Without a database column every case is on the one database that is given (``--databases
shop.sqlite``), or on the only one beside the file.

Oddities: an empty cell is a missing value; an empty gold cell is an unanswerable question, so
there must be a gold column; an empty ``prediction`` cell is an empty reply and no abstention (that
is ``abstained`` = true). A ``contract``, ``tags``, ``recorded``, ``samples`` or ``gold_rows`` cell
holds JSON, and a column may be called ``recorded.equal`` or ``tags.set``. A row with more or fewer
cells than the header, a repeated column or id, text that is not UTF-8 is an error that names the
line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader
from sqlverdict.load.databases import Location
from sqlverdict.load.tables.cases import table_benchmark


@BENCHMARKS.member
class Csv(OneFileReader):
    """Reads a CSV file of cases."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        return table_benchmark("csv", file, databases, options)
