"""Instances that obey the facts, made of scenes in which the queries have something to find.

A scene is one row for each table, its join columns sharing values and its compared columns
taking values that satisfy the comparisons: it gives the gold query something to return.
Instances are a few scenes with one thing or another gone wrong in them: a value just beside
a border, a NULL, a missing partner, a tie, a duplicate, an empty table. Which, is decided by
the instance's number; the random numbers by the seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from sqlverdict.parse.facts import Fact, References, Unique
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.records import Cell, Row
from sqlverdict.refute.arena import Arena, is_view
from sqlverdict.refute.checked import check_hints, checked_places, fit, has_checks
from sqlverdict.refute.constants import Reading
from sqlverdict.refute.pools import Pool, join_classes, make_pools, takes
from sqlverdict.refute.resolve import Place

_MOST_ROWS = 40
_FIXED = 0.85
_SHARED = 0.7
_COPIED = 0.7
_STRICTNESS = {"INTEGER": 0, "REAL": 1, "NUMERIC": 2, "TEXT": 3, "BLOB": 4}


@dataclass(frozen=True)
class Mode:
    """What goes wrong in an instance, as chances."""

    scenes: int
    good: float = 0.8
    near: float = 0.1
    odd: float = 0.02
    null: float = 0.0
    share: float = 0.3
    drop: float = 0.0
    stray: float = 0.0
    empty: float = 0.0
    counted: bool = False
    """As many scenes as a count in the queries, or one more or less."""
    narrow: bool = False
    twins: bool = False


MODES = (
    Mode(2, good=0.95, near=0.05, share=0.0),
    Mode(3, good=0.7, near=0.25, share=0.5),
    Mode(3, good=0.8, near=0.1, share=0.7, drop=0.15),
    Mode(2, good=0.75, near=0.1, null=0.2, share=0.4),
    Mode(4, good=0.9, near=0.05, share=0.85),
    Mode(7, good=1.0, twins=True),
    Mode(3, good=0.5, near=0.45, share=0.3, drop=0.1),
    Mode(4, good=0.6, near=0.2, odd=0.1, share=0.5, drop=0.2, stray=0.2),
    Mode(3, good=0.9, share=0.6, counted=True),
    Mode(6, good=0.8, near=0.1, share=0.6, drop=0.15, narrow=True),
    Mode(3, good=0.7, near=0.2, null=0.1, share=0.6, drop=0.3, stray=0.1),
    Mode(1, good=0.8, near=0.2, share=0.0, drop=0.2),
    Mode(5, good=0.3, near=0.3, odd=0.1, null=0.05, share=0.6, drop=0.2),
    Mode(4, good=0.85, near=0.1, share=0.8, drop=0.1, counted=True),
    Mode(2, good=0.8, near=0.1, null=0.4, share=0.6, drop=0.1),
    Mode(1, good=0.8, null=0.8, share=0.5),
    Mode(6, good=0.6, near=0.2, share=0.7, null=0.05, stray=0.2),
    Mode(9, good=0.9, near=0.05, share=0.75, drop=0.2, narrow=True),
    Mode(2, good=0.9, null=0.1, share=0.5, drop=0.3, empty=0.3),
    Mode(8, good=0.5, near=0.3, odd=0.1, share=0.8, null=0.1, drop=0.3, stray=0.3),
)


@dataclass(frozen=True)
class _Reference:
    """A foreign key with its columns' places in the rows."""

    fact: References
    child: list[int]
    parent: list[int]
    nullable: bool


