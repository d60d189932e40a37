"""A condition with a truth in the place of NULL is never NULL.

Statement
    COALESCE(p, FALSE)   ==   p AND p IS NOT NULL
    COALESCE(p, TRUE)    ==   p OR p IS NULL

Holds when
    p is a condition without a query, and the other value TRUE or FALSE, or 1 or 0 where a condition
    has such a value.

Why
    Where p has a truth, the test for NULL changes nothing; where it is NULL, the test decides.

Limits
    A number beside 0 is no condition: COALESCE(2, 0) is 2. An aggregate that alone makes the query
    one row is left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.shape import aggregates_in, has_subquery, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Coalesce,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE COALESCE(v > 1, FALSE)", "SELECT k FROM t WHERE v > 1"),
        Pair(
            "SELECT k FROM t WHERE COALESCE(v > 1, TRUE)",
            "SELECT k FROM t WHERE v > 1 OR v IS NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE NOT COALESCE(v > 1, FALSE)",
            "SELECT k FROM t WHERE v <= 1 OR v IS NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE COALESCE(v > 1, TRUE)",
            "SELECT k FROM t WHERE v > 1",
            because="NULL stands for TRUE",
        ),
    ],
)
def truth_with_substitute(node: exp.Coalesce, facts: Facts) -> Expr | None:
    """Write the test for NULL."""
    condition = node.this
    if len(node.expressions) != 1 or has_subquery(condition):
        return None
    if next(aggregates_in([condition]), None) is not None:
        return None
    truth = _truth(node.expressions[0], facts)
    # Where a number is no condition, the engine has only conditions beside TRUE.
    is_condition = is_truth_value(condition) or not facts.record.number_conditions
    if truth is None or not is_condition:
        return None
    is_null = exp.Is(this=counted_copy(condition), expression=exp.Null())
    if truth:
        return exp.Or(this=condition, expression=is_null)
    return exp.And(this=condition, expression=exp.Not(this=is_null))


def _truth(node: Expr, facts: Facts) -> bool | None:
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    number = whole_number(node) if facts.record.number_conditions else None
    return bool(number) if number in (0, 1) else None
