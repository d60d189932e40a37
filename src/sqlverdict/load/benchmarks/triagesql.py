"""Reads TriageSQL: questions of five types, most of which no query answers.

Files: ``root`` is a ``.jsonl`` file or a JSON list of records with ``question``, ``type``,
``databaseid`` and perhaps ``question_datasetid``. Types are small talk, ambiguous, lack data,
unanswerable by sql and answerable; all but the last become unanswerable cases with the tag
``unanswerable_type``. Case ids are positions: "0" is the first. There are no databases and no
gold queries.

Oddities: answerable questions come without a query, so nothing could score an answer to them;
they are left out, and a note counts them. Options: ``answerable=keep`` keeps them, for
detectors that only read questions; ``types=a,b`` keeps only these types. Other types are kept
as they are named, and a note lists them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.text import few_of
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, OneFileReader, SourceFile
from sqlverdict.load.databases import Location
from sqlverdict.load.system_records import Records
from sqlverdict.records import Case

ANSWERABLE = "answerable"
TYPES = ("small talk", "ambiguous", "lack data", "unanswerable by sql", ANSWERABLE)


class TriagesqlCases:
    """The cases of a file, read anew at each iteration."""

    def __init__(self, records: Records, keep: bool, types: frozenset[str]) -> None:
        self._records = records
        self._keep = keep
        self._types = types

    def kinds(self) -> Counter[str]:
        """How often each type occurs in the file."""
        return Counter(kind for _, _, kind, _ in self._everything())

    def __iter__(self) -> Iterator[Case]:
        for number, question, kind, record in self._everything():
            answerable = kind == ANSWERABLE
            if (answerable and not self._keep) or (self._types and kind not in self._types):
                continue
            origin = str(record.get("question_datasetid") or "")
            yield Case(
                id=str(number),
                db_id=str(record.get("databaseid") or "none"),
                question=question,
                answerable=answerable,
                tags=({} if answerable else {"unanswerable_type": kind})
                | ({"dataset": origin} if origin else {}),
            )

    def _everything(self) -> Iterator[tuple[int, str, str, Mapping[str, object]]]:
        for number, (record, where) in enumerate(self._records):
            question, kind = record.get("question"), record.get("type")
            if not isinstance(question, str) or not isinstance(kind, str):
                raise BenchmarkError(
                    f"{where}: expected a 'question' and a 'type', both text.", reason="wrong_value"
                )
            yield number, question, kind.strip().lower(), record


@BENCHMARKS.member
class Triagesql(OneFileReader):
    """Reads TriageSQL's file."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        del databases
        unknown = set(options) - {"answerable", "types"}
        if unknown or options.get("answerable", "keep") not in ("keep", "off"):
            raise UsageError(
                f"triagesql takes only answerable=keep|off and types=a,b, not {dict(options)}"
            )
        types = frozenset(t.strip() for t in options.get("types", "").split(",") if t.strip())
        keep = options.get("answerable") == "keep"
        cases = TriagesqlCases(Records(file), keep, types)
        kinds = cases.kinds()
        if missing := sorted(types - set(kinds)):
            raise UsageError(f"{file} has no type {few_of(missing)}. It has {few_of(kinds, 9)}.")
        notes: tuple[str, ...] = ()
        if kinds[ANSWERABLE] and not keep:
            notes += (f"{kinds[ANSWERABLE]} answerable questions have no query: left out",)
        if others := sorted(set(kinds) - set(TYPES)):
            notes += (f"types that TriageSQL does not name: {few_of(others)}",)
        source = SourceFile.of(file)
        version = f"sha256 {source.sha256[:12]}"
        return Benchmark("triagesql", version, cases, sum(1 for _ in cases), (source,), notes)
