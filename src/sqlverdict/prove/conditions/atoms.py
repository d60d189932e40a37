"""The comparisons of a condition: LIKE, tests for NULL, and which side is the constant."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.conditions.subjects import is_fixed
from sqlverdict.prove.reasoning.shape import copied, has_subquery

_MIRROR: dict[type[Expr], type[Expr]] = {
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}


def constant_right(left: Expr, right: Expr, kind: type[Expr]) -> tuple[Expr, Expr, type[Expr]]:
    """A comparison with the constant, if there is one, on the right."""
    if (is_fixed(left) or isinstance(left, exp.Null)) and not isinstance(right, exp.Null):
        return right, left, _MIRROR.get(kind, kind)
    return left, right, kind


def is_null_test(node: Expr) -> bool:
    """Whether IS, or what stands for it, asks for NULL."""
    return isinstance(node.expression, exp.Null) and not isinstance(node.this, exp.Null)


def is_strict_like(node: Expr) -> bool:
    """Whether a condition is NULL where its first operand is, and only there."""
    if not isinstance(node, exp.Like | exp.Glob) or has_subquery(node):
        return False
    return isinstance(node.expression, exp.Literal)


def affirm(node: Expr) -> Expr:
    """LIKE for NOT LIKE."""
    like = copied(node)
    like.set("negate", None)
    return like


def is_truth_word(node: Expr) -> bool:
    """Whether a node is NULL, TRUE or FALSE."""
    return isinstance(node, exp.Null | exp.Boolean)
