"""TrustSQL's tables 7 to 9: which answers and questions detectors let through.

Table 7: an answer is given only where all samples agree. What "agree" means decides the score:
equal strings, the same tree, a proof, or the same rows.

Tables 8 and 9: a random forest over words learns from answerable training questions and from
TriageSQL's unanswerable ones. The gate of CLSPROMPT is a recorded one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlverdict.abstain.apply import detector_composition
from sqlverdict.abstain.calibrate import mark_drafts
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.decision import Decision
from sqlverdict.abstain.detectors.rf import Rf
from sqlverdict.abstain.generators.recorded import RecordedGenerator
from sqlverdict.abstain.method import Ask, Draft, Tools, TrainingData, TrainingExample
from sqlverdict.abstain.predictions import draft_of
from sqlverdict.execute.engine import DEFAULT_ENGINE, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.trustsql import Trustsql
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.printed import LEVELS, TYPES
from sqlverdict.papers.trustsql.sizes import (
    EHRSQL_TRAIN,
    FOLDER,
    SPIDER_TEST,
    inferred_type,
    records,
)
from sqlverdict.papers.trustsql.systems import OTHER_SAMPLES, share_cell
from sqlverdict.records import Case
from sqlverdict.score.reliability.outcomes import Cell, OutcomeTable, from_counts
from sqlverdict.score.reliability.reliability_score import PENALTIES, penalty_text, rs

LINES = {
    "5 samples": "voting(n=5)",
    "3 samples": "voting(n=3)",
    "5 samples, equal trees": "voting(n=5, equality=tree)",
    "5 samples, equal by proof": "voting(n=5, equality=proof)",
    "5 samples, equal rows": "voting(n=5, equality=execution)",
    "5 samples, equal rows as TrustSQL compares": "voting(equality=execution, "
    "preset=trustsql_spider)",
}

_ABSTAINED = {True: Cell.ABSTAINED_ANSWERABLE, False: Cell.ABSTAINED_UNANSWERABLE}
_ANSWERED: Mapping[bool | None, Cell | None] = {
    True: Cell.CORRECT,
    False: Cell.WRONG,
    None: None,
}


def vote_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 7, on the five recorded samples of Spider's questions."""
    reader = BENCHMARKS.get("trustsql")
    assert isinstance(reader, Trustsql)
    file = data.path(FOLDER, SPIDER_TEST)
    cases = list(reader.read(file, databases=data.path("spider", "database")).cases)
    drafts = {key: draft_of(one) for key, one in reader.predictions(file, "vote_top").items()}
    index = DatabaseIndex.of(cases)
    asks = [index.ask(case) for case in cases]
    runner = QueryRunner(DEFAULT_ENGINE, Limits())
    try:
        for row, line in LINES.items():
            data.tell(line)
            composition = detector_composition(line)
            assert isinstance(composition.generator, RecordedGenerator)
            composition.generator.drafts = drafts
            decisions = composition.answer(asks, Tools(runner=runner))
            yield from _score_cells(row, outcome_table(decisions, cases, runner))
    finally:
        runner.close()


def _score_cells(row: str, table: OutcomeTable) -> Iterator[PaperCell]:
    answered = table.correct + table.wrong + table.answered_unanswerable
    yield PaperCell(row, "answers given", answered, n=table.total)
    for penalty in PENALTIES:
        score = rs(table, penalty)
        assert score is not None, "there are cases"
        column = f"RS({penalty_text(penalty)})"
        yield PaperCell(row, column, 100 * score, n=table.total, reason=OTHER_SAMPLES)


