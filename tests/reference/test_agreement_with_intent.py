"""The policy ``intent`` against ROSE's annotators, on the half of the pairs that is at hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.records import Answer, Case, Prediction, Recording, Result
from sqlverdict.score.agreement.agreement import RatedCase, agreement
from tiers import sampled

pytestmark = [pytest.mark.data, pytest.mark.slow]

EVERY = sampled(2, 1)
"""One pair in so many is evaluated."""
NOTHING = Answer((), [])
Kappa = Callable[[str, str], tuple[float, int]]


@pytest.fixture(scope="module")
def kappa(data_root: Path) -> Kappa:
    """Kappa of a metric on one of the sets, and how many pairs it decides."""
    path = data_root / "labels" / "rose_vec.jsonl"
    every = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    sets = [[r for r in every if r["set"] == which] for which in ("bird", "spider")]
    records = {r["id"]: r for each in sets for r in each[::EVERY]}
    databases = data_root / "bird" / "databases"
    cases, predictions = [], {}
    for record in records.values():
        file = databases / record["db_id"] / f"{record['db_id']}.sqlite"
        here = record["set"] == "bird" and file.exists()
        cases.append(_case(record, str(file) if here else None))
        predictions[record["id"]] = Prediction(record["id"], record["prediction"])
    schemas = load_schemas(data_root / "bird" / "ddl.json")
    options = Options("ex,ex[bird],ex[spider],verdict", workers=0, cache=None, schemas=schemas)
    results = list(evaluate(cases, predictions, options=options).results())

    def figures(metric: str, which: str) -> tuple[float, int]:
        rated = [
            RatedCase(r.id, records[r.id]["label"], _bool(r, metric))
            for r in results
            if records[r.id]["set"] == which
        ]
        result = agreement(metric, rated)
        assert result.kappa is not None
        return result.kappa, len(rated) - result.unscored

    return figures


def _case(record: dict[str, Any], database: str | None) -> Case:
    equal = record["verdicts"]["decisive/EX"] == 1
    recording = Recording((NOTHING,), NOTHING, equal, whole=False, has_results=False)
    return Case(
        record["id"],
        record["db_id"],
        record["question"],
        (record["gold"],),
        database,
        knowledge=record["evidence"],
        recorded=None if database else recording,
    )


def _bool(result: Result, metric: str) -> bool | None:
    value = result.scores[metric]
    return None if value is None else bool(value)


@pytest.mark.sampled
@pytest.mark.parametrize(("which", "least", "pairs"), [("bird", 0.55, 157), ("spider", 0.45, 131)])
def test_intent_agrees_better_than_any_comparison(
    kappa: Kappa, which: str, least: float, pairs: int
) -> None:
    ours, decided = kappa("verdict", which)
    assert ours >= least
    assert decided >= 0.9 * pairs / EVERY, "little is left to people"
    for comparison in ("ex", "ex[bird]", "ex[spider]"):
        theirs, all_of_them = kappa(comparison, which)
        assert all_of_them == len(range(0, pairs, EVERY))
        assert ours > theirs
