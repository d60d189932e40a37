"""Intervals over strata: Wilson's for one, published ones for two, brute force for small ones."""

from __future__ import annotations

from itertools import product
from math import comb, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.statistics.intervals import wilson, z_of
from sqlverdict.score.statistics.strata import (
    Stratum,
    SumPart,
    constrained_rate,
    stratified_interval,
    stratified_share,
    sum_interval,
)

MANY = 10**12
"""So many cases that the labels are no part of them."""


@pytest.mark.parametrize(
    ("right", "labels"), [(0, 10), (1, 10), (5, 10), (10, 10), (67, 100), (0, 1), (1, 1)]
)
def test_one_stratum_gives_wilson(right: int, labels: int) -> None:
    assert stratified_interval([Stratum(MANY, labels, right)]) == pytest.approx(
        wilson(right, labels), abs=1e-9
    )


@pytest.mark.parametrize("labels", [5, 20, 80])
def test_one_stratum_of_few_cases_is_wilson_with_more_labels(labels: int) -> None:
    """The correction for a finite population is the same as that many labels more.

    Each end lies half a case further out.
    """
    size, right = 100, labels // 2
    worth = labels * (size - 1) / (size - labels)
    expected = wilson(right / labels * worth, worth)
    low, high = stratified_interval([Stratum(size, labels, right)])
    half = 0.5 / size
    assert low == pytest.approx(max(expected[0] - half, right / size), abs=1e-9)
    most = (size - labels + right) / size
    assert high == pytest.approx(min(expected[1] + half, most), abs=1e-9)


@pytest.mark.parametrize(
    ("size", "labels"),
    [
        (size, labels)
        for size, labels in product((40, 75, 100, 200, 500, 2000), (20, 30, 37, 50, 100, 1000))
        if labels <= size / 2
    ],
)
def test_labels_that_are_all_right_leave_out_only_shares_that_rarely_give_them(
    size: int, labels: int
) -> None:
    """Exactly: how probable such a sample is with the most right cases that are left out."""
    low, high = stratified_interval([Stratum(size, labels, labels)])
    assert high == 1
    right = max(number for number in range(size) if number / size < low - 1e-9)
    assert comb(right, labels) / comb(size, labels) < 0.041
    assert comb(right + 2, labels) / comb(size, labels) > 0.015


