"""Columns that meet what is computed of another one: ``strftime('%m', a.day) = b.month``.

Values that are drawn for each column alone seldom meet there. The search computes the one from the
other. Columns that a function of days reads get days, whatever their type says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.refute.read.columns import Resolver, nodes_of
from sqlverdict.refute.read.expressions import without_parens

Computed = tuple[ColumnRef, ColumnRef, str]
"""A column, another one, and the expression of that one, with ``:v`` in its place, that the first
is compared with; ``:v`` alone where it is compared with the other column itself."""

VALUE = ":v"

_COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_AROUND = (exp.Paren, exp.Cast, exp.Date, exp.TsOrDsToDate, exp.TsOrDsToTimestamp)
"""What may stand around a column that has the form of what it is compared with."""
_FOLDING = (exp.AggFunc, exp.Query, exp.Window, exp.Subquery)
_MOST_NODES = 24
"""A longer expression is not computed."""
_DAY_CALLS = frozenset({"date", "datetime", "julianday"})
_MODIFIER = re.compile(
    r"[+-]?\d+(?:\.\d+)? +\w+|start of \w+|weekday \d"
    r"|unixepoch|julianday|auto|localtime|utc|subsec",
    re.IGNORECASE,
)
_SECONDS = "unixepoch"


def computed(resolver: Resolver) -> Iterator[Computed]:
    """The columns of a query that it compares with an expression of one other column."""
    for node in resolver.nodes:
        if isinstance(node, _COMPARISONS):
            sides = [(node.this, node.expression), (node.expression, node.this)]
        elif isinstance(node, exp.Between):
            sides = [(node.this, node.args["low"]), (node.this, node.args["high"])]
        else:
            continue
        for side, other in sides:
            column_ref = resolver.column(_bare(side))
            known = _of_one_column(other, resolver) if column_ref is not None else None
            if column_ref is None or known is None or known[0] == column_ref:
                continue
            if known[1] != VALUE or not isinstance(node, exp.EQ | exp.NullSafeEQ):
                yield (column_ref, *known)


def _bare(node: Expr) -> Expr:
    while isinstance(node, _AROUND):
        node = node.this
    return node


def _of_one_column(node: Expr, resolver: Resolver) -> tuple[ColumnRef, str] | None:
    """The one column of an expression, and the expression with ``:v`` in its place."""
    node = without_parens(node)
    inner = nodes_of(node)
    if len(inner) > _MOST_NODES or any(isinstance(each, _FOLDING) for each in inner):
        return None
    columns = [each for each in inner if isinstance(each, exp.Column)]
    refs = {resolver.column(each) for each in columns}
    column_ref = refs.pop() if len(refs) == 1 else None
    if column_ref is None:
        return None
    if node is columns[0]:
        return column_ref, VALUE
    copy = node.copy()
    for column in list(copy.find_all(exp.Column)):
        column.replace(exp.Placeholder(this=VALUE[1:]))
    return column_ref, copy.sql(DEFAULT_DIALECT)


def read_as_days(resolver: Resolver) -> Iterator[tuple[ColumnRef, bool]]:
    """The columns that a function of days reads, and whether as a number of seconds."""
    for node in resolver.nodes:
        if isinstance(node, exp.Date | exp.TsOrDsToTimestamp):
            column_ref = resolver.column(node.this) if isinstance(node.this, Expr) else None
            texts: list[str] = []
        elif isinstance(node, exp.Anonymous) and str(node.this).lower() in _DAY_CALLS:
            column_ref = resolver.column(node.expressions[0]) if node.expressions else None
            texts = [each.name.lower() for each in node.expressions[1:]]
        else:
            continue
        if column_ref is not None:
            yield column_ref, _SECONDS in texts


def is_modifier(text: object, node: Expr) -> bool:
    """Whether a text tells a function of days what to do: ``+14 days``. It is no value then."""
    is_call = isinstance(node, exp.Anonymous) and str(node.this).lower() in (*_DAY_CALLS, "time")
    return is_call and isinstance(text, str) and _MODIFIER.fullmatch(text) is not None
