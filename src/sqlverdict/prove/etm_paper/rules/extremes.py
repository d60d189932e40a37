"""The greatest and the least value, and the row that has it."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.constraints import is_unique
from sqlverdict.prove.etm_paper.shapes import same_node, true_condition
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import joins, parts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("10",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT d.n FROM (SELECT COUNT(*) AS n FROM t) AS d ORDER BY d.n DESC LIMIT 1",
            "SELECT MAX(d.n) FROM (SELECT COUNT(*) AS n FROM t) AS d",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t ORDER BY v LIMIT 1",
            "SELECT MAX(v) FROM t",
            because="the least comes first",
        ),
        Pair(
            "SELECT v FROM t ORDER BY k LIMIT 1",
            "SELECT MIN(v) FROM t",
            because="the order is by another column",
        ),
        Pair(
            "SELECT v FROM t ORDER BY v LIMIT 2",
            "SELECT MIN(v) FROM t",
            because="two rows are wanted",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t ORDER BY v LIMIT 1",
            "SELECT MIN(v) FROM t",
            (NotNull("t", "v"),),
            because="of no rows MIN makes one row, and LIMIT none",
        ),
        Pair(
            "SELECT v FROM t GROUP BY v ORDER BY v LIMIT 1",
            "SELECT MIN(v) FROM t GROUP BY v",
            because="the second has a row for each group",
        ),
    ],
)
def paper_first_value_is_extreme(node: exp.Select, facts: Facts) -> Expr | None:
    """The first value in its own order is the least or the greatest.

    Statement
        SELECT c, _ FROM t ORDER BY c LIMIT 1   ==   SELECT MIN(c), _ FROM t   (DESC: MAX)

    Holds when
        t is not empty; it is not asked for.

    Why
        The order puts the extreme value first, and SQLite takes the other columns of a query with
        one MIN or MAX from the row that has it.

    Limits
        Of no rows MIN is NULL, one row, and LIMIT 1 gives none: on an empty table, or where WHERE
        keeps no row, the two differ. ORDER BY puts NULL first and MIN skips it. GROUP BY is not
        looked at: ``SELECT v FROM t GROUP BY v ORDER BY v LIMIT 1`` is one row, ``SELECT MIN(v)
        FROM t GROUP BY v`` one for each v.

    Source
        ETM (Ascoli et al.), table 2, rule 10.
    """
    del facts
    order, limit = node.args.get("order"), node.args.get("limit")
    if order is None or limit is None or len(order.expressions) != 1:
        return None
    number = limit.expression
    if not isinstance(number, exp.Literal) or number.name not in ("1", "1.0"):
        return None
    term = order.expressions[0]
    matches = [item for item in node.expressions if same_node(item, term.this)]
    if len(matches) != 1:
        return None
    kind = exp.Max if term.args.get("desc") else exp.Min
    matches[0].replace(kind(this=matches[0].copy()))
    node.set("order", None)
    node.set("limit", None)
    return node


KEY = (Unique("t", ("v",)), NotNull("t", "v"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("1",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
            "SELECT k FROM t ORDER BY v DESC LIMIT 1",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v = (SELECT MIN(v) FROM t)",
            "SELECT k FROM t ORDER BY v DESC LIMIT 1",
            KEY,
            because="the least is not the greatest",
        ),
        Pair(
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
            "SELECT k FROM t ORDER BY v DESC LIMIT 1",
            because="several rows may have the greatest v",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t WHERE v = (SELECT MAX(v) FROM t WHERE k > 1)",
            "SELECT v FROM t ORDER BY v DESC LIMIT 1",
            KEY,
            because="the inner condition may leave out the greatest v",
        ),
        Pair(
            "SELECT k FROM t WHERE v = (SELECT MIN(v) FROM t)",
            "SELECT k FROM t ORDER BY v LIMIT 1",
            (Unique("t", ("v",)),),
            because="MIN skips NULL, and the order puts it first",
        ),
    ],
)
def paper_extreme_row_is_first_row(node: exp.Select, facts: Facts) -> Expr | None:
    """The row with the least or greatest unique value is the first in that order.

    Statement
        SELECT _ FROM t WHERE c = (SELECT MIN(c) FROM t)   ==   SELECT _ FROM t ORDER BY c LIMIT 1
        (MAX: ORDER BY c DESC)

    Holds when
        c is UNIQUE.

    Why
        One row has the extreme value, and it comes first.

    Limits
        The inner WHERE is not looked at: ``v = (SELECT MAX(v) FROM t WHERE k > 1)`` is read as
        ``ORDER BY v DESC LIMIT 1``; on the rows (k, v) = (1, 5) and (2, 3) the first gives v = 3,
        the second v = 5. Where c is NULL, MIN skips it and ORDER BY puts it first: on the rows v =
        NULL and v = 1 the first gives 1, the second NULL.

    Source
        ETM (Ascoli et al.), table 2, rule 1.
    """
    where = node.args.get("where")
    if where is None or node.args.get("order") or node.args.get("limit"):
        return None
    for condition in parts(where.this):
        extreme_of = _extreme(condition)
        if extreme_of is None or not is_unique(extreme_of[0], facts):
            continue
        column, extreme = extreme_of
        term = exp.Ordered(this=column.copy(), desc=isinstance(extreme, exp.Max))
        condition.replace(true_condition())
        node.set("order", exp.Order(expressions=[term]))
        node.set("limit", exp.Limit(expression=exp.Literal.number("1.0")))
        return node
    return None


def _extreme(condition: Expr) -> tuple[Expr, Expr] | None:
    """For ``c = (SELECT MIN(c) FROM t)``, either way round: c and MIN(c)."""
    if not isinstance(condition, exp.EQ):
        return None
    for column, other in (
        (condition.this, condition.expression),
        (condition.expression, condition.this),
    ):
        inner = other.this if isinstance(other, exp.Subquery) else None
        if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or joins(inner):
            continue
        extreme = inner.expressions[0]
        if isinstance(extreme, exp.Max | exp.Min) and same_node(extreme.this, column):
            return column, extreme
    return None
