"""The Braintrust scorer, in real evaluations that send nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.braintrust import sql_correct

pytestmark = [needs("braintrust"), pytest.mark.filterwarnings("default")]


def test_a_verdict_is_a_score(shop: Path) -> None:
    scorer = sql_correct(databases=shop.parent)
    right = scorer("?", RIGHT, GOLD, {"db_id": "shop"})
    wrong = scorer({"question": "?", "db_id": "shop"}, WRONG, {"gold": GOLD})
    assert (right.name, right.score) == ("sql_correct", 1)
    assert (wrong.score, wrong.metadata["verdict"]) == (0, "incorrect")


def test_a_gold_that_fails_is_skipped(shop: Path) -> None:
    score = sql_correct(db=shop)("?", RIGHT, BROKEN)
    assert (score.score, score.metadata["verdict"]) == (None, "unscored")


def test_an_evaluation_leaves_skipped_scores_out_of_its_mean(shop: Path) -> None:
    from braintrust import Eval, EvalCase

    result = Eval(
        "shop",
        data=[EvalCase(input="a", expected=GOLD), EvalCase(input="b", expected=BROKEN)],
        task=lambda question: RIGHT,
        scores=[sql_correct(db=shop)],
        no_send_logs=True,
    )
    assert result.summary.scores["sql_correct"].score == 1.0


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    (result,) = run_example("Braintrust")["evaluation"].results
    assert result.scores == {"sql_correct": 1}
