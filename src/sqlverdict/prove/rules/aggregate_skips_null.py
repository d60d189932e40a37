"""Aggregates skip NULLs by themselves.

Statement
    SELECT COUNT(DISTINCT x) FROM t WHERE x IS NOT NULL   ==   SELECT COUNT(DISTINCT x) FROM t
    SELECT COUNT(x) FROM t   ==   SELECT COUNT(*) FROM t WHERE x IS NOT NULL

Holds when
    There is no GROUP BY, and every aggregate of the query is over x (COUNT, SUM, AVG, MIN, MAX,
    with DISTINCT or not); for the second form all of them are COUNT(x).

Why
    A row in which x is NULL adds nothing to any of them, and without GROUP BY there is one row
    of results in any case.

Limits
    COUNT(*) or an aggregate over another column sees the row.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    BAG_AGGREGATES,
    aggregates_in,
    columns_in,
    conditions,
    labels,
    set_conditions,
    source_label,
)
from sqlverdict.prove.reasoning.strict import not_null_test
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT MAX(v), SUM(v) FROM t WHERE v IS NOT NULL", "SELECT MAX(v), SUM(v) FROM t"),
        Pair("SELECT COUNT(v) FROM t", "SELECT COUNT(*) FROM t WHERE v IS NOT NULL"),
    ],
    different=[
        Pair(
            "SELECT COUNT(v), MAX(k) FROM t WHERE v IS NOT NULL",
            "SELECT COUNT(v), MAX(k) FROM t",
            because="MAX(k) sees the row",
        ),
    ],
)
def aggregate_skips_null(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop the condition, or count rows."""
    del facts
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return None
    calls = list(aggregates_in(node.expressions))
    if not calls or not all(isinstance(call, BAG_AGGREGATES) for call in calls):
        return None
    column = _argument(calls[0])
    if not isinstance(column, exp.Column):
        return None
    only_counts = all(
        isinstance(call, exp.Count) and isinstance(call.this, exp.Column) for call in calls
    )
    own_conditions = conditions(node)
    rest = [part for part in own_conditions if not _tests(part, column)]
    if not only_counts and len(rest) == len(own_conditions):
        return None
    if not all(same_expression(_argument(call), column) for call in calls) or not _alone(
        node, calls, column
    ):
        return None
    if only_counts:
        test = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
        for call in calls:
            call.set("this", exp.Star())
        set_conditions(node, [*own_conditions, test])
        return node
    set_conditions(node, rest)
    return node


def _alone(node: exp.Select, calls: list[Expr], column: Expr) -> bool:
    """Whether the column is one of the query's own, and it shows none outside the calls."""
    inside = {id(c) for call in calls for c in columns_in(call)}
    own = labels(node)
    selected = (c for item in node.expressions for c in columns_in(item) if source_label(c) in own)
    return source_label(column) in own and all(id(c) in inside for c in selected)


def _argument(call: Expr) -> Expr:
    inner: Expr = call.this
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        only: Expr = inner.expressions[0]
        return only
    return inner


def _tests(condition: Expr, column: Expr) -> bool:
    tested = not_null_test(condition)
    return tested is not None and same_expression(tested, column)
