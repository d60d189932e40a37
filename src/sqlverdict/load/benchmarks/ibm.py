"""Reads records of IBM's text2sql-eval-toolkit, with the predictions that they hold.

Files: ``root`` is a JSON list (or ``.jsonl``) of objects with ``question`` or ``utterance``,
``sql`` or ``query`` (a text, or a list of right answers), ``db_id``, perhaps ``id`` or
``question_id``, ``evidence``, ``difficulty``, ``gt_df`` and ``predictions``. Databases by
``db_id``: a folder of files or a URL. Options: none. The toolkit's scores are its own mixture of
results and judges: choose a preset.

Recorded systems (``--system NAME``): the keys of ``predictions``, each an object with
``predicted_sql``.

Oddities: without an id the position is the id; a repeated ``question_id`` makes positions the ids
of all. ``gt_df``, the gold's result, is not read: golds are run. An empty ``predicted_sql`` is a
reply without SQL, not an abstention.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError, PredictionError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import count, few_of
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader
from sqlverdict.load.databases import Location, find_databases
from sqlverdict.load.items import (
    Item,
    benchmark_of,
    check_options,
    item_text,
    item_texts,
    need_text,
)
from sqlverdict.load.predictions import Predictions
from sqlverdict.load.replies.fenced import text_prediction
from sqlverdict.load.system_records import Records, entries
from sqlverdict.records import Case, Prediction


@BENCHMARKS.member
class Ibm(OneFileReader):
    """Reads a file of records."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        check_options("ibm", options)
        folder = find_databases(file.parent, ("databases", "database", "."), databases)
        cases = []
        for case_id, item, where in _items(file):
            db_id, golds = need_text(item, where, "db_id"), item_texts(item, where, "sql", "query")
            if not golds:
                raise BenchmarkError(
                    f"{where}: found no gold. Expected a query in 'sql'.", reason="missing_field"
                )
            cases.append(
                Case(
                    id=case_id,
                    db_id=db_id,
                    question=item_text(item, where, "question", "utterance"),
                    golds=golds,
                    database=folder.expected(db_id),
                    difficulty=item_text(item, where, "difficulty") or None,
                    knowledge=item_text(item, where, "evidence"),
                )
            )
        return benchmark_of("ibm", cases, [file], folder)

    def systems(self, root: Path, *, split: str = "dev") -> tuple[str, ...]:
        """The keys of ``predictions``."""
        del split
        return tuple(
            dict.fromkeys(
                name
                for _, item, where in _items(root)
                for name in entries(item, "predictions", where)
            )
        )

    def predictions(self, root: Path, system: str, *, split: str = "dev") -> Predictions:
        """One recorded system."""
        del split
        by_id: dict[str, Prediction] = {}
        missing = []
        for case_id, item, where in _items(root):
            of_system = entries(item, "predictions", where)
            if of_system.get(system) is None:
                missing.append(case_id)
                continue
            sql = item_text(entries(of_system, system, where), where, "predicted_sql", "sql")
            by_id[case_id] = text_prediction(case_id, sql)
        if not by_id:
            known = ", ".join(self.systems(root)) or "none"
            raise PredictionError(
                f"{root} records no system {system!r}. Recorded: {known}", reason="unknown_name"
            )
        notes = (
            f"{count(len(missing), 'case has', 'cases have')} no record of {system} (id "
            f"{few_of(missing)})",
        )
        digest = sha256_file(root)
        return Predictions(by_id, str(root), "recorded", digest, notes if missing else ())


def _items(file: Path) -> Iterator[tuple[str, Item, str]]:
    """The records with their ids; positions where there are none, or one repeats."""
    records = list(Records(file))
    ids = [item_text(item, where, "id", "question_id") for item, where in records]
    if "" in ids or len(set(ids)) < len(ids):
        ids = list(map(str, range(len(records))))
    for case_id, (item, where) in zip(ids, records, strict=True):
        yield case_id, item, where
