"""The operands of a comparison, and the literals among them."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
"""Comparisons that depend on the order of values."""


def comparison_operands(node: Expr) -> list[Expr]:
    """What a comparison compares, the left side first; empty for other nodes."""
    if isinstance(node, exp.In):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    return [node.this, node.expression] if isinstance(node, exp.Binary) else []


def literal_of(node: Expr) -> tuple[str, bool] | None:
    """A literal's text and whether it is a number; ``None`` for anything else."""
    if isinstance(node, exp.Literal):
        return node.name, not node.is_string
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.name}", True
    return None
