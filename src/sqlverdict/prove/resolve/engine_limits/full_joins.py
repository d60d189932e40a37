"""FULL JOIN in PostgreSQL, which fails where no equality in ON joins its two sides.

A condition around it may make it a one-sided join, which runs: so nothing is said of such a query.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import Dialect
from sqlverdict.prove.reasoning.shape import labels, labels_in, nodes_in, parts
from sqlverdict.prove.resolve.scope import Unsupported


def require_full_joins_by_equality(tree: Expr, dialect: Dialect) -> None:
    """Refuse a FULL JOIN that may fail.

    Raises:
        Unsupported: there is one.
    """
    if dialect.full_joins == "any":
        return
    for node in nodes_in(tree):
        if isinstance(node, exp.Join) and str(node.args.get("side") or "").upper() == "FULL":
            on = node.args.get("on")
            if on is None or not any(_joins(part, node) for part in parts(on)):
                raise Unsupported("a FULL JOIN without an equality of its two sides")


def _joins(condition: Expr, join: exp.Join) -> bool:
    """Whether a condition is an equality of a value of each side."""
    if not isinstance(condition, exp.EQ) or join.parent is None:
        return False
    right = {join.this.alias}
    left = set(labels(join.parent)) - right
    sides = [labels_in(condition.this), labels_in(condition.expression)]
    return right in sides and any(side and side <= left for side in sides)
