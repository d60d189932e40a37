"""The deepeval metric, alone and in deepeval's own evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG, needs, run_example

from sqlverdict.integrations.deepeval import sql_correct

pytestmark = [needs("deepeval"), pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")


def case(sql: str, gold: str = GOLD, **more: Any) -> Any:
    from deepeval.test_case import LLMTestCase

    return LLMTestCase(input="?", actual_output=sql, expected_output=gold, **more)


@pytest.mark.parametrize(("sql", "score"), [(RIGHT, 1.0), (WRONG, 0.0)])
def test_a_verdict_is_a_score_with_a_reason(shop: Path, sql: str, score: float) -> None:
    metric = sql_correct(db=shop)
    assert metric.measure(case(sql)) == score
    assert metric.is_successful() is bool(score)
    assert metric.reason


def test_a_gold_that_fails_is_skipped(shop: Path) -> None:
    metric = sql_correct(db=shop)
    assert metric.measure(case(RIGHT, BROKEN)) is None
    assert (metric.skipped, metric.success, metric.score) == (True, None, None)
    metric.measure(case(RIGHT))
    assert (metric.skipped, metric.success) == (False, True)


@pytest.mark.parametrize("run_async", [True, False])
def test_deepeval_evaluates_with_it(shop: Path, run_async: bool) -> None:
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig

    result = evaluate(
        [case(RIGHT), case(WRONG), case(RIGHT, BROKEN)],
        [sql_correct(db=shop)],
        async_config=AsyncConfig(run_async=run_async),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        cache_config=CacheConfig(write_cache=False),
    )
    scores = {
        (each.actual_output, each.expected_output): [data.score for data in each.metrics_data or []]
        for each in result.test_results
    }
    assert scores[RIGHT, GOLD] == [1.0]
    assert scores[WRONG, GOLD] == [0.0]
    assert scores[RIGHT, BROKEN] in ([], [None])


def test_the_example_of_the_docs_runs(shop: Path) -> None:
    assert run_example("deepeval")["metric"].success is True
