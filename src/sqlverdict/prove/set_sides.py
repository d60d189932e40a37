"""The sides of INTERSECT and EXCEPT as a test for an equal row."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.known import Known
from sqlverdict.prove.moves import is_flat
from sqlverdict.prove.shape import (
    all_inner,
    conditions,
    has_window,
    is_grouped,
    is_limited,
    items,
    set_conditions,
)


def existence(node: exp.SetOperation, known: Known) -> Expr | None:
    """A test for a row of the right side that equals the left side's row.

    The right side is changed only where the answer is not ``None``. NULLs must not meet: of each
    pair of columns one is never NULL.
    """
    left, right = node.this, node.expression
    if node.args.get("order") is not None or not node.args.get("distinct"):
        return None
    if not _is_plain(left) or not _is_plain(right) or not all_inner(left):
        return None
    pairs = list(zip(left.expressions, right.expressions, strict=True))
    for ours, theirs in pairs:
        if not known.comparable(ours, theirs):
            return None
        if not known.never_null(ours) and not known.never_null(theirs):
            return None
    equal = [exp.EQ(this=theirs, expression=ours.copy()) for ours, theirs in pairs]
    set_conditions(right, [*conditions(right), *equal])
    right.set("expressions", [exp.Literal.number(1)])
    right.set("distinct", None)
    return exp.Exists(this=right)


def _is_plain(query: Expr) -> bool:
    if not isinstance(query, exp.Select) or is_limited(query) or not items(query):
        return False
    return not is_grouped(query) and not has_window(query) and all_inner(query) and is_flat(query)
