"""Reads Archer: questions that need arithmetic or common sense, on Spider's databases.

Files: ``root`` is a JSON list (or a folder with ``archer_en_<split>.json`` or ``<split>.json``)
of objects with ``db_id``, ``question``, ``query`` or ``sql``, ``reasoning_type``,
``commonsense_knowledge`` and perhaps ``id``. Databases: Spider's, ``database/<db>/<db>.sqlite``
beside the file or in the given folder. Options: none. The authors' execution accuracy has no
published script: choose a preset.

Oddities: without ``id`` the position is the id. ``commonsense_knowledge`` becomes the case's
knowledge, ``reasoning_type`` a tag. Many golds say ``strftime('%Y', 'now')``: their answers
change with the year, so freeze the clock with ``--set now=TIME``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.load.items import (
    benchmark_of,
    check_options,
    first_file,
    item_tags,
    item_text,
    need_text,
)
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case


@BENCHMARKS.member
class Archer:
    """Reads a split."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        check_options("archer", options)
        file = first_file(root, (f"archer_en_{split}.json", f"{split}.json"), "Archer")
        folder = find_databases(file.parent, ("database", "databases", "."), databases)
        cases = []
        for i, (item, where) in enumerate(Records(file)):
            db_id = need_text(item, where, "db_id")
            cases.append(
                Case(
                    id=item_text(item, where, "id") or str(i),
                    db_id=db_id,
                    question=item_text(item, where, "question"),
                    golds=(need_text(item, where, "query", "sql"),),
                    database=folder.expected(db_id),
                    knowledge=item_tags(item, "commonsense_knowledge").get(
                        "commonsense_knowledge", ""
                    ),
                    tags=item_tags(item, "reasoning_type"),
                )
            )
        return benchmark_of("archer", cases, [file], folder)
