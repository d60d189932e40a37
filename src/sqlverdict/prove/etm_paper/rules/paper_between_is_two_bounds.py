"""BETWEEN is a pair of inclusive bounds.

Statement
    c BETWEEN x AND y   ==   c >= x AND c <= y

Holds when
    Always.

Why
    The SQL standard defines BETWEEN so, NULL included.

Limits
    The expression stands twice on the right: ``RANDOM() BETWEEN 1 AND 2`` draws one number, the
    bounds draw two.

Source
    ETM (Ascoli et al.), table 3, rule 22.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import copy_of
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("22",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE v BETWEEN 1 AND 2", "SELECT k FROM t WHERE v >= 1 AND v <= 2"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v BETWEEN 1 AND 2",
            "SELECT k FROM t WHERE v > 1 AND v <= 2",
            because="the lower bound is included",
        ),
    ],
)
def paper_between_is_two_bounds(node: exp.Between, facts: Facts) -> Expr | None:
    """Write the two bounds."""
    del facts
    low = exp.GTE(this=copy_of(node.this), expression=node.args["low"])
    high = exp.LTE(this=node.this, expression=node.args["high"])
    return exp.And(this=low, expression=high)
