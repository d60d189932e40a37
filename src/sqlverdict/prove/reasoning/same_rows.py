"""An inner query over the same tables as the query around it: conditions and rows they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, substitute
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    all_inner,
    column_name,
    columns_in,
    conditions,
    has_only_rows,
    items,
    joins,
    source_label,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.tree_key import expression_key, same_expression


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
    if not all_inner(inner) or not is_flat(inner) or not has_only_rows(inner):
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


def over_row(node: Expr, inner: str, outer: str) -> Expr:
    """A copy of an expression in which the columns of one source are those of another."""
    holder = exp.Paren(this=counted_copy(node))
    names = {column_name(column) for column in columns_in(holder) if source_label(column) == inner}
    substitute(holder, {name: resolved(outer, name[1]) for name in names})
    copy: Expr = holder.this
    return copy


def plain_source(query: Expr | None, facts: Facts) -> str | None:
    """The label of the one table that a SELECT of FROM and WHERE alone reads."""
    if not isinstance(query, exp.Select) or joins(query):
        return None
    if not has_only_rows(query) or len(items(query)) != 1:
        return None
    label: str = items(query)[0].alias
    return label if label in facts.bases else None


def sees_row(tests: Sequence[Expr], inner: str, outer: str, select: Expr) -> set[ColumnName] | None:
    """The columns of an outer row that must not be NULL for inner tests to hold for it, too.

    Each test, asked of the outer row, is one of the conditions of the query around, or an equality
    of a column with itself. ``None`` where some test is neither.
    """
    outer_tests = {expression_key(condition) for condition in conditions(select)}
    needed: set[ColumnName] = set()
    for test in tests:
        own = over_row(test, inner, outer)
        if expression_key(own) in outer_tests:
            continue
        if not isinstance(own, exp.EQ) or not isinstance(own.this, exp.Column):
            return None
        if not isinstance(own.expression, exp.Column) or not same_expression(
            own.this, own.expression
        ):
            return None
        needed.add(column_name(own.this))
    return needed
