"""The labelled sets that verdicts are measured on, with all evidence that can be had about them.

============  ================================================================================
rose-bird     half of ROSE's BIRD pairs (``labels/rose_vec.jsonl``): people judged the intent.
              Two databases are at hand; of the others the schema and the recorded EX are
rose-spider   half of ROSE's Spider pairs: people judged the intent. There is neither a
              database nor a schema, only the recorded EX: what the queries name stands in
corrected     13 systems on 88 BIRD questions whose golds experts corrected
              (``labels/corrected_golds.jsonl``). The label is EX (``bird``) against the
              corrected gold: made by a comparison, not by a person who saw the prediction
flex          half of FLEX's pairs (``flex/agreement_half.jsonl``): three experts, strict
              criteria, recorded results, GPT-4o's replies
============  ================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlverdict.evidence import Judged
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.recorded import RecordedReplies
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.records import (
    Answer,
    Case,
    Judgement,
    Prediction,
    Recording,
    Result,
)
from sqlverdict.run.judging.asking import JudgeOptions
from sqlverdict.verdicts import decide

EX = "decisive/EX"
NO_ANSWER = Answer((), [])
SETS = ("rose-bird", "rose-spider", "corrected", "flex")


@dataclass(frozen=True)
class Labelled:
    """One labelled pair, with its evidence.

    Attributes:
        set: The label set.
        question: The question's name; pairs of one question are not independent.
        label: What people say.
        case: The case.
        result: What was found out, without a judge.
        judges: What recorded judges say.
        ex: What the comparisons say, by name.
        labels: Where a comparison made the label: what each of them would have made it.
    """

    set: str
    question: str
    label: bool
    case: Case
    result: Result
    judges: Mapping[str, bool] = field(default_factory=dict)
    ex: Mapping[str, bool] = field(default_factory=dict)
    labels: Mapping[str, bool] = field(default_factory=dict)

    def judgement(self, policy: Any, opinion: bool | None = None, **more: Any) -> Judgement:
        """What a policy makes of it, with a judge's opinion or without one."""
        evidence = tuple(e for e in self.result.evidence if not isinstance(e, Judged))
        if opinion is not None:
            evidence += (Judged("recorded", correct=opinion),)
        prediction = Prediction(self.result.id, self.result.prediction)
        return decide(self.case, prediction, evidence, policy, judged=opinion is not None, **more)


def labelled(data: Path) -> list[Labelled]:
    """All pairs of all sets."""
    return [*_rose(data), *_corrected(data), *_flex(data)]


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _database(data: Path, db_id: str) -> str | None:
    path = data / "bird" / "databases" / db_id / f"{db_id}.sqlite"
    return str(path) if path.exists() else None


def _evaluate(cases: Any, predictions: Any, metrics: str, **options: Any) -> list[Result]:
    with TemporaryDirectory() as folder:
        system = System("system", predictions, Path(folder) / "run")
        run_options = Options(metrics, cache=None, **options)
        (run,) = evaluate_systems(cases, [system], options=run_options)
        return list(run.results())


_EX = "ex,ex[bird],ex[spider]"
_ALL = f"{_EX},verdict"


def _opinions(result: Result) -> dict[str, bool]:
    scores = result.scores.items()
    return {name: bool(v) for name, v in scores if v is not None and name.startswith("ex")}


def _rose(data: Path) -> Iterator[Labelled]:
    records = _lines(data / "labels" / "rose_vec.jsonl")
    schemas = load_schemas(data / "bird" / "ddl.json")
    cases, predictions = [], {}
    for record in records:
        db_id = record["db_id"]
        database = _database(data, db_id) if record["set"] == "bird" else None
        equal = record["verdicts"][EX] == 1
        recording = Recording((NO_ANSWER,), NO_ANSWER, equal, whole=False, has_results=False)
        cases.append(
            Case(
                record["id"],
                db_id,
                record["question"],
                (record["gold"],),
                database,
                knowledge=record["evidence"],
                recorded=None if database else recording,
            )
        )
        predictions[record["id"]] = Prediction(record["id"], record["prediction"])
    unseen = {name: schema for name, schema in schemas.items() if not _database(data, name)}
    results = _evaluate(cases, predictions, _ALL, schemas=unseen)
    for record, case, result in zip(records, cases, results, strict=True):
        judges = {
            name: value == 1
            for name, value in record["verdicts"].items()
            if not name.startswith("decisive/")
        }
        yield Labelled(
            f"rose-{record['set']}",
            f"{record['set']}-{record['question_id']}",
            record["label"],
            case,
            result,
            judges,
            {**_opinions(result), "recorded EX": record["verdicts"][EX] == 1},
        )


