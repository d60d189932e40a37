"""Which rows of a gold answer may change places, and which might have been others.

Whether rows are ordered is read from the gold's outermost clauses, never by a search in its
text. Rows that tie under ORDER BY may come in any order; a LIMIT that cuts through a tie
leaves open which of the tied rows belong to the answer. Sort keys that the answer does not
show are fetched with a probe: the gold query without its LIMIT and with its keys as extra
columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING

from sqlverdict.compare.cells import Tolerance, unify
from sqlverdict.compare.columns import column_orders, permuted
from sqlverdict.compare.preset import ProbedQuery
from sqlverdict.dialects import dialect_of
from sqlverdict.parse.clauses import outer_clauses
from sqlverdict.parse.order import ordering, tie_probe, unquoted
from sqlverdict.parse.plain_order import plain_order
from sqlverdict.parse.tokens import fold, solid
from sqlverdict.records import Answer, ParseFailure, Row

if TYPE_CHECKING:
    from sqlverdict.parse.order import Ordering, TieProbe

_VIEWS = "SELECT name, sql FROM sqlite_master WHERE type = 'view'"


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
        for position in range(self.start, self.end):
            if position == self.start or self.keys[position] != self.keys[position - 1]:
                rank += 1
            ranks.append(rank)
        return ranks

    @property
    def cuts_tie(self) -> bool:
        """Whether a tie stands on both sides of either end."""
        return self._cut(self.start) or self._cut(self.end)

    def _cut(self, position: int) -> bool:
        inside = self.start < self.end and 0 < position < len(self.rows)
        return inside and self.keys[position - 1] == self.keys[position]

    def tied_with(self, position: int) -> list[Row]:
        """All rows that tie with the row at a position, shown or not."""
        key = self.keys[position]
        low = position
        while low > 0 and self.keys[low - 1] == key:
            low -= 1
        high = position
        while high + 1 < len(self.rows) and self.keys[high + 1] == key:
            high += 1
        return self.rows[low : high + 1]


@lru_cache(maxsize=4_096)
def read_order(sql: str, dialect: str) -> tuple[Ordering, TieProbe | None] | None:
    """What a query that runs says about the order of its rows, and its probe for ties.

    Its tokens tell where it is a plain one, else its tree; ``None`` where it cannot be parsed.
    """
    from sqlverdict.parse.query import parse

    plain = plain_order(sql) if dialect_of(dialect).plain_tokens else None
    if plain is not None:
        return plain
    query = parse(sql, dialect)
    if isinstance(query, ParseFailure):
        return None
    return ordering(query), tie_probe(query)


def is_ordered(gold: ProbedQuery) -> bool:
    """Whether the gold's outermost query orders its rows."""
    if "order" not in gold.sql.lower():
        return False
    read = read_order(gold.sql, gold.dialect)
    return read is None or read[0].ordered


def read_window(answer: Answer, query: ProbedQuery) -> Window | None:
    """A query's rows with their sort keys, or ``None`` where they cannot be had."""
    info, probe = read_order(query.sql, query.dialect) or (None, None)
    if info is None or probe is None:
        return None
    if info.limited and info.limit is None:
        return None
    if info.limited and not info.ordered and _reads_ordered_view(query):
        # The view says which rows come first; its keys cannot be seen from here.
        return None
    width = len(answer.columns)
    rows = answer.rows
    if info.limited or probe.keys:
        outcome = query.probe(probe.sql) if query.probe is not None else None
        if not isinstance(outcome, Answer) or len(outcome.columns) != width + probe.keys:
            return None
        rows = outcome.rows
    start = min(info.offset or 0, len(rows))
    end = start + len(answer.rows)
    if end > len(rows):
        return None
    return Window(*probe.split_all(rows), start, end, info.ordered)


def _reads_ordered_view(query: ProbedQuery) -> bool:
    """Whether the query names a view that orders its rows, or is made of one that does."""
    can_tell = query.probe is not None and dialect_of(query.dialect).in_python
    outcome = query.probe(_VIEWS) if can_tell and query.probe is not None else None
    if not isinstance(outcome, Answer) or not outcome.rows:
        return False
    views = {fold(str(name)): str(sql) for name, sql in outcome.rows}
    words = [fold(unquoted(word)) for word in solid(query.sql)]
    open_, seen = [name for name in words if name in views], set[str]()
    while open_:
        name = open_.pop()
        if name in seen:
            continue
        seen.add(name)
        inner = [fold(unquoted(word)) for word in solid(views[name])]
        if "order" in inner:
            return True
        open_ += [word for word in inner if word in views]
    return False


def holds_all_cells(gold: ProbedQuery, prediction: Sequence[Row]) -> bool:
    """Whether the gold without its LIMIT shows every predicted cell: cheap, needs no tree.

    Where it does not, no tie can explain the prediction. Floats are passed over: they may
    differ in their last digits.
    """
    unlimited = _unlimited(gold.sql)
    if unlimited is None or gold.probe is None:
        return True
    outcome = gold.probe(unlimited)
    if not isinstance(outcome, Answer):
        return True
    cells = set(chain.from_iterable(outcome.rows))
    return all(type(cell) is float or cell in cells for row in prediction for cell in row)


@lru_cache(maxsize=4_096)
def _unlimited(sql: str) -> str | None:
    """The query without its ORDER BY and LIMIT."""
    clauses = outer_clauses(sql)
    return None if clauses is None else f"{clauses.head} {clauses.body}"


def could_be_gold(
    window: Window, prediction: Sequence[Row], tolerance: Tolerance, any_columns: bool
) -> bool:
    """Whether the gold query might as well have returned these rows, given its ties."""
    if len(prediction) != window.end - window.start or not prediction:
        return False
    rows, predicted = unify([window.rows, list(prediction)], tolerance)
    unified = Window(rows, window.keys, window.start, window.end, window.ordered)
    width = len(predicted[0])
    orders = column_orders(width) if any_columns else [tuple(range(width))]
    return any(_fits(unified, permuted(predicted, columns)) for columns in orders)


def _fits(window: Window, prediction: list[Row]) -> bool:
    position = 0
    for _, members in groupby(window.ranks):
        size = len(list(members))
        part = Counter(prediction[position : position + size])
        pool = Counter(window.tied_with(window.start + position))
        if part - pool:
            return False
        position += size
    return True
