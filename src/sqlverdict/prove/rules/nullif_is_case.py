"""NULLIF is a CASE.

Statement
    NULLIF(x, y)   ==   CASE WHEN x = y THEN NULL ELSE x END

Holds when
    Both values are numbers, or both are texts, and x holds no query. In dialects with types, y does
    not change the type of x.

Why
    NULLIF is defined by this CASE. In SQLite the function compares without affinities, which only
    matters for values of different types.

Limits
    Values of different or unknown types are left alone where types are affinities. In PostgreSQL
    NULLIF(3, 0.5) / 2 is 1.5: the function gives the operand of its comparison, a decimal.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.common_type import keeps_type
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT NULLIF(v, 0) FROM t", "SELECT CASE WHEN v = 0 THEN NULL ELSE v END FROM t"),
    ],
    different=[
        Pair("SELECT NULLIF(v, k) FROM t", "SELECT v FROM t", because="v may be equal to k"),
    ],
)
def nullif_is_case(node: exp.Nullif, facts: Facts) -> Expr | None:
    """Write the CASE."""
    value, other = node.this, node.expression
    if has_subquery(value):
        return None
    if not facts.record.typed and not facts.comparable(value, other):
        return None
    if not keeps_type(value, other, facts):
        return None
    condition = exp.EQ(this=value, expression=other)
    branch = exp.If(this=condition, true=exp.Null())
    return exp.Case(ifs=[branch], default=counted_copy(value))
