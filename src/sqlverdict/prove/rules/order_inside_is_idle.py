"""The order of rows inside a query does not show outside.

Statement
    FROM (SELECT ... ORDER BY x) AS d        ==   FROM (SELECT ...) AS d
    x IN (SELECT ... ORDER BY y)             ==   x IN (SELECT ...)

Holds when
    The inner query has no LIMIT, and it is a derived table, an operand of IN or EXISTS, or a
    side of a set operation.

Why
    SQL's tables are bags; only the outermost ORDER BY, or one with LIMIT, has an effect.

Limits
    A scalar subquery takes the first row, so its ORDER BY counts. GROUP_CONCAT, window functions
    and LIMIT without ORDER BY around a derived table may show its order in practice: there it is
    left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: redundant ORDER BY in a subquery.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.dependencies import is_tested
from sqlverdict.prove.known import Known
from sqlverdict.prove.rule import Pair, rule
from sqlverdict.prove.shape import enclosing, is_limited


@rule(
    trust="tested",
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
    ],
)
def order_inside_is_idle(node: exp.Select | exp.SetOperation, known: Known) -> Expr | None:
    """Drop the order."""
    del known
    if node.args.get("order") is None or is_limited(node):
        return None
    if not is_tested(node) and not _is_unordered_source(node):
        return None
    node.set("order", None)
    return node


def _is_unordered_source(node: Expr) -> bool:
    holder = node.parent
    if isinstance(holder, exp.SetOperation):
        return True
    if not isinstance(holder, exp.Subquery) or not holder.alias:
        return False
    around = enclosing(holder)
    if around is None or (is_limited(around) and around.args.get("order") is None):
        return False
    return around.find(exp.GroupConcat, exp.Window) is None
