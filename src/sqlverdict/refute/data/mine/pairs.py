"""What the data show of two columns of one table.

* ``a`` determines ``b`` (a code and its label, in both directions or one): rows that repeat
  a value of ``a`` repeat ``b`` too. At least 10 rows must do so, and unrelated columns
  would do it by chance less than once in a million times. A unique column determines
  everything, which its uniqueness says already; a number with a fraction is a measure, and
  no code for anything. Where both determine each other, known values stay together as well.
* ``a = b`` in every row: 20 rows, and more than one value.
* ``a <= b`` in every row: 20 rows of numbers, or of ISO dates. Shuffling one of the columns
  must break it almost surely: columns whose ranges hardly overlap are in order by accident.

Rows with a NULL in either column do not count. In a wide table a column is held against its
neighbours alone, 32 on each side: what belongs together stands together, and the time does not
grow with the square of the width.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell, Row
from sqlverdict.refute.data.mine.columns import TextForm
from sqlverdict.refute.data.mine.kind import (
    FEW_ROWS,
    MANY_ROWS,
    SURPRISE,
    Regularity,
    RowRegularity,
    cells_of,
    spoken,
    surprise,
)
from sqlverdict.refute.data.mine.sample import Sample, Values
from sqlverdict.refute.witness import Instance

_GLANCE = 400
"""So many rows are compared first; a pair that fails there needs no further look."""
_NEAR = 32
"""How far apart two columns of a wide table may stand: pairs grow with the square."""
_CODES = 2_000
"""A column with more different values is no code."""
_DATES = (TextForm("", "", "date"), TextForm("", "", "date and time"))


@dataclass(frozen=True)
class Determines(Regularity):
    """Rows with one value of ``column`` have one value of ``other``; ``both``: and back.

    ``known`` holds which value goes with which, where both determine each other: a code that
    the data know keeps its label, and a label its code.
    """

    table: str
    column: str
    other: str
    both: bool
    known: Mapping[Cell, Cell] = field(default_factory=dict, compare=False, repr=False)

    @property
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """The two columns."""
        return (self.table, self.column), (self.table, self.other)

    def __str__(self) -> str:
        first, second = map(spoken, self.column_refs)
        if self.both:
            return f"{first} and {second} determine each other"
        return f"{first} determines {second}"

    def holds(self, instance: Instance) -> bool:
        """Whether no value goes with two, among rows without NULL."""
        pairs = set(cells_of(instance, self.table, self.column, self.other))
        pairs = {pair for pair in pairs if None not in pair}
        firsts = len({first for first, _ in pairs})
        seconds = len({second for _, second in pairs}) if self.both else len(pairs)
        if not firsts == len(pairs) == seconds:
            return False
        known, back = self.known, self._back
        return all(
            known.get(first, second) == second and back.get(second, first) == first
            for first, second in pairs
        )

    @cached_property
    def _back(self) -> Mapping[Cell, Cell]:
        """Which value goes with which the other way."""
        return {other: value for value, other in self.known.items()}

    def counterexample(self) -> str:
        """A value that goes with two."""
        sql = self._two(self.column, self.other)
        if not self.both:
            return sql
        return (
            f"SELECT * FROM ({sql}) UNION ALL SELECT * FROM ({self._two(self.other, self.column)})"
        )

    def _two(self, column: str, other: str) -> str:
        first, second = quote_name(column), quote_name(other)
        return (
            f"SELECT 1 FROM {quote_name(self.table)} WHERE {first} IS NOT NULL GROUP BY {first} "
            f"HAVING COUNT(DISTINCT {second}) > 1 LIMIT 1"
        )


@dataclass(frozen=True)
class _InRow(RowRegularity):
    table: str
    column: str
    other: str

    @property
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """The two columns."""
        return (self.table, self.column), (self.table, self.other)


@dataclass(frozen=True)
class SameInRow(_InRow):
    """Two columns are copies of each other."""

    def __str__(self) -> str:
        first, second = map(spoken, self.column_refs)
        return f"{first} equals {second} in every row"

    def keeps(self, cells: Row) -> bool:
        """Whether the two are equal, or one is NULL."""
        return None in cells or cells[0] == cells[1]

    def violation(self) -> str:
        """The two differ."""
        return f"{quote_name(self.column)} <> {quote_name(self.other)}"


@dataclass(frozen=True)
class OrderInRow(_InRow):
    """One column is never above the other."""

    def __str__(self) -> str:
        first, second = map(spoken, self.column_refs)
        return f"{first} is at most {second} in every row"

    def keeps(self, cells: Row) -> bool:
        """Whether the two are in order; a text and a number have none."""
        first, second = cells
        if isinstance(first, str) and isinstance(second, str):
            return first <= second
        if isinstance(first, int | float) and isinstance(second, int | float):
            return first <= second
        return True

    def violation(self) -> str:
        """The two are of one kind, in the wrong order."""
        first, second = quote_name(self.column), quote_name(self.other)
        alike = f"(typeof({first}) = 'text') = (typeof({second}) = 'text')"
        return f"{first} > {second} AND {alike}"


@dataclass(frozen=True)
class _Coded:
    """A column whose values are numbered: comparing numbers is quicker than comparing texts."""

    values: Values
    codes: list[int]
    collision: float
    dated: bool
    ordered: list[Any] = field(default_factory=list)

    @property
    def distinct(self) -> int:
        return len(self.values.counts)

    @property
    def full(self) -> bool:
        return self.values.present == len(self.codes)

    @cached_property
    def measure(self) -> bool:
        return any(isinstance(n, float) and not n.is_integer() for n in self.values.counts)

    @property
    def comparable(self) -> bool:
        return bool(self.ordered)


def mine_pairs(sample: Sample) -> Iterator[Regularity]:
    """What one table's sample shows of each two of its columns."""
    if len(sample.rows) < MANY_ROWS:
        return
    coded = [_code(v) for v in sample.values if v.present >= MANY_ROWS and len(v.counts) > 1]
    copies: set[tuple[str, str]] = set()
    for first, second in _neighbours(coded):
        if _same(first, second):
            table, column = first.values.column_ref
            copies.add((column, second.values.column_ref[1]))
            yield SameInRow(table, column, second.values.column_ref[1])
    for first, second in _neighbours(coded, both_ways=True):
        names = (first.values.column_ref[1], second.values.column_ref[1])
        if names in copies or names[::-1] in copies:
            continue
        if first.comparable and second.comparable and _in_order(first, second):
            yield OrderInRow(sample.table.name, *names)
    yield from _dependencies(coded, copies)


