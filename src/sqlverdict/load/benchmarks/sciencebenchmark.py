"""Reads ScienceBenchmark: questions on three scientific databases, in PostgreSQL.

Files: ``root`` is a folder with ``cordis/<split>.json``, ``oncomx/<split>.json`` and
``sdss/<split>.json``, or one such file: Spider's JSON, a list of objects with ``db_id``,
``question`` and ``query``. Databases: PostgreSQL (``--databases postgresql://host/{db_id}``), or
SQLite files in the given folder. Options: none. The authors compare results as Spider does:
preset ``spider_distinct``.

Oddities: ids are ``<db_id>-<position>``, for the three files count from 0 each. Golds are written
for PostgreSQL. A folder that lacks one of the three is read with a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError
from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.load.items import benchmark_of, check_options, item_text, need_text
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case

_PARTS = ("cordis", "oncomx", "sdss")


@BENCHMARKS.member
class ScienceBenchmark:
    """Reads the folder, or one file."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        check_options("sciencebenchmark", options)
        files, notes = _files(root, split)
        home = root if root.is_dir() else root.parent
        folder = find_databases(home, ("databases", "database", "."), databases)
        cases = []
        for file in files:
            for i, (item, where) in enumerate(Records(file)):
                db_id = need_text(item, where, "db_id")
                cases.append(
                    Case(
                        id=f"{db_id}-{i}",
                        db_id=db_id,
                        question=item_text(item, where, "question"),
                        golds=(need_text(item, where, "query"),),
                        database=folder.expected(db_id),
                    )
                )
        return benchmark_of(
            "sciencebenchmark", cases, files, folder, notes=notes, preset="spider_distinct"
        )


def _files(root: Path, split: str) -> tuple[list[Path], list[str]]:
    if root.is_file():
        return [root], []
    paths = {part: root / part / f"{split}.json" for part in _PARTS}
    there = [path for path in paths.values() if path.is_file()]
    if not there:
        raise BenchmarkError(
            f"{root} holds no split {split!r} of ScienceBenchmark: expected "
            f"{', '.join(f'{part}/{split}.json' for part in _PARTS)}. Check the folder.",
            reason="missing",
        )
    missing = [part for part, path in paths.items() if path not in there]
    return there, [f"{', '.join(missing)}: no file {split}.json"] if missing else []
