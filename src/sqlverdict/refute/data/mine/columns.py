"""What the data show of one column.

How many rows it takes:

* never NULL, never an empty string: 10 rows;
* unique: 10 texts, or 25 numbers (300 pairs without a repetition put the chance of one
  below 1 %; ten different ages are nothing special, ten different names are);
* at most 12 values: 20 rows, of which at most one in twenty holds a value that occurs only
  once (the share of such rows estimates how likely the next row is to bring a new value);
* sign, range, stored kind, written form: 20 values. A range reaches beyond what was seen by
  the width of what was seen, never across zero: the next row may well lie a little outside.
  Unique columns get none.

A column of few values gets no range, sign or form: the values say it all. What an identifier
looks like says nothing, so keys and columns that point to one get neither (see
:data:`LOOKS`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from sqlverdict.files.sqlite import quote_name
from sqlverdict.records import Cell, Row
from sqlverdict.refute.data.mine.forms import StorageKind, TextForm, mine_forms
from sqlverdict.refute.data.mine.kind import (
    FEW_ROWS,
    MANY_ROWS,
    ColumnRef,
    ColumnRegularity,
    Regularity,
    cells_of,
    instance_rows,
    spoken,
    sql_value,
)
from sqlverdict.refute.data.mine.sample import Sample, Values
from sqlverdict.refute.witness import Instance

FEW_VALUES = 12
"""A column with at most so many different values is a code or a category."""
UNIQUE_NUMBERS = 25
"""So many numbers without a repetition are unique by design; fewer may be by chance."""
_RANGED_VALUES = 5
"""A range needs so many different numbers: fewer say nothing about its ends."""
_SINGLE_SHARE = 20
"""Values that occur once may make up one row in so many; more look like free values."""
_EXAMPLES = 4
"""How many values a sentence lists."""


@dataclass(frozen=True)
class NonEmpty(Regularity):
    """The table has rows."""

    table: str
    survives_sampling: ClassVar[bool] = False

    @property
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """No column: the table as such."""
        return ()

    def __str__(self) -> str:
        return f"{self.table} is not empty"

    def holds(self, instance: Instance) -> bool:
        """Whether the table has a row."""
        return bool(instance_rows(instance, self.table))

    def counterexample(self) -> str:
        """A row where the table has none."""
        return f"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM {quote_name(self.table)})"


@dataclass(frozen=True)
class NeverNull(ColumnRegularity):
    """The column is never NULL."""

    def __str__(self) -> str:
        return f"{self._name} is never NULL"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is there."""
        return cells[0] is not None

    def violation(self) -> str:
        """It is NULL."""
        return f"{quote_name(self.column)} IS NULL"


@dataclass(frozen=True)
class NeverBlank(ColumnRegularity):
    """The column never holds the empty string."""

    def __str__(self) -> str:
        return f"{self._name} is never an empty string"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is not an empty string."""
        return cells[0] != ""

    def violation(self) -> str:
        """It is the empty string."""
        return f"{quote_name(self.column)} = ''"


@dataclass(frozen=True)
class Repeatless(Regularity):
    """No value of the column repeats; NULL may."""

    table: str
    column: str

    @property
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """The column."""
        return ((self.table, self.column),)

    def __str__(self) -> str:
        return f"{spoken(self.column_refs[0])} is unique"

    def holds(self, instance: Instance) -> bool:
        """Whether no value repeats."""
        cells = [cell for (cell,) in cells_of(instance, self.table, self.column)]
        present = [cell for cell in cells if cell is not None]
        return len(set(present)) == len(present)

    def counterexample(self) -> str:
        """A value that repeats."""
        column = quote_name(self.column)
        return (
            f"SELECT 1 FROM {quote_name(self.table)} WHERE {column} IS NOT NULL "
            f"GROUP BY {column} HAVING COUNT(*) > 1 LIMIT 1"
        )


@dataclass(frozen=True)
class FewValues(ColumnRegularity):
    """The column holds these values and no others, NULL apart."""

    values: tuple[Cell, ...]

    def __str__(self) -> str:
        if len(self.values) == 1:
            return f"{self._name} is always {sql_value(self.values[0])}"
        examples = ", ".join(map(sql_value, self.values[:_EXAMPLES]))
        more = len(self.values) - _EXAMPLES
        return f"{self._name} is one of {examples}" + (f" and {more} more" if more > 0 else "")

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is one of the values, or NULL."""
        return cells[0] is None or cells[0] in self.values

    def violation(self) -> str:
        """It is another value."""
        return f"{quote_name(self.column)} NOT IN ({', '.join(map(sql_value, self.values))})"


