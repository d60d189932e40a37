"""Two negations cancel out.

Statement
    NOT NOT x   ==   x

Holds when
    x is a condition (1, 0 or NULL), or stands where only its truth counts.

Why
    NOT swaps 1 and 0 and keeps NULL.

Limits
    NOT NOT 5 is 1, so a number is left alone in a result column.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter, is_truth_value
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE NOT NOT v LIKE 'a%'", "SELECT k FROM t WHERE v LIKE 'a%'"),
        Pair("SELECT NOT NOT v IS NULL FROM t", "SELECT v IS NULL FROM t"),
        Pair("SELECT NOT NOT v GLOB 'a' FROM t", "SELECT v GLOB 'a' FROM t"),
    ],
    different=[
        Pair("SELECT NOT NOT v FROM t", "SELECT v FROM t", because="NOT NOT 5 is 1"),
    ],
)
def double_negation(node: exp.Not, facts: Facts) -> Expr | None:
    """Drop both."""
    del facts
    if not isinstance(node.this, exp.Not):
        return None
    inner: Expr = node.this.this
    return inner if is_truth_value(inner) or in_filter(node) else None
