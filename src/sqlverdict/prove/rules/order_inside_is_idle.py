"""The order of rows inside a query does not show outside.

Statement
    FROM (SELECT ... ORDER BY x) AS d        ==   FROM (SELECT ...) AS d
    x IN (SELECT ... ORDER BY y)             ==   x IN (SELECT ...)

Holds when
    The inner query has no LIMIT, it is a derived table, an operand of IN or EXISTS, or a side of
    a set operation, and nothing around it shows its order: no LIMIT, scalar subquery, window or
    bare column of a group, at any level.

Why
    SQL's tables are bags; what is around the query looks at all of its rows, in any order.

Limits
    SQL does not promise that a derived table's order reaches the query around it; SQLite lets it,
    and queries rely on it. So it counts wherever it can be seen.

Source
    House rule; ETM (Ascoli et al.) lacks it: redundant ORDER BY in a subquery.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.inner_order import order_shows
from sqlverdict.prove.reasoning.shape import is_limited
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="tested",
    dialects=EVERYWHERE,
    needs=(exp.Order,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(*) FROM (SELECT v FROM t GROUP BY v ORDER BY v) AS d",
            "SELECT COUNT(*) FROM (SELECT v FROM t GROUP BY v) AS d",
        ),
        Pair(
            "SELECT k FROM t WHERE v IN (SELECT v FROM t WHERE k > 1 ORDER BY k)",
            "SELECT k FROM t WHERE v IN (SELECT v FROM t WHERE k > 1)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v IN (SELECT v FROM t ORDER BY k, v LIMIT 1)",
            "SELECT k FROM t WHERE v IN (SELECT v FROM t ORDER BY v, k LIMIT 1)",
            because="LIMIT takes the first in order",
        ),
        Pair(
            "SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d LIMIT 1",
            "SELECT v FROM (SELECT v FROM t ORDER BY v) AS d LIMIT 1",
            because="the LIMIT outside shows the order inside",
        ),
    ],
)
def order_inside_is_idle(node: exp.Select | exp.SetOperation, facts: Facts) -> Expr | None:
    """Drop the order."""
    del facts
    if node.args.get("order") is None or is_limited(node):
        return None
    if node.parent is None or order_shows(node):
        return None
    node.set("order", None)
    return node
