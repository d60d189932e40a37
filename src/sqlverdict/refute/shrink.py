"""Makes a witness small: fewest rows, then the simplest values, step by step.

Each step is tried on the engine; only steps that leave a legal database on which the two
queries still differ, with determined answers, are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlverdict.parse.facts import Fact, References, affinity
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Cell, Row

Content = dict[str, tuple[Row, ...]]
Differ = Callable[[Content], bool]

_SIMPLE: dict[str, tuple[Cell, ...]] = {
    "INTEGER": (1, 2, 3),
    "NUMERIC": (1, 2, 3),
    "REAL": (1.0, 2.0, 3.0),
    "TEXT": ("a", "b", "c"),
    "BLOB": (1, 2, 3),
}


class Shrinker:
    """Shrinks the instances of one schema.

    Args:
        schema: The tables.
        keys: The foreign keys that every instance must obey.
        differ: Whether the two queries differ, with determined answers, on such rows.
        tries: How often ``differ`` may be asked.
        cost: How far rows are from ordinary; no step may raise it.
    """

    def __init__(
        self,
        schema: Schema,
        keys: Sequence[Link],
        differ: Differ,
        tries: int,
        cost: Callable[[Content], tuple[int, int]] = lambda _: (0, 0),
    ) -> None:
        self.schema = schema
        self.cost = cost
        self.lowest = (0, 0)
        self.links = keys
        self.differ = differ
        self.tries = tries

    def shrink(self, rows: Content) -> Content:
        """A smaller instance on which the queries differ just as well."""
        rows = {table: content for table, content in rows.items() if content}
        self.lowest = self.cost(rows)
        for smaller in (self._without_tables, self._without_halves):
            rows = smaller(rows)
        size = -1
        while self.tries > 0 and size != sum(map(len, rows.values())):
            size = sum(map(len, rows.values()))
            rows = self._without_rows(rows)
        return self._simpler_cells(rows)

    def _works(self, rows: Content) -> bool:
        if self.tries <= 0 or not is_closed(rows, self.links):
            return False
        self.tries -= 1
        if not self.differ(rows):
            return False
        cost = self.cost(rows)
        if cost > self.lowest:
            return False
        self.lowest = cost
        return True

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
                kept = next((h for h in halves if self._works(rows | {table: h})), None)
                if kept is None:
                    break
                rows = rows | {table: kept}
        return rows

    def _without_rows(self, rows: Content) -> Content:
        """One row after the other, each with its children."""
        for table in list(rows):
            place = 0
            while place < len(rows.get(table, ())):
                content = rows[table]
                fewer = rows | {table: content[:place] + content[place + 1 :]}
                fewer = self._without_orphans({name: kept for name, kept in fewer.items() if kept})
                if self._works(fewer):
                    rows = fewer
                else:
                    place += 1
        return rows

    def _without_orphans(self, rows: Content) -> Content:
        """Drop the children of rows that are gone."""
        while True:
            before = sum(map(len, rows.values()))
            for key in self.links:
                gone = key.orphans(rows)
                if gone:
                    kept = tuple(r for n, r in enumerate(rows[key.table]) if n not in gone)
                    rows = rows | {key.table: kept}
            rows = {name: content for name, content in rows.items() if content}
            if sum(map(len, rows.values())) == before:
                return rows

    def _simpler_cells(self, rows: Content) -> Content:
        """Values renamed to simple ones, everywhere at once, so that joins stay joins."""
        values = {cell: None for content in rows.values() for row in content for cell in row}
        for value in values:
            if value is None or value in (1, 2, 3, "a", "b", "c"):
                continue
            for simple in self._simple_for(value, rows):
                renamed = {
                    table: tuple(
                        tuple(simple if _is(cell, value) else cell for cell in row)
                        for row in content
                    )
                    for table, content in rows.items()
                }
                if self._works(renamed):
                    rows = renamed
                    break
        return rows

    def _simple_for(self, value: Cell, rows: Content) -> tuple[Cell, ...]:
        for table, content in rows.items():
            declared = self.schema.table(table)
            assert declared is not None
            for n, column in enumerate(declared.columns):
                if any(_is(row[n], value) for row in content):
                    return _SIMPLE[affinity(column.type)]
        return ()


def _is(cell: Cell, value: Cell) -> bool:
    return type(cell) is type(value) and cell == value


@dataclass(frozen=True)
class Link:
    """A foreign key with the places of its columns in the rows."""

    table: str
    child: tuple[int, ...]
    parent: str
    key: tuple[int, ...]

    def orphans(self, rows: Content) -> set[int]:
        """Which rows of the table have no parent, by their place."""
        children = rows.get(self.table)
        if not children:
            return set()
        known = {_folded(row, self.key) for row in rows.get(self.parent, ())}
        return {
            n
            for n, row in enumerate(children)
            if _folded(row, self.child) not in known
            and all(row[at] is not None for at in self.child)
        }


def links(schema: Schema, facts: Iterable[Fact]) -> list[Link]:
    """The foreign keys among the facts."""
    found = []
    for fact in facts:
        if isinstance(fact, References):
            child = _places(schema, fact.table, fact.columns)
            key = _places(schema, fact.parent, fact.parent_columns)
            found.append(Link(fact.table, child, fact.parent, key))
    return found


def is_closed(rows: Content, keys: Iterable[Link]) -> bool:
    """Whether every reference has its parent."""
    return not any(key.orphans(rows) for key in keys)


def _places(schema: Schema, table: str, columns: Sequence[str]) -> tuple[int, ...]:
    declared = schema.table(table)
    assert declared is not None
    names = [column.name for column in declared.columns]
    return tuple(names.index(name) for name in columns)


def _folded(row: Row, at: Sequence[int]) -> Row:
    """A key as references compare it: 1 and '1' meet where the two columns differ in type."""
    return tuple(str(row[n]) for n in at)
