"""The MLflow scorer, in real calls of mlflow.genai.evaluate."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.mlflow import sql_correct

pytestmark = [needs("mlflow"), pytest.mark.filterwarnings("default")]


@pytest.fixture
def store(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_GENAI_EVAL_MAX_WORKERS", "1")
    mlflow.set_tracking_uri(f"sqlite:///{shop.parent}/mlflow.db")


def test_a_verdict_is_feedback(shop: Path) -> None:
    scorer = sql_correct(db=shop)
    right = scorer(inputs={}, outputs=RIGHT, expectations={"gold": GOLD})
    wrong = scorer(inputs={}, outputs={"sql": WRONG}, expectations={"gold": GOLD})
    assert (right.value, right.error) == (True, None)
    assert (wrong.value, wrong.error) == (False, None)
    assert "row_superset" in wrong.rationale
    assert wrong.metadata["verdict"] == "incorrect"
    assert all(isinstance(value, str) for value in wrong.metadata.values())


def test_a_gold_that_fails_is_an_error_without_a_value(shop: Path) -> None:
    feedback = sql_correct(db=shop)(outputs=RIGHT, expectations={"gold": BROKEN})
    assert feedback.value is None
    assert feedback.error.error_code == "UNSCORED"
    assert "GOLD_EXECUTION_ERROR" in feedback.error.error_message


def test_an_evaluation_leaves_unscored_rows_out_of_its_mean(store: None) -> None:
    import mlflow

    rows = [(RIGHT, GOLD), (RIGHT, BROKEN)]
    data = [
        {"inputs": {"question": "?"}, "outputs": output, "expectations": {"gold": gold}}
        for output, gold in rows
    ]
    evaluation = mlflow.genai.evaluate(data=data, scorers=[sql_correct(db="shop.sqlite")])
    assert evaluation.metrics["sql_correct/mean"] == 1.0


def test_the_example_of_the_docs_runs(store: None) -> None:
    assert run_example("MLflow")["evaluation"].metrics["sql_correct/mean"] == 1.0
