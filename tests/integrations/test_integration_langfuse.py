"""The Langfuse evaluator, in real experiments of a client that sends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.langfuse import sql_correct

pytestmark = [needs("langfuse"), pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_TRACING_ENABLED", "false")
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "none")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "none")
    monkeypatch.setenv("LANGFUSE_HOST", "http://127.0.0.1:9")


@pytest.mark.parametrize(("sql", "score"), [(RIGHT, 1), (WRONG, 0)])
def test_a_verdict_is_a_boolean_and_a_word(shop: Path, sql: str, score: int) -> None:
    number, word = sql_correct(db=shop)(input="?", output=sql, expected_output=GOLD)
    assert (number.name, number.value, number.data_type) == ("sql_correct", score, "BOOLEAN")
    assert (word.name, word.data_type) == ("sql_verdict", "CATEGORICAL")
    assert number.comment


def test_a_gold_that_fails_is_a_word_alone(shop: Path) -> None:
    (word,) = sql_correct(db=shop)(input="?", output=RIGHT, expected_output={"gold": BROKEN})
    assert (word.name, word.value) == ("sql_verdict", "unscored")


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    result = run_example("Langfuse")["result"]
    (item,) = result.item_results
    assert [(each.name, each.value) for each in item.evaluations] == [
        ("sql_correct", 1),
        ("sql_verdict", "correct"),
    ]
