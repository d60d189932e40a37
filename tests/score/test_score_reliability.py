"""RS(c): hand calculations, bounds, views, break-even, sweeps, subsets, intervals, pairs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import UsageError
from sqlverdict.score.reliability.intervals import (
    compare_scores,
    interval_of,
    resampled_tables,
)
from sqlverdict.score.reliability.outcomes import Cell, OutcomeTable
from sqlverdict.score.reliability.reliability_score import (
    ANS,
    EVERYTHING,
    abstain_all,
    break_even,
    parse_penalty,
    partly,
    penalty_text,
    rank_of,
    rates,
    rs,
    subset,
    sweep_penalty,
    sweep_share,
    views,
)

PIPELINE = OutcomeTable(
    correct=239,
    abstained_answerable=226,
    wrong=62,
    answered_unanswerable=1,
    abstained_unanswerable=526,
)
COUNTS = st.integers(0, 400)
TABLES = st.builds(OutcomeTable, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS).filter(
    lambda table: table.answerable > 0
)
NUMBERS = st.floats(0, 1000, allow_nan=False)
PENALTIES = NUMBERS | st.just("N")
VIEWS = st.sampled_from([*views(), partly(0.5)])


def test_the_hand_calculation() -> None:
    scores = [rs(PIPELINE, c) for c in (0.0, 10.0, "N")]
    assert [round(100 * score, 1) for score in scores] == [72.6, 12.8, -6227.4]
    assert break_even(PIPELINE) == (239 - 1) / 63
    assert rates(PIPELINE)["over_refusal"].value == 226 / 527


@given(table=TABLES, penalty=PENALTIES, view=VIEWS)
def test_rs_lies_between_minus_c_and_1(table: OutcomeTable, penalty: float, view) -> None:
    score = rs(table, penalty, view)
    cost = view.size(table) if penalty == "N" else penalty
    assert -cost - 1e-9 <= score <= 1


@given(table=TABLES, view=VIEWS, low=NUMBERS, high=NUMBERS)
def test_a_larger_penalty_never_scores_more(
    table: OutcomeTable, view, low: float, high: float
) -> None:
    low, high = sorted((low, high))
    assert rs(table, high, view) <= rs(table, low, view)


@given(table=TABLES, penalty=NUMBERS)
def test_one_more_right_item_never_harms_and_one_more_wrong_one_never_helps(
    table: OutcomeTable, penalty: float
) -> None:
    from dataclasses import replace

    score = rs(table, penalty)
    assert rs(replace(table, correct=table.correct + 1), penalty) >= score - 1e-12
    if penalty > 0 or score > 0:
        more = replace(table, wrong=table.wrong + 1)
        assert rs(more, penalty) <= max(score, -penalty) + 1e-12


@given(table=TABLES)
def test_rs_0_on_ans_is_accuracy_and_abstain_all_the_unanswerable_share(
    table: OutcomeTable,
) -> None:
    assert rs(table, 0.0, ANS) == rates(table)["accuracy"].value
    silent = OutcomeTable(
        abstained_answerable=table.answerable, abstained_unanswerable=table.unanswerable
    )
    for penalty in (0.0, 10.0, "N"):
        assert rs(silent, penalty) == table.unanswerable / table.total == abstain_all(table)


@given(table=TABLES, view=VIEWS)
def test_at_the_break_even_penalty_the_system_equals_abstain_all(table: OutcomeTable, view) -> None:
    even = break_even(table, view)
    if even is None or math.isinf(even):
        assert view.harm(table) == 0
        return
    if even >= 0:
        assert rs(table, even, view) == pytest.approx(abstain_all(table, view), abs=1e-9)
        assert rs(table, even + 1, view) < abstain_all(table, view)
    else:
        assert rs(table, 0.0, view) < abstain_all(table, view)


@given(table=TABLES, penalty=PENALTIES)
def test_weights_of_0_and_1_are_the_other_views(table: OutcomeTable, penalty: float) -> None:
    assert rs(table, penalty, partly(0.0)) == rs(table, penalty, ANS)
    assert rs(table, penalty, partly(1.0)) == rs(table, penalty, EVERYTHING)


@given(table=TABLES.filter(lambda table: table.unanswerable > 0), penalty=NUMBERS)
def test_the_sweep_over_shares_passes_through_the_views(
    table: OutcomeTable, penalty: float
) -> None:
    share = table.unanswerable / table.total
    first, own, last = sweep_share(table, penalty, [0.0, share, 1.0])
    assert first[1] == pytest.approx(rs(table, penalty, ANS))
    assert own[1] == pytest.approx(rs(table, penalty))
    alone = OutcomeTable(
        answered_unanswerable=table.answered_unanswerable,
        abstained_unanswerable=table.abstained_unanswerable,
    )
    assert last[1] == pytest.approx(rs(alone, penalty))


def test_sweeps_over_penalties_put_n_at_its_number() -> None:
    assert sweep_penalty(PIPELINE, [0.0, "N"], ANS) == [
        (0.0, 239 / 527),
        (527, (239 - 527 * 62) / 527),
    ]


def test_empty_views_have_no_score() -> None:
    only_unanswerable = OutcomeTable(abstained_unanswerable=3)
    assert rs(only_unanswerable, 10.0, ANS) is None
    assert abstain_all(only_unanswerable, ANS) is None
    assert rates(only_unanswerable)["over_refusal"].value is None
    assert break_even(OutcomeTable(abstained_answerable=2)) is None
    assert break_even(OutcomeTable(correct=2)) == math.inf
    with pytest.raises(UsageError, match="0 answerable"):
        sweep_share(only_unanswerable, 1.0, [0.5])


@pytest.mark.parametrize(
    ("text", "value"), [("10", 10.0), (" n ", "N"), ("2.5", 2.5), ("0", 0.0), ("1e2", 100.0)]
)
def test_penalties_are_read(text: str, value: float) -> None:
    assert parse_penalty(text) == value
    assert parse_penalty(penalty_text(value)) == value


@pytest.mark.parametrize("text", ["-1", "many", "nan", "inf", ""])
def test_no_penalty(text: str) -> None:
    with pytest.raises(UsageError, match=f"'{text}'"):
        parse_penalty(text)


@given(
    rights=st.lists(st.booleans(), max_size=60),
    share=st.floats(0, 1),
    seed=st.integers(-5, 5),
    random=st.randoms(),
)
def test_a_subset_depends_on_ids_and_seed_never_on_order(
    rights: list[bool], share: float, seed: int, random
) -> None:
    table = OutcomeTable(
        correct=5,
        abstained_unanswerable=sum(rights),
        answered_unanswerable=len(rights) - sum(rights),
    )
    items = [(rank_of(f"case {n}", seed), back) for n, back in enumerate(rights)]
    result = subset(table, items, share)
    random.shuffle(items)
    assert subset(table, items, share) == result
    assert result.correct == 5
    assert result.unanswerable == math.floor(share * len(rights) + 0.5)
    assert result.abstained_unanswerable <= table.abstained_unanswerable


def test_another_seed_takes_other_items() -> None:
    ids = [str(n) for n in range(40)]
    firsts = {frozenset(sorted(ids, key=lambda one: rank_of(one, seed))[:10]) for seed in range(5)}
    assert len(firsts) == 5


def test_a_subset_of_other_items_is_refused() -> None:
    with pytest.raises(UsageError, match="527"):
        subset(PIPELINE, [(1, True)])


def test_intervals_hold_the_score_and_shrink_with_items() -> None:
    def interval(table: OutcomeTable) -> tuple[float, float]:
        result = interval_of(lambda each: rs(each, 10.0), resampled_tables(table))
        assert result is not None
        return result

    low, high = interval(PIPELINE)
    assert low < rs(PIPELINE, 10.0) < high
    assert interval(PIPELINE) == (low, high)
    tenfold = OutcomeTable(**{name: 10 * n for name, n in PIPELINE.cells().items()})
    near = interval(tenfold)
    assert near[1] - near[0] == pytest.approx((high - low) / math.sqrt(10), rel=0.15)


def test_resampling_keeps_the_numbers_of_answerable_and_unanswerable_items() -> None:
    for table in resampled_tables(PIPELINE, seed=3, resamples=50):
        assert (table.answerable, table.unanswerable) == (527, 527)


def test_samples_that_are_alike_are_scored_once_and_counted_each_time() -> None:
    tables = resampled_tables(OutcomeTable(2, 1, 1, 1, 1))
    calls: list[OutcomeTable] = []

    def correct(table: OutcomeTable) -> float:
        calls.append(table)
        return table.correct

    low, high = interval_of(correct, tables) or (math.nan, math.nan)
    values = sorted(table.correct for table in tables)
    assert (low, high) == (values[25], values[-26])
    assert len(calls) < 50 < len(tables) == 1000


def test_intervals_of_huge_tables_agree_with_the_normal_approximation() -> None:
    table = OutcomeTable(600_000, 100_000, 5, 40_000, 260_000)
    tables = resampled_tables(table, resamples=400)
    low, high = interval_of(lambda one: one.correct / one.answerable, tables)
    share = 600_000 / 700_005
    error = math.sqrt(share * (1 - share) / 700_005)
    assert low == pytest.approx(share - 1.96 * error, abs=0.4 * error)
    assert high == pytest.approx(share + 1.96 * error, abs=0.4 * error)
    wrongs = interval_of(lambda one: one.wrong, tables)
    assert wrongs[0] >= 0
    assert 8 <= wrongs[1] <= 12


def cells(*names: str) -> dict[str, Cell | None]:
    return {str(n): Cell(name) if name else None for n, name in enumerate(names)}


def test_systems_are_compared_on_the_items_both_have_scored() -> None:
    a = cells("correct", "wrong", "abstained_unanswerable", "", "correct")
    b = cells("correct", "abstained_answerable", "answered_unanswerable", "correct")
    result = compare_scores(a, b, 2.0)
    assert result.items == 3
    assert result.a == (1 - 2 + 1) / 3
    assert result.b == (1 + 0 - 2) / 3
    assert result.test.difference == pytest.approx(result.b - result.a)
    assert compare_scores(a, b, "N", ANS).a == (1 - 2) / 2
    with pytest.raises(UsageError, match="weighs items"):
        compare_scores(a, b, 1.0, partly())
    with pytest.raises(UsageError, match="in common"):
        compare_scores(a, {}, 1.0)
