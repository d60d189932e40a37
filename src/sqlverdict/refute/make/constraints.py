"""What a schema and its facts say to every search over it, worked out once.

Which values CHECK constraints accept is found by asking the engine itself. A CHECK may be any
expression, so it is not modelled. One that speaks of a single column is put to the engine for
every value of that column's pool, and what it refuses is dropped. One that speaks of several
columns is left to the scratch database, which refuses whole rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sqlverdict.execute.in_memory import ScratchDatabase, is_filled
from sqlverdict.execute.session import TableRows
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.facts import Fact, NotNull, References, Unique
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import ColumnRef, Schema, Table
from sqlverdict.parse.schemas.column_types import alike, collation
from sqlverdict.parse.tokens import pieces
from sqlverdict.records import Cell, ParseFailure, Row
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.make.values import bare_pool, hinted, nth, takes
from sqlverdict.refute.read.comparisons import DENIED
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.read.reading import Hint, QueryReading

_FURTHER: tuple[Cell, ...] = (
    *("2020-01-01", "2020-01-02", "2021-06-15", "10:00", "12:30:00", "a@b.c", "A", "1", "A1"),
    *(0, 1, 10, 50, 100, 0.5, 2020),
)
"""Values that constraints often ask for and queries seldom name."""

_PLAIN = 4
"""How many plain values a column has, as ``values`` gives them."""


@lru_cache(maxsize=256)
def _readings(schema: Schema) -> tuple[tuple[str, str, QueryReading], ...]:
    """Each CHECK with its table and what it looks at."""
    readings: list[tuple[str, str, QueryReading]] = []
    for table in schema.tables:
        for check in table.checks:
            query = parse(f"SELECT 1 FROM {quote_name(table.name)} WHERE ({check})")
            if not isinstance(query, ParseFailure):
                readings.append((table.name, check, read_query(query, schema)))
    return tuple(readings)


def checked_columns(schema: Schema) -> set[ColumnRef]:
    """The columns that CHECK constraints name."""
    return {column_ref for _, _, reading in _readings(schema) for column_ref in reading.used}


def index_hints(schema: Schema) -> dict[str, list[Hint]]:
    """What the conditions of partial unique indexes compare columns with, and its opposite."""
    hints_by_table: dict[str, list[Hint]] = {}
    for table in schema.tables:
        for declared in table.indexes:
            _, where, condition = declared.rpartition(_where(declared))
            query = parse(f"SELECT 1 FROM {quote_name(table.name)} WHERE ({condition})")
            if not where or isinstance(query, ParseFailure):
                continue
            hints = read_query(query, schema).hints
            denied = [
                replace(hint, operator=DENIED.get(hint.operator, hint.operator)) for hint in hints
            ]
            hints_by_table.setdefault(table.name, []).extend((*hints, *denied))
    return hints_by_table


def _where(declared: str) -> str:
    """The word before an index's condition, as it is written; a NUL where there is none."""
    words = [part for part in pieces(declared) if part.lower() == "where"]
    return words[-1] if words else "\0"


def fit_checks(
    pools: Mapping[ColumnRef, ValuePool],
    schema: Schema,
    scratch: ScratchDatabase,
    references: Mapping[ColumnRef, Sequence[ColumnRef]],
) -> dict[ColumnRef, ValuePool]:
    """The pools without the values that a CHECK refuses, and with those that it asks for.

    Columns that reference a checked one must keep its CHECK too: they would find no parent.
    """
    fitting = dict(pools)
    for _, check, reading in _readings(schema):
        for column_ref in reading.used:
            hints = [hint for hint in reading.hints if hint.column_ref == column_ref]
            for bound in (column_ref, *references.get(column_ref, ())):
                pool = fitting[bound]
                accepted = hinted(replace(pool, good=(), near=()), hints)
                if len(reading.used) == 1:
                    fitting[bound] = _fit(pool, accepted, column_ref, check, schema, scratch)
                elif accepted.good and bound == column_ref:
                    plain = dict.fromkeys((*accepted.good, *pool.plain))
                    fitting[bound] = replace(pool, plain=tuple(plain)[:_PLAIN])
    return fitting


def _fit(
    pool: ValuePool,
    accepted: ValuePool,
    column_ref: ColumnRef,
    check: str,
    schema: Schema,
    scratch: ScratchDatabase,
) -> ValuePool:
    table = schema.table(column_ref[0])
    column = table.column(column_ref[1]) if table is not None else None
    assert column is not None

    def legal(values: Iterable[Cell]) -> tuple[Cell, ...]:
        return tuple(v for v in values if scratch.accepts(check, column.name, column.type, v))

    plain = legal(pool.plain)
    if len(plain) < 2:
        others = (*accepted.good, *pool.good, *_FURTHER, *accepted.near, *pool.near)
        fitting = legal(v for v in others if v is not None and takes(pool.kind, v))
        plain = tuple(dict.fromkeys((*plain, *fitting)))[:_PLAIN]
    return replace(
        pool,
        good=legal(pool.good),
        near=legal(pool.near),
        plain=plain or pool.plain,
        odd=legal(pool.odd) or plain or pool.odd,
        # Where a value like these is refused, these are all.
        closed=pool.closed or not legal([nth(plain or pool.plain, _PLAIN + 1)]),
    )


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

    def orphans(self, rows: TableRows) -> set[int]:
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

    def parent_of(self, child: Row, rows: TableRows) -> Row | None:
        """The row that a child references."""
        parents = rows.get(self.parent, ())
        (key,) = self._keys([child], self.child)
        known = zip(self._keys(parents, self.key), parents, strict=True)
        return next((row for value, row in known if value == key), None)


Links = Mapping[str, Sequence[KeyLink]]
"""The foreign keys of each table that has some."""


def foreign_keys_hold(rows: TableRows, links: Links) -> bool:
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
        # By identity: the members of a class share one set.
        distinct = {id(group): group for group in groups.values()}
        return sorted((frozenset(group) for group in distinct.values()), key=sorted)


@lru_cache(maxsize=64)
def constraints_of(schema: Schema, facts: frozenset[Fact]) -> SchemaConstraints:
    """The constraints of a schema under some facts; kept for the next pair of queries."""
    return SchemaConstraints(schema, facts)
