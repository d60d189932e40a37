"""NOT before a comparison is the opposite comparison.

Statement
    NOT c = x   ==   c <> x   (<>: =, >: <=, >=: <, <: >=, <=: >)

Holds when
    Always.

Why
    Of two values one comparison holds exactly where the other does not; with a NULL both are
    unknown.

Limits
    None known. The trees of this profile are not resolved, so that the rule is no more than its
    profile.

Source
    ETM (Ascoli et al.), table 3, rule 23.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

_OPPOSITE: dict[type[Expr], type[Expr]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
}


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("23",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE NOT v = 1", "SELECT k FROM t WHERE v != 1"),
        Pair("SELECT k FROM t WHERE NOT v > 1", "SELECT k FROM t WHERE v <= 1"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE NOT v > 1",
            "SELECT k FROM t WHERE v < 1",
            because="1 is not greater than 1",
        ),
    ],
)
def paper_not_flips_comparison(node: exp.Not, facts: Facts) -> Expr | None:
    """Write the opposite comparison."""
    del facts
    inner = node.this
    opposite = _OPPOSITE.get(type(inner))
    return opposite(this=inner.this, expression=inner.expression) if opposite is not None else None
