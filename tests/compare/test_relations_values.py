"""Relations of values: where they hold, where they stay silent, what their proofs say."""

from __future__ import annotations

from typing import Any

import pytest
from test_relations import related

from sqlverdict.records import Row


def changes(detail: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {k: v for k, v in entry.items() if k not in ("gold", "prediction")}
        for entry in detail["changed"]
    ]


@pytest.mark.parametrize(
    ("gold", "prediction", "note"),
    [
        ([(2.3456,)], [(2.35,)], {"rounded": "prediction", "digits": 2}),
        ([(2.35,)], [(2.3456,)], {"rounded": "gold", "digits": 2}),
        ([(2.675,)], [(2.68,)], {"rounded": "prediction", "digits": 2}),
        ([(2.675,)], [(2.67,)], {"rounded": "prediction", "digits": 2}),
        ([(-41.5,)], [(-42,)], {"rounded": "prediction", "digits": 0}),
        ([(1 / 3,)], [(1 / 3 + 1e-16,)], {"rounded": "both", "digits": None}),
        ([(0.1 + 0.2,)], [(0.3,)], {"rounded": "prediction", "digits": 1}),
        ([(12.34,), (None,), (7.77,)], [(8,), (12,), (None,)], {"digits": 0}),
    ],
)
def test_rounding(gold: list[Row], prediction: list[Row], note: dict[str, Any]) -> None:
    detail = related(gold, prediction)["rounding"]
    assert note.items() <= changes(detail)[0].items()


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ([(2.3456,)], [(2.34,)]),
        ([(2.5,)], [(7.5,)]),
        ([(57.9,)], [(57,)]),
        ([(1.26, "a"), (2.26, "b")], [(2.3, "a"), (1.3, "b")]),
        ([(1.26,), (None,)], [(1.3,), (0.0,)]),
    ],
)
def test_no_rounding(gold: list[Row], prediction: list[Row]) -> None:
    assert "rounding" not in related(gold, prediction)


def test_rounding_of_one_digit_is_weak() -> None:
    assert related([(2.7,)], [(3,)])["rounding"]["weak"] is True
    assert "weak" not in related([(42.7,)], [(43,)])["rounding"]


@pytest.mark.parametrize(
    ("gold", "prediction", "note"),
    [
        ([(0.4567,)], [(45.67,)], {"factor": 100}),
        ([(45.67,)], [(0.4567,)], {"factor": 0.01}),
        ([(12,)], [(12000,)], {"factor": 1000}),
        ([(90,)], [(1.5,)], {"factor": 1 / 60}),
        ([(0.11, "a"), (-0.22, "b")], [(11, "a"), (-22, "b")], {"factor": 100}),
        (
            [(0.8964987714987716,)],
            [(89.65,)],
            {"factor": 100, "rounded": "prediction", "digits": 2},
        ),
        ([(45.6,)], [(0.4558,)], {"factor": 0.01, "rounded": "gold", "digits": 1}),
    ],
)
def test_scale(gold: list[Row], prediction: list[Row], note: dict[str, Any]) -> None:
    assert changes(related(gold, prediction)["scale"]) == [note]


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ([(0.4567,)], [(45.9,)]),
        ([(12,)], [(1300,)]),
        ([(0.0,)], [(100,)]),
        ([(1.1,), (2.2,)], [(110,), (2.2,)]),
        ([(0.11, "a"), (0.22, "b")], [(22, "a"), (11, "b")]),
        ([(0.123456,)], [(12,)]),
    ],
)
def test_no_scale(gold: list[Row], prediction: list[Row]) -> None:
    assert "scale" not in related(gold, prediction)


def test_scale_of_one_digit_is_weak() -> None:
    assert related([(1,)], [(100,)])["scale"]["weak"] is True
    assert "weak" not in related([(0.37,)], [(37,)])["scale"]


