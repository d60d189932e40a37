"""Our exact set match against the official script's verdicts, item by item."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import Result
from tiers import sampled

pytestmark = [pytest.mark.data, pytest.mark.sampled]

ACCEPTED = {"C3": 774, "DAIL": 906, "RASAT+PICARD": 959, "RESDSQL": 972}
"""How many predictions of each system the official parser accepts."""
EVERY = sampled(10, 1)
"""One prediction in so many is scored; of each system others."""


@dataclass(frozen=True)
class Scored:
    """A system's predictions as we score them, beside what the official script says of each."""

    system: str
    ours: list[Result]
    official: list[dict[str, Any]]


@pytest.fixture(scope="module", params=ACCEPTED)
def scored(data_root: Path, request: pytest.FixtureRequest) -> Scored:
    system: str = request.param
    root = data_root / "spider"
    benchmark = BENCHMARKS.get("spider").read(root, options={"difficulty": "off"})
    cases = list(benchmark.cases)
    ids = [case.id for case in cases]
    predictions = load_predictions(root / "predictions" / "dev" / f"{system}.txt", ids)
    options = Options(metrics="esm,esm[values],esm[script]", workers=0)
    reference = data_root / "spider_reference" / f"dev_{system}.jsonl"
    official = [json.loads(line) for line in reference.read_text().splitlines()]
    assert sum(bool(item.get("esm_parsed")) for item in official) == ACCEPTED[system]
    part = slice(list(ACCEPTED).index(system) % EVERY, None, EVERY)
    benchmark = replace(benchmark, cases=cases[part], count=len(cases[part]))
    run = evaluate(benchmark, {id_: predictions[id_] for id_ in ids[part]}, options=options)
    return Scored(system, list(run.results()), official[part])


def test_esm_equals_the_official_script_where_it_can_parse(scored: Scored) -> None:
    checked = 0
    for result, item in zip(scored.ours, scored.official, strict=True):
        if not item.get("esm_parsed"):
            continue
        checked += 1
        results = result.scores["esm"], result.scores["esm[values]"]
        assert results == (item["esm"], item["esm_values"]), (result.gold, result.prediction)
    assert checked > 0.7 * len(scored.ours)


def test_esm_script_is_what_the_official_script_prints(scored: Scored) -> None:
    checked = 0
    for result, item in zip(scored.ours, scored.official, strict=True):
        assert result.scores["esm[script]"] is not None, "tables.json stands in for a database"
        if "esm_parsed" not in item:
            continue
        checked += 1
        printed = item["esm"] if item["esm_parsed"] else 0
        assert result.scores["esm[script]"] == printed, (result.gold, result.prediction)
    assert checked > 0.9 * len(scored.ours)
