"""What the data show of two tables.

* Inclusion: every value of a column, NULL apart, is among those of a column of another table.
  It takes 10 rows, 3 values, and a reason to look:

  1. a declared foreign key joins the two columns, in either direction; or
  2. they have the same name, case and punctuation apart, and that name says something
     (``id``, ``name``, ``year`` and the like do not); or
  3. one is unique, and the other's name holds the name of its table (``link_to_event`` and
     ``event.event_id``, ``teacher_id`` and ``teacher.id``).

  Where neither column is unique, or both are, and no foreign key is declared, it must not be
  chance: values drawn at random from the same stretch of numbers, or from the key that both columns
  point to, would have to be included less than once in a thousand times.

* Copies over a join: wherever the two columns of an inclusion or a declared foreign key are
  equal, a further column of the one table equals one of the other: 20 joined rows, 3 values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import log
from typing import ClassVar

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.parse.tokens import fold, word_set
from sqlverdict.records import Cell
from sqlverdict.refute.data.mine.kind import (
    FEW_ROWS,
    MANY_ROWS,
    Regularity,
    cells_of,
    spoken,
    surprise,
)
from sqlverdict.refute.data.mine.sample import Sample, Values
from sqlverdict.refute.witness import Instance

_THREE = 3
"""So many different values a column needs: one or two are shared by chance."""
_BY_CHANCE = log(1_000)
_SHORT_NAME = 3
"""Shorter table names occur inside other words by chance."""
_MOST_PAIRS = 4_096
"""Of two wide tables only columns of the same name are held against each other."""
_SAYS_NOTHING = word_set(
    "id rowid name code type date year month day number no num nr key value description status "
    "title rank count amount index notes note time total level order sequence seq "
    "position pos comment"
)


@dataclass(frozen=True)
class Inclusion(Regularity):
    """Every value of the column is among the other's."""

    table: str
    column: str
    other_table: str
    other_column: str
    survives_sampling: ClassVar[bool] = False

    @property
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """The two columns."""
        return (self.table, self.column), (self.other_table, self.other_column)

    def __str__(self) -> str:
        first, second = map(spoken, self.column_refs)
        return f"every {first} is among {second}"

    def holds(self, instance: Instance) -> bool:
        """Whether no value but NULL is missing from the other column."""
        ours = {cell for (cell,) in cells_of(instance, self.table, self.column)}
        theirs = {cell for (cell,) in cells_of(instance, self.other_table, self.other_column)}
        return ours - {None} <= theirs

    def counterexample(self) -> str:
        """A value that the other column does not have."""
        column, other = quote_name(self.column), quote_name(self.other_column)
        theirs = f"SELECT {other} FROM {quote_name(self.other_table)} WHERE {other} IS NOT NULL"
        return (
            f"SELECT 1 FROM {quote_name(self.table)} "
            f"WHERE {column} IS NOT NULL AND {column} NOT IN ({theirs}) LIMIT 1"
        )


@dataclass(frozen=True)
class CopiedOver(Regularity):
    """Rows of two tables that join have equal values in two further columns."""

    join: tuple[ColumnRef, ColumnRef]
    copy: tuple[ColumnRef, ColumnRef]

    @property
    def column_refs(self) -> tuple[ColumnRef, ...]:
        """The columns that join and those that are copies."""
        return self.join + self.copy

    def __str__(self) -> str:
        ours, theirs = map(spoken, self.copy)
        return f"{ours} equals {theirs} wherever {' = '.join(map(spoken, self.join))}"

    def holds(self, instance: Instance) -> bool:
        """Whether joined rows agree, NULL apart."""
        (table, key), (other, other_key) = self.join
        theirs: dict[Cell, set[Cell]] = {}
        for joined, copied in cells_of(instance, other, other_key, self.copy[1][1]):
            theirs.setdefault(joined, set()).add(copied)
        return all(
            theirs.get(joined, set()) <= {copied, None}
            for joined, copied in cells_of(instance, table, key, self.copy[0][1])
            if joined is not None and copied is not None
        )

    def counterexample(self) -> str:
        """Two joined rows that differ."""
        (table, key), (other, other_key) = self.join
        ours, theirs = quote_name(self.copy[0][1]), quote_name(self.copy[1][1])
        return (
            f"SELECT 1 FROM {quote_name(table)} AS a JOIN {quote_name(other)} AS b "
            f"ON a.{quote_name(key)} = b.{quote_name(other_key)} "
            f"WHERE a.{ours} <> b.{theirs} LIMIT 1"
        )


def _joinable(
    schema: Schema, samples: Mapping[str, Sample]
) -> Iterator[tuple[Values, Values, bool]]:
    """The columns of different tables that there is reason to join, and whether it is declared.

    See the rule at the top. Columns are looked up by name: to hold each against each would take too
    long.
    """
    columns = [values for sample in samples.values() for values in sample.values]
    names = [_bare(values.column_ref[1]) for values in columns]
    at = {values.column_ref: number for number, values in enumerate(columns)}
    declared = {
        (min(pair), max(pair))
        for joined in declared_joins(schema)
        if len(pair := [at[column_ref] for column_ref in joined if column_ref in at]) == 2
    }
    pairs = {*declared, *_same_names(names)}
    for sample in samples.values():
        pairs |= set(_named_after(sample, names, columns, at))
    for one, two in sorted(pairs):
        first, second = columns[one], columns[two]
        if first.column_ref[0] != second.column_ref[0] and first.kind == second.kind:
            yield first, second, (one, two) in declared


