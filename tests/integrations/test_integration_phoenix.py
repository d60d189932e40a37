"""The Phoenix evaluator, on records and on data frames."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.phoenix import sql_correct

pytestmark = [needs("phoenix"), pytest.mark.filterwarnings("default")]


@pytest.mark.parametrize(
    ("sql", "gold", "score", "label"),
    [
        (RIGHT, GOLD, 1, "correct"),
        (WRONG, GOLD, 0, "incorrect"),
        (RIGHT, BROKEN, None, "unscored"),
    ],
)
def test_a_verdict_is_a_score_and_unscored_has_no_number(
    shop: Path, sql: str, gold: str, score: int | None, label: str
) -> None:
    record = {"output": sql, "expected": gold, "metadata": {"db_id": "shop"}, "input": "?"}
    (result,) = sql_correct(databases=shop.parent).evaluate(record)
    assert (result.name, result.score, result.label) == ("sql_correct", score, label)
    assert result.explanation
    assert result.kind == "code"


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    import pandas

    frame = pandas.DataFrame({"output": [RIGHT, WRONG], "expected": [GOLD, GOLD]})
    scores = run_example("Phoenix", frame=frame)["scores"]["sql_correct_score"]
    parsed = [json.loads(each) if isinstance(each, str) else each for each in scores]
    assert [each["score"] for each in parsed] == [1, 0]
