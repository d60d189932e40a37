"""Scores are the outcome of a case: they change nothing of what they were made from."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from sqlverdict.execute.engine import Limits
from sqlverdict.records import Case, Prediction
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.options import Options
from sqlverdict.run.plan import plan_run
from sqlverdict.run.refuter import Refuter
from sqlverdict.run.scoring import MetricItem, MetricScorer

MakeCase = Callable[..., Case]
SLOW = "SELECT count(*) FROM person a, person b, person c"


def test_a_gold_that_stands_in_for_silence_changes_no_inputs(make_case: MakeCase) -> None:
    """What the clock cut of it is said beside the score."""
    plan = plan_run(Options("soft_f1", workers=0, cache=None, limits=Limits(seconds=0.05)))
    with closing(plan.open_runner()) as runner:
        inputs = StageInputs(make_case("1", SLOW), Prediction("1", abstained=True), runner, plan)
        refuter = Refuter(plan)
        scorer = MetricScorer(MetricItem(inputs, refuter), runner, refuter)
        scored = scorer.score(plan.specs[0])
        assert (scored.score.value, scored.repeatable) == (None, False)
        assert inputs.is_final
