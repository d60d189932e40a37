"""The negation of AND is the OR of the negations, and the other way round.

Statement
    NOT (a AND b)   ==   NOT a OR NOT b
    NOT (a OR b)    ==   NOT a AND NOT b

Holds when
    Always.

Why
    De Morgan's laws hold in SQL's three-valued logic: NOT NULL is NULL, and AND and OR are
    minimum and maximum with NULL between false and true.

Limits
    None.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import all_of, any_of, parts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE NOT (k > 1 AND v = 2)",
            "SELECT k FROM t WHERE NOT k > 1 OR NOT v = 2",
        ),
        Pair(
            "SELECT k FROM t WHERE NOT (k IN (1, 2) OR v LIKE 'a')",
            "SELECT k FROM t WHERE NOT k IN (1, 2) AND NOT v LIKE 'a'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE NOT (k > 1 AND v = 2)",
            "SELECT k FROM t WHERE NOT k > 1 AND NOT v = 2",
            because="one false operand is enough",
        ),
    ],
)
def not_spreads_over_and_or(node: exp.Not, facts: Facts) -> Expr | None:
    """Negate every operand."""
    del facts
    inner = node.this
    if isinstance(inner, exp.And):
        return any_of([exp.Not(this=part) for part in parts(inner)])
    if isinstance(inner, exp.Or):
        return all_of([exp.Not(this=part) for part in parts(inner, exp.Or)])
    return None
