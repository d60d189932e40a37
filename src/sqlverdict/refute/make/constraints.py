"""What a schema and its facts say to every search over it, worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlverdict.parse.collations import alike, collation
from sqlverdict.parse.facts import Fact, NotNull, References, Unique
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.records import Row
from sqlverdict.refute.make.check_constraints import checked_columns, index_hints
from sqlverdict.refute.make.values import ValuePool, bare_pool
from sqlverdict.refute.read.columns import ColumnRef
from sqlverdict.refute.read.reading import Hint
from sqlverdict.refute.trial.scratch_database import is_filled

Rows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class KeyLink:
    """A foreign key, with the positions of its columns in the rows.

    ``nullable`` where each of its columns may hold NULL.
    """

    table: str
    child: tuple[int, ...]
    parent: str
    key: tuple[int, ...]
    nullable: bool
    joins: tuple[tuple[ColumnRef, ColumnRef], ...]
    collations: tuple[str, ...] = ()
    """Those of the parent's columns, where one of them is not BINARY."""

    def _keys(self, rows: Iterable[Row], indexes: tuple[int, ...]) -> list[tuple[str, ...]]:
        """What a reference is compared by: 1 and '1' meet where two columns differ in type."""
        if not self.collations:
            return [tuple([str(row[at]) for at in indexes]) for row in rows]
        pairs = list(zip(indexes, self.collations, strict=True))
        return [tuple([str(alike(row[at], by)) for at, by in pairs]) for row in rows]

    def orphans(self, rows: Rows) -> set[int]:
        """Which rows of the table have no parent, by number."""
        children = rows.get(self.table)
        if not children:
            return set()
        parents = rows.get(self.parent, ())
        if len(self.child) == 1 and not self.collations:
            (child,), (key,) = self.child, self.key
            names = {str(row[key]) for row in parents}
            return {
                n
                for n, row in enumerate(children)
                if row[child] is not None and str(row[child]) not in names
            }
        known = set(self._keys(parents, self.key))
        return {
            n
            for n, value in enumerate(self._keys(children, self.child))
            if value not in known and all(children[n][at] is not None for at in self.child)
        }

    def parent_of(self, child: Row, rows: Rows) -> Row | None:
        """The row that a child references."""
        parents = rows.get(self.parent, ())
        (key,) = self._keys([child], self.child)
        known = zip(self._keys(parents, self.key), parents, strict=True)
        return next((row for value, row in known if value == key), None)


Links = Mapping[str, Sequence[KeyLink]]
"""The foreign keys of each table that has some."""


def foreign_keys_hold(rows: Rows, links: Links) -> bool:
    """Whether every reference has its parent."""
    return not any(link.orphans(rows) for table in rows for link in links.get(table, ()))


class SchemaConstraints:
    """The tables, keys and foreign keys under one set of facts.

    Attributes:
        tables: The tables that can hold rows, by name.
        links: The foreign keys of each table.
        uniques: The column indexes of each unique key of each table.
        checked: The columns that CHECK constraints and partial indexes speak of.
        indexed: What the partial unique indexes of each table compare its columns with.
        keyed: The columns of unique keys.
        pools: The values for each column before a query is read.
    """

    def __init__(self, schema: Schema, facts: Iterable[Fact]) -> None:
        # Sets have no order that lasts; instances must be the same in every process.
        known = sorted(facts, key=repr)
        self.tables: dict[str, Table] = {t.name: t for t in schema.tables if is_filled(t)}
        never_null = {(f.table, f.column) for f in known if isinstance(f, NotNull)}
        self.pools: dict[ColumnRef, ValuePool] = {
            (t.name, c.name): bare_pool(t, c, (t.name, c.name) not in never_null)
            for t in schema.tables
            for c in t.columns
        }
        at = {t.name: {c.name: n for n, c in enumerate(t.columns)} for t in schema.tables}
        self.checked: set[ColumnRef] = checked_columns(schema)
        self.indexed: dict[str, list[Hint]] = index_hints(schema)
        self.checked |= {hint.column_ref for hints in self.indexed.values() for hint in hints}
        self.keyed: set[ColumnRef] = set()
        self.uniques: dict[str, list[tuple[int, ...]]] = {}
        self.links: dict[str, list[KeyLink]] = {}
        for fact in known:
            if isinstance(fact, Unique):
                self.keyed |= {(fact.table, name) for name in fact.columns}
                indexes = tuple(at[fact.table][name] for name in fact.columns)
                self.uniques.setdefault(fact.table, []).append(indexes)
            elif isinstance(fact, References) and {fact.table, fact.parent} <= self.tables.keys():
                children = [(fact.table, name) for name in fact.columns]
                parents = [(fact.parent, name) for name in fact.parent_columns]
                link = KeyLink(
                    fact.table,
                    tuple(at[fact.table][name] for name in fact.columns),
                    fact.parent,
                    tuple(at[fact.parent][name] for name in fact.parent_columns),
                    all(self.pools[column].nullable for column in children),
                    tuple(zip(children, parents, strict=True)),
                    self._collations(fact),
                )
                self.links.setdefault(fact.table, []).append(link)

    def _collations(self, fact: References) -> tuple[str, ...]:
        parent = self.tables[fact.parent]
        collations = tuple(collation(parent.sql, name) for name in fact.parent_columns)
        return collations if set(collations) != {"BINARY"} else ()

    def reached(self, tables: Iterable[str]) -> list[KeyLink]:
        """The foreign keys of these tables, of their parents, and so on."""
        names: dict[str, None] = dict.fromkeys(tables)
        waiting = list(names)
        while waiting:
            for link in self.links.get(waiting.pop(), ()):
                if link.parent not in names:
                    names[link.parent] = None
                    waiting.append(link.parent)
        return [link for table, links in self.links.items() if table in names for link in links]

    def references(self) -> dict[ColumnRef, list[ColumnRef]]:
        """The columns that reference each column."""
        children: dict[ColumnRef, list[ColumnRef]] = {}
        for link in (link for links in self.links.values() for link in links):
            for child, parent in link.joins:
                children.setdefault(parent, []).append(child)
        return children

    def join_classes(
        self, tables: Iterable[str], joins: Iterable[tuple[ColumnRef, ColumnRef]]
    ) -> list[frozenset[ColumnRef]]:
        """Columns that are compared with each other, or reference each other: they share values."""
        links = (link for table in tables for link in self.links.get(table, ()))
        groups: dict[ColumnRef, set[ColumnRef]] = {}
        for one, two in (*joins, *(join for link in links for join in link.joins)):
            merged = groups.get(one, {one}) | groups.get(two, {two})
            for member in merged:
                groups[member] = merged
        distinct = {id(group): group for group in groups.values()}
        return sorted((frozenset(group) for group in distinct.values()), key=sorted)


@lru_cache(maxsize=64)
def constraints_of(schema: Schema, facts: frozenset[Fact]) -> SchemaConstraints:
    """The constraints of a schema under some facts; kept for the next pair of queries."""
    return SchemaConstraints(schema, facts)
