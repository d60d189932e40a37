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

from sqlverdict.prove.canonical import same
from sqlverdict.prove.filters import in_filter
from sqlverdict.prove.known import Known
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[Pair("SELECT k FROM t WHERE v = v", "SELECT k FROM t WHERE v IS NOT NULL")],
    different=[Pair("SELECT k FROM t WHERE v = v", "SELECT k FROM t", because="v may be NULL")],
)
def equality_with_itself_is_not_null(node: exp.EQ, known: Known) -> Expr | None:
    """Write the test for NULL."""
    del known
    if not isinstance(node.this, exp.Column) or not in_filter(node):
        return None
    if not same(node.this, node.expression):
        return None
    return exp.Not(this=exp.Is(this=node.this, expression=exp.Null()))
