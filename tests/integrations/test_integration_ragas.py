"""The Ragas metric, as its collections call it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.ragas import sql_correct

pytestmark = [needs("ragas"), pytest.mark.filterwarnings("default")]


def test_a_verdict_is_a_metric_result(shop: Path) -> None:
    metric = sql_correct(databases=shop.parent)
    rows = [
        {"response": RIGHT, "reference": GOLD, "db_id": "shop"},
        {"response": WRONG, "gold": [GOLD], "db": "shop.sqlite"},
    ]
    right, wrong = metric.batch_score(rows)
    assert (right.value, wrong.value) == (1.0, 0.0)
    assert "row_superset" in wrong.reason


def test_a_gold_that_fails_is_not_a_number(shop: Path) -> None:
    result = sql_correct(db=shop).score(response=RIGHT, reference=BROKEN)
    assert math.isnan(result.value)
    assert "GOLD_EXECUTION_ERROR" in result.reason


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    assert run_example("Ragas")["result"].value == 1.0
