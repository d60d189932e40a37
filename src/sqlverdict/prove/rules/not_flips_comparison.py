"""The negation of a comparison is the opposite comparison.

Statement
    NOT a > b   ==   a <= b        and so on for =, <>, >, >=, <, <=

Holds when
    Always.

Why
    Both are NULL where an operand is NULL, and opposite else: SQLite orders all values.

Limits
    IS and IS NOT are no comparisons in this sense: they are never NULL.

Source
    ETM (Ascoli et al.), rule 23.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import OPPOSITES
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("23",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE NOT v > 1", "SELECT k FROM t WHERE v <= 1"),
        Pair("SELECT NOT v = k FROM t", "SELECT v <> k FROM t"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE NOT v > 1",
            "SELECT k FROM t WHERE v < 1",
            because="1 itself is not above 1",
        ),
    ],
)
def not_flips_comparison(node: exp.Not, facts: Facts) -> Expr | None:
    """Take the opposite operator."""
    del facts
    inner = node.this
    opposite = OPPOSITES.get(type(inner))
    if opposite is None:
        return None
    return opposite(this=inner.this, expression=inner.expression)
