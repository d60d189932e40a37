"""A comparison of two constants is a constant.

Statement
    1 = 1   ==   TRUE          2 < 1   ==   FALSE        'a' = 'b'   ==   FALSE

Holds when
    Both sides are integer literals; or both are texts compared by = or <>, in an engine in which
    equal texts are the same.

Why
    Nothing else decides it.

Limits
    Mixed types are left alone.

Source
    ETM (Ascoli et al.), its clean-up of x = x, made sound.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE 1 = 1", "SELECT k FROM t WHERE TRUE"),
        Pair("SELECT k FROM t WHERE v = 1 OR 2 < 1", "SELECT k FROM t WHERE v = 1 OR FALSE"),
    ],
    different=[
        Pair("SELECT k FROM t WHERE 1 = 2", "SELECT k FROM t WHERE TRUE", because="it is false"),
    ],
)
def comparison_of_constants(
    node: exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Compute it."""
    left, right = node.this, node.expression
    one, other = whole_number(left), whole_number(right)
    if one is not None and other is not None:
        truths = {
            exp.EQ: one == other,
            exp.NEQ: one != other,
            exp.GT: one > other,
            exp.GTE: one >= other,
            exp.LT: one < other,
            exp.LTE: one <= other,
        }
        return constant(truths[type(node)], node)
    texts = isinstance(left, exp.Literal) and isinstance(right, exp.Literal)
    if (
        facts.record.exact_texts
        and texts
        and left.is_string
        and right.is_string
        and isinstance(node, exp.EQ | exp.NEQ)
    ):
        return constant((left.this == right.this) == isinstance(node, exp.EQ), node)
    return None
