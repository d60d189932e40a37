"""DISTINCT inside MIN and MAX changes nothing.

Statement
    MAX(DISTINCT x)   ==   MAX(x)

Holds when
    No column stands beside it that is neither grouped by nor read by an aggregate.

Why
    The greatest value of a bag is the greatest of the set of its values.

Limits
    SUM, AVG and COUNT see copies. In SQLite an extreme may choose the row of bare columns beside
    it.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT MAX(DISTINCT v), MIN(DISTINCT k) FROM t", "SELECT MAX(v), MIN(k) FROM t"),
    ],
    different=[
        Pair("SELECT SUM(DISTINCT v) FROM t", "SELECT SUM(v) FROM t", because="SUM sees copies"),
    ],
)
def distinct_extreme_is_idle(node: exp.Max | exp.Min, facts: Facts) -> Expr | None:
    """Drop it."""
    del facts
    inner = node.this
    if not isinstance(inner, exp.Distinct) or len(inner.expressions) != 1 or node.expressions:
        return None
    select = node.find_ancestor(exp.Select)
    if select is not None and next(bare_columns(select), None) is not None:
        return None
    node.set("this", inner.expressions[0])
    return node
