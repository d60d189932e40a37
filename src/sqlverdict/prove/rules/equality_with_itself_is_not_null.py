"""A value equals itself unless it is NULL.

Statement
    WHERE x = x   ==   WHERE x IS NOT NULL

Holds when
    The condition stands where only truth counts, and x is a column.

Why
    x = x is true for every value and NULL for NULL.

Limits
    Calls are left alone: RANDOM() = RANDOM() is not an identity.

Source
    ETM (Ascoli et al.), the clean-up of x = x, with NULL in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import column_name
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[Pair("SELECT k FROM t WHERE v = v", "SELECT k FROM t WHERE v IS NOT NULL")],
    different=[Pair("SELECT k FROM t WHERE v = v", "SELECT k FROM t", because="v may be NULL")],
)
def equality_with_itself_is_not_null(node: exp.EQ, facts: Facts) -> Expr | None:
    """Write the test for NULL."""
    del facts
    left, right = node.this, node.expression
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
        return None
    if column_name(left) != column_name(right) or not in_filter(node):
        return None
    return exp.Not(this=exp.Is(this=left, expression=exp.Null()))