def _neighbours(
    coded: Sequence[_Coded], *, both_ways: bool = False
) -> Iterator[tuple[_Coded, _Coded]]:
    for at, first in enumerate(coded):
        if both_ways:
            yield from ((first, second) for second in coded[max(0, at - _NEAR) : at])
        yield from ((first, second) for second in coded[at + 1 : at + 1 + _NEAR])


def _dependencies(coded: Sequence[_Coded], copies: set[tuple[str, str]]) -> Iterator[Regularity]:
    for first, second in _neighbours(coded):
        table, name = first.values.column_ref
        other = second.values.column_ref[1]
        if (name, other) in copies:
            continue
        forward, backward = _determines(first, second), _determines(second, first)
        if forward or backward:
            one, two = (first, second) if forward else (second, first)
            names = one.values.column_ref[1], two.values.column_ref[1]
            both = forward and backward
            known = _association(one.values, two.values) if both else {}
            yield Determines(table, *names, both=both, known=known)


def _association(one: Values, two: Values) -> dict[Cell, Cell]:
    """Which value goes with which; codes are few, and only they are kept."""
    if len(one.counts) > _CODES:
        return {}
    cells = zip(one.cells, two.cells, strict=True)
    return {value: goes for value, goes in cells if value is not None and goes is not None}


def _code(values: Values) -> _Coded:
    numbers = {cell: at for at, cell in enumerate(values.counts)}
    numbers[None] = -1
    codes = [numbers[cell] for cell in values.cells]
    collision = sum(count * count for count in values.counts.values()) / values.present**2
    dated = values.kind == "text" and any(
        all(form.keeps((cell,)) for cell in values.counts) for form in _DATES
    )
    ordered: list[Any] = (
        [c for c in values.cells if c is not None] if dated or values.kind == "number" else []
    )
    return _Coded(values, codes, collision, dated, sorted(ordered))


def _same(first: _Coded, second: _Coded) -> bool:
    if first.values.kind != second.values.kind:
        return False
    if first.full and second.full and first.distinct != second.distinct:
        return False
    seen: set[Cell] = set()
    rows = 0
    for one, two in zip(first.values.cells, second.values.cells, strict=True):
        if one is not None and two is not None:
            if one != two:
                return False
            seen.add(one)
            rows += 1
    return rows >= MANY_ROWS and len(seen) > 1


def _in_order(first: _Coded, second: _Coded) -> bool:
    if first.dated != second.dated or first.ordered[-1] > second.ordered[-1]:
        return False
    ours: tuple[Any, ...] = first.values.cells
    rows = 0
    for one, two in zip(ours, second.values.cells, strict=True):
        if one is not None and two is not None:
            if one > two:
                return False
            rows += 1
    if rows < MANY_ROWS:
        return False
    below = second.ordered
    wrong = sum(bisect_left(below, a) for a in first.ordered) / len(first.ordered) / len(below)
    return surprise(1 - wrong, rows) >= SURPRISE


def _determines(first: _Coded, second: _Coded) -> bool:
    """Whether the first column determines the second, with enough rows to say so."""
    if first.values.unique or first.measure or second.distinct > first.distinct:
        # NULLs could hide a dependency of a coarser column; such sparse columns are let go.
        return False
    if not _function(first.codes[:_GLANCE], second.codes[:_GLANCE]):
        return False
    one, two = first.codes, second.codes
    if not (first.full and second.full):
        both = [pair for pair in zip(one, two, strict=True) if -1 not in pair]
        one, two = [a for a, _ in both], [b for _, b in both]
    repeats = len(one) - len(set(one))
    if repeats < FEW_ROWS or len(set(two)) < 2:
        return False
    return surprise(second.collision, repeats) >= SURPRISE and _function(one, two)


def _function(one: Sequence[int], two: Sequence[int]) -> bool:
    pairs = {pair for pair in zip(one, two, strict=True) if -1 not in pair}
    return len({first for first, _ in pairs}) == len(pairs)
