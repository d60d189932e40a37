"""How ordinary a witness is beside what the real database shows.

The grades, most severe first; a witness gets the first that applies:

``breaks_regularity``
    It breaks something that the real data keep, among the columns that the queries use. Without
    real data: a column that is declared to hold dates holds something else.
``needs_empty_table``
    A table that a query reads has no row in it, though the real one has.
``needs_null``
    A column that a query uses holds NULL. (Where the real column never does, a regularity is
    broken; where it does, or nothing is known, this is the grade.)
``needs_missing_partner``
    A value on one side of a join finds no partner on the other, and no inclusion of the real
    data forbids it. Joins are the equalities in the queries, and the foreign keys and mined
    inclusions between columns that they use. A foreign key that the real data break counts for
    nothing.
``needs_tie``
    Rows that a query ranks tie: the best two under MAX, MIN, or the first key of ORDER BY with
    LIMIT 1; two neighbours under any other ORDER BY, up to its LIMIT, or in a window. Or two
    aggregates of all rows that a query holds against each other, with < or >, are equal.
``ordinary``
    None of these, beside real data.
``ungraded``
    None of these, but there are no real data to be ordinary beside.

"Needs" means that the feature is there: a shrunk witness has nothing superfluous. A shrinker
must therefore not bring in a NULL or a tie that it could do without; :meth:`Grader.cost` lets
it compare. Columns that no query uses do not count, whatever stands in them.

Where there are no real data, a witness is held to what declared types promise. SQLite stores
anything in a column declared DATE, and a witness may live on that. Beside real data the grade
tells such a witness from an ordinary one; without them the declaration is all there is: a DATE
holds a day (``2020-01-31``), a DATETIME or TIMESTAMP a day or a moment, a TIME a time of day
(``09:30:00``), and a number is finite and below 2^53, unless the queries themselves name a larger
one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import Final

from sqlverdict.execute.in_memory import ScratchDatabase, in_memory_engine
from sqlverdict.execute.session import TableRows
from sqlverdict.files.sqlite import quote_name
from sqlverdict.files.thread_cache import cache_by_thread
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.parse.tokens import Kind, fold, kind, solid
from sqlverdict.records import Cell, Query, Row
from sqlverdict.refute.data.mine.across import Inclusion
from sqlverdict.refute.data.mine.kind import (
    ColumnRegularity,
    Regularity,
    cells_of,
    instance_rows,
)
from sqlverdict.refute.data.regularities import Regularities, references
from sqlverdict.refute.make.times import is_moment
from sqlverdict.refute.trial.ties import has_tie
from sqlverdict.refute.witness import Content, Grade, Instance

_DAYS = ("DATE",)
_MOMENTS = ("DATETIME", "TIMESTAMP")
_TIME = "TIME"
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?")
_EXACT = 2**53
"""Up to here every whole number is exact as a floating-point one."""


@dataclass(frozen=True)
class DateColumn(ColumnRegularity):
    """The column holds days, moments too or times where it is declared so; NULL apart."""

    type: str

    def __str__(self) -> str:
        what = "times" if self.type == _TIME else "dates"
        return f"{self._name} is declared {self.type}, and holds {what}"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is such a date or time, or NULL."""
        cell = cells[0]
        if cell is None:
            return True
        if not isinstance(cell, str):
            return False
        if self.type == _TIME:
            return _CLOCK.fullmatch(cell) is not None
        return _is_day(cell) or (self.type in _MOMENTS and is_moment(cell))

    def violation(self) -> str:
        """It is no text that SQLite's own date function reads."""
        column = quote_name(self.column)
        no_date = f"typeof({column}) <> 'text' OR date({column}) IS NULL"
        if self.type == _TIME:
            no_date += f" OR {column} NOT GLOB '[0-9][0-9]:*'"
        return f"{column} IS NOT NULL AND ({no_date})"


@dataclass(frozen=True)
class ExactNumbers(ColumnRegularity):
    """The column's numbers are finite, and whole ones small enough to be exact as REAL."""

    def __str__(self) -> str:
        return f"{self._name} holds numbers below 2^53"

    def keeps(self, cells: Row) -> bool:
        """Whether the cell is no such extreme."""
        return not is_inexact(cells[0])

    def violation(self) -> str:
        """It is a number beyond 2^53."""
        column = quote_name(self.column)
        return f"typeof({column}) IN ('integer', 'real') AND abs({column}) > {_EXACT}"


def is_inexact(cell: Cell) -> bool:
    """Whether a number is infinite, or too large to be exact as a floating-point one."""
    return isinstance(cell, int | float) and abs(cell) > _EXACT