class Generator:
    """Makes the instances of one pair of queries.

    Args:
        schema: The tables.
        facts: What every instance obeys.
        reading: What the two queries look at.
        seed: Same seed, same instances.
        scratch: An arena on which values are tried against CHECK constraints.
    """

    def __init__(
        self,
        schema: Schema,
        facts: Iterable[Fact],
        reading: Reading,
        seed: int = 0,
        scratch: Arena | None = None,
    ) -> None:
        self.schema = schema
        self.reading = reading
        self.seed = seed
        self.facts = sorted(facts, key=repr)
        self.pools: Mapping[Place, Pool] = make_pools(reading, schema, self.facts)
        if scratch is not None and has_checks(schema):
            wider = replace(reading, hints=[*reading.hints, *check_hints(schema)])
            self.pools = fit(make_pools(wider, schema, self.facts), schema, scratch)
        self.classes = join_classes(reading, self.facts)
        self._class_of = {place: n for n, group in enumerate(self.classes) for place in group}
        self._class_values = [self._values_of(group) for group in self.classes]
        self._uniques: dict[str, list[tuple[int, ...]]] = {}
        self._places: dict[str, dict[str, int]] = {
            t.name: {c.name: n for n, c in enumerate(t.columns)} for t in schema.tables
        }
        for fact in self.facts:
            if isinstance(fact, Unique):
                places = tuple(self._places[fact.table][name] for name in fact.columns)
                self._uniques.setdefault(fact.table, []).append(places)
        self._references = [
            _Reference(
                fact,
                [self._places[fact.table][name] for name in fact.columns],
                [self._places[fact.parent][name] for name in fact.parent_columns],
                all(self.pools[(fact.table, name)].nullable for name in fact.columns),
            )
            for fact in self.facts
            if isinstance(fact, References)
        ]
        self.blanks = {table.name: self._blank(table) for table in schema.tables}
        touched = [schema.table(name) for name in reading.tables]
        self.tables = [t for t in touched if t is not None and not is_view(t)]
        if len(self.tables) < len(touched):
            self.tables = [t for t in schema.tables if not is_view(t)]
        self._varied = self._varied_columns()
        # Columns of which one may be the same, or NULL, all over an instance.
        touched_names = {table.name for table in self.tables}
        self._free = [place for place in reading.used if place[0] in touched_names]
        self._counts = sorted(count for count in reading.counts if 1 <= count <= 30)

    def _blank(self, table: Table) -> list[Cell]:
        """A row in which nothing is said: NULL where it may be."""
        pools = [self.pools[(table.name, column.name)] for column in table.columns]
        return [None if pool.nullable else pool.plain[0] for pool in pools]

    def _values_of(self, group: frozenset[Place]) -> list[Cell]:
        values: list[Cell] = []
        for place in sorted(group):
            values += self.pools[place].good
        strictest = min(group, key=lambda place: (_STRICTNESS[self.pools[place].kind], place))
        values += self.pools[strictest].plain
        kinds = {self.pools[place].kind for place in group}
        return [v for v in dict.fromkeys(values) if all(takes(kind, v) for kind in kinds)]

    def _varied_columns(self) -> dict[str, list[tuple[int, Place]]]:
        """The columns that are worth varying; the others keep one value."""
        used = {*self.reading.used, *self._class_of, *checked_places(self.schema)}
        keys = {
            (fact.table, name)
            for fact in self.facts
            if isinstance(fact, Unique)
            for name in fact.columns
        }
        return {
            table.name: [
                (n, (table.name, column.name))
                for n, column in enumerate(table.columns)
                if (table.name, column.name) in used | keys
            ]
            for table in self.schema.tables
        }

    def instance(self, number: int) -> dict[str, tuple[Row, ...]]:
        """The rows of an instance, by table."""
        return _Draft(self, number).rows()