@dataclass(frozen=True)
class NumberSign(ColumnRegularity):
    """The column's numbers are never negative, or always positive (``strict``)."""

    strict: bool

    def __str__(self) -> str:
        return f"{self._name} is {'always positive' if self.strict else 'never negative'}"

    def keeps(self, cells: Row) -> bool:
        """Whether the number has the sign; other cells have none."""
        cell = cells[0]
        if not isinstance(cell, int | float):
            return True
        return cell > 0 if self.strict else cell >= 0

    def violation(self) -> str:
        """It is a number of another sign."""
        # Every text is above every number.
        return f"{quote_name(self.column)} {'<=' if self.strict else '<'} 0"


@dataclass(frozen=True)
class Range(ColumnRegularity):
    """The column's numbers lie about here: see the rule at the top."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self._name} lies between {self.low:.12g} and {self.high:.12g}"

    def keeps(self, cells: Row) -> bool:
        """Whether the number lies in the range; other cells lie nowhere."""
        cell = cells[0]
        return not isinstance(cell, int | float) or self.low <= cell <= self.high

    def violation(self) -> str:
        """It is a number outside."""
        column = quote_name(self.column)
        above = f"{column} > {sql_value(self.high)} AND {column} < ''"
        return f"{column} < {sql_value(self.low)} OR ({above})"


LOOKS = (FewValues, NumberSign, Range, TextForm)
"""What values look like; of no account where all that matters is which rows they join."""


def mine_columns(sample: Sample) -> Iterator[Regularity]:
    """What one table's sample shows of each of its columns."""
    if sample.total:
        yield NonEmpty(sample.table.name)
    for values in sample.values:
        yield from _mine(values)


def _mine(values: Values) -> Iterator[Regularity]:
    table, column = values.column_ref
    if values.present < FEW_ROWS:
        return
    if values.present == len(values.cells):
        yield NeverNull(table, column)
    if values.unique and (values.kind == "text" or values.present >= UNIQUE_NUMBERS):
        yield Repeatless(table, column)
    if _has_few(values):
        distinct = sorted(values.counts, key=lambda cell: (type(cell).__name__, cell))
        yield FewValues(table, column, tuple(distinct))
        return
    if values.kind == "text" and "" not in values.counts:
        yield NeverBlank(table, column)
    if values.present < MANY_ROWS:
        return
    if values.kind == "text":
        yield StorageKind(table, column, "text")
        yield from mine_forms(values)
    if values.kind == "number":
        yield StorageKind(table, column, "number")
        numbers = [n for n in values.counts if isinstance(n, int | float) and isfinite(n)]
        yield from _numbers(values.column_ref, numbers, values.unique)


def _has_few(values: Values) -> bool:
    if values.present < MANY_ROWS or len(values.counts) > FEW_VALUES:
        return False
    single = sum(count == 1 for count in values.counts.values())
    return single * _SINGLE_SHARE <= values.present


def _numbers(column_ref: ColumnRef, numbers: Sequence[float], unique: bool) -> Iterator[Regularity]:
    if not numbers:
        return
    low, high = min(numbers), max(numbers)
    if low >= 0:
        yield NumberSign(*column_ref, strict=low > 0)
    if unique or len(numbers) < _RANGED_VALUES:
        return
    width = float(high) - float(low)
    if isfinite(width * 3):
        lower = max(0.0, low - width) if low >= 0 else low - width
        upper = min(0.0, high + width) if high <= 0 else high + width
        # Whole numbers beyond 2**53 lose their last digits on the way.
        if lower <= low and high <= upper:
            yield Range(*column_ref, low=lower, high=upper)
