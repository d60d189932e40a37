"""To count at least one row is to find one.

Statement
    (SELECT COUNT(*) FROM b WHERE p) > 0   ==   EXISTS (SELECT 1 FROM b WHERE p)
    (SELECT COUNT(*) FROM b WHERE p) = 0   ==   NOT EXISTS (SELECT 1 FROM b WHERE p)

Holds when
    The inner query has no other clause than FROM and WHERE, and it counts rows. The bound is an
    integer that separates 0 from all greater numbers.

Why
    A count is never NULL and never negative, so both sides are true or false together.

Limits
    COUNT of a column is left alone, unless another rule has made COUNT(*) of it.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.counting import counts_rows
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import MIRRORED, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_SOME: dict[type[Expr], int] = {exp.GT: 0, exp.GTE: 1, exp.NEQ: 0}
_NONE: dict[type[Expr], int] = {exp.LT: 1, exp.LTE: 0, exp.EQ: 0}
"""The bound with which a comparison asks for some row, and for none."""


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE (SELECT COUNT(*) FROM u WHERE f = k) > 0",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k)",
        ),
        Pair(
            "SELECT v FROM t WHERE 1 > (SELECT COUNT(*) FROM u WHERE f = k AND w > 1)",
            "SELECT v FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE f = k AND w > 1)",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE (SELECT COUNT(*) FROM u WHERE f = k) > 1",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k)",
            because="one partner is not enough",
        ),
    ],
)
def count_of_partners_is_existence(
    node: exp.GT | exp.GTE | exp.LT | exp.LTE | exp.EQ | exp.NEQ, facts: Facts
) -> Expr | None:
    """Write EXISTS, or NOT EXISTS."""
    del facts
    kind: type[Expr] = type(node)
    query, bound = node.this, whole_number(node.expression)
    if bound is None:
        query, bound = node.expression, whole_number(node.this)
        kind = MIRRORED.get(kind, kind)
    if bound is None or not counts_rows(query):
        return None
    if bound not in (_SOME.get(kind), _NONE.get(kind)):
        return None
    inner = query.this
    inner.set("expressions", [exp.Literal.number(1)])
    test = exp.Exists(this=inner)
    return test if _SOME.get(kind) == bound else exp.Not(this=test)
