"""One instance in the making."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from sqlverdict.parse.schema import Table
from sqlverdict.records import Cell, Row
from sqlverdict.refute.make.modes import MODES
from sqlverdict.refute.make.plan import InstancePlan
from sqlverdict.refute.make.values import CASES, ValuePool, another, nth
from sqlverdict.refute.read.columns import Place

MOST_ROWS = 80
_LARGE = 60
"""How many instances may have many rows."""
_FIXED = 0.85
_DOUBTED = 0.5
_SHARED = 0.7
_ORDINARY, _EVERY, _EXTREME = 60, 5, 0.4
"""From which instance on, how often and how likely extreme values come."""
_SPELT = 0.1

T = TypeVar("T")


class InstanceBuilder:
    """One instance in the making."""

    def __init__(self, plan: InstancePlan, number: int) -> None:
        self.plan = plan
        self.rng = Random(f"{plan.seed}/{number}")  # noqa: S311 - repeatable, not secret
        self._bits = self.rng.getrandbits
        self.joining = plan.joining
        if plan.apart and number % 2:
            self.joining = plan.apart[number // 2 % 2]
        mode = MODES[number % len(MODES)]
        scenes = mode.scenes
        self.large = self.choice(plan.large) if plan.large and number < _LARGE else 0
        if mode.counted and self.large:
            scenes = self.large + self.choice((0, 1, 2))
        elif mode.counted and plan.counts:
            scenes = self.choice(plan.counts) + self.choice((-1, 0, 1, 1, 2))
        elif number >= len(MODES):
            scenes = max(1, scenes + self.choice((-1, 0, 0, 1)))
        self.most = max(MOST_ROWS, self.large + 5)
        self.mode, self.scenes = mode, max(1, min(scenes, self.most))
        self.content: dict[str, list[list[Cell]]] = {t.name: [] for t in plan.tables}
        self.keys: dict[str, list[tuple[tuple[int, ...], set[Row]]]] = {}
        self.shared: dict[int, list[Cell]] = {}
        self.fresh = 100
        # Of several columns of a key the last one is made anew, or the first.
        self.turn = 1 if number // len(MODES) % 2 == 0 else -1
        self.fixed: dict[Place, Cell] = {}
        self.scene = 0
        # Not among the first: what an ordinary value shows needs no such number.
        self.extreme = number >= _ORDINARY and number % _EVERY == 0
        self.starts: dict[Place, int] = {}
        self.lined: set[Place] = set()
        # What one query asks and the other does not, some rows should miss.
        contested = plan.reading.contested if number % 2 else ()
        self.doubted = self.choice(contested) if contested else None
        # The first ones are the same for all queries.
        self.rivals = bool(plan.groups) and number >= len(MODES) and number % 5 in (1, 3)
        self.firm = mode.twins or self.rivals
        if plan.free and number >= 2 and self.rng.random() < 0.5:
            place = self.choice(plan.free)
            void = plan.pools[place].nullable and self.rng.random() < 0.5
            self.fixed[place] = None if void else self.value(place)

    def choice(self, values: Sequence[T]) -> T:
        """One of the values, the one that ``Random.choice`` gives, in half its time."""
        count = len(values)
        width = count.bit_length()
        place = self._bits(width)
        while place >= count > 0:
            place = self._bits(width)
        return values[place]

    def class_value(self, number: int) -> Cell:
        """A value for the columns that join each other: a new one, or one that is there."""
        known = self.shared.setdefault(number, [])
        if self.mode.lined:
            return nth(self.joining.values[number], self.scene)
        if known and self.rng.random() < self.mode.share:
            return self.choice(known)
        pool = self.joining.values[number]
        unused = [value for value in pool if value not in known]
        value = self.choice(unused[:3] if unused else pool)
        known.append(value)
        return value

    def add(self, table: Table, values: list[Cell]) -> bool:
        """Take in a row whose join columns have these values."""
        plan, rng, fixed, stray = self.plan, self.rng, self.fixed, self.mode.stray
        class_of = self.joining.class_of
        row = plan.blanks[table.name].copy()
        for n, place in plan.varied[table.name]:
            if place in fixed and (self.firm or rng.random() < _FIXED):
                row[n] = fixed[place]
                continue
            group = class_of.get(place)
            if group is None or (stray and rng.random() < stray):
                row[n] = self.value(place)
            else:
                row[n] = self._joined(place, group, values)
        return self.keep(table, row)

    def _joined(self, place: Place, group: int, values: list[Cell]) -> Cell:
        pool = self.plan.pools[place]
        if self.mode.null and pool.nullable and self.rng.random() < self.mode.null / 2:
            return None
        if place in self.joining.loose and self.rng.random() < 0.5:
            others: list[Cell] = [*self.shared.get(group, ())]
            others += self.joining.values[group][:3]
            return self.choice(others)
        value = values[group]
        spelt = pool.kind == "TEXT" and isinstance(value, int) and place not in self.plan.referring
        if spelt and self.rng.random() < _SPELT:
            # A number has several spellings; which of them meet it, affinity decides.
            return self.choice(("0" + str(value), str(value) + ".0"))
        if pool.plain is CASES and isinstance(value, str) and self.rng.random() < 0.5:
            return value.swapcase()
        return value

    def value(self, place: Place) -> Cell:
        """A value for a column that joins nothing."""
        rng, mode, pool = self.rng, self.mode, self.plan.pools[place]
        if mode.null and pool.nullable and rng.random() < mode.null:
            return None
        if place == self.doubted and rng.random() < _DOUBTED:
            others = (*pool.near, *pool.plain)
            return others[int(rng.random() * len(others))]
        if mode.lined or place in self.lined:
            return self._next(place, pool)
        if self.extreme and pool.extreme and rng.random() < _EXTREME:
            return pool.extreme[int(rng.random() * len(pool.extreme))]
        chance = rng.random()
        if chance < mode.good and pool.good:
            values = pool.good
        elif chance < mode.good + mode.near and pool.near:
            values = pool.near
        elif chance > 1 - mode.odd or (self.plan.reading.corners and chance > 0.6):
            values = pool.odd
        else:
            values = pool.plain[:2] if mode.narrow else pool.plain
        return values[int(rng.random() * len(values))]

    def _next(self, place: Place, pool: ValuePool) -> Cell:
        """The next value of a column in a line of scenes."""
        values = pool.good or pool.plain
        start = self.starts.setdefault(place, self.rng.randrange(len(values)))
        return nth(values, start + self.scene, closed=pool.closed or bool(pool.good))

    def keep(self, table: Table, row: list[Cell]) -> bool:
        """Take a row in, unless a key forbids it; a key that may be anything is made anew."""
        name = table.name
        kept = self.content.get(name)
        if kept is None:
            kept = self.content[name] = []
        if len(kept) >= self.most:
            return False
        known = self.keys.get(name)
        if known is None:
            uniques = self.plan.ground.uniques.get(name, ())
            known = self.keys[name] = [(places, set()) for places in uniques]
        keys: list[Row] = []
        for places, taken in known:
            key = tuple([row[n] for n in places])
            if key in taken and None not in key:
                if not self._renew(table, row, places):
                    return False
                key = tuple([row[n] for n in places])
                if key in taken:
                    return False
                # What is made anew may be part of a key that came before.
                keys = [tuple([row[n] for n in others]) for others, _ in known[: len(keys)]]
            keys.append(key)
        for (_, taken), key in zip(known, keys, strict=True):
            taken.add(key)
        kept.append(row)
        return True

    def _renew(self, table: Table, row: list[Cell], places: tuple[int, ...]) -> bool:
        """Give a key a fresh value: in a column that joins nothing, if it has one.

        A key that joins is more often left alone: its row is there already, and shared.
        """
        joined = [(table.name, table.columns[n].name) in self.joining.class_of for n in places]
        at = 0
        if len(places) > 1:
            at = min(range(len(places)), key=lambda at: (joined[at], -at * self.turn))
        n = places[at]
        if joined[at] and self.rng.random() < _SHARED and not self._is_crowd(table, places):
            return False
        self.fresh += 1
        pool = self.plan.pools[(table.name, table.columns[n].name)]
        row[n] = another(row[n], pool, self.fresh, self.choice((1, 1, -1)))
        return True

    def _is_crowd(self, table: Table, key: tuple[int, ...]) -> bool:
        """Whether rows are asked for that share what joins them, but not all of this key."""
        joined = (n for n, place in self.plan.varied[table.name] if place in self.joining.class_of)
        return self.firm and (len(key) > 1 or any(n not in key for n in joined))
