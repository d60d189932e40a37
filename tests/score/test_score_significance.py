"""Paired tests: McNemar against brute force, the bootstrap, groups that never claim equality."""

from __future__ import annotations

import random
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.statistics.significance import (
    binary_pairs,
    holm,
    indistinguishable_groups,
    mcnemar,
    paired_bootstrap,
)


def brute_force(b: int, c: int) -> float:
    n = b + c
    tail = sum(comb(n, k) for k in range(min(b, c) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**n)))


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_equals_brute_force_and_is_symmetric(b: int, c: int) -> None:
    assert mcnemar(b, c) == pytest.approx(brute_force(b, c), rel=1e-9)
    assert mcnemar(b, c) == mcnemar(c, b)


def test_mcnemar_hand_calculation() -> None:
    assert mcnemar(1, 5) == pytest.approx(2 * 7 / 64)
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 6) == pytest.approx(0.03125)


def test_mcnemar_is_stable_for_a_million_differences() -> None:
    # The continuity-corrected normal: z = (2000 - 1) / 1000.
    assert mcnemar(499_000, 501_000) == pytest.approx(0.045609, abs=1e-5)
    assert 0.0 <= mcnemar(0, 1_000_000) < 1e-300
    assert 0.99 < mcnemar(499_999, 500_001) <= 1.0


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_falls_as_the_balance_tips(b: int, c: int) -> None:
    more, fewer = max(b, c), min(b, c)
    assert mcnemar(fewer, more + 1) <= mcnemar(fewer, more) + 1e-12


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(UsageError, match="-1"):
        mcnemar(-1, 3)


def test_mcnemar_is_honest_under_the_null() -> None:
    rng = random.Random(5)
    rejected = 0
    for _ in range(2000):
        gained = sum(rng.random() < 0.5 for _ in range(40))
        rejected += mcnemar(40 - gained, gained) < 0.05
    assert rejected / 2000 < 0.06


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=60))
@settings(max_examples=40, deadline=None)
def test_bootstrap_test_turns_with_the_sign(differences: list[float]) -> None:
    test = paired_bootstrap(differences, resamples=200)
    assert test.pairs == len(differences)
    assert test.p_value is not None
    assert 0 < test.p_value <= 1
    assert test.low is not None
    assert test.high is not None
    assert test.low <= test.high
    negated = paired_bootstrap([-value for value in differences], resamples=200)
    assert negated.difference == pytest.approx(-(test.difference or 0.0))


def test_bootstrap_sees_a_difference_and_none() -> None:
    clear = paired_bootstrap([0.5] * 40 + [0.0] * 60)
    assert clear.p_value is not None
    assert clear.p_value < 0.01
    assert clear.difference == pytest.approx(0.2)
    assert paired_bootstrap({0.5: 20, -0.5: 20}).p_value == pytest.approx(1.0, abs=0.15)
    assert paired_bootstrap([0.0] * 9).p_value == 1.0
    assert paired_bootstrap([]).p_value is None


def test_bootstrap_test_names_the_normal_approximation() -> None:
    test = paired_bootstrap({0.5: 10_100, -0.5: 10_000})
    assert test.test == "paired normal"
    assert test.p_value == pytest.approx(0.4807, abs=2e-3)  # z = 100 / sqrt(20100)


def test_no_change_in_few_pairs_is_not_certainty() -> None:
    test = binary_pairs(0, 0, 10)
    assert (test.difference, test.p_value) == (0.0, 1.0)
    assert test.low is not None
    assert test.high is not None
    assert test.low < -0.1 < 0.1 < test.high


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 200))
def test_binary_interval_holds_the_difference(b: int, c: int, same: int) -> None:
    n = b + c + same
    test = binary_pairs(b, c, n)
    if not n:
        assert test.p_value is None
        return
    assert test.difference == pytest.approx((c - b) / n)
    assert test.low is not None
    assert test.high is not None
    assert -1 <= test.low <= (c - b) / n <= test.high <= 1
    assert binary_pairs(c, b, n).low == pytest.approx(-test.high)


def test_holm_hand_calculation() -> None:
    # 0.01 * 3, 0.02 * 2, 0.03 * 1 -> 0.03, 0.04, 0.04 since adjusted values never fall.
    assert holm({"b": 0.02, "a": 0.01, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "b": 0.04, "c": 0.04}
    )
    assert holm({}) == {}


def flags(right: int, n: int = 400) -> list[float | None]:
    return [float(i < right) for i in range(n)]


def test_groups_are_cut_at_the_first_system_told_apart() -> None:
    systems = [("a", flags(300)), ("b", flags(298)), ("c", flags(200)), ("d", flags(199))]
    groups = indistinguishable_groups(systems, binary=True)
    assert [group.members for group in groups] == [("a", "b"), ("c", "d")]
    assert [group.best for group in groups] == ["a", "c"]
    assert groups[0].p_values["c"] < 0.05 < groups[0].p_values["b"]


def test_groups_of_a_metric_that_is_not_binary() -> None:
    rng = random.Random(1)
    base = [rng.random() for _ in range(200)]
    systems = [
        ("a", list(base)),
        ("b", [max(0.0, x + rng.uniform(-0.2, 0.2)) for x in base]),
        ("c", [x - 0.2 for x in base]),
    ]
    groups = indistinguishable_groups(systems, binary=False)
    assert [group.members for group in groups] == [("a", "b"), ("c",)]


def test_unscored_cases_leave_the_pair() -> None:
    # On the common cases the two are the same, whatever the unscored ones might have been.
    first: list[float | None] = [1.0 for _ in range(100)]
    second: list[float | None] = [1.0] * 50 + [None] * 50
    groups = indistinguishable_groups([("a", first), ("b", second)], binary=True)
    assert groups[0].members == ("a", "b")
    assert groups[0].p_values == {"b": 1.0}


def test_many_systems_can_still_be_told_apart() -> None:
    # With a fixed number of resamples the smallest possible p-value, corrected, would exceed 0.05.
    systems = [("best", [0.9] * 30), *((f"s{i}", [0.1] * 30) for i in range(60))]
    groups = indistinguishable_groups(systems, binary=False)
    assert groups[0].members == ("best",)


def test_groups_need_aligned_scores() -> None:
    with pytest.raises(UsageError, match="'b': 0"):
        indistinguishable_groups([("a", [1.0]), ("b", [])], binary=True)


def test_no_systems_no_groups() -> None:
    assert indistinguishable_groups([], binary=True) == []
