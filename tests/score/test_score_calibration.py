"""ECE, Brier score and reliability diagrams; binomial tails and draws."""

from __future__ import annotations

import math
from statistics import mean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.calibration import as_probabilities, calibration, scale_of
from sqlverdict.score.reliability.curve import curve_of
from sqlverdict.score.statistics.intervals import at_most, upper_bound
from sqlverdict.score.statistics.resample import (
    EXACT,
    binomial,
    generator,
    multinomial,
    percentiles,
)

ITEMS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_the_hand_calculation() -> None:
    result = calibration(curve_of([0.9, 0.8, 0.4, 0.2], [True, False, True, False]), bins=2)
    assert result.ece == pytest.approx(0.275)
    assert result.brier == pytest.approx(0.2625)
    assert result.scale == "probability"
    assert [(b.low, b.high, b.items, b.accuracy) for b in result.bins] == [
        (0.0, 0.5, 2, 0.5),
        (0.5, 1.0, 2, 0.5),
    ]
    assert [b.confidence for b in result.bins] == pytest.approx([0.3, 0.85])


@pytest.mark.slow
@given(items=ITEMS, bins=st.integers(1, 20), random=st.randoms())
def test_calibration_is_what_counting_gives_in_any_order(items, bins: int, random) -> None:
    result = calibration(curve_of(*zip(*items, strict=True)), bins=bins)
    random.shuffle(items)
    assert calibration(curve_of(*zip(*items, strict=True)), bins=bins) == result
    assert result.brier == pytest.approx(mean((c - r) ** 2 for c, r in items))
    placed: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in items:
        placed.setdefault(min(int(confidence * bins), bins - 1), []).append((confidence, right))
    gaps = [abs(sum(r for _, r in part) - sum(c for c, _ in part)) for part in placed.values()]
    assert result.ece == pytest.approx(sum(gaps) / len(items), abs=1e-9)
    assert 0 <= result.ece_equal_size <= 1
    assert sum(one.items for one in result.bins) == len(items)


def test_ties_stay_in_one_bin_of_equal_size() -> None:
    result = calibration(curve_of([0.5] * 99 + [0.9], [True] * 50 + [False] * 49 + [True]), bins=10)
    assert result.ece_equal_size == pytest.approx((abs(50 - 49.5) + 0.1) / 100)


def test_logarithms_are_raised_and_other_scales_refused() -> None:
    logs = curve_of([math.log(0.9), math.log(0.2), -math.inf, -1e-300], [True, False, False, True])
    assert scale_of(logs) == "logarithm"
    raised = as_probabilities(logs)
    assert list(raised.thresholds) == pytest.approx([1.0, 0.9, 0.2, 0.0])
    assert calibration(logs).brier == pytest.approx((0 + 0.01 + 0.04 + 0) / 4)
    merged = as_probabilities(curve_of([-1e-20, -1e-30], [True, False]))
    assert (list(merged.answered), list(merged.wrong)) == ([2], [1])
    other = curve_of([0.5, 3.0], [True, False])
    assert scale_of(other) is None
    with pytest.raises(UsageError, match="needs probabilities"):
        calibration(other)


def test_intervals_hold_the_brier_score_for_few_and_for_many_items() -> None:
    for n in (200, 21_000):
        items = [((k % 10) / 10, k % 3 == 0) for k in range(n)]
        result = calibration(curve_of(*zip(*items, strict=True)))
        assert result.brier_interval[0] < result.brier < result.brier_interval[1]
        assert result.ece_interval[0] <= result.ece_interval[1]


@given(n=st.integers(0, 30), k=st.integers(-1, 31), p=st.floats(0, 1))
def test_tails_are_those_of_the_formula(n: int, k: int, p: float) -> None:
    exact = sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(min(k, n) + 1))
    assert at_most(k, n, p) == pytest.approx(exact, abs=1e-9)


def test_tails_of_millions() -> None:
    assert at_most(500_000, 1_000_000, 0.5) == pytest.approx(0.5, abs=1e-3)
    assert at_most(100, 1_000_000, 0.5) == 0.0
    assert at_most(999_990, 1_000_000, 0.5) == 1.0


@given(n=st.integers(1, 200), part=st.floats(0, 1), alpha=st.floats(0.001, 0.5))
def test_the_upper_bound_is_where_the_tail_is_alpha(n: int, part: float, alpha: float) -> None:
    k = min(int(part * n), n)
    bound = upper_bound(k, n, alpha)
    assert k / n <= bound <= 1
    if k < n:
        assert at_most(k, n, bound) == pytest.approx(alpha, rel=1e-6)


def test_no_successes_have_a_bound_of_a_closed_form() -> None:
    assert upper_bound(0, 50, 0.05) == pytest.approx(1 - 0.05 ** (1 / 50))


@pytest.mark.parametrize(("trials", "chance"), [(50, 0.3), (EXACT + 1, 0.001), (100_000, 0.7)])
def test_draws_have_the_mean_and_spread_of_the_binomial(trials: int, chance: float) -> None:
    rng = generator(5)
    draws = [binomial(rng, trials, chance) for _ in range(2000)]
    spread = math.sqrt(trials * chance * (1 - chance))
    assert mean(draws) == pytest.approx(trials * chance, abs=spread * 0.1)
    assert pstdev(draws) == pytest.approx(spread, rel=0.1)
    assert 0 <= min(draws) <= max(draws) <= trials


@given(counts=st.lists(st.integers(0, 3000), max_size=8), seed=st.integers(0, 9))
def test_resampled_counts_add_up(counts: list[int], seed: int) -> None:
    draws = multinomial(generator(seed), counts)
    assert sum(draws) == sum(counts)
    assert all(now == 0 for now, before in zip(draws, counts, strict=True) if before == 0)
    assert all(now >= 0 for now in draws)


def test_percentiles_leave_out_as_many_at_both_ends() -> None:
    assert percentiles(range(1000), 0.95) == (25, 974)
    assert percentiles([7.0], 0.95) == (7.0, 7.0)