def declared(
    schema: Schema, column_refs: Collection[ColumnRef], query_values: Iterable[Cell] = ()
) -> Iterator[ColumnRegularity]:
    """What the types of these columns promise.

    Args:
        schema: The tables.
        column_refs: The columns.
        query_values: The values that queries name; who names an extreme number expects some.
    """
    yield from (dated for dated in _dated(schema) if (dated.table, dated.column) in column_refs)
    if not any(map(is_inexact, query_values)):
        yield from (ExactNumbers(*column_ref) for column_ref in sorted(column_refs))


@lru_cache(maxsize=64)
def _dated(schema: Schema) -> tuple[DateColumn, ...]:
    columns = ((table.name, column) for table in schema.tables for column in table.columns)
    kinds = (
        (table, c.name, (c.type or "").partition("(")[0].strip().upper()) for table, c in columns
    )
    return tuple(
        DateColumn(t, c, type=kind) for t, c, kind in kinds if kind in (*_DAYS, *_MOMENTS, _TIME)
    )


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


SEVERITY: Mapping[Grade, int] = {
    "ordinary": 0,
    "ungraded": 0,
    "needs_tie": 1,
    "needs_missing_partner": 2,
    "needs_null": 3,
    "needs_empty_table": 4,
    "breaks_regularity": 5,
}
"""How far a grade is from ordinary."""

ORDINARY: Final = (0, 0)
"""The cost of rows that are ordinary."""


@dataclass(frozen=True)
class SchemaUse:
    """What two queries use of a schema.

    Attributes:
        tables: The base tables that they read.
        column_refs: The columns that they name, or show by a star.
        joins: The columns that they set equal.
        values: The values that they compare columns with.
    """

    tables: frozenset[str]
    column_refs: frozenset[ColumnRef]
    joins: frozenset[tuple[ColumnRef, ColumnRef]]
    values: frozenset[Cell] = frozenset()


class Grader:
    """Grades instances for one pair of queries.

    Args:
        schema: The tables.
        regularities: What the real database shows; ``None`` where there is none.
        gold_sql: The gold query.
        prediction_sql: The predicted query.
        ranked: The queries whose ties are unusual; by default both.

    Attributes:
        relevant: The regularities that speak of columns that the queries use alone.
        joins: The columns that should have the same values on both sides.
        weight: How many things are looked at in every row: to grade takes as long.
    """

    def __init__(
        self,
        schema: Schema,
        regularities: Regularities | None,
        gold_sql: str,
        prediction_sql: str,
        ranked: tuple[str, ...] | None = None,
    ) -> None:
        self.schema = schema
        self._ranked = (gold_sql, prediction_sql) if ranked is None else ranked
        self.use = used(schema, gold_sql, prediction_sql)
        self._real = regularities
        column_refs = self.use.column_refs
        self.relevant: tuple[Regularity, ...] = tuple(
            declared(schema, column_refs, self.use.values)
        )
        if regularities is not None:
            self.relevant = tuple(
                each
                for each in regularities
                if each.column_refs and column_refs.issuperset(each.column_refs)
            )
        self.joins = tuple(self._edges())
        self._may_be_null: Iterable[ColumnRef] = column_refs
        self.weight = len(self.relevant) + len(column_refs) + len(self.joins)

    def within(self, instance: Instance) -> Grader:
        """Grades instances all of whose rows are rows of this one, as this grader does.

        What such rows cannot break or bring in is not looked at again: a shrinker asks for the
        grade at every step.
        """
        part = copy(self)
        part.relevant = tuple(
            each for each in self.relevant if not (each.survives_sampling and each.holds(instance))
        )
        part._may_be_null = [each for each in self._may_be_null if _has_null(instance, each)]
        return part

    def _edges(self) -> Iterator[tuple[ColumnRef, ColumnRef]]:
        edges = set(self.use.joins)
        broken = self._real.orphans if self._real is not None else frozenset()
        edges |= references(self.schema).keys() - broken
        for regularity in self.relevant:
            if isinstance(regularity, Inclusion):
                edges.add((regularity.column_refs[0], regularity.column_refs[1]))
        for one, two in sorted(edges):
            if one != two and self.use.column_refs.issuperset((one, two)):
                yield one, two

    def grade(self, instance: Instance) -> tuple[Grade, tuple[str, ...]]:
        """The grade, and the regularities that are broken, in words."""
        broken = self.broken(instance)
        if broken:
            return "breaks_regularity", tuple(map(str, broken))
        if self.is_any_emptied(instance.rows):
            return "needs_empty_table", ()
        if any(_has_null(instance, column_ref) for column_ref in self._may_be_null):
            return "needs_null", ()
        if any(_lacks_partner(instance, one, two) for one, two in self.joins):
            return "needs_missing_partner", ()
        if self._tied(instance):
            return "needs_tie", ()
        return ("ordinary" if self._real is not None else "ungraded"), ()

    def broken(self, instance: Instance) -> tuple[Regularity, ...]:
        """The regularities that the instance breaks in columns that the queries use."""
        return tuple(each for each in self.relevant if not each.holds(instance))

    def cost(self, instance: Instance) -> tuple[int, int]:
        """How far from ordinary: the grade's severity, then how many regularities are broken.

        For a search or a shrinker that prefers the lesser.
        """
        level, broken = self.grade(instance)
        return SEVERITY[level], len(broken)

    def least(self, instance: Instance) -> int:
        """A severity that the instance keeps, whichever rows are taken from it."""
        return SEVERITY["needs_empty_table"] if self.is_any_emptied(instance.rows) else 0

    def is_any_emptied(self, rows: TableRows) -> bool:
        """Whether a table that a query reads has no row among these, though the real one has."""
        return any(not rows.get(table) for table in self._never_empty)

    @cached_property
    def _never_empty(self) -> tuple[str, ...]:
        counts = {} if self._real is None else self._real.counts
        names = {fold(table.name): table.name for table in self.schema.tables}
        return tuple(names.get(fold(t), t) for t in self.use.tables if counts.get(t) != 0)

    def _tied(self, instance: Instance) -> bool:
        scratch = tie_scratch(self.schema)
        if any(rows and table in scratch.missing for table, rows in instance.rows.items()):
            # Two names that differ in case alone: SQLite has no such table.
            return False
        scratch.load({table: rows for table, rows in instance.rows.items() if rows})
        return has_tie(self._ranked, scratch.rows)


