"""Which rows of a gold answer may change places, and which might have been others.

Whether rows are ordered is read from the gold's tree, never from its text. Rows that tie
under ORDER BY may come in any order; a LIMIT that cuts through a tie leaves open which of
the tied rows belong to the answer. Sort keys that the answer does not show are fetched
with a probe: the gold query without its LIMIT and with its keys as extra columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlverdict.compare.cells import Tolerance, unify
from sqlverdict.compare.columns import column_orders, permuted
from sqlverdict.compare.preset import Pair
from sqlverdict.records import Answer, ParseFailure, Query, Row


@dataclass(frozen=True)
class Window:
    """The gold's rows before its LIMIT, their sort keys, and the part that LIMIT shows."""

    rows: list[Row]
    keys: list[Row]
    start: int
    end: int
    ordered: bool

    @property
    def ranks(self) -> list[int]:
        """The rank of each shown row: equal for rows that tie."""
        ranks: list[int] = []
        rank = -1
        for place in range(self.start, self.end):
            if place == self.start or self.keys[place] != self.keys[place - 1]:
                rank += 1
            ranks.append(rank)
        return ranks

    @property
    def cuts_tie(self) -> bool:
        """Whether a tie stands on both sides of either end."""
        return self._cut(self.start) or self._cut(self.end)

    def _cut(self, place: int) -> bool:
        inside = self.start < self.end and 0 < place < len(self.rows)
        return inside and self.keys[place - 1] == self.keys[place]

    def tied_with(self, place: int) -> list[Row]:
        """All rows that tie with the row at a place, shown or not."""
        key = self.keys[place]
        low = place
        while low > 0 and self.keys[low - 1] == key:
            low -= 1
        high = place
        while high + 1 < len(self.rows) and self.keys[high + 1] == key:
            high += 1
        return self.rows[low : high + 1]


def is_ordered(pair: Pair) -> bool:
    """Whether the gold's outermost query orders its rows."""
    if "order" not in pair.gold_sql.lower():
        return False
    query = _parse(pair)
    if query is None:
        return True
    from sqlverdict.parse.order import ordering

    return ordering(query).ordered


def read_window(gold: Answer, pair: Pair) -> Window | None:
    """The gold's rows with their sort keys, or ``None`` where they cannot be had."""
    query = _parse(pair)
    if query is None:
        return None
    from sqlverdict.parse.order import ordering, tie_probe

    info = ordering(query)
    probe = tie_probe(query)
    if probe is None or (info.limited and info.limit is None):
        return None
    width = len(gold.columns)
    if not info.limited and not probe.keys:
        rows = gold.rows
    elif pair.probe is None:
        return None
    else:
        outcome = pair.probe(probe.sql)
        if not isinstance(outcome, Answer) or len(outcome.columns) != width + probe.keys:
            return None
        rows = outcome.rows
    if probe.keys:
        keys: list[Row] = [row[width:] for row in rows]
        rows = [row[:width] for row in rows]
    else:
        places = probe.key_columns
        keys = [tuple([row[place] for place in places]) for row in rows]
    start = min(info.offset or 0, len(rows))
    end = start + len(gold.rows)
    if end > len(rows):
        return None
    return Window(rows, keys, start, end, info.ordered)


def could_be_gold(
    window: Window, prediction: Sequence[Row], tolerance: Tolerance, any_columns: bool
) -> bool:
    """Whether the gold query might as well have returned these rows, given its ties."""
    if len(prediction) != window.end - window.start or not prediction:
        return False
    rows, predicted = unify([window.rows, list(prediction)], tolerance)
    settled = Window(rows, window.keys, window.start, window.end, window.ordered)
    width = len(predicted[0])
    orders = column_orders(width) if any_columns else [tuple(range(width))]
    return any(_fits(settled, permuted(predicted, columns)) for columns in orders)


def _fits(window: Window, prediction: list[Row]) -> bool:
    place = 0
    for _, members in groupby(window.ranks):
        size = len(list(members))
        part = Counter(prediction[place : place + size])
        pool = Counter(window.tied_with(window.start + place))
        if part - pool:
            return False
        place += size
    return True


def _parse(pair: Pair) -> Query | None:
    from sqlverdict.parse.query import parse

    query = parse(pair.gold_sql, pair.dialect)
    return None if isinstance(query, ParseFailure) else query
