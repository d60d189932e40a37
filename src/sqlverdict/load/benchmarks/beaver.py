"""Reads Beaver: questions on the data warehouses of companies, in MySQL.

Files: ``root`` is ``dev_dw.json`` or ``dev_nw.json``, or a folder with them (both are read): a
list of objects with ``question``, ``db_id``, ``sql``, ``oracle_sql``, ``gold_tables``,
``mapping`` and ``join_keys``. Databases: MySQL (``--databases mysql://host/{db_id}``). Options:
``dialect=mysql|oracle`` chooses ``sql`` (the default) or ``oracle_sql``, which no engine runs
here: for metrics of text. No scorer is published: choose a preset.

Oddities: ids are ``dw-<position>`` and ``nw-<position>``, or positions for another file.
``gold_tables`` is a tag. An item without the chosen query is left out, with a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError
from sqlverdict.files.text import count, few_of
from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.load.items import benchmark_of, check_options, item_tags, item_text, need_text
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case

_PARTS = ("dev_dw.json", "dev_nw.json")
_QUERIES = {"mysql": "sql", "oracle": "oracle_sql"}


@BENCHMARKS.member
class Beaver:
    """Reads the folder, or one file."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",  # noqa: ARG002 (it has one)
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        check_options("beaver", options, dialect=tuple(_QUERIES))
        key = _QUERIES[options.get("dialect", "mysql")]
        files = [root] if root.is_file() else [root / n for n in _PARTS if (root / n).is_file()]
        if not files:
            raise BenchmarkError(
                f"{root} holds neither {' nor '.join(_PARTS)}. Check the folder.", reason="missing"
            )
        home = root if root.is_dir() else root.parent
        folder = find_databases(home, ("databases", "."), databases)
        cases, without = [], []
        for file in files:
            prefix = f"{file.stem.removeprefix('dev_')}-" if file.name in _PARTS else ""
            for i, (item, where) in enumerate(Records(file)):
                db_id, query = need_text(item, where, "db_id"), item_text(item, where, key)
                if not query.strip():
                    without.append(f"{prefix}{i}")
                    continue
                cases.append(
                    Case(
                        id=f"{prefix}{i}",
                        db_id=db_id,
                        question=item_text(item, where, "question"),
                        golds=(query,),
                        database=folder.expected(db_id),
                        tags=item_tags(item, "gold_tables"),
                    )
                )
        notes = []
        if without:
            notes.append(
                f"{count(len(without), 'item')} without {key}: left out ({few_of(without)})"
            )
        return benchmark_of("beaver", cases, files, folder, notes=notes)
