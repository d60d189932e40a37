"""Whether one group passes HAVING is a condition on its aggregate.

Statement
    WHERE EXISTS (SELECT 1 FROM b WHERE b.f = a.k GROUP BY b.f HAVING COUNT(*) > 2)
    ==   WHERE (SELECT COUNT(*) FROM b WHERE b.f = a.k) > 2

Holds when
    The conditions of the inner query leave one value for each grouping column. HAVING is one
    comparison of one aggregate with a literal that is not true for no rows. EXISTS stands where
    only truth counts.

Why
    There is one group or none: then the aggregate over no rows does not pass, either.

Limits
    Several groups may pass one by one: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import closure, outer_columns, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.partner_groups import drops_no_rows
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    aggregates_in,
    conditions,
    has_subquery,
    has_window,
    is_aggregate,
    is_constant,
    is_limited,
    items,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t"
            " WHERE EXISTS (SELECT f FROM u WHERE f = k GROUP BY f HAVING COUNT(*) > 2)",
            "SELECT v FROM t WHERE (SELECT COUNT(*) FROM u WHERE f = k) > 2",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t"
            " WHERE EXISTS (SELECT f FROM u WHERE f = k GROUP BY f HAVING COUNT(*) < 2)",
            "SELECT v FROM t WHERE (SELECT COUNT(*) FROM u WHERE f = k) < 2",
            because="without rows there is no group",
        ),
        Pair(
            "SELECT v FROM t"
            " WHERE EXISTS (SELECT f FROM u WHERE f > k GROUP BY f HAVING COUNT(*) > 1)",
            "SELECT v FROM t WHERE (SELECT COUNT(*) FROM u WHERE f > k) > 1",
            because="there may be several groups",
        ),
    ],
)
def existence_of_one_group(node: exp.Exists, facts: Facts) -> Expr | None:
    """Compare the aggregate."""
    inner = node.this
    if not isinstance(inner, exp.Select) or not in_filter(node) or not items(inner):
        return None
    having = conditions(inner, "having")
    if inner.args.get("group") is None or len(having) != 1:
        return None
    if is_limited(inner) or has_window(inner) or has_subquery(having[0]):
        return None
    test = having[0]
    if not isinstance(test, COMPARISONS) or len(list(aggregates_in([test]))) != 1:
        return None
    first = is_aggregate(test.this)
    call, bound = (test.this, test.expression) if first else (test.expression, test.this)
    if not is_aggregate(call) or not is_constant(bound):
        return None
    if not _is_one_group(inner, facts) or not drops_no_rows(test, call, call):
        facts.cited.clear()
        return None
    for part in ("group", "having", "distinct", "order", "extremes"):
        inner.set(part, None)
    query = exp.Subquery(this=inner)
    test.set("this" if first else "expression", query)
    inner.set("expressions", [call])
    return test


def _is_one_group(inner: exp.Select, facts: Facts) -> bool:
    terms = inner.args["group"].expressions
    if not all(isinstance(term, exp.Column) for term in terms):
        return False
    return plain_columns(terms) <= closure(inner, facts, outer_columns(inner))
