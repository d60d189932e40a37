"""Soft-F1: hand calculations, order safety, the BIRD form and its defect."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.records import Failure, Fault, Reason, Row
from sqlverdict.score.metric import METRICS
from sqlverdict.score.metrics import soft_f1 as overlap
from sqlverdict.score.metrics.soft_f1 import overlap_f1
from sqlverdict.score.metrics.soft_f1_bird import by_position
from sqlverdict.testing.fakes import FakeItem
from timeouts import cpu_limit

CELLS = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 2.0, -1.25]),
    st.sampled_from(["", "a", "b"]),
    st.sampled_from([b"", b"x"]),
)
ROWS = st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[CELLS] * n), max_size=7))


def best_pairing(gold: list[Row], prediction: list[Row]) -> float:
    """The best F1 over every pairing; only for a few rows."""

    def shared(a: Row, b: Row) -> int:
        left = list(b)
        count = 0
        for cell in a:
            if cell in left:
                left.remove(cell)
                count += 1
        return count

    cells = sum(map(len, gold)) + sum(map(len, prediction))
    if not cells:
        return 1.0
    few, many = sorted((gold, prediction), key=len)
    most = max(
        sum(shared(a, b) for a, b in zip(few, order, strict=False))
        for order in permutations(many, len(few))
    )
    return 2 * most / cells


@given(ROWS, ROWS, st.randoms(use_true_random=False))
def test_soft_f1_does_not_depend_on_row_order(
    gold: list[Row], prediction: list[Row], rng: random.Random
) -> None:
    value = overlap_f1(gold, prediction)
    assert 0 <= value <= 1
    shuffled_gold, shuffled = list(gold), list(prediction)
    rng.shuffle(shuffled_gold)
    rng.shuffle(shuffled)
    assert overlap_f1(shuffled_gold, shuffled) == value


@given(ROWS, st.randoms(use_true_random=False))
def test_soft_f1_of_equal_bags_is_one(rows: list[Row], rng: random.Random) -> None:
    shuffled = list(rows)
    rng.shuffle(shuffled)
    assert overlap_f1(rows, shuffled) == 1.0


@given(ROWS, ROWS, st.randoms(use_true_random=False))
def test_soft_f1_cut_short_is_still_order_safe_and_never_larger(
    gold: list[Row], prediction: list[Row], rng: random.Random
) -> None:
    shuffled = list(prediction)
    rng.shuffle(shuffled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlap, "MEETINGS", 3)
        cut = overlap_f1(gold, prediction)
        assert overlap_f1(gold, shuffled) == cut
    if len(gold) <= 5 and len(prediction) <= 5:
        assert cut <= best_pairing(gold, prediction) + 1e-12


@given(
    st.lists(st.tuples(CELLS, CELLS), max_size=5),
    st.lists(st.tuples(CELLS, CELLS), max_size=5),
)
def test_soft_f1_is_between_half_and_all_of_the_best_pairing(
    gold: list[Row], prediction: list[Row]
) -> None:
    best = best_pairing(gold, prediction)
    assert best / 2 - 1e-12 <= overlap_f1(gold, prediction) <= best + 1e-12


@pytest.mark.parametrize(
    ("gold", "prediction", "value"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "c")], 0.75),
        ([(1,), (2,)], [(1, "x"), (2, "y")], 2 * 2 / (2 + 4)),  # an extra column
        ([(1, "x"), (2, "y")], [(1,), (2,)], 2 * 2 / (4 + 2)),  # a missing column
        ([(1, "x")], [("x", 1)], 1.0),  # another column order
        ([(1,)], [(1,), (1,)], 2 * 1 / (1 + 2)),  # a duplicate counts
        ([(4,)], [(4.0,)], 1.0),
        ([(0.1 + 0.2,)], [(0.3,)], 1.0),
        ([(None,)], [(0,)], 0.0),
        ([("1",)], [(1,)], 0.0),
        ([(7, 7)], [(7, 8)], 0.5),  # one cell cannot stand for two
        ([], [], 1.0),
        ([(1,)], [], 0.0),
        ([], [(1,)], 0.0),
        ([(float("nan"), 1)], [(float("nan"), 1)], 1.0),
    ],
)
def test_soft_f1_hand_calculations(gold: list[Row], prediction: list[Row], value: float) -> None:
    assert overlap_f1(gold, prediction) == pytest.approx(value)


@pytest.mark.slow
def test_soft_f1_of_many_rows_is_bounded_and_finds_the_partners() -> None:
    rng = random.Random(2)
    gold: list[Row] = [(i, rng.choice("abc"), 1) for i in range(20_000)]
    prediction: list[Row] = [(flag, i, 1, "extra") for i, flag, _ in gold]
    rng.shuffle(prediction)
    with cpu_limit(60):
        value = overlap_f1(gold, prediction)
    # The ids pair every row although the other cells meet 10^8 times.
    assert value == pytest.approx(2 * 3 / (3 + 4))


def test_soft_f1_without_any_rare_cell_is_bounded() -> None:
    gold: list[Row] = [(i % 2, "a") for i in range(20_000)]
    prediction: list[Row] = [(i % 2, "b") for i in range(20_000)]
    with cpu_limit(60):
        assert overlap_f1(gold, prediction) == pytest.approx(0.5)


def test_defect_bird_soft_f1_of_the_same_rows_reversed_is_a_third() -> None:
    rows: list[Row] = [("a", 1), ("b", 2), ("c", 3)]
    assert by_position(rows, rows[::-1]) == pytest.approx(1 / 3)
    assert overlap_f1(rows, rows[::-1]) == 1.0


def reference_bird(predicted: list[Row], truth: list[Row]) -> float:
    """The published formula, written out slowly."""
    if not predicted and not truth:
        return 1.0
    predicted, truth = list(dict.fromkeys(predicted)), list(dict.fromkeys(truth))
    tp = fp = fn = 0.0
    for i in range(max(len(predicted), len(truth))):
        if i >= len(predicted):
            fn += 1
        elif i >= len(truth):
            fp += 1
        else:
            columns = len(truth[i])
            for cell in predicted[i]:
                if cell in truth[i]:
                    tp += 1 / columns
                else:
                    fp += 1 / columns
            for cell in truth[i]:
                if cell not in predicted[i]:
                    fn += 1 / columns
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@given(ROWS, ROWS)
def test_bird_soft_f1_follows_the_published_formula(gold: list[Row], prediction: list[Row]) -> None:
    assert by_position(gold, prediction) == pytest.approx(reference_bird(prediction, gold))


@pytest.mark.parametrize(
    ("gold", "prediction", "value"),
    [
        ([(1,), (1,), (2,)], [(1,), (2,)], 1.0),  # duplicates dropped
        ([(1, 2)], [(2, 1)], 1.0),
        ([(1, 2)], [(1, 1)], 2 * (1 * 2 / 3) / (1 + 2 / 3)),  # tp 1, fp 0, fn 1/2
        ([(1,)], [(1, 9)], 2 * (0.5 * 1) / 1.5),
        ([], [(1,)], 0.0),
        ([(1,)], [], 0.0),
    ],
)
def test_bird_soft_f1_hand_calculations(
    gold: list[Row], prediction: list[Row], value: float
) -> None:
    assert by_position(gold, prediction) == pytest.approx(value)


@pytest.mark.parametrize("name", ["soft_f1", "soft_f1_bird"])
def test_whose_fault_a_missing_answer_is(name: str) -> None:
    metric = METRICS.get(name)
    rows: list[Row] = [(1,), (2,)]
    failed = Failure(Reason.EXECUTION_TIMEOUT, "slow")
    missing = Failure(Reason.DATABASE_UNAVAILABLE, "gone", fault=Fault.ENGINE)
    best_of_two = metric.score(FakeItem.of([[(9,)], rows], rows), "")
    assert best_of_two.value == 1.0
    prediction_fails = metric.score(FakeItem.of([rows], failed), "")
    assert (prediction_fails.value, prediction_fails.reasons) == (
        0.0,
        (Reason.EXECUTION_TIMEOUT,),
    )
    gold_fails = metric.score(FakeItem.of([failed], rows), "")
    assert (gold_fails.value, gold_fails.reasons) == (None, (Reason.GOLD_EXECUTION_TIMEOUT,))
    no_database = metric.score(FakeItem.of([missing], missing), "")
    assert (no_database.value, no_database.reasons) == (None, (Reason.DATABASE_UNAVAILABLE,))
    assert metric.score(FakeItem.of([], rows), "").value is None
    worker_died = Failure(Reason.TOOLKIT_ERROR, "bug", fault=Fault.TOOLKIT)
    assert metric.score(FakeItem.of([rows], worker_died), "").value is None
