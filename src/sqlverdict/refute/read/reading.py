"""What a search needs to know about one or two queries: tables, values, joins, groups, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell
from sqlverdict.refute.read.computed import Computed
from sqlverdict.refute.read.hint import Hint as Hint
from sqlverdict.refute.read.json_paths import JsonPath
from sqlverdict.refute.read.own_words import OwnWords
from sqlverdict.refute.read.stars import Stars, starred_apart


@dataclass
class QueryReading:
    """What the search needs to know about one or two queries."""

    tables: list[str] = field(default_factory=list)
    copies: dict[str, int] = field(default_factory=dict)
    hints: list[Hint] = field(default_factory=list)
    joins: list[tuple[ColumnRef, ColumnRef]] = field(default_factory=list)
    counts: set[int] = field(default_factory=set)
    corners: bool = False
    """Whether something is done to values that shows only at the corners of their type."""
    used: list[ColumnRef] = field(default_factory=list)
    groups: list[ColumnRef] = field(default_factory=list)
    """The columns of GROUP BY."""
    numbers: list[ColumnRef] = field(default_factory=list)
    """The columns that are reckoned with: summed, averaged, multiplied."""
    one_sided_joins: list[list[tuple[ColumnRef, ColumnRef]]] = field(default_factory=list)
    """The joins of each of two queries that do not join alike."""
    contested: list[ColumnRef] = field(default_factory=list)
    """The columns of which two queries ask different things."""
    stars: Stars = frozenset()
    """The stars that stand for columns."""
    documents: dict[ColumnRef, dict[JsonPath, tuple[Cell, ...]]] = field(default_factory=dict)
    """What is asked of JSON texts."""
    lengths: list[tuple[ColumnRef, int]] = field(default_factory=list)
    """How long texts have to be."""
    floats: list[ColumnRef] = field(default_factory=list)
    """The columns whose values become floating-point numbers."""
    aggregates: set[tuple[ColumnRef, str]] = field(default_factory=set)
    """The columns of which a sum, a mean, a least or a greatest value is taken, and which."""
    aggregated_apart: list[ColumnRef] = field(default_factory=list)
    """The columns of which two queries take different aggregates."""
    own: OwnWords = field(default_factory=OwnWords)
    """What is asked of values in the words of the engine."""
    computed: list[Computed] = field(default_factory=list)
    """The columns that are compared with what is computed of another one."""
    days: list[tuple[ColumnRef, bool]] = field(default_factory=list)
    """The columns that are read as days, and whether as numbers of seconds."""

    def reads_like(self, other: QueryReading) -> bool:
        """Whether both look at the same things; they may still ask for different ones."""
        return (
            self.copies == other.copies
            and set(self.hints) == set(other.hints)
            and self._pairs() == other._pairs()
            and self.counts == other.counts
            and set(self.used) == set(other.used)
        )

    def _pairs(self) -> set[frozenset[ColumnRef]]:
        return {frozenset(join) for join in self.joins}

    def merge(self, other: QueryReading) -> QueryReading:
        """Both readings together."""
        copies = dict(self.copies)
        for table, times in other.copies.items():
            copies[table] = max(times, copies.get(table, 0))
        return QueryReading(
            list(dict.fromkeys((*self.tables, *other.tables))),
            copies,
            list(dict.fromkeys((*self.hints, *other.hints))),
            list(dict.fromkeys((*self.joins, *other.joins))),
            self.counts | other.counts,
            self.corners or other.corners,
            list(dict.fromkeys((*self.used, *other.used, *starred_apart(self.stars, other.stars)))),
            list(dict.fromkeys((*self.groups, *other.groups))),
            list(dict.fromkeys((*self.numbers, *other.numbers))),
            [] if self._pairs() == other._pairs() else [self.joins, other.joins],
            sorted({hint.column_ref for hint in {*self.hints} ^ {*other.hints}}),
            self.stars | other.stars,
            _merged(self.documents, other.documents),
            list(dict.fromkeys((*self.lengths, *other.lengths))),
            list(dict.fromkeys((*self.floats, *other.floats))),
            self.aggregates | other.aggregates,
            self._aggregated_apart(other),
            self.own.merge(other.own),
            list(dict.fromkeys((*self.computed, *other.computed))),
            list(dict.fromkeys((*self.days, *other.days))),
        )

    def _aggregated_apart(self, other: QueryReading) -> list[ColumnRef]:
        """The columns that both aggregate, but not in the same way."""
        ours, theirs = ({column for column, _ in r.aggregates} for r in (self, other))
        different = {column for column, _ in self.aggregates ^ other.aggregates}
        return sorted(different & ours & theirs)


def _merged(
    one: Mapping[ColumnRef, Mapping[JsonPath, tuple[Cell, ...]]],
    two: Mapping[ColumnRef, Mapping[JsonPath, tuple[Cell, ...]]],
) -> dict[ColumnRef, dict[JsonPath, tuple[Cell, ...]]]:
    merged = {column_ref: dict(paths) for column_ref, paths in one.items()}
    for column_ref, paths in two.items():
        known = merged.setdefault(column_ref, {})
        for path, values in paths.items():
            known[path] = tuple(dict.fromkeys((*known.get(path, ()), *values)))
    return merged
