"""Makes a witness small: fewest rows, then the simplest values, step by step.

Each step is tried on the engine; only steps that leave a legal database on which the two
queries still differ, with determined answers, are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from sqlverdict.records import Cell, Row
from sqlverdict.refute.make.constraints import SchemaConstraints, foreign_keys_hold
from sqlverdict.refute.make.times import simple_times
from sqlverdict.refute.witness import Content

Cost = tuple[int, int]
"""How far rows are from ordinary, as :meth:`sqlverdict.refute.data.grade.Grader.cost` has it."""
CostOf = Callable[[Content], Cost]
Differ = Callable[[Content], bool]

_SIMPLE: dict[str, tuple[Cell, ...]] = {
    "INTEGER": (1, 2, 3),
    "NUMERIC": (1, 2, 3),
    "REAL": (1.0, 2.0, 3.0),
    "TEXT": ("a", "b", "c"),
    "BLOB": (1, 2, 3),
    "BYTES": (b"a", b"b", b"c"),
}
_ROW_SETS = 2
"""How many row sets are tried alone: most differences need one."""
_DEPTH = 5
"""How many generations of parents are added."""


def _free(_: Content) -> Cost:
    return 0, 0


class Shrinker:
    """Shrinks the instances of one schema.

    Args:
        constraints: The tables, and the foreign keys that every instance must obey.
        differ: Whether the two queries differ, with determined answers, on such rows.
        tries: How often ``differ`` may be asked.
        cost_within: Given rows, how far these and any part of them are from ordinary; no step may
            raise it.
        cost: The same for any rows.
        is_over: Whether the search has spent all that it may.
    """

    def __init__(
        self,
        constraints: SchemaConstraints,
        differ: Differ,
        tries: int,
        cost_within: Callable[[Content], CostOf] = lambda _: _free,
        cost: CostOf = _free,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.constraints = constraints
        self.differ = differ
        self.tries = tries
        self.cost_within = cost_within
        self.cost = self._cost = cost
        self.is_over = is_over
        self.lowest = (0, 0)

    def fewer(self, rows: Content, hopeless: Differ = lambda _: False) -> Content | None:
        """Fewer rows on which the queries differ just as well.

        Args:
            rows: The instance.
            hopeless: Whether rows, and all that can be left of them, are of no use; then
                ``None`` comes back.
        """
        rows = {table: content for table, content in rows.items() if content}
        self._cost = self.cost_within(rows)
        self.lowest = self._cost(rows)
        for smaller in (self._one_of_each, self._without_tables, self._without_halves):
            rows = smaller(rows)
            if hopeless(rows):
                return None
        failed: set[tuple[int, ...]] = set()
        size = -1
        while self.tries > 0 and not self.is_over() and size != sum(map(len, rows.values())):
            size = sum(map(len, rows.values()))
            rows = self._without_rows(rows, failed)
            if hopeless(rows):
                return None
        return rows

    def one_less(self, rows: Content) -> Content | None:
        """The rows without one of them and its children, if the queries differ then."""
        rows = {table: content for table, content in rows.items() if content}
        for table, content in rows.items():
            for number in range(len(content)):
                if self.tries <= 0 or self.is_over():
                    return None
                fewer = self._without(rows, table, number)
                if self.differ(fewer):
                    return fewer
                self.tries -= 1
        return None

    def _works(self, rows: Content) -> bool:
        return foreign_keys_hold(rows, self.constraints.links) and self._works_closed(rows)

    def _works_closed(self, rows: Content) -> bool:
        """Whether rows that lack no parent will do."""
        if self.tries <= 0 or self.is_over():
            return False
        self.tries -= 1
        if not self.differ(rows):
            return False
        cost = self._cost(rows)
        if cost > self.lowest:
            return False
        self.lowest = cost
        return True

    def _one_of_each(self, rows: Content) -> Content:
        """One row of each table and its parents: most differences need no more."""
        for number in range(_ROW_SETS):
            few = {table: content[number : number + 1] for table, content in rows.items()}
            few = self._with_parents({table: row for table, row in few.items() if row}, rows)
            if sum(map(len, few.values())) < sum(map(len, rows.values())) and self._works(few):
                return few
        return rows

    def _with_parents(self, few: Content, rows: Content) -> Content:
        """Some of the rows, and what they reference among the others."""
        links = [link for table in rows for link in self.constraints.links.get(table, ())]
        for _ in range(_DEPTH):
            before = few
            for link in links:
                for n in link.orphans(few):
                    parent = link.parent_of(few[link.table][n], rows)
                    if parent is not None:
                        few = few | {link.parent: (*few.get(link.parent, ()), parent)}
            if few is before:
                break
        return few

    def _without_tables(self, rows: Content) -> Content:
        for table in list(rows):
            fewer = {name: content for name, content in rows.items() if name != table}
            if len(rows.get(table, ())) > 1 and self._works(fewer):
                rows = fewer
        return rows

    def _without_halves(self, rows: Content) -> Content:
        for table in list(rows):
            while (half := len(rows[table]) // 2) > 1:
                halves = (rows[table][:half], rows[table][half:])
                half_rows = next((h for h in halves if self._works(rows | {table: h})), None)
                if half_rows is None:
                    break
                rows = rows | {table: half_rows}
        return rows

    def _without_rows(self, rows: Content, failed: set[tuple[int, ...]]) -> Content:
        """One row after the other, each with its children; not what failed before."""
        for table in list(rows):
            number = 0
            while number < len(rows.get(table, ())) and self.tries > 0 and not self.is_over():
                fewer = self._without(rows, table, number)
                # By identity: rows that are equal may have other children. None is made meanwhile.
                left = tuple([id(row) for content in fewer.values() for row in content])
                if left not in failed and self._works_closed(fewer):
                    rows = fewer
                else:
                    failed.add(left)
                    number += 1
        return rows

    def _without(self, rows: Content, table: str, number: int) -> Content:
        """The rows without one of them and its children."""
        content = rows[table]
        fewer = rows | {table: content[:number] + content[number + 1 :]}
        return self._without_orphans({name: content for name, content in fewer.items() if content})

    def _without_orphans(self, rows: Content) -> Content:
        """Drop the children of rows that are gone."""
        while True:
            before = sum(map(len, rows.values()))
            for link in [link for table in rows for link in self.constraints.links.get(table, ())]:
                orphans = link.orphans(rows)
                if orphans:
                    children = tuple(r for n, r in enumerate(rows[link.table]) if n not in orphans)
                    rows = rows | {link.table: children}
            rows = {name: content for name, content in rows.items() if content}
            if sum(map(len, rows.values())) == before:
                return rows

    def simpler(
        self, rows: Content, cost: Cost, query_values: Collection[Cell] = frozenset()
    ) -> Content:
        """Values renamed to simple ones, everywhere at once, so that joins stay joins.

        Args:
            rows: The instance.
            cost: How far it is from ordinary.
            query_values: The values that the queries name: whoever reads them knows these.
        """
        self.lowest, self._cost = cost, self.cost
        for value in {cell: None for content in rows.values() for row in content for cell in row}:
            if value is None or value in (1, 2, 3, "a", "b", "c") or value in query_values:
                continue
            for other in self._simple_for(value, rows):
                renamed = {
                    table: tuple([_renamed(row, value, other) for row in content])
                    for table, content in rows.items()
                }
                if self._works(renamed):
                    rows = renamed
                    break
        return rows

    def _simple_for(self, value: Cell, rows: Content) -> tuple[Cell, ...]:
        """Simple values for the column in which the value is found first.

        A day stays a day and a time a time: whoever reads a witness takes 'a' for neither.
        """
        times = simple_times(value)
        if times is not None:
            return () if value in times else times
        for table, content in rows.items():
            for n, column in enumerate(self.constraints.tables[table].columns):
                if any(_is(row[n], value) for row in content):
                    return _SIMPLE[self.constraints.pools[(table, column.name)].kind]
        return ()


def _renamed(row: Row, value: Cell, other: Cell) -> Row:
    if value not in row:
        return row
    return tuple([other if _is(cell, value) else cell for cell in row])


def _is(cell: Cell, value: Cell) -> bool:
    return type(cell) is type(value) and cell == value
