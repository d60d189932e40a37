"""Labelled golds as the audit sees them: a report each, and whether people call the gold wrong.

``revisions``: 163 BIRD questions, three published systems (``labels/bird_revisions.jsonl``). A gold
is wrong where BIRD's revision of 2025-11-06 rewrote it so that it answers otherwise.

``corrected``: 88 BIRD questions, 13 systems (``labels/corrected_golds.jsonl``). A gold is wrong
where the experts' corrected gold answers otherwise on the database (``ex[bird]``).

``spider``, ``bird``: questions of 6 and 4 system runs (``labels/error_types.jsonl``). A gold is
wrong where "Gold Error" is among the marks of its question, right where the question was judged
without that mark. The file lists failing predictions, and passing ones only where they were marked
all the same. A system that is not listed has passed. What a passing system wrote is therefore known
for wrong golds only, so the gold stands for it everywhere: else its text would give the label away.
Questions that nobody fails or nobody judged are left out.

Where the database is here, queries run and their answers are compared; elsewhere the recorded
result counts and queries are compared as text, with the schemas of ``bird/ddl.json``.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlverdict.audit.gold_report import GoldReport, miss_weight, report_of
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.errors import SchemaError
from sqlverdict.execute.cache import AnswerCache, default_path
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import Benchmark
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import Answer, Case, Outcome, Prediction, Result, Verdict
from sqlverdict.report.agreement.opinions import results_match

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
GOLD_ERROR = "Gold Error"
OTHER_ANSWER = "gold rewritten, other answer"
SYSTEMS = ("C3", "DAIL", "RESDSQL")
FOLDERS = {"bird": DATA / "bird" / "databases", "spider": DATA / "spider" / "database"}


@dataclass(frozen=True)
class Labelled:
    """A gold with its label."""

    set: str
    report: GoldReport
    wrong: bool
    executed: bool

    @property
    def key(self) -> str:
        """Its question, among all sets: one question may be in two of them."""
        return f"{'spider' if self.set == 'spider' else 'bird'} {self.report.case.id}"

    @property
    def database(self) -> str:
        """Its database."""
        return self.report.case.db_id


class Databases:
    """The databases that are here, their schemas, and those of ``ddl.json``."""

    def __init__(self) -> None:
        self.runner = QueryRunner("sqlite", Limits(), AnswerCache(default_path()))
        self.known: dict[str, Schema] = {}
        for name in ("bird/ddl.json", "spider/tables.json"):
            self.known.update(load_schemas(DATA / name))

    def path(self, benchmark: str, db_id: str) -> str | None:
        """The file, where it is here."""
        result = FOLDERS[benchmark] / db_id / f"{db_id}.sqlite"
        return str(result) if result.is_file() else None

    def schema(self, benchmark: str, db_id: str) -> Schema | None:
        """The schema from the file, else as declared."""
        path = self.path(benchmark, db_id)
        try:
            return read_sqlite(path) if path is not None else self.known.get(db_id)
        except SchemaError:
            return self.known.get(db_id)

    def run(self, benchmark: str, db_id: str, sql: str) -> Outcome | None:
        """The outcome of a query, where the database is here."""
        path = self.path(benchmark, db_id)
        return self.runner.run(path, sql) if path is not None else None

    def same(self, db_id: str, gold: str, other: str) -> bool:
        """Whether two queries on a BIRD database answer the same by ``ex[bird]``."""
        preset = PRESETS.get("bird")
        left, right = preset.prepare(gold, other)
        one, two = self.run("bird", db_id, left), self.run("bird", db_id, right)
        if not isinstance(one, Answer) or not isinstance(two, Answer):
            return False
        return preset.compare(one, two, QueryPair(left, right)).equal is True


@dataclass(frozen=True)
class Question:
    """A question with its systems' queries; ``None``: it passes, and its text is not used."""

    case: Case
    queries: Mapping[str, str | None]
    wrong: bool

    def text(self, system: str) -> str | None:
        """A system's query; the gold stands for one that passes, and nothing for an empty text."""
        sql = self.queries[system]
        return self.case.golds[0] if sql is None else sql.strip() or None


def labelled(
    databases: Databases, sets: Sequence[str] = ("revisions", "corrected", "spider", "bird")
) -> list[Labelled]:
    """All labelled golds of the sets, in the order of the files."""
    results: list[Labelled] = []
    for name in sets:
        benchmark = "spider" if name == "spider" else "bird"
        questions = list(
            _revisions(databases)
            if name == "revisions"
            else _corrected(databases)
            if name == "corrected"
            else _marked(databases, benchmark)
        )
        here = [each for each in questions if each.case.database is not None]
        away = [each for each in questions if each.case.database is None]
        results += _reports(databases, name, benchmark, here)
        results += _reports(databases, name, benchmark, away)
    return results


