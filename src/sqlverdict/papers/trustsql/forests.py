"""TrustSQL's tables 8 and 9: which questions a detector before the generator lets through.

A random forest over words learns from answerable training questions and from TriageSQL's
unanswerable ones. The gate of CLSPROMPT is a recorded one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.detectors.rf import Rf
from sqlverdict.abstain.method import Ask, Tools, TrainingData, TrainingExample
from sqlverdict.load.benchmark import BENCHMARKS
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
from sqlverdict.papers.trustsql.systems import share_cell

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
