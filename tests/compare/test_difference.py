"""Which rows two answers do not share, and what the run log keeps of them."""

from __future__ import annotations

import math
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.compare.difference import ChangedRow, answer_difference, pair_columns
from sqlverdict.compare.log_answers import log_answers
from sqlverdict.evidence_parts import LoggedAnswers, TypedCell
from sqlverdict.records import Answer, Cell, Failure, Reason, Row


def answer(*rows: Row, columns: str = "a b c d") -> Answer:
    width = len(rows[0]) if rows else 1
    return Answer(tuple(columns.split()[:width]), list(rows))


def logged(gold: Answer, prediction: Answer, *, matched: bool = False) -> LoggedAnswers:
    record = log_answers([gold], prediction, matched=matched)
    assert record is not None
    # As a reader of the log has it.
    return msgspec.json.decode(msgspec.json.encode(record), type=LoggedAnswers)


def test_missing_and_extra_rows_count_as_often_as_they_occur() -> None:
    difference = answer_difference(answer(("x",), ("x",), ("y",)), answer(("x",), ("z",), ("z",)))
    assert difference.missing == (("x",), ("y",))
    assert difference.extra == (("z",), ("z",))
    assert (difference.missing_count, difference.extra_count, difference.changed_count) == (2, 2, 0)


def test_rows_pair_by_the_column_that_identifies_them() -> None:
    gold = answer(("France", 2), ("Spain", 2), ("Italy", 4))
    difference = answer_difference(gold, answer(("Spain", 3), ("France", 1), ("Malta", 9)))
    assert difference.changed == (
        ChangedRow(("France", 2), ("France", 1), (1,)),
        ChangedRow(("Spain", 2), ("Spain", 3), (1,)),
    )
    assert (difference.missing, difference.extra) == ((("Italy", 4),), (("Malta", 9),))


def test_single_rows_pair_whatever_they_hold() -> None:
    difference = answer_difference(answer(("Love", "2016")), answer(("King", "2016")))
    assert difference.changed == (ChangedRow(("Love", "2016"), ("King", "2016"), (0,)),)


def test_reals_at_the_same_place_pair_and_integers_do_not() -> None:
    rounded = answer_difference(answer((1.234,), (2.345,)), answer((1.2,), (2.3,)))
    assert rounded.changed_count == 2
    ids = answer_difference(answer((1,), (2,)), answer((7,), (8,)))
    assert (ids.changed_count, ids.missing_count, ids.extra_count) == (0, 2, 2)


def test_float_noise_is_no_difference() -> None:
    gold, prediction = answer((0.1 + 0.2, "x"), (5.0, "y")), answer((0.3, "x"), (6.0, "y"))
    difference = answer_difference(gold, prediction)
    assert difference.changed == (ChangedRow((5.0, "y"), (6.0, "y"), (0,)),)
    assert not difference.missing
    assert answer_difference(answer((math.nan,)), answer((math.nan,))).same_rows


def test_the_same_rows_in_another_order() -> None:
    difference = answer_difference(answer((1,), (2,), (3,)), answer((1,), (3,), (2,)))
    assert (difference.order_only, difference.same_rows, difference.changed_count) == (
        True,
        True,
        2,
    )
    assert difference.changed[0] == ChangedRow((2,), (3,), (0,))


def test_columns_pair_by_name_and_then_in_order() -> None:
    assert pair_columns(("Name", "n"), ("n", "NAME")) == (1, 0)
    assert pair_columns(("name", "count(*)"), ("name", "total")) == (0, 1)
    assert pair_columns(("name", "n"), ("n",)) == (None, 0)
    assert pair_columns(("x",), ("y", "z")) == (0,)
    assert pair_columns(("n", "n"), ("n", "n")) == (0, 1)


def test_an_extra_column_leaves_the_rows_the_same() -> None:
    difference = answer_difference(
        answer(("x",), columns="name"), answer((7, "x"), columns="id name")
    )
    assert (difference.columns, difference.same_rows) == ((1,), True)


def test_some_rows_of_each_kind_are_kept() -> None:
    gold = answer(*((f"k{i}", i) for i in range(40)))
    changed = [(f"k{i}", -1 - i) for i in range(20)]
    difference = answer_difference(gold, answer(*changed, *((f"x{i}", 99) for i in range(30))))
    assert (len(difference.changed), len(difference.missing), len(difference.extra)) == (5, 5, 5)
    assert (difference.changed_count, difference.missing_count, difference.extra_count) == (
        20,
        20,
        30,
    )