def _corrected(data: Path) -> Iterator[Labelled]:
    records = _lines(data / "labels" / "corrected_golds.jsonl")
    cases, corrected, predictions = [], [], {}
    for record in records:
        for system, sql in record["predictions"].items():
            case = Case(
                f"{record['id']}-{system}",
                record["db_id"],
                record["question"],
                (record["gold"],),
                _database(data, record["db_id"]),
                knowledge=record["evidence"],
                tags={"question": record["id"]},
            )
            cases.append(case)
            corrected.append(replace(case, golds=(record["corrected_gold"],)))
            predictions[case.id] = Prediction(case.id, sql)
    labels = _evaluate(corrected, predictions, _EX)
    results = _evaluate(cases, predictions, _ALL)
    for case, result, label in zip(cases, results, labels, strict=True):
        value = label.scores["ex[bird]"]
        if value is not None:
            question = f"bird-{case.tags['question']}"
            yield Labelled(
                "corrected",
                question,
                bool(value),
                case,
                result,
                ex=_opinions(result),
                labels=_opinions(label),
            )


def _flex(data: Path) -> Iterator[Labelled]:
    path = data / "flex" / "agreement_half.jsonl"
    benchmark = BENCHMARKS.get("flex").read(path)
    cases = list(benchmark.cases)
    replies = {c.id: c.recorded.replies for c in cases if c.recorded is not None}
    results = _evaluate(
        benchmark,
        benchmark.predictions or {},
        "ex,flex,verdict",
        schemas=load_schemas(data / "bird" / "ddl.json"),
        judge=JudgeOptions("replay", Settings(model="recorded"), RecordedReplies(replies)),
        policy="strict",
    )
    for record, case, result in zip(_lines(path), cases, results, strict=True):
        flex = result.scores["flex"]
        yield Labelled(
            "flex",
            f"bird-{record['bird_question_id']}",
            bool(record["human"]),
            case,
            result,
            {} if flex is None else {"gpt-4o/FLEX": bool(flex)},
            _opinions(result),
        )


def audited_golds(data: Path) -> dict[str, bool]:
    """By question: whether the published gold answers as the one that experts corrected.

    The gold stands as one more answer, compared as those of the systems are.
    """
    cases, predictions = [], {}
    for record in _lines(data / "labels" / "corrected_golds.jsonl"):
        db_id, golds = record["db_id"], (record["corrected_gold"],)
        cases.append(Case(record["id"], db_id, record["question"], golds, _database(data, db_id)))
        predictions[record["id"]] = Prediction(record["id"], record["gold"])
    results = _evaluate(cases, predictions, _EX)
    return {f"bird-{result.id}": result.scores["ex[bird]"] == 1 for result in results}


def picked(data: Path) -> list[Labelled]:
    """Pairs of Spider dev with people's preference (``equivalence/relaxed.jsonl``).

    They were picked: on 42 of 70 of them people contradict the comparison of results. So no rate
    is learned from them.
    """
    questions = {
        _plain(one["query"]): one["question"]
        for one in json.loads((data / "spider" / "dev.json").read_text())
    }
    cases, predictions, labels = [], {}, []
    for number, record in enumerate(_lines(data / "equivalence" / "relaxed.jsonl")):
        name, db_id = str(number), record["database"]
        database = data / "spider" / "database" / db_id / f"{db_id}.sqlite"
        if database.exists():
            question = questions.get(_plain(record["gold_sql"]), "")
            cases.append(Case(name, db_id, question, (record["gold_sql"],), str(database)))
            predictions[name] = Prediction(name, record["pred_sql"])
            labels.append(record["human_preference"] == "equivalent")
    results = _evaluate(cases, predictions, _ALL)
    return [
        Labelled("picked", case.golds[0], label, case, result, ex=_opinions(result))
        for case, result, label in zip(cases, results, labels, strict=True)
    ]


def _plain(sql: str) -> str:
    return " ".join(sql.lower().split())
