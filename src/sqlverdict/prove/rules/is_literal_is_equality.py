"""IS a literal is an equality where only truth counts.

Statement
    WHERE x IS 3       ==   WHERE x = 3

Holds when
    The right side is a literal, and the condition stands in WHERE, HAVING, ON or WHEN.

Why
    The two differ only where x is NULL: IS is false there, ``=`` is NULL, and neither passes.

Limits
    IS NULL, IS TRUE and IS of two columns are left alone; so is IS under NOT.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[Pair("SELECT k FROM t WHERE v IS 3", "SELECT k FROM t WHERE v = 3")],
    different=[
        Pair("SELECT v IS 3 FROM t", "SELECT v = 3 FROM t", because="NULL IS 3 is 0, not NULL"),
    ],
)
def is_literal_is_equality(node: exp.Is | exp.NullSafeEQ, facts: Facts) -> Expr | None:
    """Write an equality."""
    del facts
    if not isinstance(node.expression, exp.Literal) or not in_filter(node):
        return None
    return exp.EQ(this=node.this, expression=node.expression)
