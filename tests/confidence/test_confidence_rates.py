"""The fit under the order, and the spread of label sets: by hand, and against what must hold."""

from __future__ import annotations

from itertools import pairwise
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.confidence.counts import Count
from sqlverdict.confidence.rates import (
    NEIGHBOURS,
    Shift,
    fit_rates,
    log_odds,
    never_rising,
    shift_of,
    shift_probability,
    shifts,
    spread_of,
)

VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 50)), min_size=1, max_size=8)


def squares(values: list[float], fitted: list[float], weights: list[float]) -> float:
    return sum(w * (v - f) ** 2 for v, f, w in zip(values, fitted, weights, strict=True))


@given(VALUES)
def test_the_fit_never_rises_and_keeps_the_weighted_mean(items: list[tuple[float, float]]) -> None:
    values, weights = [v for v, _ in items], [w for _, w in items]
    fitted = never_rising(values, weights)
    assert all(one >= other - 1e-12 for one, other in pairwise(fitted))
    total = sum(v * w for v, w in items)
    assert sum(f * w for f, w in zip(fitted, weights, strict=True)) == pytest.approx(total)
    if all(one >= other for one, other in pairwise(values)):
        assert fitted == values


@given(VALUES, st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_no_other_values_that_never_rise_are_nearer(
    items: list[tuple[float, float]], others: list[float]
) -> None:
    values, weights = [v for v, _ in items], [w for _, w in items]
    other = sorted(others[: len(values)], reverse=True)
    fitted = never_rising(values, weights)
    assert squares(values, fitted, weights) <= squares(values, other, weights) + 1e-9


def test_rates_can_be_redone_by_hand() -> None:
    steps = [{"a": Count(9, 10, 10)}, {"a": Count(2, 10, 10), "b": Count(6, 10, 10)}]
    alike_first = (10 / 12) * (2 / 12)
    first = 10 / (1 + 9 * alike_first)
    alike_second = (9 / 22) * (13 / 22)
    second = 2 * 10 / (1 + 9 * alike_second)
    rates = fit_rates(steps)
    drawn_first = (first * 0.9 + NEIGHBOURS * 0.4) / (first + NEIGHBOURS)
    drawn_second = (second * 0.4 + NEIGHBOURS * (0.9 + 0) / 2) / (second + NEIGHBOURS)
    assert rates.rates == pytest.approx((drawn_first, drawn_second))
    assert rates.weights == pytest.approx((first + NEIGHBOURS, second + NEIGHBOURS))


def test_a_step_without_labels_has_the_rate_of_the_next_that_has_some() -> None:
    rates = fit_rates([{}, {"a": Count(8, 10, 10)}, {}, {"a": Count(1, 10, 10)}, {}])
    assert rates.rates[0] == rates.rates[1] > rates.rates[2] == rates.rates[3] == rates.rates[4]
    assert rates.weights[0] == rates.weights[2] == rates.weights[4] == 0
    assert fit_rates([{}, {}]).weights == (0.0, 0.0)


@given(st.floats(0.05, 0.95), st.floats(-2, 2))
def test_a_shift_is_found_again(p: float, by: float) -> None:
    shift = shift_of([(p, shift_probability(p, by), 1e6)])
    assert shift.value == pytest.approx(by, abs=1e-3)
    assert log_odds(shift_probability(p, by)) - log_odds(p) == pytest.approx(by)


def test_few_questions_say_less_of_a_shift() -> None:
    few, many = (shift_of([(0.5, 0.9, n)], 1.0) for n in (2.0, 200.0))
    assert 0 < few.value < many.value
    assert few.deviation > many.deviation


def test_shifts_are_measured_against_the_other_sets() -> None:
    steps = [{"a": Count(70, 100, 100), "b": Count(30, 100, 100)}, {"b": Count(5, 100, 100)}]
    first, second = shifts(steps)
    assert first.value > 0 > second.value
    assert shifts([{"a": Count(1, 2, 2)}]) == []


def test_one_more_set_lies_farther_where_sets_lie_apart() -> None:
    near, far = ([Shift(by, 0.2), Shift(-by, 0.2), Shift(by, 0.2)] for by in (0.1, 1.5))
    unknown = spread_of([])
    assert spread_of(near).bound < unknown.bound < spread_of(far).bound
    assert spread_of(near).variance < unknown.variance < spread_of(far).variance


def test_with_many_sets_the_bound_is_that_of_the_normal_distribution() -> None:
    normal = NormalDist(0, 0.8)
    seen = [Shift(normal.inv_cdf((n + 0.5) / 400), 0.0) for n in range(400)]
    assert spread_of(seen).bound == pytest.approx(normal.inv_cdf(0.975), rel=0.03)
