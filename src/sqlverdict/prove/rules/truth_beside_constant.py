"""A condition beside the value of a truth is the condition or its opposite.

Statement
    (x > 1) = 1      ==   x > 1              (x > 1) <> 0      ==   x > 1
    (x > 1) = 0      ==   NOT x > 1          (x > 1) <> TRUE   ==   NOT x > 1

Holds when
    The constant is TRUE or FALSE, or 1 or 0 where a condition has such a value.

Why
    A condition is one of the two, or NULL, and so is what comes of the comparison.

Limits
    Other constants are left alone, and a number is no condition.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.shape import groups_without, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE (v > 1) = TRUE", "SELECT k FROM t WHERE v > 1"),
        Pair("SELECT k FROM t WHERE FALSE = (v > 1)", "SELECT k FROM t WHERE v <= 1"),
        Pair("SELECT k FROM t WHERE (v > 1) <> TRUE", "SELECT k FROM t WHERE v <= 1"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE (v > 1) = FALSE",
            "SELECT k FROM t WHERE v <= 1 OR v IS NULL",
            because="NULL is no truth",
        ),
    ],
)
def truth_beside_constant(node: exp.EQ | exp.NEQ, facts: Facts) -> Expr | None:
    """Write the condition."""
    condition, constant = node.this, node.expression
    if not is_truth_value(condition) or isinstance(condition, exp.Boolean):
        condition, constant = constant, condition
    if not is_truth_value(condition) or isinstance(condition, exp.Boolean):
        return None
    number = whole_number(constant) if facts.record.number_conditions else None
    if isinstance(constant, exp.Boolean):
        number = int(bool(constant.this))
    if number not in (0, 1) or not groups_without(node):
        return None
    same = (number == 1) is isinstance(node, exp.EQ)
    return condition if same else exp.Not(this=condition)
