"""Frozen verdicts: what this version says about the demo's predictions.

A difference here is a change of score, hence of version: say in CHANGELOG.md what changed and
why, then write the corpus anew with ``python tests/corpus/test_frozen_verdicts.py``.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import relations_of
from sqlverdict.execute.engine import Limits
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks import demo
from sqlverdict.load.predictions import load_predictions

FOLDER = Path(__file__).parent
METRICS = "ex,ex[bird],ex[spider],ex[spider_distinct],ex[exact],text_match,soft_f1"

FIRST, *OTHERS = demo.systems()
SYSTEMS = [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)]
"""Each takes most of a second; ``make quick`` has one."""


def verdicts(system: str, databases: Path) -> list[dict[str, object]]:
    """One record per case: verdict, fault, reasons, relations, scores."""
    benchmark = BENCHMARKS.get("demo").read(Path(), databases=databases)
    ids = [case.id for case in benchmark.cases]
    predictions = load_predictions(demo.predictions_path(system), ids)
    # A small step budget: the endless queries end alike on every machine.
    options = Options(metrics=METRICS, workers=0, cache=None, limits=Limits(steps=20_000_000))
    return [
        {
            "id": result.id,
            "verdict": result.verdict.value,
            "fault": result.fault,
            "reasons": list(result.reasons),
            "relations": [relation.kind for relation in relations_of(result.evidence)],
            "scores": {
                name: value if value is None else round(value, 9)
                for name, value in result.scores.items()
            },
        }
        for result in evaluate(benchmark, predictions, options=options).results()
    ]


@pytest.mark.parametrize("system", SYSTEMS)
def test_verdicts_are_as_frozen(system: str, tmp_path: Path) -> None:
    frozen = (FOLDER / f"demo_{system}.jsonl").read_text(encoding="utf-8").splitlines()
    result = verdicts(system, tmp_path)
    assert len(result) == len(frozen)
    changed = [
        (json.loads(before), now)
        for before, now in zip(frozen, result, strict=True)
        if json.loads(before) != now
    ]
    assert not changed, "a change of score is a change of version; see this file's docstring"


if __name__ == "__main__":
    for name in demo.systems():
        with tempfile.TemporaryDirectory() as folder:
            lines = [json.dumps(record) for record in verdicts(name, Path(folder))]
        (FOLDER / f"demo_{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
