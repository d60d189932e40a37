"""When two cells are the same, and how rows are made comparable by plain equality.

Python's own equality is most of it: ``4 == 4.0`` is true, ``'4' == 4`` is not, integers
beyond 2**53 stay exact, as do exact numbers, and NULL (``None``) is the same as NULL and nothing
else. What is left are NaN, and floats that differ in the last digits, because sums depend on row
order and on the SQLite version.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from sqlverdict.records import Cell, ExactNumber, Row

_NAN = "\0NaN"


@dataclass(frozen=True)
class Tolerance:
    """Numbers closer than this are the same: relative, or absolute near zero.

    Attributes:
        rel: Relative to the larger number.
        abs: Near zero.
        is_asked: A case asks for it. Otherwise it is for the noise of floats: integers and exact
            numbers have none.
    """

    rel: float = 1e-9
    abs: float = 1e-12
    is_asked: bool = False

    def same(self, a: float, b: float) -> bool:
        """Whether two numbers are the same."""
        if a == b or not (self.is_asked or type(a) is float or type(b) is float):
            return a == b
        return math.isclose(a, b, rel_tol=self.rel, abs_tol=self.abs)


def unify(tables: Sequence[list[Row]], tolerance: Tolerance) -> list[list[Row]]:
    """Replace near-equal numbers by one of them, over all tables together.

    All numbers of all tables are sorted; neighbours within the tolerance share a
    representative. Rounding each number by itself would part values on either side of a
    rounding edge; this cannot.
    """
    kinds = set(map(type, chain.from_iterable(chain.from_iterable(tables))))
    if float not in kinds and not (tolerance.is_asked and ExactNumber in kinds):
        return list(tables)
    cells = set(chain.from_iterable(chain.from_iterable(tables)))
    numbers = sorted(c for c in cells if isinstance(c, int | float) and c == c)
    change: dict[Cell, Cell] = {}
    shared: int | float | None = None
    for low, high in pairwise(numbers):
        if low != high and tolerance.same(low, high):
            shared = low if shared is None else shared
            change[high] = shared
        else:
            shared = None
    has_nan = any(c != c for c in cells)
    if not change and not has_nan:
        return list(tables)

    def settle(cell: Cell) -> Cell:
        return _NAN if cell != cell else change.get(cell, cell)

    return [[tuple(map(settle, row)) for row in table] for table in tables]
