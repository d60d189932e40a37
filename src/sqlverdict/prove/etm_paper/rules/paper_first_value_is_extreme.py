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
    looked at: ``SELECT v FROM t GROUP BY v ORDER BY v LIMIT 1`` is one row, ``SELECT MIN(v) FROM t
    GROUP BY v`` one for each v.

Source
    ETM (Ascoli et al.), table 2, rule 10.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.etm_paper.shapes import same
from sqlverdict.prove.reasoning.facts import Facts
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
    """Write MIN or MAX, without ORDER BY and LIMIT."""
    del facts
    order, limit = node.args.get("order"), node.args.get("limit")
    if order is None or limit is None or len(order.expressions) != 1:
        return None
    number = limit.expression
    if not isinstance(number, exp.Literal) or number.name not in ("1", "1.0"):
        return None
    term = order.expressions[0]
    matches = [item for item in node.expressions if same(item, term.this)]
    if len(matches) != 1:
        return None
    kind = exp.Max if term.args.get("desc") else exp.Min
    matches[0].replace(kind(this=matches[0].copy()))
    node.set("order", None)
    node.set("limit", None)
    return node