def _same_names(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The numbers of columns that bear one name, if it says something."""
    numbers: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        if name not in _SAYS_NOTHING:
            numbers.setdefault(name, []).append(number)
    for alike in numbers.values():
        yield from combinations(alike, 2)


def _named_after(
    parent: Sample, names: Sequence[str], columns: Sequence[Values], at: Mapping[ColumnRef, int]
) -> Iterator[tuple[int, int]]:
    """The columns whose names hold the parent table's name, with the keys that they may mean."""
    table = _singular(_bare(parent.table.name))
    if len(table) < _SHORT_NAME:
        return
    children = [n for n, name in enumerate(names) if table in name]
    keys = [
        (at[values.column_ref], _bare(values.column_ref[1]), values) for values in parent.values
    ]
    for child in children:
        if columns[child].column_ref[0] == parent.table.name:
            continue
        for index, key, values in keys:
            is_reference = key in _SAYS_NOTHING or names[child].endswith(key) or table in key
            if is_reference and values.unique:
                yield min(child, index), max(child, index)


def declared_joins(schema: Schema) -> set[frozenset[ColumnRef]]:
    """The pairs of columns that declared foreign keys of one column join."""
    joins: set[frozenset[ColumnRef]] = set()
    for table in schema.tables:
        for key in table.foreign_keys:
            if len(key.columns) == len(key.parent_columns) == 1:
                child = table.column(key.columns[0])
                name = child.name if child is not None else key.columns[0]
                parent = (key.parent, key.parent_columns[0])
                joins.add(frozenset(((table.name, name), parent)))
    return joins


def mine_inclusions(schema: Schema, samples: Mapping[str, Sample]) -> Iterator[Inclusion]:
    """The inclusions among columns that there is reason to join, in both directions.

    Where the other table was not read whole, what is found is yet to be confirmed.
    """
    doubtful: list[tuple[Values, Values]] = []
    keys: dict[ColumnRef, list[Values]] = {}
    for first, second, is_declared in _joinable(schema, samples):
        for child, parent in permutations((first, second)):
            if child.present < FEW_ROWS or len(child.counts) < _THREE:
                continue
            if (
                samples[parent.column_ref[0]].whole
                and not child.counts.keys() <= parent.counts.keys()
            ):
                continue
            if parent.unique:
                keys.setdefault(child.column_ref, []).append(parent)
            # Two columns that number their own rows are among each other without meaning it.
            if is_declared or child.unique != parent.unique:
                yield Inclusion(*child.column_ref, *parent.column_ref)
            else:
                doubtful.append((child, parent))
    for child, parent in doubtful:
        theirs = {key.column_ref for key in keys.get(parent.column_ref, [])}
        shared = [
            len(key.counts) for key in keys.get(child.column_ref, []) if key.column_ref in theirs
        ]
        if not _chance(child, parent, max(shared, default=0)):
            yield Inclusion(*child.column_ref, *parent.column_ref)


def mine_copies(
    joins: Sequence[tuple[ColumnRef, ColumnRef]], samples: Mapping[str, Sample]
) -> Iterator[CopiedOver]:
    """The columns that are copied over the joins; one of the columns that join must be unique."""
    for join in joins:
        sides = [
            (column_ref, _values(samples[column_ref[0]], column_ref[1])) for column_ref in join
        ]
        if not sides[1][1].unique:
            sides.reverse()
        (first, keys), (second, parents) = sides
        if not parents.unique:
            continue
        ours, theirs = samples[first[0]], samples[second[0]]
        at = {cell: index for index, cell in enumerate(parents.cells) if cell is not None}
        pairs = [(row, at[cell]) for row, cell in enumerate(keys.cells) if cell in at]
        if len(pairs) < MANY_ROWS:
            continue
        wide = len(ours.values) * len(theirs.values) > _MOST_PAIRS
        for values in ours.values:
            for others in theirs.values:
                joining = values.column_ref == first or others.column_ref == second
                if joining or (wide and fold(values.column_ref[1]) != fold(others.column_ref[1])):
                    continue
                if _copied(values, others, pairs):
                    yield CopiedOver((first, second), (values.column_ref, others.column_ref))


def _values(sample: Sample, column: str) -> Values:
    return sample.values[sample.columns.index(column)]


def _copied(ours: Values, theirs: Values, pairs: Sequence[tuple[int, int]]) -> bool:
    if ours.kind != theirs.kind or min(len(ours.counts), len(theirs.counts)) < _THREE:
        return False
    seen = 0
    values: set[Cell] = set()
    one, two = ours.cells, theirs.cells
    for row, other in pairs:
        if one[row] is None or two[other] is None:
            continue
        if one[row] != two[other]:
            return False
        seen += 1
        values.add(one[row])
    return seen >= MANY_ROWS and len(values) >= _THREE


def _chance(child: Values, parent: Values, shared: int) -> bool:
    """Whether values at random might be included: a dense parent, or few children."""
    if shared:
        return surprise(min(1.0, len(parent.counts) / shared), len(child.counts)) < _BY_CHANCE
    if child.kind != "number":
        return False
    numbers = [n for n in (*child.counts, *parent.counts) if isinstance(n, int | float)]
    density = min(1.0, len(parent.counts) / (max(numbers) - min(numbers) + 1))
    return surprise(density, len(child.counts)) < _BY_CHANCE


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", fold(name))


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name