@cache_by_thread(64)
def tie_scratch(schema: Schema) -> ScratchDatabase:
    """Where ties are looked for.

    Kept apart from those of the search, and without constraints.

    Under fewer facts than the schema's, rows may break some.
    """
    return in_memory_engine().scratch_database(schema, frozenset())


def _has_null(instance: Instance, column_ref: ColumnRef) -> bool:
    return (None,) in cells_of(instance, *column_ref)


def _lacks_partner(instance: Instance, one: ColumnRef, two: ColumnRef) -> bool:
    """Whether a value on either side has no partner; an empty table is another matter."""
    if not instance_rows(instance, one[0]) or not instance_rows(instance, two[0]):
        return False
    ours = {join_value(cell) for (cell,) in cells_of(instance, *one)}
    theirs = {join_value(cell) for (cell,) in cells_of(instance, *two)}
    return ours - {None} != theirs - {None}


def join_value(cell: Cell) -> Cell:
    """A value as joins compare it: a number and its text are one, whatever the affinities."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(cell) if isinstance(cell, int | float) else cell


@lru_cache(maxsize=64)
def used(schema: Schema, *sqls: str) -> SchemaUse:
    """What queries use of a schema; of one that cannot be parsed, whatever its words name."""
    tables: set[str] = set()
    column_refs: set[ColumnRef] = set()
    joins: set[tuple[ColumnRef, ColumnRef]] = set()
    values: set[Cell] = set()
    for sql in sqls:
        query = parse(sql)
        if isinstance(query, Query):
            from sqlverdict.refute.read.constants import read_query

            reading = read_query(query, schema)
            tables |= set(reading.tables)
            column_refs |= set(reading.used)
            joins |= set(reading.joins)
            values |= {hint.value for hint in reading.hints}
            if reading.stars:
                column_refs |= _columns(schema, reading.tables)
        else:
            words = {fold(w.strip('"`[]')) for w in solid(sql) if kind(w) is not Kind.STRING}
            table_names = {table.name for table in schema.tables if fold(table.name) in words}
            tables |= table_names
            column_refs |= {
                p for p in _columns(schema, table_names) if fold(p[1]) in words or "*" in words
            }
    column_refs |= {column_ref for join in joins for column_ref in join}
    return SchemaUse(frozenset(tables), frozenset(column_refs), frozenset(joins), frozenset(values))


def _columns(schema: Schema, tables: Iterable[str]) -> set[ColumnRef]:
    names = set(tables)
    used_tables = (table for table in schema.tables if table.name in names)
    return {(table.name, column.name) for table in used_tables for column in table.columns}


def ungraded(instance: Instance) -> tuple[Grade, tuple[str, ...]]:
    """The grade of rows that nothing is known about."""
    return ("ungraded" if instance.size else "needs_empty_table"), ()


def severity(grader: Grader | None, rows: Content) -> tuple[int, int]:
    """How far rows are from ordinary, by a grader where there is one."""
    if grader is None:
        return ORDINARY if any(rows.values()) else (SEVERITY["needs_empty_table"], 0)
    return grader.cost(Instance(grader.schema, rows))
