"""Risk and coverage: hand calculations, ties, identities, bounds, intervals, pairs."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.curve import (
    Curve,
    augrc,
    aurc,
    auroc,
    best_aurc,
    coverage_at,
    curve_of,
    curve_points,
)
from sqlverdict.score.reliability.curve_intervals import (
    LIMIT,
    CurveEstimate,
    _coarse,
    compare_curves,
    curve_intervals,
)

ITEMS = st.lists(st.tuples(st.integers(0, 6).map(float), st.booleans()), min_size=1, max_size=40)


def curve(items: list[tuple[float, bool]]) -> Curve:
    return curve_of([c for c, _ in items], [r for _, r in items])


def risk_from(items: list[tuple[float, bool]], threshold: float) -> Fraction:
    rights = [right for confidence, right in items if confidence >= threshold]
    return Fraction(rights.count(False), len(rights))


def test_hand_calculations() -> None:
    apart = curve([(3, True), (2, False), (1, True)])
    assert aurc(apart) == pytest.approx(5 / 18)
    assert augrc(apart) == pytest.approx(1 / 6)
    tied = curve([(3, True), (2, False), (2, True)])
    assert aurc(tied) == pytest.approx(2 / 9)
    assert len(tied) == 2
    assert best_aurc(apart) == pytest.approx((1 / 3) / 3)
    assert auroc(apart) == 0.5


@given(items=ITEMS)
def test_the_curve_is_what_counting_gives(items: list[tuple[float, bool]]) -> None:
    result = curve(items)
    assert list(result.thresholds) == sorted({c for c, _ in items}, reverse=True)
    for point in curve_points(result):
        rights = [right for confidence, right in items if confidence >= point.threshold]
        assert (point.answered, point.wrong) == (len(rights), rights.count(False))
    exact = mean(risk_from(items, confidence) for confidence, _ in items)
    assert aurc(result) == pytest.approx(float(exact), abs=1e-12)


@given(items=ITEMS, random=st.randoms())
def test_the_order_of_items_changes_nothing(items: list[tuple[float, bool]], random) -> None:
    before = curve(items)
    random.shuffle(items)
    after = curve(items)
    for figure in (aurc, augrc, auroc, best_aurc):
        assert figure(before) == figure(after)
    assert coverage_at(before, 0.1) == coverage_at(after, 0.1)


@given(items=ITEMS)
def test_the_scale_of_confidences_changes_nothing(items: list[tuple[float, bool]]) -> None:
    other = curve([(math.exp(c) - 3, right) for c, right in items])
    for figure in (aurc, augrc, auroc):
        assert figure(curve(items)) == figure(other)


@given(items=ITEMS)
def test_augrc_is_the_risk_of_silent_failures(items: list[tuple[float, bool]]) -> None:
    """AUGRC = (1 - AUROC) acc (1 - acc) + (1 - acc)^2 / 2."""
    result = curve(items)
    wrong = result.errors / result.items
    ranked = auroc(result)
    lost = 0.0 if ranked is None else (1 - ranked) * (1 - wrong) * wrong
    assert augrc(result) == pytest.approx(lost + wrong**2 / 2)


@given(items=ITEMS)
def test_bounds(items: list[tuple[float, bool]]) -> None:
    result = curve(items)
    assert 0 <= aurc(result) <= 1
    assert best_aurc(result) <= aurc(curve([(-n, r) for n, (_, r) in enumerate(items)])) + 1e-12
    assert augrc(result) <= result.errors / result.items


@given(items=ITEMS, low=st.floats(0, 1), high=st.floats(0, 1))
def test_a_larger_risk_never_covers_less(
    items: list[tuple[float, bool]], low: float, high: float
) -> None:
    low, high = sorted((low, high))
    result = curve(items)
    assert coverage_at(result, low).coverage <= coverage_at(result, high).coverage
    point = coverage_at(result, low)
    assert point.risk is None or point.risk <= low + 1e-12
    assert coverage_at(result, 1.0).coverage == 1.0


def test_no_items_no_figures() -> None:
    nothing = curve([])
    assert aurc(nothing) is augrc(nothing) is auroc(nothing) is best_aurc(nothing) is None
    assert coverage_at(nothing, 0.1).threshold == math.inf
    assert curve_intervals(nothing)["aurc"] == CurveEstimate(None)


def test_what_is_no_confidence_is_refused() -> None:
    with pytest.raises(UsageError, match="NaN"):
        curve([(math.nan, True)])
    with pytest.raises(UsageError, match="risk of 5"):
        coverage_at(curve([(1.0, True)]), 5)


def spread(n: int, seed: int = 1) -> list[tuple[float, bool]]:
    """Items whose confidence means something, the same every time."""
    import random

    rng = random.Random(seed)
    results = []
    for _ in range(n):
        sure = rng.random()
        results.append((sure, rng.random() < 0.4 + 0.6 * sure))
    return results


def test_intervals_hold_their_figures_and_are_the_same_each_time() -> None:
    result = curve_intervals(curve(spread(300)), resamples=200)
    for one in result.values():
        assert one.low <= one.value <= one.high
        assert one.interval == "bootstrap"
    assert curve_intervals(curve(spread(300)), resamples=200) == result


@pytest.mark.slow
def test_grouped_intervals_are_those_of_the_items() -> None:
    whole = curve(spread(LIMIT))
    every = curve_intervals(whole, resamples=300)
    more = curve([*spread(LIMIT), (2.0, True)])
    grouped = curve_intervals(more, resamples=300)
    assert grouped["aurc"].interval == "grouped bootstrap"
    for name in ("aurc", "augrc"):
        wide = every[name].high - every[name].low
        assert grouped[name].low == pytest.approx(every[name].low, abs=0.2 * wide)
        assert grouped[name].high == pytest.approx(every[name].high, abs=0.2 * wide)


def test_a_coarse_curve_consists_of_points_of_the_curve() -> None:
    result = curve(spread(500))
    coarse = _coarse(result, 20)
    assert len(coarse) <= 20
    fine = set(zip(result.thresholds, result.answered, result.wrong, strict=True))
    assert set(zip(coarse.thresholds, coarse.answered, coarse.wrong, strict=True)) <= fine
    assert (coarse.items, coarse.errors) == (result.items, result.errors)


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["aurc", "augrc"])
def test_the_jackknife_says_what_the_bootstrap_says(figure: str) -> None:
    a = {str(n): item for n, item in enumerate(spread(400))}
    b = {str(n): (sure, right) for n, ((_, right), (sure, _)) in enumerate(zip(spread(400), spread(400, 2), strict=True))}  # fmt: skip
    slow = compare_curves(a, b, figure, resamples=400)
    fast = compare_curves(a, b, figure, limit=1)
    assert (slow.a, slow.b, slow.items) == (fast.a, fast.b, fast.items)
    wide = slow.test.high - slow.test.low
    assert fast.test.low == pytest.approx(slow.test.low, abs=0.15 * wide)
    assert fast.test.high == pytest.approx(slow.test.high, abs=0.15 * wide)
    assert slow.test.p_value < 0.01
    assert fast.test.p_value < 0.01
    assert slow.b > slow.a


def test_a_system_does_not_differ_from_itself() -> None:
    items = {str(n): item for n, item in enumerate(spread(60))}
    for limit in (LIMIT, 1):
        same = compare_curves(items, items, resamples=50, limit=limit)
        assert same.test.difference == 0.0
        assert same.test.p_value == 1.0


def test_curves_without_common_items_are_not_compared() -> None:
    with pytest.raises(UsageError, match="in common"):
        compare_curves({"a": (1.0, True)}, {"b": (1.0, True)})
    with pytest.raises(UsageError, match="'brier'"):
        compare_curves({"a": (1.0, True)}, {"a": (1.0, True)}, "brier")
