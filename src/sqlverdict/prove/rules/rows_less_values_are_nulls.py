"""All rows less the rows with a value are the rows without one.

Statement
    COUNT(*) - COUNT(x)   ==   COUNT(CASE WHEN x IS NULL THEN 1 END)
    COUNT(*) - COUNT(CASE WHEN p THEN 1 END)   ==   COUNT(CASE WHEN NOT p OR p IS NULL THEN 1 END)

Holds when
    x is a column, p a condition without a query, and both counts are of one group.

Why
    Each row of the group has a value there or it has none, and p is true there or it is not.

Limits
    COUNT(DISTINCT x) counts a value once: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.counting import counts_when, tested_condition
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery, is_aggregate
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Sub,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, COUNT(*) - COUNT(v) FROM t GROUP BY k",
            "SELECT k, COUNT(CASE WHEN v IS NULL THEN 1 END) FROM t GROUP BY k",
        ),
        Pair("SELECT COUNT(*) - COUNT(v) FROM t", "SELECT COUNT(*) FROM t WHERE v IS NULL"),
        Pair(
            "SELECT COUNT(*) - COUNT(CASE WHEN v > 1 THEN 1 END) FROM t",
            "SELECT COUNT(*) FROM t WHERE v <= 1 OR v IS NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(*) - COUNT(DISTINCT v) FROM t",
            "SELECT COUNT(*) FROM t WHERE v IS NULL",
            because="a value that occurs twice is counted once",
        ),
    ],
)
def rows_less_values_are_nulls(node: exp.Sub, facts: Facts) -> Expr | None:
    """Count the rows without a value."""
    del facts
    rows, values = node.this, node.expression
    if not isinstance(rows, exp.Count) or not isinstance(rows.this, exp.Star):
        return None
    if not isinstance(values, exp.Count) or not is_aggregate(rows) or not is_aggregate(values):
        return None
    condition = tested_condition(values)
    if condition is not None and not has_subquery(condition):
        is_null = exp.Is(this=counted_copy(condition), expression=exp.Null())
        return counts_when(exp.Or(this=exp.Not(this=condition), expression=is_null))
    if not isinstance(values.this, exp.Column):
        return None
    return counts_when(exp.Is(this=values.this, expression=exp.Null()))
