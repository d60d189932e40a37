"""The LangSmith evaluator, in real evaluations that upload nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.langsmith import sql_correct

pytestmark = [needs("langsmith"), pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("LANGSMITH_API_KEY", "none")


def example(gold: str) -> Any:
    from langsmith.schemas import Example

    fields = {"id": uuid4(), "dataset_id": uuid4(), "created_at": datetime.now(UTC)}
    return Example(inputs={"question": "Which items?"}, outputs={"gold": gold}, **fields)


def feedback(sql: str, gold: str) -> Any:
    from langsmith import evaluate

    results = evaluate(
        lambda inputs: {"sql": sql},
        data=[example(gold)],
        evaluators=[sql_correct(db="shop.sqlite")],
        upload_results=False,
    )
    (row,) = list(results)
    (result,) = row["evaluation_results"]["results"]
    return result


@pytest.mark.parametrize(("sql", "score"), [(RIGHT, 1), (WRONG, 0)])
def test_a_verdict_is_an_evaluation_result(shop: Path, sql: str, score: int) -> None:
    result = feedback(sql, GOLD)
    assert (result.key, result.score) == ("sql_correct", score)
    assert result.comment
    assert result.metadata["sql"] == sql


def test_a_gold_that_fails_has_no_score(shop: Path) -> None:
    result = feedback(RIGHT, BROKEN)
    assert (result.score, result.value) == (None, "unscored")


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    names = run_example("LangSmith", examples=[example(GOLD)])
    (row,) = list(names["results"])
    assert row["evaluation_results"]["results"][0].score == 1