@pytest.mark.parametrize(
    ("gold", "prediction", "forms"),
    [
        ([("YES",)], [(1,)], ("words", "bits")),
        ([("no",)], [("0",)], ("words", "bits")),
        ([(1,)], [("True",)], ("bits", "words")),
        ([("T",), ("F",)], [(0,), (1,)], ("words", "bits")),
        ([("y",), ("n",), (None,)], [(7,), (None,), (0,)], ("words", "count")),
        ([("yes",)], [("true",)], ("words", "words")),
    ],
)
def test_yes_no(gold: list[Row], prediction: list[Row], forms: tuple[str, str]) -> None:
    detail = related(gold, prediction)["yes_no"]
    assert changes(detail) == [{"gold_form": forms[0], "prediction_form": forms[1]}]
    assert detail.get("weak", False) is (len(gold) == 1)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ([("YES",)], [(0,)]),
        ([("maybe",)], [(1,)]),
        ([(1,)], [(7,)]),
        ([("yes",)], [(-1,)]),
        ([("yes", "a"), ("no", "b")], [(0, "a"), (1, "b")]),
        ([("yes",)], [("YES",)]),
    ],
)
def test_no_yes_no(gold: list[Row], prediction: list[Row]) -> None:
    assert "yes_no" not in related(gold, prediction)


@pytest.mark.parametrize(
    ("gold", "prediction", "steps"),
    [
        ("42", 42, ["number"]),
        ("42.0", 42, ["number"]),
        (0.25, ".25", ["number"]),
        ("-3.50", "-3.5", ["number"]),
        (" x y ", "x y", ["trim"]),
        ("Straße", "STRASSE", ["case"]),
        ("1,234,567", 1234567, ["thousands"]),
        ("12%", 12, ["percent"]),
        ("12.50 %", 12.5, ["percent"]),
        (" 42 ", 42, ["trim", "number"]),
        (b"abc", "abc", ["blob"]),
        ("2020-01-05", "Jan 5, 2020", ["date"]),
        ("2020-01-05", "5 January 2020", ["date"]),
        ("2020-01-05", "2020/1/5", ["date"]),
        ("2020-01-05", "2020-01-05 00:00:00", ["date"]),
        ("2020-01-05", "20200105", ["date"]),
        ("2020-01-05T10:20:30Z", "2020-01-05 10:20:30.000", ["date"]),
        ("2020-01-25", "01/25/2020", ["month_first"]),
        ("2020-01-25", "25/01/2020", ["day_first"]),
        ("2020-01-25", "25.1.2020", ["day_first"]),
    ],
)
def test_formats(gold: Any, prediction: Any, steps: list[str]) -> None:
    for left, right in ((gold, prediction), (prediction, gold)):
        assert changes(related([(left,)], [(right,)])["formats"]) == [{"steps": steps}]


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("007", 7),
        ("4x", 4),
        ("1,23", 123),
        ("2020-01-05", "2020-01-06"),
        ("2020-13-45", "13/45/2020"),
        ("2020-01-05 10:00:00", "2020-01-05"),
        ("inf", float("inf")),
        ("1" * 5000, 1),
        ("x y", "xy"),
        ("5 Foo 2020", "2020-01-05"),
    ],
)
def test_no_formats(gold: Any, prediction: Any) -> None:
    assert related([(gold,)], [(prediction,)]) == {}


def test_another_spelling_in_a_telling_row_is_not_weak() -> None:
    assert related([("3",)], [(3,)])["formats"]["weak"] is True
    assert "weak" not in related([("3", "Ann")], [(3, "Ann")])["formats"]
    assert related([(0.03, "Ann")], [(3, "Ann")])["scale"]["weak"] is True


def test_formats_keeps_the_association() -> None:
    gold: list[Row] = [("1", "a"), ("2", "b")]
    assert list(related(gold, [("a", 1), ("b", 2)])) == ["formats"]
    assert related(gold, [("a", 2), ("b", 1)]) == {}


