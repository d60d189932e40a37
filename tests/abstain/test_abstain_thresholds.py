"""Thresholds: the heuristic's prefix, ties, penalties; certified ones keep their promise."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.thresholds import NEVER, certified_threshold, heuristic_threshold

ITEMS = st.lists(st.tuples(st.integers(0, 6).map(float), st.booleans()), max_size=30)
COSTS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 10.0])


def total(items: list[tuple[float, bool]], threshold: float, cost: float) -> float:
    return sum(1 if right else -cost for confidence, right in items if confidence >= threshold)


@given(items=ITEMS, cost=COSTS, order=st.randoms())
def test_no_threshold_has_a_larger_sum_and_none_as_large_answers_less(items, cost, order) -> None:
    threshold = heuristic_threshold([c for c, _ in items], [r for _, r in items], cost)
    every = [NEVER, *(confidence for confidence, _ in items)]
    best = max(total(items, value, cost) for value in every)
    assert (
        threshold.score == pytest.approx(best) == pytest.approx(total(items, threshold.value, cost))
    )
    assert threshold.value == max(
        value for value in every if total(items, value, cost) == pytest.approx(best)
    )
    assert threshold.answered == sum(threshold.accepts(confidence) for confidence, _ in items)
    order.shuffle(items)
    again = heuristic_threshold([c for c, _ in items], [r for _, r in items], cost)
    assert again == threshold


def test_items_of_equal_confidence_stand_or_fall_together() -> None:
    """Cut inside a tie the sum could be 1; the whole group has -1, so nothing is answered."""
    threshold = heuristic_threshold([0.5, 0.5, 0.5], [True, False, False])
    assert threshold.value == NEVER
    assert threshold.answered == 0
    assert threshold.curve() == [(0, 0.0), (3, -1.0)]
    assert heuristic_threshold([0.5, 0.5, 0.5], [True, True, False]).value == 0.5


def test_the_curve_of_figure_2() -> None:
    threshold = heuristic_threshold([9, 8, 7, 6, 5], [True, True, False, True, True], 2)
    assert threshold.curve() == [(0, 0), (1, 1), (2, 2), (3, 0), (4, 1), (5, 2)]
    assert threshold.value == 8


def test_n_is_the_number_of_items_and_allows_no_mistake() -> None:
    threshold = heuristic_threshold([9, 8, 7, 6], [True, True, False, True], "N")
    assert threshold.penalty == 4
    assert threshold.value == 8
    assert heuristic_threshold([9, 8], [False, True], "N").value == NEVER


def test_at_no_penalty_everything_useful_is_answered() -> None:
    assert heuristic_threshold([3, 2, 1], [False, False, True], 0).value == 1


def test_always_wrong_means_never_answer() -> None:
    threshold = heuristic_threshold([0.9, 0.1], [False, False])
    assert threshold.value == math.inf
    assert not threshold.accepts(1.0)
    assert heuristic_threshold([], []).value == NEVER


def sample(rng: random.Random, n: int) -> list[tuple[float, bool]]:
    """Confidence on a grid with ties; an item of confidence c is wrong with chance (1 - c) / 2."""
    results = []
    for _ in range(n):
        sure = rng.randrange(21) / 20
        results.append((sure, rng.random() >= (1 - sure) / 2))
    return results


def true_risk(threshold: float) -> float:
    steps = [step / 20 for step in range(21) if step / 20 >= threshold]
    return sum((1 - sure) / 2 for sure in steps) / len(steps) if steps else 0.0


def test_the_promise_is_kept_as_often_as_it_says() -> None:
    rng = random.Random(11)
    broken = useful = 0
    for _ in range(300):
        items = sample(rng, 300)
        result = certified_threshold(*zip(*items, strict=True), risk=0.15, delta=0.2)
        useful += result.value < NEVER
        broken += true_risk(result.value) > 0.15
    assert broken <= 0.2 * 300
    assert useful > 200


def test_a_promise_in_words_and_numbers() -> None:
    items = [(n / 1000, n >= 300) for n in range(1000)]
    result = certified_threshold(*zip(*items, strict=True), risk=0.05)
    assert 0.3 <= result.value <= 0.4
    assert result.bound is not None
    assert result.wrong / result.answered <= result.bound <= 0.05
    assert "with probability at least 0.9, at most 5.0% of later answers" in result.guarantee
    assert result.accepts(result.value)


def test_everything_may_be_answered_and_nothing_may_be() -> None:
    right = certified_threshold([0.5] * 200, [True] * 200, risk=0.05)
    assert right.value == -math.inf
    assert right.answered == 200
    few = certified_threshold([0.5] * 5, [True] * 5, risk=0.01)
    assert few.value == NEVER
    assert few.bound is None
    assert "abstain always, or give more items" in few.guarantee
    assert certified_threshold([], [], risk=0.1).value == NEVER


@pytest.mark.parametrize("wrong", [{"risk": 0}, {"risk": 1.5}, {"risk": 0.1, "delta": 0}, {"risk": 0.1, "steps": 0}])  # fmt: skip
def test_impossible_promises_are_refused(wrong: dict) -> None:
    terms = {"delta": 0.1, "steps": 20, **wrong}
    with pytest.raises(UsageError, match="risk {risk}, delta {delta} and {steps}".format(**terms)):
        certified_threshold([1.0], [True], **wrong)


def test_no_confidence_reaches_never_and_infinite_confidence_has_a_threshold_of_its_own() -> None:
    never = heuristic_threshold([math.inf], [False])
    assert (never.value, never.accepts(math.inf)) == (NEVER, False)
    assert not certified_threshold([], [], risk=0.1).accepts(math.inf)
    sure = heuristic_threshold([math.inf, 1.0], [True, False])
    assert (sure.answered, sure.accepts(math.inf), sure.accepts(1.0)) == (1, True, False)