def outcome_table(
    decisions: Sequence[Decision], cases: Sequence[Case], runner: QueryRunner
) -> OutcomeTable:
    """The outcomes of decisions, with what was answered run beside the gold."""
    examples = [
        TrainingExample(
            decision.ask,
            case.answerable,
            case.golds[0] if case.golds else None,
            Draft(decision.sql),
        )
        for decision, case in zip(decisions, cases, strict=True)
    ]
    cells: Counter[Cell | None] = Counter()
    for decision, marked in zip(
        decisions, mark_drafts(examples, runner, "trustsql_spider"), strict=True
    ):
        if decision.abstained:
            cells[_ABSTAINED[marked.answerable]] += 1
        elif not marked.answerable:
            cells[Cell.ANSWERED_UNANSWERABLE] += 1
        else:
            cells[_ANSWERED[marked.correct]] += 1
    return from_counts(cells, {})


Gate = Callable[[Mapping[str, Any]], bool]
"""Whether a question is let through."""

_TRIAGE = "triagesql_test.jsonl"
_EHRSQL_TEST = "ehrsql2024_test_v1.0_systems.jsonl"
_OTHER_BACKGROUND = (
    "TriageSQL's test questions stand for its validation questions, and types are inferred"
)
_OTHER_MODEL = "a later run of the authors', with gpt-4o"


def gate_cells(data: PaperData) -> Iterator[PaperCell]:
    """Tables 8 and 9."""
    test = records(data, SPIDER_TEST)
    spider = json.loads(data.path("spider", "train_spider.json").read_text(encoding="utf-8"))
    known = [item["question"] for item in spider]
    yield from _rows("RF", test, _forest(data, known, test), _OTHER_BACKGROUND)
    balanced = _forest(data, known, test, balance=True)
    yield from _rows("RF, balance=true", test, balanced, "")
    yield from _rows("CLS", test, lambda one: one["gates"]["clsprompt"] == "answerable")
    yield from _ehrsql_cells(data)


def _ehrsql_cells(data: PaperData) -> Iterator[PaperCell]:
    """The shared task's questions: seen and unseen SQL, and types, are not told apart there."""
    known = [one["question"] for one in records(data, EHRSQL_TRAIN) if one["answerable"]]
    test = records(data, _EHRSQL_TEST)
    gate = _forest(data, known, test)
    for level in ("easy", "hard"):
        own = [gate(one) for one in test if one["hardness"] == level]
        yield share_cell("RF, EHRSQL", level, sum(own), len(own))
    strange = [not gate(one) for one in test if not one["answerable"]]
    yield share_cell("RF, EHRSQL", "all unanswerable", sum(strange), len(strange))


def _rows(
    row: str, test: Sequence[Mapping[str, Any]], gate: Gate, reason: str = _OTHER_MODEL
) -> Iterator[PaperCell]:
    """Answerable questions let through by hardness, unanswerable ones held back by type."""
    for level in LEVELS:
        own = [gate(one) for one in test if one["hardness"] == level]
        yield share_cell(row, level, sum(own), len(own), reason)
    for kind in TYPES:
        held_back = [not gate(one) for one in test if inferred_type(one) == kind]
        yield share_cell(row, kind, sum(held_back), len(held_back), reason)


def triage_examples(data: PaperData) -> list[TrainingExample]:
    """TriageSQL's unanswerable questions.

    Raises:
        MissingFile: they are not at hand.
    """
    cases = BENCHMARKS.get("triagesql").read(data.path(FOLDER, _TRIAGE)).cases
    return [DatabaseIndex().example(case) for case in cases]


def _forest(
    data: PaperData,
    known: Sequence[str],
    test: Sequence[Mapping[str, Any]],
    *,
    balance: bool = False,
) -> Gate:
    """What a forest says to test questions that knows answerable ones, and TriageSQL's others."""
    data.tell(f"fit a random forest to {len(known):,} questions")
    train = [TrainingExample(Ask(str(n), "", text), sql="") for n, text in enumerate(known)]
    forest = Rf(balance=balance)
    forest.fit(TrainingData(train=train, background=triage_examples(data)), Tools())
    texts = sorted({record["question"] for record in test})
    detections = forest.score([(Ask("", "", text), None) for text in texts], Tools())
    answers = dict(zip(texts, map(forest.decide, detections), strict=True))
    return lambda record: answers[record["question"]]
