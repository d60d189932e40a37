"""Reads BIRD.

Files, below ``root``: ``<split>.json``, a list of objects with ``question_id``, ``db_id``,
``question``, ``evidence``, ``SQL`` and ``difficulty``. Databases in ``<split>_databases``,
``dev_databases``, ``databases`` or ``database``, each as ``<db>/<db>.sqlite``, or in the given
folder. Case ids are the ``question_id`` as text, so predictions pair by key. Options: none
(``difficulty=off`` leaves out the published difficulty).

Oddities: items without ``question_id`` (the train split) get their position as id, if none has
one; a repeated id is an error. ``evidence`` becomes the case's knowledge. Missing databases
are a note; their cases are kept.
"""

from __future__ import annotations

from collections import Counter
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
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.records import Case


class _BirdItem(msgspec.Struct):
    """What is used of an item of BIRD's JSON."""

    db_id: str
    sql: str = msgspec.field(name="SQL")
    question: str = ""
    evidence: str | None = None
    difficulty: str | None = None
    question_id: int | str | None = None


@BENCHMARKS.member
class BirdReader:
    """Reads BIRD's folder."""

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
        if unknown:
            raise UsageError(f"bird takes no option {unknown[0]!r}; remove it")
        file = _file(root, split)
        items = decode_json(
            read_bytes(file, BenchmarkError), str(file), BenchmarkError, list[_BirdItem]
        )
        ids, notes = _ids(items, file)
        usual = (f"{split}_databases", "dev_databases", "databases", "database")
        folder = find_databases(root, usual, databases)
        labelled = options.get("difficulty") != "off"
        cases = [
            Case(
                id=case_id,
                db_id=item.db_id,
                question=item.question,
                golds=(item.sql,),
                database=folder.expected(item.db_id),
                difficulty=item.difficulty if labelled else None,
                knowledge=item.evidence or "",
            )
            for case_id, item in zip(ids, items, strict=True)
        ]
        notes += missing_databases(folder, [item.db_id for item in items])
        source = SourceFile.of(file)
        version = f"{split}, sha256 {source.sha256[:12]}"
        return Benchmark("bird", version, cases, len(cases), (source,), notes, preset="bird")


def _file(root: Path, split: str) -> Path:
    file = root / f"{split}.json"
    if file.is_file():
        return file
    if not root.is_dir():
        raise BenchmarkError(
            f"there is no folder {root}. Say where BIRD is (option root).", reason="missing"
        )
    there = sorted(child.name for child in root.iterdir())
    raise BenchmarkError(
        f"{root} holds no split {split!r} of BIRD: expected {file.name}; "
        f"found {few_of(there, 10)}. Check the folder (option root) and the split.",
        reason="missing",
    )


def _ids(items: list[_BirdItem], file: Path) -> tuple[list[str], tuple[str, ...]]:
    """The case ids, and a note where they are positions."""
    bare = [position for position, item in enumerate(items) if item.question_id is None]
    if len(bare) == len(items):
        return [str(position) for position in bare], ("no question_id: ids are positions",)
    if bare:
        raise BenchmarkError(
            f"{file}: {len(bare)} of {len(items)} items have no question_id (item {few_of(bare)}, "
            f"counted from 0). Expected one on every item, or on none.",
            reason="missing_field",
        )
    ids = [str(item.question_id) for item in items]
    repeated = [case_id for case_id, times in Counter(ids).items() if times > 1]
    if repeated:
        raise BenchmarkError(
            f"{file}: question_id {few_of(repeated)} occurs more than once. Expected each once.",
            reason="repeated",
        )
    return ids, ()
