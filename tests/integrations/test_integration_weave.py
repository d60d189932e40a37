"""The Weave scorer, in real evaluations that log nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.weave import sql_correct

pytestmark = [needs("weave"), pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEAVE_DISABLED", "true")
    monkeypatch.setenv("WANDB_MODE", "offline")


def test_a_verdict_is_a_row(shop: Path) -> None:
    scorer = sql_correct(databases=shop.parent)
    assert scorer.score(output=RIGHT, gold=GOLD, db_id="shop")["sql_correct"] == 1
    wrong = scorer.score(output={"sql": WRONG}, gold=[GOLD], db="shop.sqlite")
    assert (wrong["sql_correct"], wrong["verdict"]) == (0, "incorrect")
    unscored = scorer.score(output=RIGHT, gold=BROKEN, db="shop.sqlite")
    assert (unscored["sql_correct"], unscored["verdict"]) == (None, "unscored")


def test_a_summary_leaves_unscored_rows_out(shop: Path) -> None:
    import weave

    @weave.op
    def system(question: str) -> str:
        return RIGHT

    rows = [{"question": "?", "gold": gold} for gold in (GOLD, BROKEN)]
    evaluation = weave.Evaluation(dataset=rows, scorers=[sql_correct(db="shop.sqlite")])
    summary = asyncio.run(evaluation.evaluate(system))
    assert summary["sql_correct"]["sql_correct"] == {"mean": 1.0}


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    assert run_example("Weave")["summary"]["sql_correct"]["sql_correct"] == {"mean": 1.0}