@pytest.mark.parametrize(
    ("kind", "gold", "prediction", "note"),
    [
        (
            "scale",
            [("Ann", 0.31), ("Bob", 0.44)],
            [(31, 1, "Ann"), (44, 1, "Bob")],
            {"factor": 100},
        ),
        ("rounding", [("Ann", 0.314), ("Bob", 0.4)], [(0.31, 1, "Ann"), (0.4, 1, "Bob")], {}),
        ("formats", [("Ann", "31"), ("Bob", "44")], [(31, 1, "Ann"), (44, 1, "Bob")], {}),
    ],
)
def test_extra_columns_and_a_transformation(
    kind: str, gold: list[Row], prediction: list[Row], note: dict[str, Any]
) -> None:
    detail = related(gold, prediction)[kind]
    assert detail["columns"] == [2, 0]
    assert detail["extra"] == [1]
    assert note.items() <= changes(detail)[0].items()
    mirrored = related(prediction, gold)[kind]
    assert mirrored["columns"] == [1, None, 0]
    assert mirrored["missing"] == [1]


def test_permutation_and_a_transformation() -> None:
    gold: list[Row] = [("Ann", 0.31), ("Bob", 0.44)]
    assert related(gold, [(31, "Ann"), (44, "Bob")])["scale"]["columns"] == [1, 0]
    assert related(gold, [(31, "Bob"), (44, "Ann")]) == {}


@pytest.mark.parametrize(
    ("number", "function"),
    [
        (368 + 328 + 10, "sum"),
        ((368 + 328 + 10) / 3, "avg"),
        (3, "count"),
        (368, "max"),
        (10, "min"),
    ],
)
def test_sum_of_list(number: float, function: str) -> None:
    numbers: list[Row] = [(368,), (328,), (10,)]
    result = related(numbers, [(number,)])["sum_of_list"]
    assert (result["list"], result["function"], result["rows"]) == ("gold", function, 3)
    assert related([(number,)], numbers)["sum_of_list"]["list"] == "prediction"


def test_sum_of_list_leaves_null_and_text_to_count() -> None:
    assert related([(31,), (None,), (42,)], [(73,)])["sum_of_list"]["function"] == "sum"
    names: list[Row] = [(f"n{i}",) for i in range(12)]
    assert related(names, [(12,)])["sum_of_list"] == {
        "list": "gold",
        "function": "count",
        "value": 12,
        "rows": 12,
    }
    assert related(names[:3], [(3,)])["sum_of_list"]["weak"] is True
    assert related(names, [(13,)]) == {}
    assert related(names, [("12",)]) == {}
    assert related([(5, 1), (6, 1)], [(11,)]) == {}


def test_transposed() -> None:
    row: list[Row] = [(31, 44, 12)]
    column: list[Row] = [(31,), (44,), (12,)]
    assert related(row, column)["transposed"] == {"row": "gold", "cells": 3, "order": "same"}
    assert related(column[::-1], row)["transposed"]["order"] == "other"
    assert related(row, [(31,), (44,), (13,)]) == {}
    assert related(row, [(31,), (44,)]) == {}


def test_concatenated() -> None:
    gold: list[Row] = [("Ann", "Lee", 31), ("Bob", "Ray", 44)]
    joined: list[Row] = [(44, "Ray, Bob"), (31, "Lee, Ann")]
    expected = {"column": 1, "parts": [1, 0], "separator": ", "}
    assert related(gold, joined)["concatenated"] == {
        "joined": "prediction",
        **expected,
        "others": [[2, 0]],
    }
    assert related(joined, gold)["concatenated"] == {
        "joined": "gold",
        **expected,
        "others": [[0, 2]],
    }
    assert related(gold, [(31, "Ray, Bob"), (44, "Lee, Ann")]) == {}
    assert related([("Ann", "Lee")], [("AnnaLee",)]) == {}
    assert list(related([("a", "b", "ab")], [("ab", "ab")])) == ["concatenated"]
    assert list(related([("a", None), ("b", 7)], [(None,), ("b7",)])) == ["concatenated"]
