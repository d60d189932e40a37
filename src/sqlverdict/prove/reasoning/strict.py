"""Expressions that are NULL where a part of them is, and conditions that let no NULL pass."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.shape import column_name, parts

OPERATORS = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.Glob),
    *(exp.Add, exp.Sub, exp.Mul, exp.DPipe, exp.Neg),
)
"""Operators that are NULL where an operand is, and never else."""

FUNCTIONS = (
    exp.Upper,
    exp.Lower,
    exp.Length,
    exp.Substring,
    exp.Abs,
    exp.Cast,
    exp.Trim,
    exp.Round,
)
"""Functions that are NULL only where an argument is."""

STRICT = (*OPERATORS, *FUNCTIONS, exp.Div, exp.Mod)
"""Everything that is NULL where an operand is."""


def null_test(condition: Expr) -> Expr | None:
    """The ``x`` of ``x IS NULL``."""
    is_test = isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null)
    return condition.this if is_test else None


def not_null_test(condition: Expr) -> Expr | None:
    """The ``x`` of ``x IS NOT NULL``."""
    return null_test(condition.this) if isinstance(condition, exp.Not) else None


def rejects_null(condition: Expr, column: Expr) -> bool:
    """Whether a condition is never true where the column is NULL."""
    if isinstance(condition, exp.And):
        return any(rejects_null(part, column) for part in parts(condition))
    if isinstance(condition, exp.Or):
        return all(rejects_null(part, column) for part in parts(condition, exp.Or))
    if isinstance(condition, exp.Not):
        inner = condition.this
        if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
            return is_strict_in(inner.this, column)
        if isinstance(inner, exp.In):
            return is_strict_in(inner.this, column) and not inner.args.get("query")
        return isinstance(inner, OPERATORS) and is_strict_in(inner, column)
    if isinstance(condition, exp.In):
        return is_strict_in(condition.this, column)
    if isinstance(condition, exp.NullSafeEQ | exp.Is):
        return not isinstance(condition.expression, exp.Null) and (
            isinstance(condition.expression, exp.Literal) and is_strict_in(condition.this, column)
        )
    return isinstance(condition, OPERATORS) and is_strict_in(condition, column)


def is_strict_in(node: Expr, column: Expr) -> bool:
    """Whether an expression is NULL wherever the column is."""
    if node is column:
        return True
    if isinstance(node, exp.Column):
        return isinstance(column, exp.Column) and column_name(node) == column_name(column)
    if isinstance(node, STRICT):
        return any(is_strict_in(child, column) for child in node.iter_expressions())
    return False


def is_null_with_its_columns(node: Expr | None) -> bool:
    """Whether an expression is NULL where all of its columns are."""
    if node is None or isinstance(node, exp.Column | exp.Null):
        return True
    if isinstance(node, exp.Case) and node.this is None:
        tests = [branch.this for branch in node.args["ifs"]]
        return all(map(is_null_with_its_columns, [*tests, node.args.get("default")]))
    return isinstance(node, STRICT) and any(map(is_null_with_its_columns, node.iter_expressions()))
