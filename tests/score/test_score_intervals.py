"""Intervals: known values, coverage, monotonicity, determinism."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.statistics import intervals
from sqlverdict.score.statistics.intervals import (
    mean_and_error,
    mean_interval,
    resampled_means,
    wilson,
)

VALUES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 1.25])
HISTOGRAMS = st.dictionaries(VALUES, st.integers(1, 30), min_size=1)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.27753),  # z² / (n + z²)
        (10, 10, 0.72247, 1.0),
        (5, 10, 0.23659, 0.76341),
        (81, 263, 0.25528, 0.36621),  # Newcombe 1998, table I
        (1, 29, 0.00612, 0.17177),
    ],
)
def test_wilson_known_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_mirrors_and_grows(pair: tuple[int, int]) -> None:
    successes, n = pair
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert low < high
    mirrored = wilson(n - successes, n)
    assert mirrored == pytest.approx((1 - high, 1 - low))
    if successes < n:
        more = wilson(successes + 1, n)
        assert more[0] > low
        assert more[1] >= high
    wide = wilson(successes, n, confidence=0.99)
    assert wide[0] <= low
    assert wide[1] >= high
    finer = wilson(successes * 10, n * 10)
    assert finer[1] - finer[0] < high - low


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_wilson_covers_about_95_percent(share: float) -> None:
    rng = random.Random(7)
    n, trials = 60, 1000
    covered = 0
    for _ in range(trials):
        low, high = wilson(sum(rng.random() < share for _ in range(n)), n)
        covered += low <= share <= high
    assert 0.92 <= covered / trials <= 0.985


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_nonsense(successes: int, n: int) -> None:
    with pytest.raises(UsageError, match="cases"):
        wilson(successes, n)


def test_confidence_must_be_a_share() -> None:
    with pytest.raises(UsageError, match="confidence"):
        wilson(1, 2, confidence=95)


@given(HISTOGRAMS, st.integers(0, 5))
@example({0.1: 4, 0.25: 2}, 0)
@settings(max_examples=40, deadline=None)
def test_bootstrap_is_deterministic_and_within_the_values(
    counts: dict[float, int], seed: int
) -> None:
    low, high, _ = mean_interval(counts, seed=seed, resamples=200)
    assert min(counts) <= low <= high <= max(counts)
    reversed_counts = dict(reversed(counts.items()))
    assert mean_interval(reversed_counts, seed=seed, resamples=200)[:2] == (low, high)
    wide = mean_interval(counts, confidence=0.99, seed=seed, resamples=200)
    assert wide[0] <= low
    assert wide[1] >= high


@pytest.mark.parametrize("rest", range(1, 30))
def test_rounding_moves_no_mean_out_of_the_values(rest: int) -> None:
    """Six times 0.1, added up one by one and divided by six, is less than 0.1."""
    counts = {0.1: 2 * rest, 0.25: rest}
    assert mean_interval(counts)[0] >= 0.1
    assert min(resampled_means(counts, 0, 1000)) >= 0.1


@given(HISTOGRAMS)
def test_the_mean_and_its_normal_interval_lie_within_the_values(counts: dict[float, int]) -> None:
    low, high, label = mean_interval(counts, limit=0)
    assert label == "normal"
    assert min(counts) <= low <= mean_and_error(counts)[0] <= high <= max(counts)


def test_bootstrap_of_one_value_is_that_value() -> None:
    assert mean_interval({0.7: 12})[:2] == (0.7, 0.7)


@pytest.mark.parametrize("counts", [{1: 7}, {0: 2, 1: 7}])
def test_whole_numbers_give_fractions_whatever_was_asked_before(counts: dict[float, int]) -> None:
    """A cache holds 1 and 1.0 under one key; a report writes them in two ways."""
    fractions = {float(value): count for value, count in counts.items()}
    for argument in (counts, fractions, counts):
        ends = mean_interval(argument)[:2]
        assert [type(each) for each in (*ends, *resampled_means(argument, 0, 9))] == [float] * 11


def test_bootstrap_of_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="no values"):
        mean_interval({})


@pytest.mark.slow
def test_bootstrap_covers_about_95_percent() -> None:
    rng = random.Random(3)
    values = [0.0, 0.2, 1.0]
    truth = 0.3 * 0 + 0.3 * 0.2 + 0.4 * 1.0
    covered = 0
    for seed in range(300):
        counts = Counter(rng.choices(values, weights=[3, 3, 4], k=80))
        low, high, _ = mean_interval(counts, seed=seed, resamples=300)
        covered += low <= truth <= high
    assert 0.90 <= covered / 300 <= 0.985


@pytest.mark.parametrize("cost", [0, 10**9])
def test_both_ways_to_draw_have_the_right_mean_and_spread(
    cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intervals, "DRAWS_PER_BINOMIAL", cost)
    counts = {0.0: 30, 0.1: 7, 0.35: 20, 1.0: 43}
    mean, error = mean_and_error(counts)
    means = resampled_means(counts, seed=1, resamples=4000)
    result, spread = mean_and_error(Counter(means))
    assert result == pytest.approx(mean, abs=4 * error / 4000**0.5)
    assert spread * 4000**0.5 == pytest.approx(error, rel=0.06)


def test_above_the_limit_the_label_says_normal() -> None:
    below = {0.0: 10_000, 0.5: 10_000}
    above = {0.0: 10_001, 0.5: 10_000}
    assert mean_interval(below, resamples=400)[2] == "bootstrap"
    low, high, label = mean_interval(above)
    assert label == "normal"
    assert (low, high) == pytest.approx(mean_interval(below, resamples=400)[:2], abs=5e-4)