class _Draft:
    """One instance in the making."""

    def __init__(self, generator: Generator, number: int) -> None:
        self.made = generator
        self.rng = Random(f"{generator.seed}/{number}")  # noqa: S311 - repeatable, not secret
        mode = MODES[number % len(MODES)]
        scenes = mode.scenes
        if mode.counted and generator._counts:
            scenes = self.rng.choice(generator._counts) + self.rng.choice((-1, 0, 1, 1, 2))
        elif number >= len(MODES):
            scenes = max(1, scenes + self.rng.choice((-1, 0, 0, 1)))
        self.mode, self.scenes = mode, max(1, min(scenes, _MOST_ROWS))
        self.content: dict[str, list[list[Cell]]] = {t.name: [] for t in generator.tables}
        self.keys: dict[tuple[str, tuple[int, ...]], set[Row]] = {}
        self.shared: dict[int, list[Cell]] = {}
        self.fresh = 100
        self.fixed: dict[Place, Cell] = {}
        if generator._free and number >= 2 and self.rng.random() < 0.5:
            place = self.rng.choice(generator._free)
            pool = generator.pools[place]
            void = pool.nullable and self.rng.random() < 0.5
            self.fixed[place] = None if void else self._value(pool)

    def rows(self) -> dict[str, tuple[Row, ...]]:
        rng, mode = self.rng, self.mode
        empty = {
            table.name for table in self.made.tables if mode.empty and rng.random() < mode.empty
        }
        if mode.twins:
            self._twins()
        for _ in range(0 if mode.twins else self.scenes):
            values = [self._class_value(n) for n in range(len(self.made.classes))]
            for table in self.made.tables:
                if table.name in empty or (mode.drop and rng.random() < mode.drop):
                    continue
                self._add(table, values)
                if self.made.reading.copies.get(table.name, 1) > 1 and rng.random() < _COPIED:
                    self._add(table, values)
        self._close()
        return {name: tuple(map(tuple, rows)) for name, rows in self.content.items()}

    def _twins(self) -> None:
        """Two parents alike in all but their key, with fewer children each than a third.

        Together they have more: what groups by a name and what groups by a key part ways.
        """
        count = self.rng.choice(self.made._counts or [2])
        sizes = (max(count, 2), max(count, 2), max(count, 2) + 1)
        keys = [self._three(values) for values in self.made._class_values]
        for number, size in enumerate(sizes):
            look = {
                place: self._three((*pool.good, *pool.plain))[number // 2]
                for place, pool in self.made.pools.items()
                if place not in self.made._class_of
            }
            self.fixed = look
            for _ in range(min(size, _MOST_ROWS // 3)):
                for table in self.made.tables:
                    self._add(table, [key[number] for key in keys])

    @staticmethod
    def _three(values: Sequence[Cell]) -> Sequence[Cell]:
        """Three values, different if there are that many."""
        distinct = list(dict.fromkeys(values))
        return [distinct[n % len(distinct)] for n in range(3)]

    def _class_value(self, number: int) -> Cell:
        known = self.shared.setdefault(number, [])
        if known and self.rng.random() < self.mode.share:
            return self.rng.choice(known)
        pool = self.made._class_values[number]
        unused = [value for value in pool if value not in known]
        value = self.rng.choice(unused[:3] if unused else pool)
        known.append(value)
        return value

    def _add(self, table: Table, values: list[Cell]) -> bool:
        row = list(self.made.blanks[table.name])
        rng, mode = self.rng, self.mode
        for n, place in self.made._varied[table.name]:
            group = self.made._class_of.get(place)
            if place in self.fixed and (mode.twins or rng.random() < _FIXED):
                row[n] = self.fixed[place]
            elif group is None or (mode.stray and rng.random() < mode.stray):
                row[n] = self._value(self.made.pools[place])
            else:
                row[n] = self._joined(place, group, values)
        return self._keep(table, row)

    def _joined(self, place: Place, group: int, values: list[Cell]) -> Cell:
        pool = self.made.pools[place]
        if self.mode.null and pool.nullable and self.rng.random() < self.mode.null / 2:
            return None
        crowded = sum(member[0] == place[0] for member in self.made.classes[group]) > 1
        copied = self.made.reading.copies.get(place[0], 1) > 1
        if (crowded or copied) and self.rng.random() < 0.5:
            others: list[Cell] = [*self.shared.get(group, ())]
            others += self.made._class_values[group][:3]
            return self.rng.choice(others)
        return values[group]

    def _value(self, pool: Pool) -> Cell:
        rng, mode = self.rng, self.mode
        if mode.null and pool.nullable and rng.random() < mode.null:
            return None
        chance = rng.random()
        if chance < mode.good and pool.good:
            values = pool.good
        elif chance < mode.good + mode.near and pool.near:
            values = pool.near
        elif chance > 1 - mode.odd or (self.made.reading.corners and chance > 0.6):
            values = pool.odd
        else:
            values = pool.plain[:2] if mode.narrow else pool.plain
        return values[int(rng.random() * len(values))]

    def _keep(self, table: Table, row: list[Cell]) -> bool:
        """Take a row in, unless a key forbids it; a key that may be anything is made anew."""
        kept = self.content.setdefault(table.name, [])
        if len(kept) >= _MOST_ROWS:
            return False
        uniques = self.made._uniques.get(table.name, ())
        for places in uniques:
            taken = self.keys.setdefault((table.name, places), set())
            key = tuple([row[n] for n in places])
            if None not in key and key in taken:
                renewed = self._renew(table, row, places)
                if not renewed or tuple([row[n] for n in places]) in taken:
                    return False
        for places in uniques:
            self.keys[(table.name, places)].add(tuple([row[n] for n in places]))
        kept.append(row)
        return True

    def _renew(self, table: Table, row: list[Cell], places: tuple[int, ...]) -> bool:
        """Give a key a fresh value: in a column that joins nothing, if it has one.

        A key that joins is more often left alone: its row is there already, and shared.
        """
        joined = [(table.name, table.columns[n].name) in self.made._class_of for n in places]
        order = sorted(range(len(places)), key=lambda at: (joined[at], -at))
        n = places[order[0]]
        if joined[order[0]] and self.rng.random() < _SHARED:
            return False
        self.fresh += 1
        sample = self.made.pools[(table.name, table.columns[n].name)].plain[0]
        row[n] = f"k{self.fresh}" if isinstance(sample, str) else self.fresh
        return True

    def _close(self) -> None:
        """Give every reference its parent; where that fails, drop the child."""
        for _ in range(4):
            if not sum(map(self._mend, self.made._references)):
                return
        while sum(map(self._prune, self.made._references)):
            pass

    def _orphans(self, key: _Reference) -> list[list[Cell]]:
        children = self.content.get(key.fact.table)
        if not children:
            return []
        if len(key.child) == 1:
            (child,), (parent,) = key.child, key.parent
            values = {row[parent] for row in self.content.get(key.fact.parent, ())}
            return [r for r in children if r[child] is not None and r[child] not in values]
        known = {
            tuple([row[n] for n in key.parent]) for row in self.content.get(key.fact.parent, ())
        }
        found = []
        for row in children:
            value = tuple([row[n] for n in key.child])
            if None not in value and value not in known:
                found.append(row)
        return found

    def _mend(self, key: _Reference) -> bool:
        orphans = self._orphans(key)
        if not orphans:
            return False
        parent = self.made.schema.table(key.fact.parent)
        assert parent is not None
        kinds = [self.made.pools[(parent.name, column.name)].kind for column in parent.columns]
        for row in orphans:
            if key.nullable and self.rng.random() < 0.2:
                for n in key.child:
                    row[n] = None
                continue
            fresh = list(self.made.blanks[parent.name])
            for n, place in self.made._varied[parent.name]:
                fresh[n] = self._value(self.made.pools[place])
            for n, source in zip(key.parent, key.child, strict=True):
                fresh[n] = row[source]
            if all(map(takes, kinds, fresh)):
                self._keep(parent, fresh)
        return True

    def _prune(self, key: _Reference) -> bool:
        orphans = self._orphans(key)
        if not orphans:
            return False
        gone = set(map(id, orphans))
        table = key.fact.table
        self.content[table] = [row for row in self.content[table] if id(row) not in gone]
        return True


def values_by_place(generator: Generator) -> Mapping[Place, tuple[Cell, ...]]:
    """The values that the queries name for each column, for other sources of instances."""
    return {
        place: (*pool.good, *pool.near)
        for place, pool in generator.pools.items()
        if pool.good or pool.near
    }
