"""A row among the groups of a query is a value that its group has.

Statement
    WHERE (x, y) IN (SELECT g, MAX(v) FROM b WHERE p GROUP BY g)
    ==   WHERE y = (SELECT MAX(v) FROM b WHERE p AND g = x)

Holds when
    Only truth counts where it stands. The query groups by all its columns but the last, which is
    a MAX, MIN, SUM or AVG. It has no HAVING, LIMIT or window.

Why
    There is one group with g = x, and the value of that group is compared with y. Where there is
    none, the aggregate is NULL, and the comparison is not true.

Limits
    COUNT is 0 for a group that does not exist: left alone. So is NOT IN.

Source
    House rule, met in published predictions: the rows with the most of each group.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    has_subquery,
    has_window,
    is_limited,
    set_conditions,
)
from sqlverdict.prove.rule import WITH_ROWS, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=WITH_ROWS,
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE (k, v) IN (SELECT k, MAX(w) FROM u GROUP BY k)",
            "SELECT v FROM t WHERE v = (SELECT MAX(w) FROM u WHERE u.k = t.k)",
        ),
        Pair(
            "SELECT v FROM t WHERE (k, v) IN (SELECT k, SUM(w) FROM u WHERE w > 1 GROUP BY k)",
            "SELECT v FROM t WHERE v = (SELECT SUM(w) FROM u WHERE w > 1 AND u.k = t.k)",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE (k, v) IN (SELECT k, COUNT(w) FROM u GROUP BY k)",
            "SELECT v FROM t WHERE v = (SELECT COUNT(w) FROM u WHERE u.k = t.k)",
            because="a k without rows in u has the count 0, and no group",
        ),
        Pair(
            "SELECT v FROM t WHERE (k, v) IN (SELECT k, MAX(w) FROM u GROUP BY k)",
            "SELECT v FROM t WHERE v = (SELECT MAX(w) FROM u)",
            because="the group counts",
        ),
    ],
)
def row_in_groups_is_equality(node: exp.In, facts: Facts) -> Expr | None:
    """Compare with the value of the group."""
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or not isinstance(node.this, exp.Tuple):
        return None
    values, outputs = node.this.expressions, inner.expressions
    group = inner.args.get("group")
    if (
        group is None
        or len(values) != len(outputs)
        or not in_filter(node)
        or has_subquery(node.this)
    ):
        return None
    if inner.args.get("having") is not None or is_limited(inner) or has_window(inner):
        return None
    if next(aggregates_in(values), None) is not None:
        return None
    *keys, last = outputs
    grouped = {expression_key(term) for term in group.expressions}
    if not isinstance(last, exp.Max | exp.Min | exp.Sum | exp.Avg) or last.expressions:
        return None
    if not keys or grouped != {expression_key(key) for key in keys}:
        return None
    pairs = list(zip(keys, values, strict=False))
    if not all(facts.pins(key, value) or facts.comparable(key, value) for key, value in pairs):
        # A number is equal to the texts '1' and '01', which are two groups.
        facts.cited.clear()
        return None
    equalities = [exp.EQ(this=key, expression=value) for key, value in pairs]
    inner.set("group", None)
    inner.set("distinct", None)
    inner.set("order", None)
    inner.set("expressions", [last])
    set_conditions(inner, [*conditions(inner), *equalities])
    return exp.EQ(this=values[-1], expression=exp.Subquery(this=inner))
