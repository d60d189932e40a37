"""What a query leaves open on its database: shown from the data, never guessed.

Each function returns what it found or ``None``; ``None`` means "not shown", never "fine".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlverdict.compare.order import Window, read_window
from sqlverdict.compare.preset import ProbedQuery
from sqlverdict.execute.session import Run
from sqlverdict.parse.clauses import outer_clauses
from sqlverdict.parse.order import ordering
from sqlverdict.parse.tokens import Kind, kind, solid
from sqlverdict.records import Answer, Query, Row

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_CHANCE = ("random", "randomblob", "rand", "uuid", "gen_random_uuid")
_NOW = ("current_date", "current_time", "current_timestamp")
_NOW_CALLS = (
    *("now", "today", "curdate", "curtime", "sysdate", "utc_date", "utc_time", "utc_timestamp"),
    *("clock_timestamp", "statement_timestamp", "transaction_timestamp", "get_current_timestamp"),
)
_CLOCKS = ("date", "time", "datetime", "julianday", "strftime", "timediff", "unixepoch")


@dataclass(frozen=True)
class OpenLimit:
    """A LIMIT that leaves open which rows come back.

    Attributes:
        ordered: There is an ORDER BY, and the rows tie under it.
        tied: How many rows compete.
        places: How many of them are returned.
        examples: Two different rows of which either might be returned.
    """

    ordered: bool
    tied: int
    places: int
    examples: tuple[Row, Row]


def find_open_cut(query: Query, answer: Answer, probe: Run) -> OpenLimit | None:
    """The cut that the outermost LIMIT makes through rows that tie but differ.

    Rows that tie and are alike in every output column leave nothing open.
    """
    if not ordering(query).limited or not answer.rows:
        return None
    window = read_window(answer, ProbedQuery(query.sql, query.dialect, probe))
    if window is None or not window.cuts_tie:
        return None
    for index in (window.end, window.start):
        cut = _cut_at(window, index)
        if cut is not None:
            return cut
    return None


def _cut_at(window: Window, index: int) -> OpenLimit | None:
    if not 0 < index < len(window.rows) or window.keys[index - 1] != window.keys[index]:
        return None
    pool = window.tied_with(index)
    other = next((row for row in pool if row != pool[0]), None)
    if other is None:
        return None
    key = window.keys[index]
    returned = sum(window.keys[at] == key for at in range(window.start, window.end))
    return OpenLimit(window.ordered, len(pool), returned, (pool[0], other))


@dataclass(frozen=True)
class Bare:
    """An output column that is neither grouped by nor aggregated, with several values."""

    column: str
    values: int
    group: Row


def find_bare(query: Query, answer: Answer, probe: Run) -> Bare | None:
    """A bare column whose group holds more than one value, among the rows that come back.

    Beside a ``min`` or ``max`` SQLite takes bare columns from the row of the extreme, so
    those are left to the copy with its rows in reverse order.
    """
    columns = list(_bare_columns(query))
    clauses = outer_clauses(query.sql) if columns else None
    if clauses is None or clauses.compound or (clauses.distinct and clauses.limited):
        return None
    info = ordering(query)
    limit = ""
    if info.limited:
        if info.limit is None:
            return None
        limit = f"LIMIT {info.limit} OFFSET {info.offset or 0}"
    counts = ", ".join(
        f"COUNT(DISTINCT {text}) + "
        f"CASE WHEN COUNT({text}) > 0 AND COUNT({text}) < COUNT(*) THEN 1 ELSE 0 END"
        for text in columns
    )
    outcome = probe(f"{clauses.head}, {counts} {clauses.body} {clauses.order} {limit}")
    if not isinstance(outcome, Answer):
        return None
    for row in outcome.rows:
        for text, values in zip(columns, row[-len(columns) :], strict=True):
            if isinstance(values, int) and values > 1:
                return Bare(text, values, row[: len(answer.columns)])
    return None


def _bare_columns(query: Query) -> Iterator[str]:
    """The plain output columns of a grouped SELECT that are not grouped by, as SQL."""
    from sqlglot import exp

    tree = query.tree
    if not isinstance(tree, exp.Select):
        return
    aggregates = list(_own_aggregates(query, tree))
    grouped = tree.args.get("group")
    if (not aggregates and grouped is None) or any(
        isinstance(node, exp.Min | exp.Max) for node in aggregates
    ):
        return
    keys = list(_group_keys(grouped)) if grouped is not None else []
    names = {node.name.lower() for node in keys if isinstance(node, exp.Column)}
    numbers = {node.name for node in keys if isinstance(node, exp.Literal)}
    for position, output in enumerate(tree.expressions, 1):
        node = output.unalias()
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            continue
        # Grouped by another table's column of that name: left to the copy.
        if node.name.lower() in names or str(position) in numbers:
            continue
        if output.alias and output.alias.lower() in names:
            continue
        yield node.sql(dialect=query.dialect)


def _group_keys(group: Expr) -> Iterator[Expr]:
    """What GROUP BY lists, in ROLLUP, CUBE and GROUPING SETS too."""
    from sqlglot import exp

    for key in group.expressions:
        if isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets):
            yield from key.find_all(exp.Column, exp.Literal)
        else:
            yield key


def _own_aggregates(query: Query, select: Expr) -> Iterator[Expr]:
    """The aggregates of a SELECT itself: none of its subqueries', no window functions."""
    from sqlglot import exp

    for node in query.find_all(exp.AggFunc):
        inside_window = isinstance(node.parent, exp.Window)
        if node.find_ancestor(exp.Select) is select and not inside_window:
            yield node


