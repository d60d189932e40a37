"""The DSPy metric: in Evaluate, while bootstrapping, and as GEPA calls it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.dspy import scorable, sql_correct

pytestmark = [needs("dspy"), pytest.mark.filterwarnings("default")]

LUCKY = "SELECT name FROM item WHERE name <> 'pen'"


def example(gold: str = GOLD) -> Any:
    import dspy

    return dspy.Example(question="?", gold=gold, db="shop.sqlite").with_inputs("question")


def prediction(sql: str) -> Any:
    import dspy

    return dspy.Prediction(sql=sql)


def test_a_verdict_is_a_number_or_a_bool_while_bootstrapping(shop: Path) -> None:
    metric = sql_correct()
    assert metric(example(), prediction(RIGHT)) == 1.0
    assert metric(example(), prediction(WRONG)) == 0.0
    assert metric(example(), prediction(RIGHT), []) is True
    assert metric(example(), prediction(WRONG), []) is False


def test_an_unscored_example_is_not_zero_and_teaches_nothing(shop: Path) -> None:
    assert math.isnan(sql_correct()(example(BROKEN), prediction(RIGHT)))  # type: ignore[arg-type]
    assert sql_correct(unscored=0.5)(example(BROKEN), prediction(RIGHT)) == 0.5
    assert sql_correct()(example(BROKEN), prediction(RIGHT), []) is False


def test_examples_whose_gold_fails_are_left_out(shop: Path) -> None:
    good, bad = example(), example(BROKEN)
    assert scorable([good, bad]) == [good]


def test_feedback_has_reason_and_witness(shop: Path) -> None:
    metric = sql_correct(feedback=True, refute=200)
    wrong: Any = metric(example(), prediction(WRONG), None, "predict", None)
    assert wrong.score == 0.0
    assert "row_superset" in wrong.feedback
    lucky: Any = metric(example(), prediction(LUCKY), None, "predict", None)
    assert lucky.score == 1.0
    assert "they differ when" in lucky.feedback
    assert '"tables"' in lucky.feedback


def test_a_program_is_evaluated_with_feedback_too(shop: Path) -> None:
    import dspy

    class Program(dspy.Module):
        def forward(self, question: str) -> Any:
            return prediction(RIGHT)

    for metric in (sql_correct(), sql_correct(feedback=True)):
        run = dspy.Evaluate(devset=[example()], metric=metric, display_progress=False)
        assert run(Program()).score == 100.0


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    import dspy

    class Program(dspy.Module):
        def forward(self, question: str) -> Any:
            return prediction(RIGHT)

    assert run_example("DSPy", program=Program())["evaluation"].score == 100.0