def _revisions(databases: Databases) -> Iterator[Question]:
    folder = DATA / "bird" / "predictions" / "dev"
    systems = {name: (folder / f"{name}.txt").read_text().split("\n") for name in SYSTEMS}
    cases = {
        each["question_id"]: each
        for each in json.loads((DATA / "bird" / "dev.json").read_text(encoding="utf-8"))
    }
    for row in _rows("bird_revisions"):
        number = row["question_id"]
        record = {**cases[number], "gold": row["gold_20240627"]}
        case = _case(databases, "bird", str(number), record)
        queries = {name: lines[number].split("\t")[0] for name, lines in systems.items()}
        yield Question(case, queries, row["revision_20251106"] == OTHER_ANSWER)


def _corrected(databases: Databases) -> Iterator[Question]:
    for row in _rows("corrected_golds"):
        case = _case(databases, "bird", row["id"], row)
        wrong = not databases.same(row["db_id"], row["gold"], row["corrected_gold"])
        yield Question(case, row["predictions"], wrong)


def _marked(databases: Databases, benchmark: str) -> Iterator[Question]:
    rows = [row for row in _rows("error_types") if row["benchmark"] == benchmark]
    systems = sorted({row["system"] for row in rows})
    questions: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        questions[row["question_id"]].append(row)
    for number, members in questions.items():
        failing = {row["system"]: row for row in members if not row["results_match"]}
        if not any(row["error_types"] for row in failing.values()):
            continue
        wrong = any(GOLD_ERROR in row["error_types"] for row in members)
        queries = {
            system: failing[system]["prediction"] if system in failing else None
            for system in systems
        }
        case = _case(databases, benchmark, str(number), members[0])
        yield Question(case, queries, wrong)


def _rows(name: str) -> list[dict[str, Any]]:
    with (DATA / "labels" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _case(databases: Databases, benchmark: str, case_id: str, row: Mapping[str, Any]) -> Case:
    return Case(
        case_id,
        row["db_id"],
        row["question"],
        (row["gold"],),
        databases.path(benchmark, row["db_id"]),
        knowledge=row.get("evidence") or "",
    )


def _reports(
    databases: Databases, name: str, benchmark: str, questions: Sequence[Question]
) -> Iterator[Labelled]:
    if not questions:
        return
    wrong = {each.case.id: each.wrong for each in questions}
    known = {each.case.db_id for each in questions}
    schemas = {db_id: databases.schema(benchmark, db_id) for db_id in sorted(known)}
    executed = questions[0].case.database is not None
    results = list(_executed(benchmark, questions) if executed else _recorded(questions))
    weights = _weights(results)
    for answer in results:
        report = report_of(
            answer,
            weights=weights,
            knowledge={each.case.id: each.case.knowledge for each in questions},
            schemas={key: schema for key, schema in schemas.items() if schema is not None},
            rerun=(lambda db_id, sql: databases.run(benchmark, db_id, sql)) if executed else None,
        )
        yield Labelled(name, report, wrong[report.case.id], executed)


def _weights(results: Sequence[Sequence[tuple[str, Result]]]) -> dict[str, float]:
    """The weight of each system, by the golds of the set that it matches."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for name, result in (each for answer in results for each in answer):
        matches = results_match(result)
        if matches is not None:
            total[name] += 1
            right[name] += matches
    return {name: miss_weight(right[name], total[name] - right[name]) for name in total}


def _executed(benchmark: str, questions: Sequence[Question]) -> Iterator[list[tuple[str, Result]]]:
    """What a real run says: answers compared by the benchmark's own rule, relations, signs."""
    cases = [each.case for each in questions]
    names = list(questions[0].queries)
    options = Options(metrics=f"ex[{benchmark}]", workers=0)
    with TemporaryDirectory() as folder:
        systems = [
            System(
                name,
                {each.case.id: Prediction(each.case.id, each.text(name)) for each in questions},
                Path(folder) / str(position),
            )
            for position, name in enumerate(names)
        ]
        whole = Benchmark(benchmark, "labels", cases)
        runs = evaluate_systems(whole, systems, options=options)
        yield from (
            list(zip(names, answer, strict=True))
            for answer in zip(*(run.results() for run in runs), strict=True)
        )


def _recorded(questions: Sequence[Question]) -> Iterator[list[tuple[str, Result]]]:
    """What is known without a database: who matches the gold."""
    for each in questions:
        yield [
            (name, _result(each.case, each.text(name), sql is None))
            for name, sql in each.queries.items()
        ]


def _result(case: Case, sql: str | None, matches: bool) -> Result:
    return Result(
        index=0,
        id=case.id,
        db_id=case.db_id,
        question=case.question,
        gold=case.golds,
        prediction=sql,
        abstained=False,
        verdict=Verdict.CORRECT if matches else Verdict.INCORRECT,
        scores={"ex": float(matches)},
    )
