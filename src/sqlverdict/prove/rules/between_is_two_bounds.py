"""BETWEEN is a pair of inclusive bounds.

Statement
    x BETWEEN a AND b   ==   x >= a AND x <= b

Holds when
    x contains no subquery, so that writing it twice is cheap and harmless.

Why
    The SQL standard and SQLite define BETWEEN as this conjunction, NULL included.

Limits
    BETWEEN SYMMETRIC is left alone.

Source
    ETM (Ascoli et al.), rule 22.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("22",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v BETWEEN 1 AND 2",
            "SELECT k FROM t WHERE v >= 1 AND v <= 2",
        ),
        Pair(
            "SELECT v BETWEEN k AND 2 FROM t",
            "SELECT v >= k AND v <= 2 FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v BETWEEN 1 AND 2",
            "SELECT k FROM t WHERE v > 1 AND v <= 2",
            because="the lower bound is included",
        ),
    ],
)
def between_is_two_bounds(node: exp.Between, facts: Facts) -> Expr | None:
    """Write both bounds."""
    del facts
    if node.args.get("symmetric") or has_subquery(node.this):
        return None
    low = exp.GTE(this=counted_copy(node.this), expression=node.args["low"])
    high = exp.LTE(this=counted_copy(node.this), expression=node.args["high"])
    return exp.And(this=low, expression=high)