@pytest.mark.parametrize(
    ("first", "second", "ends"),
    [
        ((56, 70), (48, 80), (0.0533, 0.3377)),
        ((9, 10), (3, 10), (0.1821, 0.8370)),
        ((6, 7), (2, 7), (0.0544, 0.8478)),
        ((5, 56), (0, 29), (-0.0313, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((10, 10), (0, 20), (0.7225, 1.0)),
    ],
)
def test_a_difference_is_mees_interval(
    first: tuple[int, int], second: tuple[int, int], ends: tuple[float, float]
) -> None:
    """Mee's score interval of two shares, as printed by Newcombe (1998), table II."""
    parts = [
        SumPart(weight, Stratum(MANY, labels, right))
        for weight, (right, labels) in ((1.0, first), (-1.0, second))
    ]
    assert sum_interval(parts) == pytest.approx(ends, abs=5e-5)


def test_labels_of_all_cases_leave_no_doubt() -> None:
    strata = [Stratum(10, 10, 7), Stratum(30, 30, 2)]
    low, high = stratified_interval(strata)
    assert low == pytest.approx(high) == pytest.approx(9 / 40)


def test_equal_strata_are_weighed_by_their_size() -> None:
    assert stratified_share([Stratum(100, 10, 10), Stratum(300, 10, 0)]) == 0.25


@pytest.mark.parametrize(
    ("size", "labels", "right"), [(10, 0, 0), (10, 11, 3), (10, 5, 6), (10, 5, -1), (0, 0, 0)]
)
def test_numbers_that_cannot_be(size: int, labels: int, right: int) -> None:
    with pytest.raises(UsageError):
        Stratum(size, labels, right)


def test_no_cases() -> None:
    with pytest.raises(UsageError):
        stratified_share([])


@pytest.mark.parametrize(
    "strata",
    [
        [Stratum(MANY, 8, 7), Stratum(MANY, 6, 1)],
        [Stratum(MANY, 8, 8), Stratum(MANY, 6, 0)],
        [Stratum(2 * MANY, 12, 9), Stratum(MANY, 3, 3)],
        [Stratum(3 * MANY, 5, 0), Stratum(MANY, 5, 5)],
    ],
)
def test_two_strata_by_brute_force(strata: list[Stratum]) -> None:
    """The ends, found without the multiple: over a grid of shares, and of rates for each share."""
    weights = [each.size / sum(other.size for other in strata) for each in strata]
    estimate, z = stratified_share(strata), z_of(0.95)

    def is_inside(theta: float) -> bool:
        best, variance = -float("inf"), 0.0
        for step in range(401):
            first = step / 400
            second = (theta - weights[0] * first) / weights[1]
            if not -1e-12 <= second <= 1 + 1e-12:
                continue
            rates = (first, min(1.0, max(0.0, second)))
            likelihood = sum(map(_log_likelihood, strata, rates))
            if likelihood > best:
                best = likelihood
                variance = sum(
                    weight**2 * rate * (1 - rate) / each.labels
                    for weight, rate, each in zip(weights, rates, strata, strict=True)
                )
        return abs(estimate - theta) <= z * sqrt(variance) + 1e-9

    inside = [step / 200 for step in range(201) if is_inside(step / 200)]
    assert stratified_interval(strata) == pytest.approx((inside[0], inside[-1]), abs=1e-2)


def _log_likelihood(stratum: Stratum, rate: float) -> float:
    wrong = stratum.labels - stratum.right
    if (rate == 0 and stratum.right) or (rate == 1 and wrong):
        return -float("inf")
    likelihood = stratum.right * log(rate) if stratum.right else 0.0
    return likelihood + (wrong * log(1 - rate) if wrong else 0.0)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Every outcome of two small strata, weighed by its probability."""
    sizes, labels, rates = (400, 100), (16, 8), (0.9, 0.4)
    truth = sum(size * rate for size, rate in zip(sizes, rates, strict=True)) / sum(sizes)
    hits = 0.0
    for right in product(*(range(number + 1) for number in labels)):
        chance = 1.0
        for each, number, size, rate in zip(right, labels, sizes, rates, strict=True):
            good = round(size * rate)
            chance *= comb(good, each) * comb(size - good, number - each) / comb(size, number)
        low, high = stratified_interval(list(map(Stratum, sizes, labels, right)))
        hits += chance * (low <= truth <= high)
    assert 0.93 <= hits <= 0.99


counts = st.tuples(st.integers(1, 60), st.integers(0, 60), st.integers(0, 200)).map(
    lambda each: Stratum(each[0] + each[2], each[0], min(each[1], each[0]))
)


@given(st.lists(counts, min_size=1, max_size=5))
def test_an_interval_holds_its_estimate_and_what_is_certain(strata: list[Stratum]) -> None:
    total = sum(each.size for each in strata)
    low, high = stratified_interval(strata)
    assert 0 <= low <= stratified_share(strata) + 1e-12
    assert stratified_share(strata) - 1e-12 <= high <= 1
    wrong = sum(each.labels - each.right for each in strata)
    assert low >= sum(each.right for each in strata) / total - 1e-9 or low == pytest.approx(
        stratified_share(strata)
    )
    assert high <= 1 - wrong / total + 1e-9 or high == pytest.approx(stratified_share(strata))


@given(st.lists(counts, min_size=1, max_size=4), st.sampled_from([0.8, 0.9, 0.99]))
def test_more_confidence_is_wider(strata: list[Stratum], confidence: float) -> None:
    low, high = stratified_interval(strata, confidence)
    wide_low, wide_high = stratified_interval(strata, 0.995)
    assert wide_low <= low + 1e-9
    assert high <= wide_high + 1e-9


@given(counts, st.floats(-1e6, 1e6))
def test_a_rate_solves_its_equation(stratum: Stratum, slope: float) -> None:
    rate = constrained_rate(stratum, slope)
    assert 0 <= rate <= 1
    if stratum.labels < stratum.size:
        left = slope * rate**2 - (stratum.labels + slope) * rate + stratum.right
        assert abs(left) <= 1e-6 * max(1, abs(slope), stratum.labels)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 9)), min_size=1, max_size=5))
def test_where_all_labels_are_right_strata_never_narrow_the_interval(
    parts: list[tuple[int, int]],
) -> None:
    strata = [Stratum(weight * MANY, labels, labels) for labels, weight in parts]
    labels = sum(each.labels for each in strata)
    low, high = stratified_interval(strata)
    assert high == 1
    assert low <= wilson(labels, labels)[0] + 1e-9
