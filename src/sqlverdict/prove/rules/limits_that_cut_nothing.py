"""OFFSET 0 skips nothing, and a LIMIT on one row cuts nothing.

Statement
    LIMIT 1 OFFSET 0   ==   LIMIT 1            LIMIT -1   ==   no LIMIT
    SELECT COUNT(*) FROM t ORDER BY 1 LIMIT 1   ==   SELECT COUNT(*) FROM t

Holds when
    The offset is the literal 0; or there is none, and the limit is a negative literal, which means
    no limit; or the query gives at most one row, as an aggregate without GROUP BY does and a
    selection by constant keys (UNIQUE) does, and the limit is a literal of at least 1.

Why
    There is nothing to skip or to cut, and one row is always in order.

Limits
    Other offsets are left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: LIMIT 0,1 and LIMIT 1 on a single row.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import at_most_one_row
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Limit, exp.Offset, exp.Order),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t ORDER BY k LIMIT 0, 1", "SELECT k FROM t ORDER BY k LIMIT 1"),
        Pair(
            "SELECT v FROM t WHERE k = 3 ORDER BY v LIMIT 1",
            "SELECT v FROM t WHERE k = 3",
            (Unique("t", ("k",)),),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k = 3 ORDER BY v LIMIT 1",
            "SELECT v FROM t WHERE k = 3",
            because="several rows may have k = 3",
        ),
    ],
)
def limits_that_cut_nothing(node: exp.Select | exp.SetOperation, facts: Facts) -> Expr | None:
    """Drop them."""
    offset = node.args.get("offset")
    if offset is not None:
        if whole_number(offset.expression) != 0:
            return None
        node.set("offset", None)
        return node
    limit = node.args.get("limit")
    order = node.args.get("order")
    bound = whole_number(limit.expression) if limit is not None else None
    if bound is not None and bound < 0:
        # Only SQLite takes such a limit.
        node.set("limit", None)
        return node
    if limit is not None and (whole_number(limit.expression) or 0) < 1:
        return None
    if (limit is None and order is None) or not at_most_one_row(node, facts):
        return None
    node.set("limit", None)
    node.set("order", None)
    return node
