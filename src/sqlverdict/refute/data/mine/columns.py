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

A form says how values are stored and written: as numbers or texts, dates, times, in upper case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, Literal

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell, Row
from sqlverdict.refute.data.mine.kind import (
    FEW_ROWS,
    MANY_ROWS,
    ColumnRegularity,
    Regularity,
    cells_of,
    instance_rows,
    spoken,
    sql_value,
)
from sqlverdict.refute.data.mine.sample import Sample, Values
from sqlverdict.refute.witness import Instance

StoredAs = Literal["number", "text"]
_KEPT_AS: dict[StoredAs, tuple[type, ...]] = {"number": (int, float), "text": (str,)}


@dataclass(frozen=True)
class StorageKind(ColumnRegularity):
    """The column holds only numbers, or only texts, NULL apart; SQLite would store anything."""

    kind: StoredAs

    def __str__(self) -> str:
        return f"{self._name} holds only {self.kind}s"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is of that kind, or NULL."""
        return cells[0] is None or isinstance(cells[0], _KEPT_AS[self.kind])

    def violation(self) -> str:
        """It is of another kind."""
        kinds = "'text'" if self.kind == "text" else "'integer', 'real'"
        return f"typeof({quote_name(self.column)}) NOT IN ('null', {kinds})"


WrittenForm = Literal[
    "whole number", "date", "date and time", "digits and signs", "upper case", "lower case"
]
_DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
_CLOCK = "[0-9][0-9]:[0-9][0-9]"
_SIGNS = "0-9 :./,+$%#()-"
# Each form: what a text must match, and the SQL condition that it does not.
_FORMS: dict[WrittenForm, tuple[re.Pattern[str], str]] = {
    "date": (re.compile(_DATE), f"{{0}} NOT GLOB '{_DATE}'"),
    "date and time": (
        re.compile(rf"{_DATE}[ T]{_CLOCK}.*", re.DOTALL),
        f"{{0}} NOT GLOB '{_DATE}[ T]{_CLOCK}*'",
    ),
    "whole number": (
        re.compile(r"-?[0-9]+"),
        "(ltrim({0}, '-') = '' OR ltrim({0}, '-') GLOB '*[^0-9]*' OR {0} GLOB '--*')",
    ),
    # Times, days in other orders, codes: "1:54.455" and "3/7/2020" hold no letter.
    "digits and signs": (
        re.compile(rf"(?=.*[0-9])[{_SIGNS}]*"),
        f"({{0}} GLOB '*[^{_SIGNS}]*' OR {{0}} NOT GLOB '*[0-9]*')",
    ),
    "upper case": (re.compile(r"[^a-z]*"), "{0} GLOB '*[a-z]*'"),
    "lower case": (re.compile(r"[^A-Z]*"), "{0} GLOB '*[A-Z]*'"),
}
_LONGEST = 64
"""Longer texts are prose and have no form."""
_LETTER = re.compile("[A-Za-z]")


@dataclass(frozen=True)
class TextForm(ColumnRegularity):
    """All the column's texts are written in one form."""

    form: WrittenForm

    def __str__(self) -> str:
        article = "in" if self.form.endswith(("case", "signs")) else "as a"
        return f"{self._name} is written {article} {self.form}"

    def keeps(self, cells: Row) -> bool:
        """Whether the text has the form; other cells have none."""
        cell = cells[0]
        return not isinstance(cell, str) or _FORMS[self.form][0].fullmatch(cell) is not None

    def violation(self) -> str:
        """It is a text of another form."""
        column = quote_name(self.column)
        return f"typeof({column}) = 'text' AND {_FORMS[self.form][1].format(column)}"


def mine_forms(values: Values) -> Iterator[Regularity]:
    """The first form that all the texts have; letters must be there for a case to show."""
    texts = [text for text in values.counts if isinstance(text, str)]
    # Long texts are prose, and SQLite would take its time over them.
    short = max(map(len, texts), default=0) <= _LONGEST
    with_letters = sum(_LETTER.search(text) is not None for text in texts)
    for form, (pattern, _) in _FORMS.items():
        if form.endswith("case") and (with_letters < FEW_ROWS or not short):
            continue
        if all(pattern.fullmatch(text) for text in texts):
            yield TextForm(*values.column_ref, form=form)
            return


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
