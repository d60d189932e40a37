"""Reads TrustSQL, answerable and unanswerable questions together, with recorded systems.

Files: ``root`` is a ``.jsonl`` file or a JSON list. Fields of a record: ``id``, ``db_id``,
``question``, ``gold_sql`` (also ``query``; null or the word null: unanswerable),
``answerable``, ``hardness`` (else computed from the gold query), ``unans_type_inferred`` (also
``unanswerable_type``), ``seen_sql``, ``template``; in the published form ``type`` and ``note``
hold seen-sql, unseen-sql or inf and the hardness or the type. Unanswerable types become the tag
``unanswerable_type``, unknown ones too; ``seen`` and ``template`` are tags as well. Databases:
the given folder or file, else ``databases`` or ``database`` beside the file.

Recorded systems (``--system NAME``): the keys of ``decision``; null is an abstention. The
systems ``voting`` and ``vote_top`` carry the share of the leading vote as confidence and the
five samples.

Oddities: queries on ``mimic_iv`` get the present time and the normal ranges as EHRSQL's
evaluation does; a gold query there that reads a table without rows is tagged ``unscorable``. A
question that is null is empty text, and a note counts them. Options: ``difficulty=off`` leaves
out the hardness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.text import count
from sqlverdict.load.benchmark import (
    BENCHMARKS,
    Benchmark,
    OneFileReader,
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

_EHRSQL = "mimic_iv"
_VOTES = ("voting", "vote_top")
_TEXTS = (
    *("question", "hardness", "type", "note", "template", "seen_sql"),
    *("unans_type_inferred", "unanswerable_type"),
)
_SEEN = {"seen-sql": "seen", "unseen-sql": "unseen"}


class TrustsqlCases:
    """The cases of a file, read anew at each iteration."""

    def __init__(self, records: Records, databases: Databases, hardness: bool) -> None:
        self._records = records
        self._databases = databases
        self._hardness = hardness
        self.rowless = rowless_tables(databases.path(_EHRSQL))

    def __iter__(self) -> Iterator[Case]:
        for record, where in self._records:
            yield self._case(record, where)

    def _case(self, record: Record, where: str) -> Case:
        gold = record["gold_sql"] if "gold_sql" in record else record.get("query")
        gold = None if gold == "null" else gold
        answerable = record.get("answerable", gold is not None)
        db_id = record.get("db_id")
        if not isinstance(db_id, str) or not isinstance(answerable, bool):
            raise BenchmarkError(
                f"{where}: expected a db_id and answerable as true or false.", reason="wrong_value"
            )
        if not isinstance(gold, str) and answerable:
            raise BenchmarkError(
                f"{where}: an answerable case needs its query in 'gold_sql'.",
                reason="missing_field",
            )
        check_texts(record, where, *_TEXTS)
        database = self._databases.expected(db_id)
        tags = {
            "unanswerable_type": None if answerable else _unanswerable_type(record),
            "seen": _seen(record),
            "template": record.get("template"),
        }
        if answerable and db_id == _EHRSQL:
            ehrsql_gold = gold_of(str(gold), database, self.rowless)
            gold, database = ehrsql_gold.sql, ehrsql_gold.database
            tags |= ehrsql_gold.tags
        level = record.get("hardness")
        if record.get("type") in _SEEN and answerable:
            level = level or record.get("note")
        if level is None and answerable and self._hardness:
            level = trustsql_hardness(str(gold))
        return Case(
            id=id_from(record.get("id"), where, BenchmarkError),
            db_id=db_id,
            question=str(record.get("question") or ""),
            golds=(str(gold),) if answerable else (),
            database=database,
            answerable=answerable,
            difficulty=str(level) if level and self._hardness else None,
            tags={name: str(tag) for name, tag in tags.items() if tag},
        )


@BENCHMARKS.member
class Trustsql(OneFileReader):
    """Reads TrustSQL's file."""

    def read_file(self, file: Path, databases: Location, options: Mapping[str, str]) -> Benchmark:
        """Read the file."""
        if set(options) - {"difficulty"} or options.get("difficulty", "on") not in ("on", "off"):
            raise UsageError(f"trustsql takes only difficulty=on|off, not {dict(options)}")
        folder = find_databases(file.parent, ("databases", "database", "."), databases)
        cases = TrustsqlCases(Records(file), folder, options.get("difficulty", "on") == "on")
        everything = list(cases)
        silent = sum(not case.question for case in everything)
        unscorable = sum(UNSCORABLE in case.tags for case in everything)
        notes = missing_databases(folder, [case.db_id for case in everything])
        notes += (f"{count(silent, 'case has', 'cases have')} no question text",) if silent else ()
        notes += (unscorable_note(unscorable, cases.rowless),) if unscorable else ()
        digest = (source := SourceFile.of(file)).sha256[:12]
        return Benchmark("trustsql", f"sha256 {digest}", cases, len(everything), (source,), notes)

    def systems(self, root: Path, *, split: str = "dev") -> tuple[str, ...]:  # noqa: ARG002
        """The keys of ``decision``."""
        records = Records(root)
        return tuple(entries(records.first(), "decision", str(root)))

    def predictions(self, root: Path, system: str, *, split: str = "dev") -> Predictions:
        """One recorded system."""

        def read_prediction(record: Record, where: str) -> Prediction | None:
            decision = entries(record, "decision", where)
            if system not in decision:
                return None
            gates, raw = entries(record, "gates", where), entries(record, "raw", where)
            voted = system in _VOTES
            samples = raw.get("sqlprompt_voting5")
            return recorded_prediction(
                str(record["id"]),
                decision[system],
                where,
                repair=fill_in if record.get("db_id") == _EHRSQL else str,
                confidence=record_number(gates, "vote_frac", where) if voted else None,
                samples=tuple(map(str, samples)) if voted and isinstance(samples, list) else (),
            )

        return recorded(Records(root), system, self.systems(root, split=split), read_prediction)


def _unanswerable_type(record: Record) -> object:
    label = record.get("unans_type_inferred") or record.get("unanswerable_type")
    return label or (record.get("note") if record.get("type") == "inf" else record.get("type"))


def _seen(record: Record) -> object:
    flag = record.get("seen_sql")
    return _SEEN.get(str(record.get("type"))) if flag is None else "seen" if flag else "unseen"