def keeps_few_groups(tree: Expr) -> bool:
    """Whether the outermost query keeps groups by HAVING, or rows that two queries share."""
    from sqlglot import exp

    return isinstance(tree, exp.Intersect) or tree.args.get("having") is not None


@lru_cache(maxsize=1_024)
def reads_clock_or_chance(sql: str) -> str | None:
    """The word that makes a query's answer change by itself: ``random()``, ``'now'`` ...

    Told from tokens, so that ``'unknown'`` is not taken for ``'now'``.
    """
    words = solid(sql)
    lower = [word.lower() for word in words]
    clocked = False
    for at, word in enumerate(lower):
        called = lower[at + 1 : at + 2] == ["("]
        is_name = lower[at - 1 : at] in (["."], ["as"])
        if called and word in _CHANCE:
            return f"{word}()"
        if word in _NOW and not called and not is_name:
            return word
        if called and word in (*_NOW_CALLS, *_NOW) and not is_name:
            return f"{word}()"
        if called and word in _CLOCKS:
            clocked = True
            # Without a moment they read the clock; strftime's first argument is a format.
            alone = lower[at + 2 : at + 3] == [")"]
            format_only = word == "strftime" and lower[at + 3 : at + 4] == [")"]
            if alone or format_only:
                return f"{word}()"
    if clocked:
        for word in words:
            if kind(word) in (Kind.STRING, Kind.QUOTED) and word[1:-1].strip().lower() == "now":
                return "'now'"
    return None


def explain_loose(query: Query | None) -> str:
    """The likely cause of an answer that changes with the order of stored rows."""
    from sqlglot import exp

    if query is None:
        return "the order in which rows are stored"
    tree = query.tree
    for limit in query.find_all(exp.Limit):
        if limit.parent is not tree:
            return "a LIMIT in a subquery that leaves open which row it keeps"
    if tree.find(exp.GroupConcat) is not None:
        return "group_concat, which joins values in the order of stored rows"
    if tree.find(exp.Window) is not None:
        return "a window function whose rows tie"
    selects = list(query.find_all(exp.Select))
    if any(select.args.get("group") or any(_own_aggregates(query, select)) for select in selects):
        return "a column that is neither grouped by nor aggregated"
    if tree.args.get("limit") is not None:
        return "a LIMIT that leaves open which rows come back"
    return "the order in which rows are stored"


def tied_row_text(row: Row) -> str:
    """A row for people, cut where it is long."""
    text = ", ".join("NULL" if cell is None else repr(cell) for cell in row)
    return f"({text if len(text) <= 80 else text[:77] + '...'})"
