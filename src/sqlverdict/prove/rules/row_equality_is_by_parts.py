"""Rows are equal where their parts are.

Statement
    (a, b) = (c, d)   ==   a = c AND b = d

Holds when
    Both sides are lists of the same length, without queries.

Why
    SQL compares rows part by part: unequal parts make it false, a NULL beside equal ones NULL. So
    does AND.

Limits
    The order of rows (<) is left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import all_of, has_subquery
from sqlverdict.prove.rule import WITH_ROWS, Pair, rule


@rule(
    trust="proved",
    needs=(exp.Tuple,),
    dialects=WITH_ROWS,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE (k, v) = (1, 2)", "SELECT k FROM t WHERE k = 1 AND v = 2"),
        Pair(
            "SELECT k FROM t WHERE NOT (k, v) = (1, 2)",
            "SELECT k FROM t WHERE NOT (k = 1 AND v = 2)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE (k, v) = (1, 2)",
            "SELECT k FROM t WHERE k = 1 OR v = 2",
            because="both parts count",
        ),
    ],
)
def row_equality_is_by_parts(node: exp.EQ | exp.NEQ, facts: Facts) -> Expr | None:
    """Compare the parts."""
    del facts
    left, right = node.this, node.expression
    if not isinstance(left, exp.Tuple) or not isinstance(right, exp.Tuple) or has_subquery(node):
        return None
    if not left.expressions or len(left.expressions) != len(right.expressions):
        return None
    pairs = zip(left.expressions, right.expressions, strict=True)
    equalities = all_of([exp.EQ(this=one, expression=other) for one, other in pairs])
    return equalities if isinstance(node, exp.EQ) else exp.Not(this=equalities)
