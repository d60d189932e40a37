"""Reads cases from one Parquet file, as data sets are often published.

Files: ``root`` is the file. It needs the extra ``tables``. Everything else is as for ``csv``,
answers in the same rows included.

Oddities: cells keep their values, so that ``gold`` may be a list and ``tags`` an object; a null
``prediction`` is an abstention, as in JSONL.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader
from sqlverdict.load.databases import Location
from sqlverdict.load.tables.cases import table_benchmark


@BENCHMARKS.member
class Parquet(OneFileReader):
    """Reads a Parquet file of cases."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        return table_benchmark("parquet", file, databases, options)
