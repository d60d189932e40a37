"""Which functions a query calls on which columns: of two queries, what only one of them calls.

Two functions that agree on most values part on a few: on a Sunday, on a text with spaces around it.
Such values are made for a column to which two queries do not do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.parse.tokens import fold
from sqlverdict.refute.read.columns import Resolver, nodes_of

Call = tuple[ColumnRef, tuple[str, ...], tuple[str, ...]]
"""A column, the words of the expression that calls functions on it, and the texts therein."""

_CALLS = (exp.Func, exp.AtTimeZone, exp.Bracket, exp.Interval)
_PLAIN = (
    *(exp.AggFunc, exp.Connector, exp.Exists, exp.Case, exp.If, exp.Coalesce, exp.Nullif),
    *(exp.JSONExtract, exp.JSONExtractScalar, exp.Array, exp.Collate),
)
"""They take their values as they are; of documents and letter case others say more."""
_BETWEEN = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe, exp.Paren, exp.Neg)
"""What may stand between a column and a call, or around a call."""
_LONGEST = 24
"""Longer texts are no separators and no days."""


def calls(resolver: Resolver) -> frozenset[Call]:
    """Every column to which a query does something, and what it does."""
    return frozenset(_calls(resolver))


def _calls(resolver: Resolver) -> Iterator[Call]:
    for node in resolver.nodes:
        if type(node) is not exp.Column:
            continue
        around = _around(node)
        column_ref = resolver.column(node) if around is not None else None
        if around is None or column_ref is None:
            continue
        nodes = nodes_of(around)
        literals = (
            str(each.this) for each in nodes if type(each) is exp.Literal and each.is_string
        )
        texts = dict.fromkeys(text for text in literals if 0 < len(text) <= _LONGEST)
        yield column_ref, words_of_nodes(nodes), tuple(texts)


def _around(column: Expr) -> Expr | None:
    """The outermost expression around a column that is one value made of it by calls."""
    node, outer, around = column, column.parent, None
    while isinstance(outer, (*_CALLS, *_BETWEEN)) and not isinstance(outer, _PLAIN):
        node = outer
        is_shifted = any(type(each) is exp.Interval for each in node.iter_expressions())
        if isinstance(node, _CALLS) or is_shifted or around is not None:
            around = node
        outer = node.parent
    return around


def words_of_nodes(nodes: Iterable[Expr]) -> tuple[str, ...]:
    """What the nodes of an expression say; how tables are called says nothing."""
    words: list[str] = []
    for node in nodes:
        if isinstance(node, exp.Column):
            words.append(fold(node.name))
        elif not isinstance(node, exp.Identifier):
            words.append(type(node).__name__)
            values = node.args.values()
            words += [str(value) for value in values if isinstance(value, str | bool | exp.DType)]
    return tuple(words)
