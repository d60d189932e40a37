"""Divisions that are guarded against a zero below."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import nodes_in, whole_number
from sqlverdict.prove.reasoning.strict import FUNCTIONS, STRICT
from sqlverdict.prove.tree_key import same_expression

_NUMBERS = ("integer", "real", "number")
_SAFE = (*FUNCTIONS, exp.AggFunc, exp.Case, exp.If, exp.Coalesce, exp.Nullif)
"""Calls that fail for no value, where nothing overflows."""
_LARGEST = 1e12
"""Constants up to here; one beyond the reals is infinite, and 0 times it is NULL."""


ZeroGuard = tuple[Expr, Expr, Expr | None]
"""The number that is looked at, what is given unless it is 0, and what else."""


def guard_of(node: Expr, facts: Facts) -> ZeroGuard | None:
    """What guards against zero, where the dialect divides by zero to NULL; else ``None``.

    It is ``CASE WHEN y <> 0 THEN x ELSE d END``, the same by ``y = 0``, or ``NULLIF(y, 0)``.
    """
    if facts.record.division_by_zero != "null":
        return None
    if isinstance(node, exp.Nullif):
        is_guard = whole_number(node.expression) == 0 and _is_number(node.this, facts)
        return (node.this, node.this, None) if is_guard else None
    if not isinstance(node, exp.Case) or node.this is not None or len(node.args["ifs"]) != 1:
        return None
    branch = node.args["ifs"][0]
    test, value, other = branch.this, branch.args["true"], node.args.get("default")
    below = test.this
    if whole_number(test.args.get("expression")) != 0 or not _is_number(below, facts):
        return None
    if isinstance(test, exp.EQ):
        # Where it is NULL, ELSE is taken.
        value, other = other, value
        if value is None or not (facts.never_null(below) or isinstance(other, exp.Null)):
            return None
    elif not isinstance(test, exp.NEQ) and not (
        isinstance(test, exp.GT) and isinstance(below, exp.Count)
    ):
        return None
    return below, value, None if isinstance(other, exp.Null) else other


def _is_number(node: Expr, facts: Facts) -> bool:
    """Whether a value is 0 for a comparison where it is for a division."""
    return not facts.record.typed or facts.kind(node) in _NUMBERS


def divides_by(node: Expr, below: Expr) -> bool:
    """Whether an expression is NULL where a division by ``below`` in it is, and fails never."""
    return _is_null_with_quotient(node, below) and not any(map(_may_fail, nodes_in(node)))


def _is_null_with_quotient(node: Expr, below: Expr) -> bool:
    if isinstance(node, exp.Div | exp.Mod) and same_expression(node.expression, below):
        return True
    return isinstance(node, STRICT) and any(
        _is_null_with_quotient(part, below) for part in node.iter_expressions()
    )


def _may_fail(node: Expr) -> bool:
    is_call = isinstance(node, exp.Func) and not isinstance(node, (*_SAFE, exp.Connector))
    return is_call or isinstance(node, exp.Query | exp.Escape)


def is_share(node: Expr, below: Expr, facts: Facts) -> bool:
    """Whether an expression is a quotient by ``below`` that is NULL only where that is 0 or NULL.

    It may be multiplied by constants, rounded or cast.
    """
    if facts.kind(below) not in _NUMBERS:
        # A text that is not equal to 0 may be 0 for a division.
        return False
    match node:
        case exp.Div() if same_expression(node.expression, below):
            return _is_finite(node.this, below, facts)
        case exp.Mul():
            sides = ((node.this, node.expression), (node.expression, node.this))
            return any(_is_factor(one) and is_share(other, below, facts) for one, other in sides)
        case exp.Round() | exp.Cast():
            digits = node.args.get("decimals")
            is_plain = digits is None or whole_number(digits) is not None
            return is_plain and is_share(node.this, below, facts)
    return False


def _is_factor(node: Expr) -> bool:
    is_number = isinstance(node, exp.Literal) and not node.is_string
    return is_number and float(node.this) <= _LARGEST


def _is_finite(node: Expr, below: Expr, facts: Facts) -> bool:
    """Whether a number is none but NULL where ``below`` is 0, and never infinite."""
    match node:
        case exp.Literal():
            return _is_factor(node)
        case exp.Mul():
            return all(_is_finite(part, below, facts) for part in (node.this, node.expression))
        case exp.Cast():
            return facts.kind(node) in _NUMBERS and _is_finite(node.this, below, facts)
        case exp.Sum():
            # Over no rows it is NULL, and their count 0.
            counts_rows = isinstance(below, exp.Count) and isinstance(below.this, exp.Star)
            is_whole = facts.kind(node.this) == "integer" and facts.never_null(node.this)
            return counts_rows and is_whole and not isinstance(node.parent, exp.Window)
    return facts.kind(node) == "integer" and facts.never_null(node)
