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
    aggregates_in,
    columns_in,
    conditions,
    label_of,
    labels,
    set_conditions,
)
from sqlverdict.prove.rule import Pair, rule
from sqlverdict.prove.tree_key import same

_SKIP = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


@rule(
    trust="proved",
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
    found = list(aggregates_in(node.expressions))
    if not found or not all(isinstance(call, _SKIP) for call in found):
        return None
    column = _argument(found[0])
    if not isinstance(column, exp.Column):
        return None
    counted = all(
        isinstance(call, exp.Count) and isinstance(call.this, exp.Column) for call in found
    )
    asked = conditions(node)
    kept = [part for part in asked if not _tests(part, column)]
    if not counted and len(kept) == len(asked):
        return None
    if not all(same(_argument(call), column) for call in found) or not _alone(node, found, column):
        return None
    if counted:
        test = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
        for call in found:
            call.set("this", exp.Star())
        set_conditions(node, [*asked, test])
        return node
    set_conditions(node, kept)
    return node


def _alone(node: exp.Select, calls: list[Expr], column: Expr) -> bool:
    """Whether the column is one of the query's own, and it shows none outside the calls."""
    inside = {id(c) for call in calls for c in columns_in(call)}
    own = labels(node)
    shown = (c for item in node.expressions for c in columns_in(item) if label_of(c) in own)
    return label_of(column) in own and all(id(c) in inside for c in shown)


def _argument(call: Expr) -> Expr:
    inner: Expr = call.this
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        only: Expr = inner.expressions[0]
        return only
    return inner


def _tests(condition: Expr, column: Expr) -> bool:
    inner = condition.this if isinstance(condition, exp.Not) else None
    if not isinstance(inner, exp.Is) or not isinstance(inner.expression, exp.Null):
        return False
    return same(inner.this, column)
