"""What the instances of one pair of queries are made of: values, joins, groups and counts."""

from __future__ import annotations

from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.records import Cell
from sqlverdict.refute.arena import Arena
from sqlverdict.refute.checked import check_hints, fit
from sqlverdict.refute.constants import Reading
from sqlverdict.refute.ground import ground_of
from sqlverdict.refute.pools import make_pools, takes
from sqlverdict.refute.resolve import Place

_STRICTNESS = {"INTEGER": 0, "REAL": 1, "NUMERIC": 2, "TEXT": 3, "BLOB": 4}


class Plan:
    """The values, joins and groups from which the instances of one pair of queries are made.

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
        self.class_of = {place: n for n, group in enumerate(self.classes) for place in group}
        self.class_values = [self._values_of(group) for group in self.classes]
        self.tables = [t for n in reading.tables if (t := self.ground.tables.get(n)) is not None]
        if len(self.tables) < len(reading.tables):
            # A view reads what it likes.
            self.tables = [*self.ground.tables.values()]
        names = [table.name for table in self.tables]
        self.links = self.ground.reached(names)
        filled = {*names, *(link.parent for link in self.links)}
        self.blanks = {name: self._blank(self.ground.tables[name]) for name in filled}
        self.varied = {name: self._varied_columns(self.ground.tables[name]) for name in filled}
        # Columns that join their own table: two rows of a scene need not share the value.
        self.loose = {
            place
            for place, group in self.class_of.items()
            if reading.copies.get(place[0], 1) > 1
            or sum(other[0] == place[0] for other in self.classes[group]) > 1
        }
        # Columns of which one may be the same, or NULL, all over an instance.
        self.free = [place for place in reading.used if place[0] in names]
        self.groups = [place for place in reading.groups if place[0] in names]
        self.counts = sorted(count for count in reading.counts if 1 <= count <= 30)

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
        used, joined, ground = self.reading.used, self.class_of, self.ground
        return [
            (n, place)
            for n, place in enumerate((table.name, column.name) for column in table.columns)
            if place in joined or place in ground.keyed or place in ground.checked or place in used
        ]
