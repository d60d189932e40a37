"""Reads Spider 1.0.

Files, below ``root``: ``dev.json`` for the split ``dev``, ``train_spider.json`` and
``train_others.json`` for ``train``, ``<split>.json`` for others; ``<split>_gold.sql`` where
there is no JSON (then there are no questions). Databases in ``database/<db>/<db>.sqlite``
(``test_database`` for the split ``test``), or in the given folder. Case ids are positions in
the split: "0" is the first. Options: ``difficulty=off`` leaves out Spider's hardness, which
costs a parse of each distinct gold query when its case is first read.

Of databases that are missing, ``tables.json`` says the schema, where it lies in ``root``: what
needs no rows (``esm``, ``etm``, ``proved``) is scored. Database files come first, since
``tables.json`` leaves out what they declare: NOT NULL, UNIQUE, CHECK, whole keys.

Oddities: if only one of the two train files is there, it is read and a note says so. Missing
databases (the public archives lack some) are a note; their cases are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.text import decode_json, few_of, read_bytes
from sqlverdict.load.benchmark import (
    BENCHMARKS,
    NO_OPTIONS,
    Benchmark,
    SourceFile,
    missing_databases,
)
from sqlverdict.load.conversations import SpiderCases, schemas_of_missing
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.load.own_files.goldfile import gold_lines
from sqlverdict.records import Case


class _SpiderItem(msgspec.Struct):
    """What is used of an item of Spider's JSON."""

    db_id: str
    query: str
    question: str = ""


@BENCHMARKS.member
class SpiderReader:
    """Reads Spider's folder."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        unknown = [key for key in options if key != "difficulty"]
        if unknown or options.get("difficulty", "on") not in ("on", "off"):
            raise UsageError(f"spider takes only the option difficulty=on|off, not {dict(options)}")
        files, notes = _files(root, split)
        items: list[_SpiderItem] = []
        for file in files:
            if file.suffix == ".sql":
                items += [_SpiderItem(db_id, sql) for sql, db_id in gold_lines(file)]
            else:
                data = read_bytes(file, BenchmarkError)
                items += decode_json(data, str(file), BenchmarkError, list[_SpiderItem])
        usual = ("test_database", "database") if split == "test" else ("database",)
        folder = find_databases(root, usual, databases)
        notes += missing_databases(folder, [item.db_id for item in items])
        sources = tuple(SourceFile.of(file) for file in files)
        version = f"{split}, sha256 " + "+".join(source.sha256[:12] for source in sources)
        cases = [
            Case(
                id=str(position),
                db_id=item.db_id,
                question=item.question,
                golds=(item.query,),
                database=folder.expected(item.db_id),
            )
            for position, item in enumerate(items)
        ]
        schemas, tables = schemas_of_missing(root, folder, {item.db_id for item in items})
        return Benchmark(
            "spider",
            version,
            SpiderCases(cases, hardness=options.get("difficulty") != "off"),
            len(cases),
            (*sources, *tables),
            notes,
            schemas=schemas,
            preset="spider",
        )


def _files(root: Path, split: str) -> tuple[list[Path], tuple[str, ...]]:
    """The files of a split, and notes about those that are not there."""
    names = ("train_spider.json", "train_others.json") if split == "train" else (f"{split}.json",)
    files = [root / name for name in names if (root / name).is_file()]
    gold = root / f"{split}_gold.sql"
    if files:
        lacking = [name for name in names if root / name not in files]
        notes = (f"{lacking[0]} is missing: the split is incomplete",) if lacking else ()
        return files, notes
    if gold.is_file():
        return [gold], (f"read from {gold.name}: there are no questions",)
    if not root.is_dir():
        raise BenchmarkError(
            f"there is no folder {root}. Say where Spider is (option root).", reason="missing"
        )
    there = sorted(child.name for child in root.iterdir())
    raise BenchmarkError(
        f"{root} holds no split {split!r} of Spider: expected {' and '.join(names)} or "
        f"{gold.name}; found {few_of(there, 10)}. Check the folder (option root) and the split.",
        reason="missing",
    )
