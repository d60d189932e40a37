"""Where only truth counts: a condition that is not true drops the row, be it false or NULL."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

_TRUTHS = (
    *(exp.And, exp.Or, exp.Not, exp.Boolean, exp.Exists),
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.Is, exp.In, exp.Like, exp.Between, exp.Glob),
)


def in_filter(node: Expr) -> bool:
    """Whether it makes no difference here if a condition is false or NULL."""
    inside, around = node, node.parent
    while isinstance(around, exp.And | exp.Or):
        inside, around = around, around.parent
    if isinstance(around, exp.Where | exp.Having):
        return True
    if isinstance(around, exp.Join):
        return inside.arg_key == "on"
    if not isinstance(around, exp.If) or inside.arg_key != "this":
        return False
    # Behind CASE x, a WHEN is compared with x: its value counts.
    return not isinstance(around.parent, exp.Case) or around.parent.this is None


def is_truth_value(node: Expr) -> bool:
    """Whether an expression is always 1, 0 or NULL."""
    return isinstance(node, _TRUTHS)


def constant_truth(node: Expr | None) -> bool | None:
    """The truth of a constant condition; ``None`` where it is no constant or NULL."""
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Literal) and not node.is_string:
        return float(node.this) != 0
    return None


def constant(value: bool, node: Expr) -> Expr:
    """A truth value in the place of a node.

    ``x IS TRUE`` asks for truth and ``x IS 1`` for the value, so beside IS it is a number.
    """
    if isinstance(node.parent, exp.Is | exp.NullSafeEQ | exp.NullSafeNEQ):
        return exp.Literal.number(int(value))
    return exp.Boolean(this=value)
