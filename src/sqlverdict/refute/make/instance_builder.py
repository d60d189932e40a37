"""Builds one instance: rows that obey the keys, with values drawn by a profile.

Every random draw comes from one generator that is seeded by the search's seed and the instance's
number, so the order of the draws decides the rows. Whoever changes that order changes witnesses.

The profile says how likely each kind of value, join and gap is in one instance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from sqlverdict.parse.schema import ColumnRef, Table
from sqlverdict.records import Cell, Row
from sqlverdict.refute.make.plan import InstancePlan, Renewal, VariedCell
from sqlverdict.refute.make.pool import ValuePool
from sqlverdict.refute.make.values import CASES, another, nth


@dataclass(frozen=True)
class InstanceProfile:
    """The numbers by which a strategy makes one instance.

    An instance consists of row sets: one row for each table of the queries, whose join columns
    hold the same values. The numbers are chances from 0 to 1 unless stated. ``matching``,
    ``near`` and ``odd`` share one draw; what they leave takes a plain value.

    Attributes:
        why: Why the numbers are what they are.
        turn: The position in the rotation of all strategies; ``None`` for a strategy that has no
            turn of its own.
        row_sets: How many row sets there are; a number, not a chance.
        matching: A compared column holds a value that satisfies a comparison.
        near: It holds a value just beside the border of a comparison.
        odd: It holds a corner of its type: zero, a negative number, an empty text.
        null: A column that may be NULL is NULL; a join column half as often.
        shared: A row set reuses the join value of an earlier one.
        missing: A row set lacks the row of a table.
        unjoined: A join column holds a value of its own.
        empty: A table has no rows at all.
        by_count: There are as many row sets as a count in the queries, or one or two more or one
            less.
        few_values: Columns hold only the first two of their plain values.
        in_sequence: From row set to row set, each column takes the next of its values.
    """

    why: str
    turn: int | None = None
    row_sets: int = 0
    matching: float = 0.8
    near: float = 0.1
    odd: float = 0.02
    null: float = 0.0
    shared: float = 0.3
    missing: float = 0.0
    unjoined: float = 0.0
    empty: float = 0.0
    by_count: bool = False
    few_values: bool = False
    in_sequence: bool = False


MOST_ROWS = 80
"""The most rows a table gets, unless the queries count further: more rows cost time and show
nothing new."""
_MORE_THAN_COUNT = 5
"""How many rows beyond a large count in the queries a table may get."""
_LARGE_UNTIL = 60
"""Only instances before this one have as many rows as a large count: such instances are slow."""
_SET_NEAR_COUNT = (-1, 0, 1, 1, 2)
"""How many row sets more than a count in the queries; one more is likelier: ``>`` needs it."""
_SET_AFTER_LARGE = (0, 1, 2)
"""The same for a large count, where fewer rows would be spent in vain."""
_SET_VARIATION = (-1, 0, 0, 1)
"""How the number of row sets varies after the first round; half of the time it does not."""
_FIRST_KEY = 100
"""Renewed keys start above this, away from the values that queries usually name."""
_CONSTANT_FROM = 2
"""The first two instances have no constant column: they show what the queries do undisturbed."""
_CONSTANT = 0.5
"""How often one column holds the same value in all rows."""
_CONSTANT_NULL = 0.5
"""How often that value is NULL, where the column may be NULL."""
_CONSTANT_KEPT = 0.85
"""How often a row takes the constant: one row in seven differs, so that a group of it is small."""
_CONTESTED = 0.5
"""How often a row misses a condition that only one of the two queries has."""
_EXTREME_FROM = 60
"""The first instance with extreme values: a witness with ordinary values is better."""
_EXTREME_EVERY = 5
"""From then on one instance in so many has extreme values."""
_EXTREME = 0.4
"""How often a value is extreme in such an instance."""
_CORNER = 0.4
"""How often a value is a corner of its type, where the queries treat corners in their own way."""
_UNUSED_CHOICES = 3
"""Among how many unused join values one is drawn: few, so that row sets meet by chance."""
_SELF_JOINED = 0.5
"""How often a column that joins its own table takes another row's value."""
_SPELLING = 0.1
"""How often a number in a text column has a zero before it or a decimal point after it."""
_LETTER_CASE = 0.5
"""How often a join value changes its case, where the column ignores case."""
_KEY_SHARED = 0.7
"""How often a row whose join key exists already is left out, because another row stands for it."""
_KEY_SIDES = (1, 1, -1)
"""On which side of the old key a renewed one lies; keys usually grow."""

T = TypeVar("T")
_Key = tuple[Callable[[Sequence[Cell]], Cell | Row], set[Cell | Row], Renewal]
"""What reads a key from a row (of one column the cell itself), those in use, and how a row gets
another."""


