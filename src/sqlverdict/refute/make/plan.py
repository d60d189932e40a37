"""What the instances of one pair of queries are made of: values, joins, groups and counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from operator import itemgetter

from sqlverdict.execute.in_memory import ScratchDatabase
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import ColumnRef, Schema, Table
from sqlverdict.records import Cell
from sqlverdict.refute.make.constraints import constraints_of, fit_checks
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.make.values import make_pools, takes
from sqlverdict.refute.read.reading import QueryReading

_FEW, _MOST = 30, 1000
"""Counts up to the first are reached in every round; up to the second now and then."""
_STRICTNESS = {"INTEGER": 0, "REAL": 1, "NUMERIC": 2, "TEXT": 3, "BLOB": 4, "BYTES": 5}


@dataclass(frozen=True, eq=False)
class Joining:
    """Which columns share values; a plan has a few, and each equals itself alone.

    Attributes:
        class_of: The class of each column that joins another.
        values: The values of each class.
        self_joined: Columns that join their own table: rows of a row set need not agree there.
    """

    class_of: Mapping[ColumnRef, int]
    values: Sequence[Sequence[Cell]]
    self_joined: AbstractSet[ColumnRef]


Renewal = tuple[int, ValuePool, bool, bool]
"""Which column of a key gets a fresh value where a row would break it: its position in the row, its
values, whether it joins another, and whether the row must be added though its join value exists."""

VariedCell = tuple[int, ColumnRef, ValuePool, int | None]
"""A cell that is worth varying: its position in the row, its column, the values of that, and the
class of the columns that it joins."""


class InstancePlan:
    """The values, joins and groups from which the instances of one pair of queries are made.

    Args:
        schema: The tables.
        facts: What every instance obeys.
        reading: What the two queries look at.
        seed: Same seed, same instances.
        scratch: A scratch database on which values are tried against CHECK constraints.
        shape: Gives the columns other values than the queries alone suggest.
    """

    def __init__(
        self,
        schema: Schema,
        facts: frozenset[Fact],
        reading: QueryReading,
        seed: int = 0,
        scratch: ScratchDatabase | None = None,
        shape: Callable[[Mapping[ColumnRef, ValuePool]], dict[ColumnRef, ValuePool]] | None = None,
    ) -> None:
        self.schema = schema
        self.reading = reading
        self.seed = seed
        self.constraints = constraints_of(schema, facts)
        self.pools = make_pools(self.constraints.pools, self._with_indexes(reading))
        if scratch is not None and self.constraints.checked:
            self.pools = fit_checks(self.pools, schema, scratch, self.constraints.references())
        if shape is not None:
            self.pools = shape(self.pools)
        self.joining = self._joining(reading.joins)
        self.one_sided_joins = [self._joining(joins) for joins in reading.one_sided_joins]
        self.tables = [
            t for n in reading.tables if (t := self.constraints.tables.get(n)) is not None
        ]
        names = [table.name for table in self.tables]
        self.links = self.constraints.reached(names)
        self.referring = {p for link in self.links for join in link.joins for p in join}
        filled = {*names, *(link.parent for link in self.links)}
        self.blanks = {name: self._blank(self.constraints.tables[name]) for name in filled}
        self.varied = {name: self._varied_columns(self.constraints.tables[name]) for name in filled}
        self.keys = {
            name: [(key, itemgetter(*key)) for key in self.constraints.uniques.get(name, ())]
            for name in filled
        }
        self.renewals: dict[tuple[Hashable, ...], Renewal] = {}
        self.cells: dict[tuple[Joining, str], list[VariedCell]] = {}
        # Columns of which one may be the same, or NULL, all over an instance.
        self.free = [column_ref for column_ref in reading.used if column_ref[0] in names]
        self.groups = [column_ref for column_ref in reading.groups if column_ref[0] in names]
        # Columns of which the queries take different aggregates, as far as they may be any number.
        self.uneven = [
            column_ref
            for column_ref in reading.aggregated_apart
            if column_ref[0] in names and self._is_free_number(column_ref)
        ]
        self.counts = sorted(count for count in reading.counts if 1 <= count <= _FEW)
        # Many rows cost much: they are asked for now and then.
        self.large = sorted(count for count in reading.counts if _FEW < count <= _MOST)

    def _is_free_number(self, column_ref: ColumnRef) -> bool:
        """Whether a column holds numbers, joins nothing, and is not bound to a few values."""
        pool = self.pools[column_ref]
        is_number = column_ref in self.reading.numbers or isinstance(pool.plain[0], int | float)
        return is_number and not pool.closed and column_ref not in self.joining.class_of

    def _with_indexes(self, reading: QueryReading) -> QueryReading:
        """The reading with what partial unique indexes of its tables ask of their columns."""
        hints = [h for name in reading.tables for h in self.constraints.indexed.get(name, ())]
        return replace(reading, hints=[*reading.hints, *hints]) if hints else reading

    def _joining(self, joins: Iterable[tuple[ColumnRef, ColumnRef]]) -> Joining:
        reading = self.reading
        classes = self.constraints.join_classes(reading.tables, joins)
        class_of = {column_ref: n for n, group in enumerate(classes) for column_ref in group}
        self_joined = {
            column_ref
            for column_ref, group in class_of.items()
            if reading.copies.get(column_ref[0], 1) > 1
            or sum(other[0] == column_ref[0] for other in classes[group]) > 1
        }
        return Joining(class_of, [self._values_of(group) for group in classes], self_joined)

    def _blank(self, table: Table) -> list[Cell]:
        """A row without chosen values: NULL where it may be."""
        pools = [self.pools[(table.name, column.name)] for column in table.columns]
        return [None if pool.nullable else pool.plain[0] for pool in pools]

    def _values_of(self, group: frozenset[ColumnRef]) -> list[Cell]:
        values: list[Cell] = []
        for column_ref in sorted(
            group, key=lambda column_ref: (column_ref not in self.reading.used, column_ref)
        ):
            values += self.pools[column_ref].good
        strictest = min(
            group, key=lambda column_ref: (_STRICTNESS[self.pools[column_ref].kind], column_ref)
        )
        values += self.pools[strictest].plain
        kinds = {self.pools[column_ref].kind for column_ref in group}
        if "INTEGER" in kinds:
            values = [int(v) if isinstance(v, str) and v.isdecimal() else v for v in values]
        fitting = [v for v in dict.fromkeys(values) if all(takes(kind, v) for kind in kinds)]
        # Bytes and numbers never meet; then one side's values are as good as the other's.
        return fitting or [*self.pools[strictest].plain]

    def _varied_columns(self, table: Table) -> list[tuple[int, ColumnRef]]:
        """The columns that are worth varying; the others keep one value."""
        used, joined, constraints = self.reading.used, self.joining.class_of, self.constraints
        return [
            (n, column_ref)
            for n, column_ref in enumerate((table.name, column.name) for column in table.columns)
            if column_ref in joined
            or column_ref in constraints.keyed
            or column_ref in constraints.checked
            or column_ref in used
        ]
