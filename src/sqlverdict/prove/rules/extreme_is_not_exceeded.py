"""No row exceeds the greatest value of rows that it belongs to.

Statement
    SELECT y FROM t WHERE x >= (SELECT MAX(x) FROM t)
    ==   SELECT y FROM t WHERE x = (SELECT MAX(x) FROM t)
    SELECT y FROM t WHERE x <> (SELECT MAX(x) FROM t)
    ==   SELECT y FROM t WHERE x < (SELECT MAX(x) FROM t)

Holds when
    x has one order, in which equal values are the same: integers, reals, texts, days, moments,
    decimals of one scale. The inner query reads the outer row's table alone, and each of its
    conditions is one that the outer query has, too, or compares a column of both rows for equality.
    The same for <= and MIN. The comparison stands in WHERE.

Why
    The outer row is one of the inner rows, so its x is not above their greatest. Where a column of
    an equality is NULL, there are no inner rows, and neither comparison is true.

Limits
    Where the inner query has a condition of its own, the outer row may exceed its value.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.same_rows import over_row, plain_source, sees_row
from sqlverdict.prove.reasoning.shape import conditions, enclosing, labels
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v >= (SELECT MAX(v) FROM t)",
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
        ),
        Pair(
            "SELECT k FROM t WHERE k > 1 AND (SELECT MIN(v) FROM t WHERE k > 1) >= v",
            "SELECT k FROM t WHERE k > 1 AND v = (SELECT MIN(v) FROM t WHERE k > 1)",
        ),
        Pair(
            "SELECT k FROM t WHERE v <> (SELECT MAX(v) FROM t)",
            "SELECT k FROM t WHERE v < (SELECT MAX(v) FROM t)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v >= (SELECT MAX(v) FROM t WHERE k > 1)",
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t WHERE k > 1)",
            because="a row of another k may exceed it",
        ),
        Pair(
            "SELECT k FROM t WHERE v <> (SELECT MAX(v) FROM t WHERE k > 1)",
            "SELECT k FROM t WHERE v < (SELECT MAX(v) FROM t WHERE k > 1)",
            because="a row of another k may exceed it",
        ),
    ],
)
def extreme_is_not_exceeded(node: exp.GTE | exp.LTE | exp.NEQ, facts: Facts) -> Expr | None:
    """Write =, and < or > for <>."""
    value, query, above = node.this, node.expression, isinstance(node, exp.GTE)
    if isinstance(value, exp.Subquery):
        value, query, above = query, value, not above
    inner = query.this if isinstance(query, exp.Subquery) else None
    label = plain_source(inner, facts)
    if inner is None or label is None or not isinstance(value, exp.Column):
        return None
    if len(inner.expressions) != 1:
        return None
    call = inner.expressions[0]
    if isinstance(node, exp.NEQ):
        above = isinstance(call, exp.Max)
    if not isinstance(call, exp.Max if above else exp.Min) or call.expressions:
        return None
    select, own = enclosing(node), value.text("table")
    if not isinstance(select, exp.Select) or own not in labels(select) or not _in_where(node):
        return None
    if facts.bases.get(own) != facts.bases[label] or not has_one_order(value, facts):
        return None
    if not same_expression(over_row(call.this, label, own), value):
        return None
    if sees_row(conditions(inner), label, own, select) is None:
        return None
    if isinstance(node, exp.NEQ):
        return (exp.LT if above else exp.GT)(this=value, expression=query)
    return exp.EQ(this=value, expression=query)


def _in_where(node: Expr) -> bool:
    if not in_filter(node):
        return False
    around = node.parent
    while isinstance(around, exp.And | exp.Or):
        around = around.parent
    return isinstance(around, exp.Where)