class InstanceBuilder:
    """The rows of one instance, and what decides the next ones.

    Args:
        plan: The values and joins for the pair of queries.
        number: The number of the instance.
        base: The profile whose turn it is; it decides the number of row sets.
        profile: The profile by which values are drawn.
        first_round: How many instances the first round of the rotation has.
        exact: Whether constants are kept in every row; see ``strategy``.

    Attributes:
        rows: The rows by table.
        row_sets: How many row sets the instance should have.
        large: A large count of the queries that this instance should reach; 0 for none.
        step: The number of the row set, by which values in sequence advance.
    """

    def __init__(
        self,
        plan: InstancePlan,
        number: int,
        base: InstanceProfile,
        profile: InstanceProfile,
        first_round: int,
        exact: bool,
    ) -> None:
        self.plan = plan
        self.rng = Random(f"{plan.seed}/{number}")  # noqa: S311 - repeatable, not secret
        self._bits = self.rng.getrandbits
        self.joining = plan.joining
        if plan.one_sided_joins and number % 2:
            self.joining = plan.one_sided_joins[number // 2 % 2]
        self.profile = base
        self.exact = exact
        self.large = self.choice(plan.large) if plan.large and number < _LARGE_UNTIL else 0
        self._most = max(MOST_ROWS, self.large + _MORE_THAN_COUNT)
        row_sets = self._draw_row_sets(vary=number >= first_round)
        self.row_sets = max(1, min(row_sets, self._most))
        self.rows: dict[str, list[list[Cell]]] = {t.name: [] for t in plan.tables}
        self.step = 0
        self._keys: dict[str, list[_Key]] = {}
        self._shared: dict[int, list[Cell]] = {}
        self._last_key = _FIRST_KEY
        # Of several columns of a key the last one is renewed, or the first.
        self._renewed_end = 1 if number // first_round % 2 == 0 else -1
        self._extreme = number >= _EXTREME_FROM and number % _EXTREME_EVERY == 0
        self._starts: dict[ColumnRef, int] = {}
        self._constants: Mapping[ColumnRef, Cell] = {}
        self._sequences: AbstractSet[ColumnRef] = frozenset()
        # Some rows should miss what one query asks and the other does not.
        contested = plan.reading.contested if number % 2 else ()
        self._contested = self.choice(contested) if contested else None
        if plan.free and number >= _CONSTANT_FROM and self.rng.random() < _CONSTANT:
            self._draw_constant()
        self.profile = profile

    def _draw_row_sets(self, vary: bool) -> int:
        profile, counts = self.profile, self.plan.counts
        if profile.by_count and self.large:
            return self.large + self.choice(_SET_AFTER_LARGE)
        if profile.by_count and counts:
            return self.choice(counts) + self.choice(_SET_NEAR_COUNT)
        return max(1, profile.row_sets + self.choice(_SET_VARIATION)) if vary else profile.row_sets

    def _draw_constant(self) -> None:
        """Let one column hold the same value, or NULL, in nearly all rows."""
        column = self.choice(self.plan.free)
        void = self.plan.pools[column].nullable and self.rng.random() < _CONSTANT_NULL
        self._constants = {column: None if void else self.value(column)}

    def choice(self, values: Sequence[T]) -> T:
        """One of the values, the one that ``Random.choice`` gives, in half its time."""
        count = len(values)
        bits, width = self._bits, count.bit_length()
        index = bits(width)
        while index >= count > 0:
            index = bits(width)
        return values[index]

    def use_pattern(
        self,
        constants: Mapping[ColumnRef, Cell],
        sequences: AbstractSet[ColumnRef] = frozenset(),
    ) -> None:
        """Set the value pattern of the next rows.

        Args:
            constants: Columns that hold the same value in all of them.
            sequences: Columns that take the next of their values from step to step.
        """
        self._constants, self._sequences = constants, sequences

    def join_value(self, number: int) -> Cell:
        """A value for the columns of a join class: a new one, or one that an earlier row has."""
        known = self._shared.setdefault(number, [])
        if self.profile.in_sequence:
            return nth(self.joining.values[number], self.step)
        if known and self.rng.random() < self.profile.shared:
            return self.choice(known)
        pool = self.joining.values[number]
        unused = [value for value in pool if value not in known]
        value = self.choice(unused[:_UNUSED_CHOICES] if unused else pool)
        known.append(value)
        return value

    def add_row(self, table: Table, join_values: Sequence[Cell]) -> bool:
        """Add a row whose join columns have these values, one value a join class."""
        rng, constants, unjoined = self.rng, self._constants, self.profile.unjoined
        row = self.plan.blanks[table.name].copy()
        for n, column, pool, join_class in self._cells(table.name):
            if constants and column in constants and (self.exact or rng.random() < _CONSTANT_KEPT):
                row[n] = constants[column]
            elif join_class is None or (unjoined and rng.random() < unjoined):
                row[n] = self._value(column, pool)
            else:
                row[n] = self._joined(column, pool, join_class, join_values)
        return self.keep(table, row)

    def _cells(self, table: str) -> Sequence[VariedCell]:
        key = (self.joining, table)
        cells = self.plan.cells.get(key)
        if cells is None:
            pools, class_of = self.plan.pools, self.joining.class_of
            cells = self.plan.cells[key] = [
                (n, column, pools[column], class_of.get(column))
                for n, column in self.plan.varied[table]
            ]
        return cells

    def _joined(
        self, column: ColumnRef, pool: ValuePool, join_class: int, join_values: Sequence[Cell]
    ) -> Cell:
        if self.profile.null and pool.nullable and self.rng.random() < self.profile.null / 2:
            return None
        if column in self.joining.self_joined and self.rng.random() < _SELF_JOINED:
            others: list[Cell] = [*self._shared.get(join_class, ())]
            others += self.joining.values[join_class][:_UNUSED_CHOICES]
            return self.choice(others)
        value = join_values[join_class]
        number_in_text = (
            pool.kind == "TEXT" and isinstance(value, int) and column not in self.plan.referring
        )
        if number_in_text and self.rng.random() < _SPELLING:
            # A number has several spellings; affinity decides which of them are equal to it.
            return self.choice(("0" + str(value), str(value) + ".0"))
        if pool.plain is CASES and isinstance(value, str) and self.rng.random() < _LETTER_CASE:
            return value.swapcase()
        return value

    def value(self, column: ColumnRef) -> Cell:
        """A value for a column that joins nothing."""
        return self._value(column, self.plan.pools[column])

    def _value(self, column: ColumnRef, pool: ValuePool) -> Cell:
        rng, profile = self.rng, self.profile
        if profile.null and pool.nullable and rng.random() < profile.null:
            return None
        if column == self._contested and rng.random() < _CONTESTED:
            others = (*pool.near, *pool.plain)
            return others[int(rng.random() * len(others))]
        if profile.in_sequence or (self._sequences and column in self._sequences):
            return self._next(column, pool)
        if self._extreme and pool.extreme and rng.random() < _EXTREME:
            return pool.extreme[int(rng.random() * len(pool.extreme))]
        chance = rng.random()
        if chance < profile.matching and pool.good:
            values = pool.good
        elif chance < profile.matching + profile.near and pool.near:
            values = pool.near
        elif chance > 1 - profile.odd or (self.plan.reading.corners and chance > 1 - _CORNER):
            values = pool.odd
        else:
            values = pool.plain[:2] if profile.few_values else pool.plain
        return values[int(rng.random() * len(values))]

    def _next(self, column: ColumnRef, pool: ValuePool) -> Cell:
        """The value of a column in sequence, at this step."""
        values = pool.good or pool.plain
        start = self._starts.setdefault(column, self.rng.randrange(len(values)))
        return nth(values, start + self.step, closed=pool.closed or bool(pool.good))

    def keep(self, table: Table, row: list[Cell]) -> bool:
        """Add a row, unless a key forbids it; a key that may be anything is renewed."""
        name = table.name
        rows = self.rows.get(name)
        if rows is None:
            rows = self.rows[name] = []
        if len(rows) >= self._most:
            return False
        known = self._keys.get(name)
        if known is None:
            known = self._keys[name] = [
                (key_of, set(), self._renewal(table, columns))
                for columns, key_of in self.plan.keys[name]
            ]
        keys: list[Cell | Row] = []
        for key_of, used, renewal in known:
            key = key_of(row)
            if key in used and (None not in key if type(key) is tuple else key is not None):
                if not self._renew(row, renewal):
                    return False
                key = key_of(row)
                if key in used:
                    return False
                if keys:
                    # What is renewed may be part of an earlier key.
                    keys = [other(row) for other, _, _ in known[: len(keys)]]
            keys.append(key)
        for (_, used, _), key in zip(known, keys, strict=True):
            used.add(key)
        rows.append(row)
        return True

    def drop(self, table: str, rows: Sequence[list[Cell]]) -> None:
        """Remove some rows of a table."""
        # By identity: an equal row may stay.
        dropped = set(map(id, rows))
        self.rows[table] = [row for row in self.rows[table] if id(row) not in dropped]

    def _renew(self, row: list[Cell], renewal: Renewal) -> bool:
        """Give a key a fresh value: in a column that joins nothing, if it has one.

        A key that joins is usually left alone: its row exists already, and is shared.
        """
        n, pool, is_joined, must_add = renewal
        if is_joined and self.rng.random() < _KEY_SHARED and not must_add:
            return False
        self._last_key += 1
        row[n] = another(row[n], pool, self._last_key, self.choice(_KEY_SIDES))
        return True

    def _renewal(self, table: Table, columns: tuple[int, ...]) -> Renewal:
        key = (self.joining, table.name, columns, self._renewed_end, self.exact)
        renewal = self.plan.renewals.get(key)
        if renewal is None:
            class_of = self.joining.class_of
            names = [(table.name, table.columns[n].name) for n in columns]
            joined = [name in class_of for name in names]
            at = 0
            if len(columns) > 1:
                at = min(range(len(columns)), key=lambda at: (joined[at], -at * self._renewed_end))
            must_add = self._must_add(table, columns)
            renewal = (columns[at], self.plan.pools[names[at]], joined[at], must_add)
            self.plan.renewals[key] = renewal
        return renewal

    def _must_add(self, table: Table, key: tuple[int, ...]) -> bool:
        """Whether the strategy needs rows that share what joins them, but not all of this key."""
        class_of = self.joining.class_of
        joined = (n for n, column in self.plan.varied[table.name] if column in class_of)
        return self.exact and (len(key) > 1 or any(n not in key for n in joined))
