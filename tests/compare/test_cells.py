"""When numbers are the same."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.compare.cells import Tolerance, unify

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(st.lists(FLOATS, min_size=1, max_size=8), st.floats(-1, 1))
def test_values_within_the_tolerance_become_equal(values: list[float], nudge: float) -> None:
    tolerance = Tolerance()
    left = [(value,) for value in values]
    right = [(value * (1 + nudge * 0.9e-9),) for value in values]
    one, two = unify([left, right], tolerance)
    assert one == two


@given(st.lists(st.integers(-1000, 1000) | st.text(max_size=3) | st.none(), max_size=8))
def test_without_floats_nothing_changes(cells: list[object]) -> None:
    rows = [(cell,) for cell in cells]
    assert unify([rows, rows], Tolerance()) == [rows, rows]


def test_what_is_the_same_and_what_is_not() -> None:
    tolerance = Tolerance()
    same = [(4, 4.0), (0.1 + 0.2, 0.3), (1e15 + 0.0, 10**15), (0.0, -0.0), (1e-13, 0.0)]
    apart = [(4, "4"), (None, 0), ("a", "A"), (1.0, 1.000001), (2**53, 2**53 + 1), (b"a", "a")]
    for left, right in same:
        one, two = unify([[(left,)], [(right,)]], tolerance)
        assert one == two, (left, right)
    for left, right in apart:
        one, two = unify([[(left,)], [(right,)]], tolerance)
        assert one != two, (left, right)


def test_values_on_both_sides_of_a_rounding_edge_meet() -> None:
    below, above = math.nextafter(0.125, 0), math.nextafter(0.125, 1)
    one, two = unify([[(below,)], [(above,)]], Tolerance())
    assert one == two


def test_nan_equals_nan_only() -> None:
    one, two, three = unify([[(math.nan,)], [(math.nan,)], [(1.5,)]], Tolerance())
    assert one == two != three
