"""An inner query over the same tables as the query around it: which conditions they share."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, substitute
from sqlverdict.prove.reasoning.shape import (
    all_inner,
    column_name,
    columns_in,
    conditions,
    items,
    source_label,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.tree_key import expression_key

_TAILS = ("group", "having", "order", "limit", "offset", "distinct")


@dataclass(frozen=True)
class SameRows:
    """What an inner query and the query around it have in common.

    Attributes:
        value: The inner query's one expression, over the outer query's sources.
        shared: The outer conditions that the inner query has, too: all that it has.
        own: The other outer conditions.
    """

    value: Expr
    shared: list[Expr]
    own: list[Expr]


def same_rows(node: exp.Select, inner: Expr, facts: Facts) -> SameRows | None:
    """What the two share, where the inner one reads the same tables, and each table once."""
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    if not all_inner(inner) or not is_flat(inner) or any(inner.args.get(part) for part in _TAILS):
        return None
    mine = {facts.bases.get(item.alias): item.alias for item in items(node)}
    theirs = {facts.bases.get(item.alias): item.alias for item in items(inner)}
    if None in mine or mine.keys() != theirs.keys() or len(mine) != len(items(node)):
        return None
    if len(theirs) != len(items(inner)):
        return None
    renamed = {theirs[table]: label for table, label in mine.items()}
    copy = inner.copy()
    names = {column_name(column) for column in columns_in(copy) if source_label(column) in renamed}
    substitute(copy, {name: resolved(renamed[name[0]], name[1]) for name in names})
    inner_keys = {expression_key(condition) for condition in conditions(copy)}
    ours = conditions(node)
    shared = [condition for condition in ours if expression_key(condition) in inner_keys]
    if {expression_key(condition) for condition in shared} != inner_keys:
        return None
    own = [condition for condition in ours if expression_key(condition) not in inner_keys]
    return SameRows(copy.expressions[0], shared, own)
