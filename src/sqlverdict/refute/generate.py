"""Instances that obey the facts, made of scenes in which the queries have something to find.

A scene is one row for each table, its join columns sharing values and its compared columns
taking values that satisfy the comparisons: it gives the gold query something to return.
Instances are a few scenes with one thing or another gone wrong in them: a value just beside
a border, a NULL, a missing partner, a tie, a duplicate, an empty table. Which, is decided by
the instance's number; the random numbers by the seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.records import Cell, Row
from sqlverdict.refute.arena import Arena
from sqlverdict.refute.checked import check_hints, fit
from sqlverdict.refute.constants import Reading
from sqlverdict.refute.ground import Link, ground_of
from sqlverdict.refute.modes import MODES, RIVALS
from sqlverdict.refute.pools import Pool, make_pools, takes
from sqlverdict.refute.resolve import Place

_MOST_ROWS = 40
_FIXED = 0.85
_SHARED = 0.7
_COPIED = 0.7
_NULL_HABIT, _SAME_HABIT, _NULL_GROUP = 0.15, 0.5, 0.3
_STRICTNESS = {"INTEGER": 0, "REAL": 1, "NUMERIC": 2, "TEXT": 3, "BLOB": 4}


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
        facts: frozenset[Fact],
        reading: Reading,
        seed: int = 0,
        scratch: Arena | None = None,
    ) -> None:
        self.schema = schema
        self.reading = reading
        self.seed = seed
        self.ground = ground_of(schema, facts)
        if scratch is not None and self.ground.checked:
            wider = [*reading.hints, *check_hints(schema)]
            self.pools = fit(make_pools(self.ground.pools, wider), schema, scratch)
        else:
            self.pools = make_pools(self.ground.pools, reading.hints)
        self.classes = self.ground.join_classes(reading)
        self._class_of = {place: n for n, group in enumerate(self.classes) for place in group}
        self._class_values = [self._values_of(group) for group in self.classes]
        self.tables = [t for n in reading.tables if (t := self.ground.tables.get(n)) is not None]
        if len(self.tables) < len(reading.tables):
            # A view reads what it likes.
            self.tables = [*self.ground.tables.values()]
        names = [table.name for table in self.tables]
        self.links = self.ground.reached(names)
        filled = {*names, *(link.parent for link in self.links)}
        self._blanks = {name: self._blank(self.ground.tables[name]) for name in filled}
        self._varied = {name: self._varied_columns(self.ground.tables[name]) for name in filled}
        # Columns that join their own table: two rows of a scene need not share the value.
        self._loose = {
            place
            for place, group in self._class_of.items()
            if reading.copies.get(place[0], 1) > 1
            or sum(other[0] == place[0] for other in self.classes[group]) > 1
        }
        # Columns of which one may be the same, or NULL, all over an instance.
        self._free = [place for place in reading.used if place[0] in names]
        self._groups = [place for place in reading.groups if place[0] in names]
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

    def _varied_columns(self, table: Table) -> list[tuple[int, Place]]:
        """The columns that are worth varying; the others keep one value."""
        used, joined, ground = self.reading.used, self._class_of, self.ground
        return [
            (n, place)
            for n, place in enumerate((table.name, column.name) for column in table.columns)
            if place in joined or place in ground.keyed or place in ground.checked or place in used
        ]

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
        self.keys: dict[str, list[set[Row]]] = {}
        self.shared: dict[int, list[Cell]] = {}
        self.fresh = 100
        # Of several columns of a key the last one is made anew, or the first.
        self.turn = 1 if number // len(MODES) % 2 == 0 else -1
        self.fixed: dict[Place, Cell] = {}
        # The first ones are the same for all queries.
        self.rivals = bool(generator._groups) and number >= len(MODES) and number % 5 in (1, 3)
        self.firm = mode.twins or self.rivals
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
        if self.rivals:
            self._rivals()
        elif mode.twins:
            self._twins()
        for _ in range(0 if self.firm else self.scenes):
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
        pools = self.made.pools
        for number, size in enumerate(sizes):
            look = {
                place: self._three((*pools[place].good, *pools[place].plain))[number // 2]
                for table in self.made.tables
                for _, place in self.made._varied[table.name]
                if place not in self.made._class_of
            }
            self.fixed = look
            for _ in range(min(size, _MOST_ROWS // 3)):
                for table in self.made.tables:
                    self._add(table, [key[number] for key in keys])

    def _rivals(self) -> None:
        """Groups of different sizes, each with its own habits: the same, NULL, or anything.

        What ranks groups by one measure and what ranks them by another part ways.
        """
        rng, made = self.rng, self.made
        self.mode = RIVALS
        group = rng.choice(made._groups)
        joined = made._class_of.get(group)
        pool = made.pools[group]
        names = self._three(
            (*pool.good, *pool.plain) if joined is None else made._class_values[joined]
        )
        if pool.nullable and rng.random() < _NULL_GROUP:
            names = [None, *names[1:]]
        sizes = rng.sample((1, 2, 3, 4), rng.choice((2, 2, 3)))
        if made._counts and rng.random() < 0.5:
            sizes[0] = rng.choice(made._counts) + rng.choice((0, 1))
        for name, size in zip(names, sizes, strict=False):
            self.fixed = {}
            for place in (place for table in made.tables for _, place in made._varied[table.name]):
                habit = rng.random()
                if habit < _NULL_HABIT and made.pools[place].nullable:
                    self.fixed[place] = None
                elif habit < _SAME_HABIT and place not in made._class_of:
                    self.fixed[place] = self._value(made.pools[place])
            self.fixed[group] = name
            # Each row takes the next value of a join, or all take one: the first is asked for.
            steps = [rng.choice((0, 0, 1)) for _ in made._class_values]
            starts = [rng.choice((0, 0, 0, 1, 2)) for _ in made._class_values]
            for number in range(size):
                values = [
                    known[(start + step * number) % len(known)]
                    for known, start, step in zip(made._class_values, starts, steps, strict=True)
                ]
                if joined is not None:
                    values[joined] = name
                for table in made.tables:
                    self._add(table, values)

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
        row = list(self.made._blanks[table.name])
        rng, mode = self.rng, self.mode
        for n, place in self.made._varied[table.name]:
            group = self.made._class_of.get(place)
            if place in self.fixed and (self.firm or rng.random() < _FIXED):
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
        if place in self.made._loose and self.rng.random() < 0.5:
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
        name = table.name
        kept = self.content.setdefault(name, [])
        if len(kept) >= _MOST_ROWS:
            return False
        uniques = self.made.ground.uniques.get(name)
        if uniques:
            if name not in self.keys:
                self.keys[name] = [set() for _ in uniques]
            known = self.keys[name]
            for places, taken in zip(uniques, known, strict=True):
                key = tuple([row[n] for n in places])
                if key in taken and None not in key:
                    renewed = self._renew(table, row, places)
                    if not renewed or tuple([row[n] for n in places]) in taken:
                        return False
            for places, taken in zip(uniques, known, strict=True):
                taken.add(tuple([row[n] for n in places]))
        kept.append(row)
        return True

    def _renew(self, table: Table, row: list[Cell], places: tuple[int, ...]) -> bool:
        """Give a key a fresh value: in a column that joins nothing, if it has one.

        A key that joins is more often left alone: its row is there already, and shared.
        """
        joined = [(table.name, table.columns[n].name) in self.made._class_of for n in places]
        order = sorted(range(len(places)), key=lambda at: (joined[at], -at * self.turn))
        n = places[order[0]]
        if joined[order[0]] and self.rng.random() < _SHARED and not self._is_crowd(table, places):
            return False
        self.fresh += 1
        sample = self.made.pools[(table.name, table.columns[n].name)].plain[0]
        row[n] = f"k{self.fresh}" if isinstance(sample, str) else self.fresh
        return True

    def _is_crowd(self, table: Table, key: tuple[int, ...]) -> bool:
        """Whether rows are asked for that share what joins them, but not all of this key."""
        joined = (n for n, place in self.made._varied[table.name] if place in self.made._class_of)
        return self.firm and (len(key) > 1 or any(n not in key for n in joined))

    def _close(self) -> None:
        """Give every reference its parent; where that fails, drop the child."""
        for _ in range(4):
            if not sum(map(self._mend, self.made.links)):
                return
        while sum(map(self._prune, self.made.links)):
            pass

    def _orphans(self, link: Link) -> list[list[Cell]]:
        children = self.content.get(link.table)
        if not children:
            return []
        parents = self.content.get(link.parent, ())
        if len(link.child) == 1:
            (child,), (key,) = link.child, link.key
            values = {row[key] for row in parents}
            return [r for r in children if r[child] is not None and r[child] not in values]
        known = {tuple([row[n] for n in link.key]) for row in parents}
        found = []
        for row in children:
            value = tuple([row[n] for n in link.child])
            if None not in value and value not in known:
                found.append(row)
        return found

    def _mend(self, link: Link) -> bool:
        orphans = self._orphans(link)
        if not orphans:
            return False
        parent = self.made.ground.tables[link.parent]
        kinds = [self.made.pools[(parent.name, column.name)].kind for column in parent.columns]
        for row in orphans:
            if link.nullable and not self.firm and self.rng.random() < 0.2:
                for n in link.child:
                    row[n] = None
                continue
            fresh = list(self.made._blanks[parent.name])
            for n, place in self.made._varied[parent.name]:
                fresh[n] = self._value(self.made.pools[place])
            for n, source in zip(link.key, link.child, strict=True):
                fresh[n] = row[source]
            if all(map(takes, kinds, fresh)):
                self._keep(parent, fresh)
        return True

    def _prune(self, link: Link) -> bool:
        orphans = self._orphans(link)
        if not orphans:
            return False
        gone = set(map(id, orphans))
        self.content[link.table] = [r for r in self.content[link.table] if id(r) not in gone]
        return True


def values_by_place(generator: Generator) -> Mapping[Place, tuple[Cell, ...]]:
    """The values that the queries name for each column, for other sources of instances."""
    return {
        place: (*pool.good, *pool.near)
        for place, pool in generator.pools.items()
        if pool.good or pool.near
    }
