"""Our EX against the verdicts of the official scripts, item by item."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.predictions import load_predictions
from tiers import sampled

pytestmark = pytest.mark.data

SPIDER = ("C3", "DAIL", "RASAT+PICARD", "RESDSQL")
BIRD = ("C3", "DAIL", "RESDSQL")


def official(path: Path) -> dict[str, dict[str, object]]:
    return {str(item["idx"]): item for item in map(json.loads, path.read_text().splitlines())}


@pytest.mark.sampled
@pytest.mark.parametrize("system", SPIDER)
def test_spider_execution_equals_the_official_script(data_root: Path, system: str) -> None:
    """972 items a system can run; the verdict is the same on every one, DISTINCT on or off.

    By default a quarter of them, of each system others.
    """
    root = data_root / "spider"
    benchmark = BENCHMARKS.get("spider").read(root, options={"difficulty": "off"})
    every = list(benchmark.cases)
    predictions = load_predictions(
        root / "predictions" / "dev" / f"{system}.txt", [case.id for case in every]
    )
    expected = official(data_root / "spider_reference" / f"dev_{system}.jsonl")
    assert sum("exec" in item for item in expected.values()) == 972
    step = sampled(len(SPIDER), 1)
    cases = every[SPIDER.index(system) % step :: step]
    run = evaluate(
        cases,
        {case.id: predictions[case.id] for case in cases},
        options=Options(metrics="ex[spider],ex[spider_distinct]", workers=0),
    )
    checked = 0
    for result in run.results():
        item = expected[result.id]
        if "exec" not in item:
            assert result.fault == "engine", "only the missing database cannot run"
            continue
        assert result.scores["ex[spider]"] == item["exec"], result
        assert result.scores["ex[spider_distinct]"] == item["exec_keep_distinct"], result
        checked += 1
    assert checked == sum("exec" in expected[case.id] for case in cases)
    assert checked > 0.9 * len(cases)


@pytest.mark.sampled
@pytest.mark.parametrize("system", BIRD)
def test_bird_execution_equals_the_official_script(data_root: Path, system: str) -> None:
    """303 items a system can run, on the gold revision that the reference used.

    By default a sixth of them, of each system others.
    """
    root = data_root / "bird"
    benchmark = BENCHMARKS.get("goldfile").read(root / "etm_gold.txt", databases=root / "databases")
    predictions = load_predictions(
        root / "predictions" / "dev" / f"{system}.txt", [case.id for case in benchmark.cases]
    )
    expected = official(data_root / "bird_reference" / f"dev_{system}.jsonl")
    assert len(expected) == 303
    step = sampled(2 * len(BIRD), 1)
    part = list(expected)[BIRD.index(system) % step :: step]
    cases = [case for case in benchmark.cases if case.id in part]
    run = evaluate(
        cases,
        {id_: predictions[id_] for id_ in part},
        options=Options(metrics="ex[bird]", workers=0),
    )
    ours = {result.id: result.scores["ex[bird]"] for result in run.results()}
    assert ours == {id_: expected[id_]["exec"] for id_ in part}
