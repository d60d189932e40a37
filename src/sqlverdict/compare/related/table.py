"""Rows seen as columns, and what a proof on them is worth.

Everything here is computed when first asked for: most mismatches are settled by a look at
shapes and types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from sqlverdict.records import Cell, ExactNumber, Row

NUMBERS = frozenset({int, float})
TEXTS = frozenset({str, bytes})
NUMERIC = frozenset({int, float, type(None)})
EXAMPLES = 3
"""How many example rows a proof shows."""

Key = Any
Keys = Sequence[Key]


class AnswerColumn:
    """The cells of one column, with what the searches ask about them."""

    __slots__ = ("_kinds", "_notes", "_signature", "cells")

    def __init__(self, cells: tuple[Cell, ...]) -> None:
        self.cells = cells
        self._kinds: frozenset[type] | None = None
        self._signature: frozenset[tuple[Cell, int]] | None = None
        self._notes: dict[Any, Any] | None = None

    @property
    def kinds(self) -> frozenset[type]:
        """The types of the cells."""
        if self._kinds is None:
            self._kinds = frozenset(map(type, self.cells))
        return self._kinds

    @property
    def signature(self) -> frozenset[tuple[Cell, int]]:
        """The bag of the cells; two columns with one signature hold the same values."""
        if self._signature is None:
            cells = self.cells
            self._signature = (
                frozenset(((cells[0], 1),))
                if len(cells) == 1
                else frozenset(Counter(cells).items())
            )
        return self._signature

    @property
    def notes(self) -> dict[Any, Any]:
        """Where a relation keeps what it found out about this column."""
        if self._notes is None:
            self._notes = {}
        return self._notes

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers, and nothing else but NULL."""
        kinds = self.kinds
        return kinds <= NUMERIC and not kinds.isdisjoint(NUMBERS)


class AnswerTable:
    """The rows of one answer; at least one."""

    __slots__ = ("_by_signature", "_columns", "_kinds", "height", "rows", "width")

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.height = len(rows)
        self.width = len(rows[0])
        self._columns: list[AnswerColumn] | None = None
        self._by_signature: dict[frozenset[tuple[Cell, int]], list[int]] | None = None
        self._kinds: frozenset[type] | None = None

    @property
    def columns(self) -> list[AnswerColumn]:
        """The columns, left to right."""
        if self._columns is None:
            self._columns = [AnswerColumn(cells) for cells in zip(*self.rows, strict=True)]
        return self._columns

    @property
    def kinds(self) -> frozenset[type]:
        """The types of all cells."""
        if self._kinds is None:
            self._kinds = frozenset(map(type, chain.from_iterable(self.rows)))
        return self._kinds

    @property
    def by_signature(self) -> Mapping[frozenset[tuple[Cell, int]], list[int]]:
        """Which columns have a given signature."""
        if self._by_signature is None:
            self._by_signature = {}
            for index, column in enumerate(self.columns):
                self._by_signature.setdefault(column.signature, []).append(index)
        return self._by_signature


def same_bag(keys: Keys, others: Keys) -> bool:
    """Whether two columns of one length hold the same values."""
    if len(keys) == 1:
        return bool(keys[0] == others[0])
    return Counter(keys) == Counter(others)


def is_within(bag: Mapping[Key, int], other: Mapping[Key, int]) -> bool:
    """Whether one bag lies within another; to compare Counters would look at both to their end."""
    return len(bag) <= len(other) and all(n <= other.get(key, 0) for key, n in bag.items())


def tiny(cell: Cell) -> bool:
    """Whether a value is one that unrelated answers share by chance.

    NULL, a text of at most one character, a number with one significant digit (0, 1, 7,
    0.5, 100).
    """
    if cell is None:
        return True
    if isinstance(cell, str | bytes):
        return len(cell) <= 1
    digits = repr(cell).partition("e")[0].lstrip("-0.").replace(".", "").rstrip("0")
    return len(digits) <= 1


def weak(columns: Iterable[Keys]) -> bool:
    """Whether a proof on these columns may be chance.

    It is where one row holds only tiny values, or several rows only one distinct value.
    """
    distinct: set[Key] = set()
    height = 0
    for cells in columns:
        height = len(cells)
        if height == 1:
            if not tiny(cells[0]):
                return False
            continue
        for cell in cells:
            distinct.add(cell)
            if len(distinct) > 1:
                return False
    return True


def plain_cell(cell: Cell) -> int | float | str | None:
    """A cell as JSON can hold it."""
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'"
    if isinstance(cell, str):
        return cell.encode("utf-8", "replace").decode("utf-8")
    if isinstance(cell, float) and (cell != cell or cell in (float("inf"), float("-inf"))):
        return repr(cell)
    return cell.digits if isinstance(cell, ExactNumber) else cell


def plain_row(row: Row) -> list[int | float | str | None]:
    """A row as JSON can hold it."""
    return [plain_cell(cell) for cell in row]


def surplus(rows: Sequence[Row], others: Sequence[Row]) -> Iterator[Row]:
    """The rows that are left when ``others``, as a bag, are taken out; in order."""
    left = Counter(others)
    for row in rows:
        if left[row] > 0:
            left[row] -= 1
        else:
            yield row


def is_map(columns: Sequence[int | None], width: int, other_width: int) -> bool:
    """Whether the list gives every column another one, as many as there can be."""
    used = [index for index in columns if index is not None]
    return (
        len(columns) == width
        and len(used) == len(set(used)) == min(width, other_width)
        and all(0 <= index < other_width for index in used)
    )
