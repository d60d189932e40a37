"""What a driver's value means: equal values are equal cells, whatever their type."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from ipaddress import ip_address
from uuid import UUID

import pytest

from sqlverdict.execute.values.cell_bytes import decode_cells, encode_cells
from sqlverdict.execute.values.driver_values import cell_of, cells_of_rows, json_text_cell
from sqlverdict.records import ExactNumber

EAST = timezone(timedelta(hours=2))


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, None),
        (True, 1),
        (False, 0),
        (7, 7),
        (2**64 - 1, 2**64 - 1),
        (2**70, ExactNumber(str(2**70))),
        (10**400, "1" + "0" * 400),
        (2.5, 2.5),
        (math.inf, math.inf),
        (Decimal("2.00"), 2),
        (Decimal("1E+3"), 1000),
        (Decimal("0.1"), 0.1),
        (Decimal("-0.0"), 0),
        (Decimal("Infinity"), math.inf),
        (Decimal("1E+30"), ExactNumber("1" + "0" * 30)),
        (Decimal("1E+400"), "1" + "0" * 400),
        (Decimal("1" + "0" * 399 + "1.50"), "1" + "0" * 399 + "1.5"),
        (Decimal("12345678901234567890.50"), ExactNumber("12345678901234567890.5")),
        (Decimal("1234567.89"), 1234567.89),
        (Decimal("12345678.91"), ExactNumber("12345678.91")),
        (Decimal("33.3333333333333333"), 33.3333333333333333),
        (date(2024, 2, 29), "2024-02-29"),
        (datetime(2024, 2, 29, 13, 14, 15), "2024-02-29 13:14:15"),
        (datetime(2024, 2, 29, 13, 14, 15, 120_000), "2024-02-29 13:14:15.12"),
        (datetime(2024, 2, 29, 13, 14, 15, tzinfo=EAST), "2024-02-29 11:14:15+00:00"),
        (datetime(2024, 2, 29, 11, 14, 15, tzinfo=UTC), "2024-02-29 11:14:15+00:00"),
        (time(13, 14, 15), "13:14:15"),
        (time(13, 14, 15, 5, tzinfo=EAST), "13:14:15.000005+02:00"),
        (timedelta(days=3, hours=4, minutes=5, seconds=6), "3 days 04:05:06"),
        (timedelta(days=-1), "-1 day 00:00:00"),
        (timedelta(hours=-2, microseconds=-5), "-02:00:00.000005"),
        (UUID("C0FFEE00-0000-0000-0000-000000000001"), "c0ffee00-0000-0000-0000-000000000001"),
        ([1, None, Decimal("2.0"), "é"], '[1,null,2,"é"]'),
        ({"b": [True, b"\xff"], "a": date(2024, 1, 2)}, '{"a":"2024-01-02","b":[true,"\\\\xff"]}'),
        ({3, 1, 2}, "[1,2,3]"),
        ([1.0, 2.5, 1e300], "[1,2.5,1e+300]"),
        ((1, "a"), '[1,"a"]'),
        (b"\x00\xff", b"\x00\xff"),
        (memoryview(b"ab"), b"ab"),
        (bytearray(b"ab"), b"ab"),
        (Colour.RED, "red"),
        (ip_address("10.0.0.1"), "10.0.0.1"),
    ],
)
def test_a_value_means(value: object, cell: object) -> None:
    actual = cell_of(value)
    assert actual == cell
    assert type(actual) is type(cell)
    assert cells_of_rows([(value,)]) == [(cell,)]
    assert decode_cells(encode_cells(actual)) == cell


@pytest.mark.parametrize("value", [math.nan, Decimal("NaN")])
def test_nan_is_a_float(value: object) -> None:
    cell = cell_of(value)
    assert isinstance(cell, float)
    assert math.isnan(cell)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('{"b": 1.0, "a": [1e2, true, null]}', '{"a":[100,true,null],"b":1}'),
        ('"x"', '"x"'),
        ("not JSON", "not JSON"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_json_text_has_one_form(text: str, cell: str) -> None:
    assert json_text_cell(text) == cell


def test_rows_of_plain_cells_pass_through() -> None:
    assert cells_of_rows([[1.5, "a", None, b"x"]]) == [(1.5, "a", None, b"x")]
    assert cells_of_rows([]) == []


def test_integers_pass_through_beside_long_ones() -> None:
    rows = [(1, "a", None), (-(2**63), "b", 2**64 - 1)]
    assert cells_of_rows(rows) == rows
    long = [(1, 2**64), (-(2**63) - 1, 0)]
    assert cells_of_rows(long) == [
        (1, ExactNumber(str(2**64))),
        (ExactNumber(str(-(2**63) - 1)), 0),
    ]
    assert [[type(cell) for cell in row] for row in cells_of_rows(long)] == [
        [int, ExactNumber],
        [ExactNumber, int],
    ]
    assert [type(cell) for cell in cells_of_rows([(True, 1)])[0]] == [int, int]
