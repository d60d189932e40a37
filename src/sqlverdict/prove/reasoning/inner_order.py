"""Where the order of an inner query's rows can be seen from outside.

SQL's tables are bags, but SQLite hands the rows of a derived table on as they come. A LIMIT
around it, a scalar subquery, a window, a bare column of a group shows that order. Predictions
rely on it, so an inner ORDER BY counts wherever it can be seen, through any number of levels.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.shape import (
    enclosing,
    has_window,
    is_limited,
    nodes_in,
    whole_number,
)

ORDER_SHOWS = "the order of an inner query's rows shows outside"


def order_shows(query: Expr) -> bool:
    """Whether the order of a query's rows can be seen in what is around the query.

    The outermost query's own order is no matter of this: the comparison of answers looks at it.
    """
    holder = query.parent
    if holder is None or isinstance(holder, exp.Exists | exp.In):
        return False
    if isinstance(holder, exp.SetOperation):
        return is_limited(holder) or order_shows(holder)
    if not isinstance(holder, exp.Subquery):
        return True
    if not holder.alias:
        # In IN all rows count; a scalar subquery takes the first one.
        return not isinstance(holder.parent, exp.In | exp.Exists) or holder.arg_key == "this"
    around = enclosing(holder)
    if around is None:
        return False
    if _picks_rows(around):
        return True
    # An order of its own leaves to the inner one what ties, and that is open anyway.
    return around.args.get("order") is None and (is_limited(around) or order_shows(around))


def _picks_rows(select: Expr) -> bool:
    """Whether a SELECT numbers its rows, or shows one row of a group."""
    return has_window(select) or next(bare_columns(select), None) is not None


def visible_order(tree: Expr) -> bool:
    """Whether a query inside the tree has an ORDER BY that can be seen outside of it.

    A scalar subquery's own ORDER BY is part of what it says, and one row has no order.
    """
    for node in nodes_in(tree):
        if not isinstance(node, exp.Select | exp.SetOperation) or node.args.get("order") is None:
            continue
        limit = node.args.get("limit")
        if limit is not None and whole_number(limit.expression) in (0, 1):
            continue
        if _is_source(node) and order_shows(node):
            return True
    return False


def _is_source(query: Expr) -> bool:
    """Whether a query is a derived table or a side of a set operation."""
    holder = query.parent
    if isinstance(holder, exp.Subquery):
        return bool(holder.alias)
    return isinstance(holder, exp.SetOperation)
