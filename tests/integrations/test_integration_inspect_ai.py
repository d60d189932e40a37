"""The Inspect scorer, in real evaluations with Inspect's own mock model."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.inspect_ai import sql_correct

pytestmark = [needs("inspect_ai"), pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens of the mock model are counted with a table from the network; words will do."""
    import tiktoken

    encoder = SimpleNamespace(encode=lambda text, **more: text.split())
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: encoder)


def evaluate(reply: str, target: str | list[str], **metadata: Any) -> Any:
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model

    model = get_model(
        "mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", reply)]
    )
    task = inspect_ai.Task(
        dataset=[Sample(input="Which items?", target=target, metadata=metadata)],
        scorer=sql_correct(db="shop.sqlite", refute=50),
    )
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir="logs")
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize(("reply", "value", "accuracy"), [(RIGHT, "C", 1.0), (WRONG, "I", 0.0)])
def test_a_verdict_is_a_score(shop: Path, reply: str, value: str, accuracy: float) -> None:
    log = evaluate(f"```sql\n{reply}\n```", GOLD)
    score = log.samples[0].scores["sql_correct"]
    assert (score.value, score.answer) == (value, reply)
    assert score.explanation
    assert score.metadata["verdict"] == ("correct" if value == "C" else "incorrect")
    assert log.results.scores[0].metrics["accuracy"].value == accuracy


def test_any_of_several_targets_counts(shop: Path) -> None:
    log = evaluate(RIGHT, ["SELECT 1", GOLD])
    assert log.samples[0].scores["sql_correct"].value == "C"


def test_a_gold_that_fails_is_unscored_and_leaves_the_metrics(shop: Path) -> None:
    log = evaluate(RIGHT, BROKEN)
    score = log.samples[0].scores["sql_correct"]
    assert math.isnan(score.value)
    assert score.reason == "unscored"
    assert log.results.scores[0].unscored_samples == 1
    assert log.results.scores[0].scored_samples == 0


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    (log,) = run_example("Inspect")["logs"]
    assert log.status == "success", log.error
    assert log.samples[0].scores["sql_correct"].value == "I"
