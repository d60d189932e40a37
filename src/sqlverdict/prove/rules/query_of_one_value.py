"""A query without FROM around an aggregate query's value is that query.

Statement
    SELECT 2 * (SELECT COUNT(*) FROM t WHERE p)   ==   SELECT 2 * COUNT(*) FROM t WHERE p

Holds when
    The outer query has no FROM and no other clause; the inner one aggregates without GROUP BY
    and HAVING, and refers to nothing outside.

Why
    Both give one row whatever the tables hold, with the same value in it.

Limits
    Of several inner queries the first is taken; the others stay inside.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import EXTREMES
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    has_only_rows,
    has_window,
    is_closed,
    own_nodes,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_CLAUSES = ("from_", "where", "group", "having", "order", "limit", "offset", "distinct")


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT 2 * (SELECT COUNT(*) FROM t)", "SELECT 2 * COUNT(*) FROM t"),
        Pair(
            "SELECT (SELECT MIN(v) FROM t WHERE k > 1), (SELECT MAX(v) FROM t WHERE k > 1)",
            "SELECT MIN(v), MAX(v) FROM t WHERE k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT (SELECT v FROM t)",
            "SELECT v FROM t",
            because="there may be no row, or several",
        ),
    ],
)
def query_of_one_value(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the inner query's sources and conditions over."""
    del facts
    if any(node.args.get(clause) for clause in _CLAUSES) or has_window(node):
        return None
    if next(aggregates_in(node.expressions), None) is not None:
        return None
    inside = [part for item in node.expressions for part in own_nodes(item)]
    query = next((part for part in inside if _is_value(part)), None)
    if query is None:
        return None
    inner = query.this
    for clause in ("from_", "joins", "where", EXTREMES):
        node.set(clause, inner.args.get(clause))
    query.replace(inner.expressions[0])
    return node


def _is_value(node: Expr) -> bool:
    inner = node.this if isinstance(node, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or isinstance(node.parent, exp.In):
        return False
    if len(inner.expressions) != 1 or not has_only_rows(inner):
        return False
    if has_window(inner) or next(aggregates_in(inner.expressions), None) is None:
        return False
    return inner.args.get("from_") is not None and is_closed(node)
