"""Metrics that run nothing: the result of a pair says what a whole run says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.integrations.common import PairGrader

GOLD = "SELECT name FROM t WHERE n > 1"
WRONG = "SELECT n FROM t"


@pytest.mark.parametrize("metric", ["esm", "etm", "text_match"])
@pytest.mark.parametrize(("prediction", "right"), [(GOLD, True), (WRONG, False)])
def test_the_metric_decides_where_nothing_else_does(
    db: Path, metric: str, prediction: str, right: bool
) -> None:
    """They were left to a person to decide, and unscored in every framework."""
    result = sv.check(GOLD, prediction, db=db, metrics=metric)
    assert (result.scores[metric], result.correct) == (float(right), right)
    if not right:
        assert result.explain().startswith(f"incorrect: by {metric}")
    record = {"id": "1", "gold": GOLD, "prediction": prediction}
    (row,) = sv.evaluate([record], db=db, metrics=metric).rows()
    assert row["verdict"] == result.verdict
    assert PairGrader(db=db, metrics=metric).grade(prediction, {"gold": GOLD}).score == int(right)


def test_a_match_of_the_texts_alone_says_so(db: Path) -> None:
    result = sv.check(GOLD, "SELECT name FROM t WHERE n > 7", db=db, metrics="esm")
    assert result.explain().startswith("correct: by esm, the text alone")


def test_a_policy_is_not_overruled_by_the_metric_beside_it(db: Path) -> None:
    lucky = "SELECT 'b' UNION ALL SELECT 'c'"
    result = sv.check(GOLD, lucky, db=db, metrics="ex", policy="strict", refute=200)
    assert (result.scores["ex"], result.correct) == (1.0, False)
