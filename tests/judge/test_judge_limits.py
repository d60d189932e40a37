"""Pace, cost limit and prices: what keeps a run within what it may use."""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_asking import HandClock

from error_parts import refuses_data
from sqlverdict.errors import DataError
from sqlverdict.llm.costs import CostBudget, Price, Prices, load_prices
from sqlverdict.llm.rate import Pace
from timeouts import HANG_SECONDS, wait_until


@given(st.floats(0.5, 600), st.integers(1, 40))
def test_starts_are_spread_over_the_minute(per_minute: float, count: int) -> None:
    clock = HandClock()
    pace = Pace(per_minute, clock)
    starts = []
    for _ in range(count):
        assert pace.take_turn()
        starts.append(clock.now())
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert all(gap == pytest.approx(60 / per_minute) for gap in gaps)
    assert starts[0] == 1000.0


def test_a_late_caller_does_not_make_up_for_lost_turns() -> None:
    clock = HandClock()
    pace = Pace(60, clock)
    pace.take_turn()
    clock.time += 30
    pace.take_turn()
    pace.take_turn()
    assert clock.now() == 1031.0


def test_a_pause_holds_everybody_and_the_longest_counts() -> None:
    clock = HandClock()
    pace = Pace(None, clock)
    pace.hold(5)
    pace.hold(2)
    pace.take_turn()
    assert clock.now() == 1005.0
    pace.take_turn()
    assert clock.now() == 1005.0


def test_threads_share_one_pace() -> None:
    clock = HandClock()
    pace = Pace(60, clock)
    threads = [
        threading.Thread(target=lambda: [pace.take_turn() for _ in range(5)]) for _ in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clock.now() >= 1019.0


def test_a_stop_ends_the_waiting() -> None:
    stop = threading.Event()
    pace = Pace(0.001, None, stop)
    assert pace.take_turn()
    waiting = threading.Thread(target=pace.take_turn)
    waiting.start()
    stop.set()
    waiting.join(HANG_SECONDS)
    assert not waiting.is_alive()
    assert not pace.take_turn()


def test_the_limit_is_kept_by_the_worst_case() -> None:
    budget = CostBudget(10.0)
    assert budget.reserve(6.0)
    budget.settle(6.0, 1.0)
    assert budget.spent == 1.0
    assert budget.reserve(9.0)
    budget.settle(9.0, 0.0)
    assert not budget.reserve(9.5)
    assert CostBudget(None).reserve(1e9)
    assert not CostBudget(0.0).reserve(0.001)
    assert CostBudget(0.0).reserve(0.0)


def test_near_the_limit_a_call_waits_for_the_ones_in_flight() -> None:
    budget = CostBudget(10.0)
    assert budget.reserve(6.0)
    answers: list[bool] = []
    second = threading.Thread(target=lambda: answers.append(budget.reserve(6.0)))
    second.start()
    assert wait_until(lambda: bool(budget._changed._waiters))  # type: ignore[attr-defined]
    assert answers == []
    budget.settle(6.0, 2.0)
    second.join(HANG_SECONDS)
    assert answers == [True]
    third = threading.Thread(target=lambda: answers.append(budget.reserve(6.0)))
    third.start()
    budget.settle(6.0, 5.0)
    third.join(HANG_SECONDS)
    assert answers == [True, False]


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 1)), max_size=40), st.floats(0, 20))
def test_whatever_calls_cost_the_limit_holds(
    calls: list[tuple[float, float]], limit: float
) -> None:
    budget = CostBudget(limit)
    work = iter(calls)
    lock = threading.Lock()

    def run() -> None:
        while True:
            with lock:
                call = next(work, None)
            if call is None:
                return
            worst, share = call
            if budget.reserve(worst):
                budget.settle(worst, worst * share)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_SECONDS)
        assert not thread.is_alive()
    assert budget.spent <= limit * (1 + 1e-6)


def test_a_cost_by_hand() -> None:
    prices = Prices({"m": Price(input=2.0, output=8.0, cached_input=0.5, batch=0.5)})
    # 800 at 2 + 200 at 0.5 + 100 at 8, by the million.
    assert prices.cost("m", 1000, 100, discounted=200) == pytest.approx(0.0025)
    assert prices.cost("m", 1000, 100, discounted=200, batch=True) == pytest.approx(0.00125)
    assert prices.cost("m", 10, 0, discounted=99) == pytest.approx(5e-6)
    assert prices.cost("unknown", 10, 10) is None


def test_without_a_cached_price_all_tokens_cost_the_same() -> None:
    assert Prices({"m": Price(1.0, 1.0)}).cost("m", 10, 0, discounted=10) == pytest.approx(1e-5)


def test_the_prices_that_come_along() -> None:
    prices = load_prices()
    assert prices.cost("gpt-4o", 1_000_000, 1_000_000) == 12.5
    assert prices.as_of
    assert not prices.knows("gpt-4o-of-my-own")
    assert all(price.output >= price.input > 0 for price in prices.models.values())


def test_the_users_file_corrects_and_adds(tmp_path: Path) -> None:
    own = tmp_path / "prices.json"
    own.write_text(
        json.dumps(
            {
                "models": {
                    "gpt-4o": {"input": 1, "output": 1},
                    "house": {"input": 0, "output": 0},
                }
            }
        )
    )
    prices = load_prices(own)
    assert prices.cost("gpt-4o", 1_000_000, 0) == 1.0
    assert prices.cost("house", 10, 10) == 0.0
    assert prices.knows("gpt-4o-mini")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"models": {"m": {"input": 1}}}',
        '{"models": {"m": {"input": "1", "output": 1}}}',
        '{"models": {"m": {"input": -1, "output": 1}}}',
        '{"models": {"m": {"input": 1, "output": 1, "ouput": 1}}}',
    ],
)
def test_a_price_file_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    own = tmp_path / "prices.json"
    own.write_text(text)
    with refuses_data(DataError, "unreadable", "prices.json"):
        load_prices(own)


def test_a_price_file_that_is_not_there(tmp_path: Path) -> None:
    with refuses_data(DataError, "missing", "none.json"):
        load_prices(tmp_path / "none.json")
