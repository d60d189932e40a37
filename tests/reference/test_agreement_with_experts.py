"""The policy ``strict`` against FLEX's experts, on the half of the pairs that is at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.evidence import Judged
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.recorded import RecordedReplies
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.pipeline import Options, System, evaluate_systems
from sqlverdict.run.judging.asking import JudgeOptions
from sqlverdict.runlog.run import Run
from sqlverdict.score.agreement.agreement import RatedCase, agreement
from tiers import sampled

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.fixture(scope="module")
def agreed(data_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Runs the file with or without the recorded judge, and holds a metric against the labels."""
    path = data_root / "flex" / "agreement_half.jsonl"
    labels = {
        f"{r['set']}-{r['i']}": bool(r["human"])
        for r in map(json.loads, path.read_text("utf-8").splitlines())
    }
    benchmark = BENCHMARKS.get("flex").read(path)
    schemas = load_schemas(data_root / "bird" / "ddl.json")
    replies = {c.id: c.recorded.replies for c in benchmark.cases if c.recorded is not None}
    runs: dict[bool, Run] = {}

    def run(judged: bool) -> Run:
        # The searches are those of the run with the judge: by default half of them once more.
        cases = list(benchmark.cases)[:: 1 if judged else sampled(2, 1)]
        predictions = benchmark.predictions or {}
        judging = JudgeOptions("replay", Settings(model="recorded"), RecordedReplies(replies))
        options = Options(
            "ex,flex,verdict" if judged else "ex,verdict",
            workers=0,
            cache=None,
            schemas=schemas,
            judge=judging if judged else None,
            policy="strict",
        )
        folder = tmp_path_factory.mktemp("agreement") / "run"
        system = System("recorded", {case.id: predictions[case.id] for case in cases}, folder)
        return evaluate_systems(cases, [system], options=options)[0]

    def hold(metric: str, *, judged: bool) -> tuple[float, int, int]:
        if judged not in runs:
            runs[judged] = run(judged)
        results = list(runs[judged].results())
        rated = [
            RatedCase(
                r.id, labels[r.id], None if r.scores[metric] is None else bool(r.scores[metric])
            )
            for r in results
        ]
        calls = sum(
            piece.calls
            for r in results
            for piece in r.evidence
            if isinstance(piece, Judged) and metric in piece.metrics
        )
        result = agreement(metric, rated)
        assert result.kappa is not None
        return round(100 * result.kappa, 2), result.unscored, calls

    return hold


@pytest.mark.slow
def test_execution_accuracy_agrees_as_published(agreed: Any) -> None:
    assert agreed("ex", judged=True) == (58.0, 0, 0)


def test_flex_agrees_as_published_with_every_reply_read(agreed: Any) -> None:
    assert agreed("flex", judged=True) == (86.02, 0, 100)


def test_evidence_first_agrees_better_with_fewer_calls(agreed: Any) -> None:
    kappa, unscored, calls = agreed("verdict", judged=True)
    assert (kappa >= 90, unscored, calls <= 70) == (True, 0, True), (kappa, calls)


@pytest.mark.sampled
@pytest.mark.slow
def test_evidence_alone_agrees_well(agreed: Any) -> None:
    kappa, unscored, calls = agreed("verdict", judged=False)
    assert (kappa >= 80, unscored, calls) == (True, 0, 0), kappa
