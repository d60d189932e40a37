"""Reads EHRSQL as published in 2022: questions on MIMIC-III and eICU.

Files: ``root`` is ``<split>.json``, or the folder of one database with it: a list of objects with
``id``, ``db_id`` (``mimic_iii`` or ``eicu``), ``question``, ``query`` (the word ``null``:
unanswerable), ``is_impossible``, ``department``, ``importance``. Databases: ``<db_id>.sqlite`` or
``<db_id>.db`` beside the file, or in the given folder. Options: none. Its preset is
``ehrsql2022``.

Predictions: a JSON object from id to SQL, ``null`` for an abstention (format ``id_map``).

Oddities: golds keep ``current_time`` and names of normal ranges, which the preset fills in; under
other presets such a gold fails, or reads the clock. The script counts a missing prediction as
wrong; here it is an error unless ``--allow-missing`` is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlverdict.load.benchmark import BENCHMARKS, NO_OPTIONS, Benchmark
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.items import (
    Item,
    benchmark_of,
    check_options,
    first_file,
    item_tags,
    item_text,
    need_text,
)
from sqlverdict.load.system_records import ABSTENTION_WORD, Records
from sqlverdict.records import Case


@BENCHMARKS.member
class Ehrsql2022:
    """Reads a split of one database."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        check_options("ehrsql2022", options)
        names = (f"{split}.json", "valid.json") if split == "dev" else (f"{split}.json",)
        file = first_file(root, names, "EHRSQL")
        folder = find_databases(file.parent, ("databases", "."), databases)
        cases = [_case(item, where, folder) for item, where in Records(file)]
        return benchmark_of("ehrsql2022", cases, [file], folder, preset="ehrsql2022")


def _case(item: Item, where: str, folder: Databases) -> Case:
    db_id, query = need_text(item, where, "db_id"), item_text(item, where, "query")
    answerable = bool(query) and query != ABSTENTION_WORD and not item.get("is_impossible")
    return Case(
        id=need_text(item, where, "id"),
        db_id=db_id,
        question=item_text(item, where, "question"),
        golds=(query,) if answerable else (),
        database=folder.expected(db_id),
        answerable=answerable,
        tags=item_tags(item, "department", "importance", "tag"),
    )