_cells = st.one_of(st.none(), st.integers(-2, 2), st.sampled_from((0.5, 2.0, math.nan, math.inf)),
                   st.sampled_from(("", "a")), st.just(b"\0"))  # fmt: skip


@given(st.integers(1, 3), st.integers(1, 3), st.data())
def test_counts_add_up_for_any_two_answers(left: int, right: int, data: st.DataObject) -> None:
    gold, prediction = (
        answer(*data.draw(st.lists(st.tuples(*[_cells] * width), max_size=6)))
        for width in (left, right)
    )
    difference = answer_difference(gold, prediction, most=3)
    changes = 0 if difference.order_only else difference.changed_count
    same = len(gold.rows) - difference.missing_count - changes
    assert same == len(prediction.rows) - difference.extra_count - changes
    assert same >= 0
    assert not Counter(difference.missing) - Counter(gold.rows)
    assert not Counter(difference.extra) - Counter(prediction.rows)
    assert len(difference.missing) + len(difference.changed) <= 3
    assert all(change.cells for change in difference.changed)
    for matched in (True, False):
        logged(gold, prediction, matched=matched)


@pytest.mark.parametrize(
    ("cell", "record"),
    [
        (None, None),
        (7, 7),
        (4.0, 4.0),
        (2**53 + 1, TypedCell("integer", str(2**53 + 1))),
        (-(10**30), TypedCell("integer", str(-(10**30)))),
        (math.inf, TypedCell("real", "inf")),
        (math.nan, TypedCell("real", "nan")),
        (b"\x00\xff", TypedCell("blob", "00ff")),
        (b"\x01" * 500, TypedCell("blob", "01" * 64, 500)),
        ("x'00'", "x'00'"),
        ("é" * 300, TypedCell("text", "é" * 200, 300)),
    ],
)
def test_the_log_keeps_the_type_of_a_cell(cell: Cell, record: object) -> None:
    (change,) = logged(answer((cell, 1)), answer((cell, 2))).changed
    assert (change.gold[0], type(change.gold[0])) == (record, type(record))


def test_a_match_keeps_its_first_rows_whatever_their_order() -> None:
    gold, prediction = (answer(*((i,) for i in order)) for order in (range(9), range(8, -1, -1)))
    record = logged(gold, prediction, matched=True)
    assert record.same == ((8,), (7,), (6,), (5,), (4,))
    assert (record.gold_shape, record.changed_count) == ((9, 1), 0)
    assert logged(gold, prediction).order_only


def test_a_match_that_ignores_duplicates_shows_them() -> None:
    record = logged(answer(("x",)), answer(("x",), ("x",)), matched=True)
    assert (record.extra, record.same) == ((("x",),), ())


def test_wide_answers_are_cut_and_their_width_is_told() -> None:
    wide = Answer(tuple(f"c{i}" for i in range(100)), [tuple(range(100))])
    other = Answer(wide.columns, [(*range(99), -1)])
    record = logged(wide, other)
    assert (record.gold_shape, len(record.gold_columns), len(record.changed[0].gold)) == (
        (1, 100),
        40,
        40,
    )
    assert record.changed[0].cells == (99,)


def test_of_several_golds_the_nearest_is_shown() -> None:
    golds = [answer(("a",), ("b",)), Failure(Reason.GOLD_SUSPECT, "no"), answer(("x",), ("y",))]
    record = log_answers(golds, answer(("x",), ("z",)), matched=False)
    assert record is not None
    assert (record.gold, record.missing) == (2, (("y",),))


def test_a_prediction_without_an_answer_leaves_the_rows_of_the_gold() -> None:
    failed = Failure(Reason.PARSE_ERROR, "no")
    record = log_answers([answer(("a",), ("b",))], failed, matched=False)
    assert record is not None
    assert (record.prediction_shape, record.missing, record.missing_count) == (
        None,
        (("a",), ("b",)),
        2,
    )
    assert log_answers([failed], answer(("a",)), matched=False) is None


def test_a_column_map_that_is_none_is_not_used() -> None:
    gold, prediction = answer((1, 2)), answer((1, 3))
    for columns in ((0, 0), (0, 9), (0,), (-1, 0)):
        record = log_answers([gold], prediction, matched=False, columns=columns)
        assert record is not None
        assert record.changed[0].cells == (1,)
