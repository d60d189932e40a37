"""To be IN the one row of an aggregate is to equal its value.

Statement
    x IN (SELECT MAX(y) FROM b WHERE p)   ==   x = (SELECT MAX(y) FROM b WHERE p)

Holds when
    The inner query aggregates without GROUP BY, HAVING and LIMIT. Both sides are numbers, or both
    are texts.

Why
    There is one row whatever the tables hold, so IN compares with one value. Where the value is
    NULL, both are NULL.

Limits
    A column takes part in conversions, an aggregate does not: hence the word on both sides.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import aggregates_in, has_window, is_limited, items
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v IN (SELECT MAX(v) FROM t)",
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v IN (SELECT MAX(v) FROM t GROUP BY k)",
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
            because="there is a row for each group",
        ),
    ],
)
def in_aggregate_is_equality(node: exp.In, facts: Facts) -> Expr | None:
    """Write =."""
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or not items(inner):
        return None
    if inner.args.get("group") is not None or inner.args.get("having") is not None:
        return None
    if is_limited(inner) or has_window(inner) or isinstance(node.this, exp.Tuple):
        return None
    if next(aggregates_in(inner.expressions), None) is None:
        return None
    if not facts.comparable(node.this, inner.expressions[0]):
        return None
    inner.set("distinct", None)
    return exp.EQ(this=node.this, expression=exp.Subquery(this=inner))
