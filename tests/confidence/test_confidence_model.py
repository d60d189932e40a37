"""Probabilities from counts of labels: ordered, bounded, with what they rest on; none without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.confidence.counts import (
    NAMES,
    STEP_OF,
    STEPS,
    CellLabel,
    Count,
    Counts,
    LabelSet,
    by_step,
    cell_name,
    count_labels,
)
from sqlverdict.confidence.model import NO_LABELS, Model
from sqlverdict.confidence.stored import built_in
from sqlverdict.situations import Situation

SITUATIONS = sorted(STEP_OF)


def counts(right: int, labels: int, questions: int | None = None) -> Count:
    return Count(float(right), float(labels), float(labels if questions is None else questions))


@st.composite
def any_counts(draw: st.DrawFn) -> Count:
    labels = draw(st.integers(1, 60))
    return counts(draw(st.integers(0, labels)), labels, draw(st.integers(1, labels)))


CELLS = st.dictionaries(
    st.sampled_from(SITUATIONS),
    st.dictionaries(st.sampled_from(["a", "b", "c", "ours"]), any_counts(), min_size=1),
    min_size=1,
)
MODELS = st.builds(
    lambda cells, own: Model(cells=cells, own=own), CELLS, st.sampled_from(["", "ours"])
)


def test_every_situation_that_is_about_an_answer_has_a_step() -> None:
    without = {Situation.CONTRADICTION, Situation.FAULT, Situation.OPEN}
    assert set(STEP_OF) == set(Situation) - without
    assert sum(map(len, STEPS)) == len(STEP_OF)
    assert len(NAMES) == len(STEPS)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("proved", "match"),
        ("match", "unusual_witness"),
        ("match", "trivial_difference"),
        ("unusual_witness", "ordinary_witness"),
        ("harmless_difference", "ordinary_witness"),
        ("ordinary_witness", "difference"),
        ("match", "unsearched_match"),
        ("fits_a_tie", "unsearched_tie"),
        ("unsearched_match", "ordinary_witness"),
        ("harmless_difference", "unsearched_difference"),
        ("unsearched_match", "unsearched_empty"),
        ("unsearched_match", "barred_match"),
        ("match", "empty_match_witness"),
        ("difference", "failed"),
    ],
)
def test_more_evidence_against_an_answer_is_a_later_step(more: str, less: str) -> None:
    assert STEP_OF[more] < STEP_OF[less]


@given(MODELS)
def test_the_order_holds_for_any_counts(model: Model) -> None:
    for opinion in (None, True, False):
        rates = [model.p_right(step[0], opinion) for step in STEPS]
        assert all(one >= other - 1e-9 for one, other in pairwise(rates))
        assert all(0 < p < 1 for p in rates)


@given(MODELS, st.sampled_from(SITUATIONS))
def test_a_judge_who_says_right_never_lowers_and_one_who_says_wrong_never_raises(
    model: Model, situation: str
) -> None:
    right, alone, wrong = (model.p_right(situation, o) for o in (True, None, False))
    assert right >= alone >= wrong


@given(MODELS, st.sampled_from(SITUATIONS))
def test_a_probability_lies_within_its_bounds_and_is_the_same_again(
    model: Model, situation: str
) -> None:
    low, high = model.bounds(situation)
    assert 0 < low < model.p_right(situation) < high < 1
    again = Model(cells=dict(reversed(model.cells.items())), own=model.own)
    assert again.expect(situation) == model.expect(situation)


@given(CELLS, st.sampled_from(SITUATIONS))
def test_there_is_a_number_where_there_are_labels_and_nowhere_else(
    cells: Counts, situation: str
) -> None:
    p, basis = Model(cells=cells).expect(situation)
    assert (p is None) == (basis is None) == (situation not in cells)
    if basis is not None:
        step = [cells.get(each, {}) for each in STEPS[STEP_OF[situation]]]
        assert basis.sets == len({name for sets in step for name in sets})
        assert basis.labels == sum(one.labels for sets in step for one in sets.values())
        assert not basis.own


def test_without_labels_nothing_is_stated() -> None:
    assert NO_LABELS.expect("match") == (None, None)
    assert built_in().expect("open") == (None, None)
    assert built_in().expect("barred_match") == (None, None)
    assert built_in().expect("unsearched_empty") == (None, None)


def test_another_engine_has_no_number_until_its_labels_are_counted() -> None:
    package = built_in()
    assert replace(package, engine="sqlite").expect("proved") == package.expect("proved")
    assert replace(package, engine="postgres").expect("proved") == (None, None)
    ours = LabelSet("ours", "our labels", 1, "postgres")
    cells = {**package.cells, "proved": {**package.cells["proved"], "ours": counts(1, 1)}}
    calibrated = Model((*package.sets, ours), cells, "ours", "postgres")
    p, basis = calibrated.expect("proved")
    assert p is not None
    assert basis is not None
    assert (basis.labels, basis.sets, basis.own) == (397, 4, True)
    assert calibrated.expect("match") == (None, None)


def two_sets(first: Count, second: Count) -> Model:
    return Model(cells={"difference": {"a": first, "b": second}})


def width(model: Model, situation: str = "difference") -> float:
    low, high = model.bounds(situation)
    return high - low


def test_fewer_labels_widen_the_bounds() -> None:
    widths = [width(two_sets(counts(n // 2, n), counts(n // 2, n))) for n in (4, 16, 64, 256)]
    assert widths == sorted(widths, reverse=True)


def test_labels_of_fewer_questions_widen_the_bounds() -> None:
    many, few = counts(50, 100), counts(50, 100, 10)
    assert width(two_sets(few, few)) > width(two_sets(many, many))


def test_sets_that_differ_widen_the_bounds() -> None:
    models = [two_sets(counts(50 + n, 100), counts(50 - n, 100)) for n in (0, 15, 30, 45)]
    widths = [width(model) for model in models]
    assert widths == sorted(widths)
    assert [round(model.p_right("difference"), 2) for model in models] == [0.5] * 4


def test_one_set_alone_says_little_of_another() -> None:
    alone = Model(cells={"difference": {"a": counts(50, 100)}})
    several = Model(cells={"difference": {name: counts(50, 100) for name in "abcde"}})
    assert alone.sets_apart > 2 * several.sets_apart > 0


def own_labels(right: int, labels: int) -> Model:
    cells = {
        "difference": {"a": counts(60, 200), "b": counts(20, 200), "ours": counts(right, labels)},
        "match": {"a": counts(95, 100), "b": counts(90, 100)},
    }
    return Model(cells=cells, own="ours")


def test_own_labels_move_all_rates_and_bring_the_bounds_near() -> None:
    package = replace(own_labels(0, 0), own="")
    lenient, strict = own_labels(45, 50), own_labels(1, 50)
    assert lenient.p_right("difference") > 0.75 > package.p_right("difference")
    assert strict.p_right("difference") < 0.06 < package.p_right("difference")
    assert lenient.p_right("match") > package.p_right("match") > strict.p_right("match")
    widths = [width(own_labels(n * 3 // 10, n)) for n in (0, 10, 50, 200, 1000)]
    assert widths == sorted(widths, reverse=True)
    assert own_labels(3, 10).sets_apart < package.sets_apart


def test_a_large_set_does_not_outvote_the_others() -> None:
    small = two_sets(counts(30, 100), counts(70, 100)).p_right("difference")
    large = two_sets(counts(3_000, 10_000), counts(70, 100)).p_right("difference")
    assert abs(small - large) < 0.02


def test_a_small_step_is_drawn_to_its_neighbours_and_not_to_one() -> None:
    cells = {
        "match": {"a": counts(80, 100)},
        "unusual_witness": {"a": counts(1, 1)},
        "ordinary_witness": {"a": counts(60, 100)},
    }
    assert 0.6 < Model(cells=cells).p_right("unusual_witness") < 0.8


def test_what_a_judge_says_is_not_counted_twice() -> None:
    labels = [
        CellLabel("difference", "ours", "q1", True),
        CellLabel("difference", "ours", "q2", False),
        CellLabel(cell_name("difference", True), "ours", "q1", True),
    ]
    cells = count_labels(labels)
    assert cells["difference"]["ours"] == Count(1, 2, 2)
    assert by_step(cells)[STEP_OF["difference"]]["ours"] == Count(1, 2, 2)
    model = Model(cells=cells)
    assert model.p_right("difference", True) > model.p_right("difference")


def test_several_opinions_about_one_label_count_as_one_question() -> None:
    cell = cell_name("difference", True)
    labels = [CellLabel(cell, "ours", "q1", True, 0.25)] * 4 + [CellLabel(cell, "ours", "q1", True)]
    assert count_labels(labels)[cell]["ours"] == Count(2, 2, 1)


def test_the_packages_counts_are_those_of_its_sets() -> None:
    model = built_in()
    assert {one.engine for one in model.sets} == {"sqlite"}
    situations = {cell: sets for cell, sets in model.cells.items() if "/" not in cell}
    assert set(situations) <= set(Situation)
    for one in model.sets:
        number = sum(sets[one.name].labels for sets in situations.values() if one.name in sets)
        assert number == one.labels


def test_a_proof_is_as_right_as_golds_are() -> None:
    proved, basis = built_in().expect("proved")
    assert proved is not None
    assert basis is not None
    assert 0.9 < proved < 0.99
    assert basis.low < 1 - 16 / 88 < basis.high, "16 of 88 audited golds are wrong"
    failed, _ = built_in().expect("failed")
    assert failed is not None
    assert failed < 0.05


def share(model: Model, of: Mapping[str, Count]) -> tuple[float, float]:
    """Between what a model states the share of right labels of a set."""
    number = sum(one.labels for one in of.values())
    bounds = [(model.bounds(situation), one.labels) for situation, one in of.items()]
    low, high = (sum(pair[side] * n for pair, n in bounds) / number for side in (0, 1))
    return low, high


@pytest.mark.parametrize("name", [one.name for one in built_in().sets])
def test_a_set_that_is_left_out_lies_within_what_the_others_state(name: str) -> None:
    cells = {
        cell: {other: one for other, one in sets.items() if other != name}
        for cell, sets in built_in().cells.items()
    }
    model = Model(cells=cells)
    left_out = {
        situation: sets[name]
        for situation, sets in built_in().cells.items()
        if name in sets and "/" not in situation and model.has_labels(situation)
    }
    low, high = share(model, left_out)
    right = sum(one.right for one in left_out.values())
    assert low < right / sum(one.labels for one in left_out.values()) < high
    assert high - low < 0.9, "bounds that say nothing always hold"


def test_an_opinion_takes_no_number_away() -> None:
    """Nobody asks a judge about a match, so that no label says what an opinion is worth there."""
    for situation in ("match", "undetermined_prediction"):
        alone, _ = built_in().expect(situation)
        right, basis = built_in().expect(situation, True)
        wrong, _ = built_in().expect(situation, False)
        assert alone is not None
        assert right is not None
        assert wrong is not None
        assert wrong <= alone <= right
        assert basis is not None
        assert basis.labels > 0


def test_own_labels_alone_are_not_counted_twice() -> None:
    """One label without any other is little to go by."""
    cells = count_labels([CellLabel("match", "ours", "q1", True)])
    model = Model((LabelSet("ours", "ours", 1, "sqlite"),), cells, "ours")
    low, high = model.bounds("match")
    assert 0.5 < model.p_right("match") < 0.8
    assert low < 0.2
    assert high > 0.9


def test_the_model_of_an_engine_is_not_fitted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = replace(built_in(), engine="duckdb")
    situations = [each for each in Situation if fresh.has_labels(each)]
    expected = [fresh.expect(each) for each in Situation]
    model = built_in().on_engine("duckdb")
    monkeypatch.setattr("sqlverdict.confidence.model.fit_rates", pytest.fail)
    assert [model.expect(each) for each in Situation] == expected
    assert model.engine == "duckdb"
    other = built_in().on_engine("sqlite")
    assert [each for each in Situation if other.has_labels(each)] != situations
