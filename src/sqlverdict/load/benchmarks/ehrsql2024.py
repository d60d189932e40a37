"""Reads the EHRSQL-2024 shared task, with its participants' recorded answers.

Files: ``root`` is a ``.jsonl`` file of records with ``id``, ``question``, ``gold_sql`` (null or
the word null: unanswerable), ``answerable``, ``hardness``, ``template`` and ``systems``; or the
task's own folder with ``<split>/data.json`` and ``<split>/label.json``. Every case is on the
database ``mimic_iv``: give its file with ``databases``, else ``mimic_iv.sqlite`` is looked for
beside the file.

Recorded systems (``--system NAME``): the keys of ``systems``, each with ``sql`` (null, or the
word null of the task's own format, is an abstention) and perhaps a confidence, larger for
surer: ``logprob`` and ``mean_bottom10_logprob`` as they are, ``max_entropy`` with its sign
turned.

Oddities: queries get the present time and the normal ranges as the task's evaluation does; a
gold query that reads a table without rows is tagged ``unscorable``. Options:
``difficulty=off`` leaves out the hardness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.text import decode_json, read_bytes
from sqlverdict.load.benchmark import (
    BENCHMARKS,
    NO_OPTIONS,
    Benchmark,
    SourceFile,
    missing_databases,
)
from sqlverdict.load.columns.ids import id_from
from sqlverdict.load.databases import Databases, Location, find_databases
from sqlverdict.load.ehrsql import UNSCORABLE, gold_of, rowless_tables, unscorable_note
from sqlverdict.load.predictions import Predictions
from sqlverdict.load.system_records import (
    Record,
    Records,
    check_texts,
    entries,
    record_number,
    recorded,
    recorded_prediction,
)
from sqlverdict.parse.ehrsql import fill_in
from sqlverdict.parse.hardness import trustsql_hardness
from sqlverdict.records import Case, Prediction

DB_ID = "mimic_iv"
_CONFIDENCES = {"confidence": 1, "logprob": 1, "mean_bottom10_logprob": 1, "max_entropy": -1}
"""Fields that say how sure a system was, and whether a larger number means surer."""


class Ehrsql2024Cases:
    """The cases of a file or a split, read anew at each iteration."""

    def __init__(
        self, records: Records, labels: Path | None, databases: Databases, hardness: bool
    ) -> None:
        self._records = records
        self._labels = labels
        self._database = databases.expected(DB_ID)
        self._hardness = hardness
        self.rowless = rowless_tables(databases.path(DB_ID))

    def __iter__(self) -> Iterator[Case]:
        labels: dict[str, str | None] = {}
        if self._labels is not None:
            data = read_bytes(self._labels, BenchmarkError)
            labels = decode_json(data, str(self._labels), BenchmarkError, dict[str, str | None])
        for record, where in self._records:
            case_id = id_from(record.get("id"), where, BenchmarkError)
            if self._labels is not None and case_id not in labels:
                raise BenchmarkError(
                    f"{where}: {self._labels} has no label for {case_id!r}.", reason="incomplete"
                )
            yield self._case(case_id, record, labels.get(case_id, record.get("gold_sql")), where)

    def _case(self, case_id: str, record: Record, gold: object, where: str) -> Case:
        answerable = record.get("answerable", gold not in (None, "null"))
        if not isinstance(answerable, bool) or (answerable and not isinstance(gold, str)):
            raise BenchmarkError(
                f"{where}: expected a query in 'gold_sql', or null.", reason="wrong_value"
            )
        check_texts(record, where, "question", "hardness", "template")
        ehrsql_gold = gold_of(str(gold), self._database, self.rowless) if answerable else None
        level = record.get("hardness")
        if level is None and ehrsql_gold is not None and self._hardness:
            level = trustsql_hardness(ehrsql_gold.sql)
        template = record.get("template")
        return Case(
            id=case_id,
            db_id=DB_ID,
            question=str(record.get("question") or ""),
            golds=(ehrsql_gold.sql,) if ehrsql_gold is not None else (),
            database=ehrsql_gold.database if ehrsql_gold is not None else self._database,
            answerable=answerable,
            difficulty=str(level) if level and self._hardness else None,
            tags=({"template": str(template)} if template else {})
            | (ehrsql_gold.tags if ehrsql_gold is not None else {}),
        )


@BENCHMARKS.member
class Ehrsql2024:
    """Reads the shared task's files."""

    def read(
        self,
        root: Path,
        *,
        split: str = "dev",
        databases: Location = None,
        options: Mapping[str, str] = NO_OPTIONS,
    ) -> Benchmark:
        """Read a benchmark; see :class:`~sqlverdict.load.benchmark.BenchmarkReader`."""
        if set(options) - {"difficulty"} or options.get("difficulty", "on") not in ("on", "off"):
            raise UsageError(f"ehrsql2024 takes only difficulty=on|off, not {dict(options)}")
        file, labels = _files(root, split)
        folder = find_databases(file.parent, (".",), databases)
        hardness = options.get("difficulty", "on") == "on"
        cases = Ehrsql2024Cases(Records(file), labels, folder, hardness)
        everything = list(cases)
        unscorable = sum(UNSCORABLE in case.tags for case in everything)
        notes = missing_databases(folder, [DB_ID] * len(everything))
        notes += (unscorable_note(unscorable, cases.rowless),) if unscorable else ()
        sources = tuple(SourceFile.of(path) for path in (file, labels) if path is not None)
        version = "sha256 " + "+".join(source.sha256[:12] for source in sources)
        return Benchmark("ehrsql2024", version, cases, len(everything), sources, notes)

    def systems(self, root: Path, *, split: str = "dev") -> tuple[str, ...]:
        """The keys of ``systems``."""
        file, _ = _files(root, split)
        return tuple(
            dict.fromkeys(
                key for record, where in Records(file) for key in entries(record, "systems", where)
            )
        )

    def predictions(self, root: Path, system: str, *, split: str = "dev") -> Predictions:
        """One recorded system."""

        def read_prediction(record: Record, where: str) -> Prediction | None:
            systems = entries(record, "systems", where)
            if systems.get(system) is None:
                return None
            entry = entries(systems, system, where)
            sure = [(record_number(entry, key, where), sign) for key, sign in _CONFIDENCES.items()]
            confidence = next((value * sign for value, sign in sure if value is not None), None)
            return recorded_prediction(
                str(record["id"]), entry.get("sql"), where, repair=fill_in, confidence=confidence
            )

        file, _ = _files(root, split)
        return recorded(Records(file), system, self.systems(root, split=split), read_prediction)


def _files(root: Path, split: str) -> tuple[Path, Path | None]:
    """The file of cases, and in the task's own folder the file of labels."""
    if not root.is_dir():
        return root, None
    return root / split / "data.json", root / split / "label.json"
