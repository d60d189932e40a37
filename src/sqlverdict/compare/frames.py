"""Answers as data frames: the parts of pandas that scorers compare with, and their quirks.

A frame has columns of one kind each, as pandas infers them: numbers (no value is NaN), times (no
value is NaT) or objects (no value is None). Only what decides a comparison is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

from sqlverdict.records import Answer

Kind = Literal["integers", "floats", "times", "objects"]
Name = str | int

_RTOL, _ATOL = 1e-5, 1e-8


class Unsortable(Exception):
    """A column mixes values that cannot be put in order; pandas raises there."""


@dataclass(frozen=True)
class FrameColumn:
    """A column: its name, its kind and its cells; ``None`` is no value."""

    name: Name
    kind: Kind
    cells: tuple[Any, ...]

    @property
    def missing_differ(self) -> bool:
        """Whether no value differs from no value: NaN and NaT do, None does not."""
        return self.kind != "objects"

    def pick(self, positions: Iterable[int]) -> FrameColumn:
        """The column with these rows, in this order."""
        return FrameColumn(self.name, self.kind, tuple(self.cells[i] for i in positions))

    def sorted(self) -> FrameColumn:
        """The column with its values in order and missing ones last."""
        return self.pick(order_of([self]))


@dataclass(frozen=True)
class Frame:
    """Columns of one length."""

    columns: tuple[FrameColumn, ...]
    height: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.height, len(self.columns)

    def pick(self, positions: Sequence[int]) -> Frame:
        """The frame with these rows, in this order."""
        return Frame(tuple(each.pick(positions) for each in self.columns), len(positions))


def frame_of(answer: Answer, *, has_names: bool, decimals_are_floats: bool) -> Frame:
    """The frame that pandas makes of an answer's driver values.

    Args:
        answer: The answer.
        has_names: Columns have the names that the driver tells; otherwise they are numbered.
        decimals_are_floats: As ``read_sql_query`` makes them; a bare frame keeps decimals.
    """
    rows = answer.values
    # A frame that is made of rows alone has no column where there is no row.
    width = len(answer.columns) if rows or has_names else 0
    cells: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) if rows else [()] * width
    columns = [
        _column(answer.columns[i] if has_names else i, cells[i], decimals_are_floats)
        for i in range(width)
    ]
    return Frame(tuple(columns), len(rows))


def _column(name: Name, cells: tuple[Any, ...], decimals_are_floats: bool) -> FrameColumn:
    if decimals_are_floats and any(isinstance(cell, Decimal) for cell in cells):
        cells = tuple(float(cell) if isinstance(cell, Decimal) else cell for cell in cells)
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds and kinds <= {int, float}:
        # A NaN of the driver is no value, as in pandas.
        cells = tuple(None if cell is None or cell != cell else cell for cell in cells)
        if kinds == {int} and None not in cells:
            return FrameColumn(name, "integers", cells)
        numbers = tuple(None if cell is None else float(cell) for cell in cells)
        return FrameColumn(name, "floats", numbers)
    is_time = kinds in ({datetime}, {timedelta})
    return FrameColumn(name, "times" if is_time else "objects", cells)


def order_of(columns: Sequence[FrameColumn], *, descending: bool = False) -> list[int]:
    """The order of rows by the values of columns; missing ones come last, ties keep their order.

    Raises:
        Unsortable: values of one column cannot be compared.
    """
    positions = list(range(len(columns[0].cells))) if columns else []
    for column in reversed(columns):
        here = [i for i in positions if column.cells[i] is not None]
        gaps = [i for i in positions if column.cells[i] is None]
        try:
            here.sort(key=column.cells.__getitem__, reverse=descending)
        except TypeError as error:
            raise Unsortable(str(error)) from error
        positions = here + gaps
    return positions


def without_duplicates(frame: Frame) -> Frame:
    """The frame with the first of equal rows; missing values are equal.

    Raises:
        Unsortable: a value cannot be hashed.
    """
    first: dict[tuple[Any, ...], int] = {}
    try:
        for i, row in enumerate(zip(*(each.cells for each in frame.columns), strict=True)):
            first.setdefault(row, i)
    except TypeError as error:
        raise Unsortable(str(error)) from error
    positions = list(first.values())
    return frame if len(positions) == frame.height else frame.pick(positions)


def broadcast_equal(gold: Frame, other: Frame) -> bool:
    """Whether all cells are equal where a side of length one is repeated, as numpy does it.

    An empty comparison is true: one row against none, for instance.
    """
    height = _broadcast(gold.height, other.height)
    width = _broadcast(len(gold.columns), len(other.columns))
    if height is None or width is None:
        return False
    for j in range(width):
        a = gold.columns[j if len(gold.columns) > 1 else 0]
        b = other.columns[j if len(other.columns) > 1 else 0]
        lone_a, lone_b = gold.height == 1, other.height == 1
        pairs = ((a.cells[0 if lone_a else i], b.cells[0 if lone_b else i]) for i in range(height))
        none_is_equal = not a.missing_differ and not b.missing_differ
        if not all(_equal(x, y, none_is_equal) for x, y in pairs):
            return False
    return True


def _broadcast(one: int, other: int) -> int | None:
    if one == other or other == 1:
        return one
    return other if one == 1 else None


def _equal(one: Any, other: Any, none_is_equal: bool) -> bool:
    if one is None or other is None:
        return none_is_equal and one is other
    return bool(one == other)


def same_cells(gold: Frame, other: Frame, fill: object) -> bool:
    """Whether frames of one shape have equal cells, ``fill`` standing for no value."""
    if gold.shape != other.shape:
        return False
    return all(
        (fill if x is None else x) == (fill if y is None else y)
        for a, b in zip(gold.columns, other.columns, strict=True)
        for x, y in zip(a.cells, b.cells, strict=True)
    )


def nearly_same(one: FrameColumn, other: FrameColumn) -> bool:
    """Whether two columns are equal to pandas' tests: numbers nearly, integers exactly."""
    if len(one.cells) != len(other.cells):
        return False
    exact = one.kind == other.kind == "integers"
    same: Callable[[Any, Any], bool] = _same if exact else _near
    return all(map(same, one.cells, other.cells))


def _same(one: Any, other: Any) -> bool:
    return bool(one == other)


def _near(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if _is_number(one) and _is_number(other):
        a, b = float(one), float(other)
        if math.isinf(a) or math.isinf(b):
            return a == b
        return abs(a - b) <= _ATOL + _RTOL * abs(b)
    return bool(one == other)


def _is_number(value: object) -> bool:
    # pandas' tests allow a tolerance to real numbers alone: decimals are compared exactly.
    return isinstance(value, int | float) and not isinstance(value, bool)
