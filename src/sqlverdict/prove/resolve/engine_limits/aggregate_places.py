"""Where an aggregate, and a query with several columns, may not stand: the query always fails.

SQLite says so itself, of each query that is compiled there.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.shape import aggregates_in, is_aggregate, leaves, nodes_in
from sqlverdict.prove.resolve.scope import Unsupported


def require_aggregates_in_place(tree: Expr) -> None:
    """Refuse aggregates in WHERE, ON, GROUP BY and in other aggregates, and IN of wide rows.

    An aggregate of columns around a subquery may stand in its WHERE; it is refused, too.

    Raises:
        Unsupported: one stands there.
    """
    for node in nodes_in(tree):
        if isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window):
            _require_place(node, "an aggregate")
            if isinstance(node.this, exp.Star) and not isinstance(node, exp.Count):
                raise Unsupported(f"{node.key} of a star")
        elif isinstance(node, exp.Window):
            _require_place(node, "a window")
            if isinstance(node.this, exp.Rank | exp.DenseRank) and not node.args.get("order"):
                # MariaDB fails; elsewhere all ranks are 1.
                raise Unsupported("ranks without an order")
        elif isinstance(node, exp.In) and isinstance(query := node.args.get("query"), exp.Subquery):
            width = len(node.this.expressions) if isinstance(node.this, exp.Tuple) else 1
            if any(len(leaf.expressions) != width for leaf in leaves(query.this)):
                raise Unsupported("IN of a query with another number of columns")


def require_all_groups(tree: Expr) -> None:
    """Refuse DISTINCT of an expression around an aggregate of groups: MariaDB drops rows of it.

    Of two groups with 1 row and 2 rows ``SELECT DISTINCT COUNT(*) + 0 ... GROUP BY g`` shows 2.

    Raises:
        Unsupported: there is one.
    """
    for node in nodes_in(tree):
        is_grouped = isinstance(node, exp.Select) and node.args.get("group") is not None
        if not is_grouped or not node.args.get("distinct"):
            continue
        for output in node.expressions:
            if not is_aggregate(output) and next(aggregates_in([output]), None) is not None:
                raise Unsupported("DISTINCT of an expression around an aggregate of groups")


def _require_place(node: Expr, what: str) -> None:
    inner, around = node, node.parent
    while around is not None and not isinstance(around, exp.Select):
        if isinstance(around, exp.Where | exp.Join | exp.Group):
            raise Unsupported(f"{what} in WHERE, ON or GROUP BY")
        if isinstance(around, exp.AggFunc) and not isinstance(around.parent, exp.Window):
            raise Unsupported(f"{what} in an aggregate")
        inner, around = around, around.parent
    if isinstance(around, exp.Select) and inner.arg_key in ("where", "group", "joins"):
        raise Unsupported(f"{what} in WHERE, ON or GROUP BY")
