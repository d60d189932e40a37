"""A quick test for conditions of which no two are about the same columns, as in most queries."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.shape import column_name, whole_number

_COMPARISONS = frozenset((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE))


def are_apart(conditions: Sequence[Expr]) -> bool:
    """Whether each condition is in its form, and no two are about the same; false: not known."""
    seen: set[tuple[Hashable, ...]] = set()
    for condition in conditions:
        columns = _subject(condition)
        if columns is None or columns in seen:
            return False
        seen.add(columns)
    tested = {columns[0] for columns in seen if len(columns) == 1}
    return not any(
        name in tested for columns in seen if len(columns) == 2 for name in columns
    ) and bool(seen)


def _subject(condition: Expr) -> tuple[Hashable, ...] | None:
    """The columns of a plain comparison: one, or two in order; a query is like no other."""
    inner = condition.this if isinstance(condition, exp.Not) else condition
    if isinstance(inner, exp.Exists) or (isinstance(inner, exp.In) and inner.args.get("query")):
        return (object(),)
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return (column_name(inner.this),) if isinstance(inner.this, exp.Column) else None
    if type(condition) in _COMPARISONS:
        left, right = condition.this, condition.expression
        if isinstance(left, exp.Subquery) or isinstance(right, exp.Subquery):
            return (object(),)
        if not isinstance(left, exp.Column):
            left, right = right, left
        if not isinstance(left, exp.Column):
            return None
        if isinstance(right, exp.Column):
            names = sorted((column_name(left), column_name(right)))
            return tuple(names) if names[0] != names[1] else None
        is_text = isinstance(right, exp.Literal) and right.is_string
        return (column_name(left),) if is_text or whole_number(right) is not None else None
    if isinstance(condition, exp.Like) and not condition.args.get("negate"):
        plain = isinstance(condition.this, exp.Column) and isinstance(
            condition.expression, exp.Literal
        )
        return (column_name(condition.this),) if plain else None
    return None
