"""Ways to count rows that meet a condition, and their plain form."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.shape import has_only_rows, items, whole_number


def counted_condition(node: Expr, *, whole: bool = False) -> Expr | None:
    """The condition of ``SUM(CASE WHEN d THEN 1 ELSE 0 END)``.

    ``whole``: the results are integers; else 1.0 and 0.0 are as good, as they are among reals.
    """
    inner = node.this if isinstance(node, exp.Sum) else None
    if not isinstance(inner, exp.Case) or inner.this is not None or len(inner.args["ifs"]) != 1:
        return None
    branch = inner.args["ifs"][0]
    value = whole_number if whole else _number
    if value(branch.args["true"]) != 1 or value(inner.args.get("default")) != 0:
        return None
    condition: Expr = branch.this
    return condition


def conditional_argument(call: Expr) -> exp.Case | None:
    """The argument of ``SUM(CASE WHEN d THEN x END)``, below a DISTINCT, too."""
    inner = call.this
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner = inner.expressions[0]
    if not isinstance(inner, exp.Case) or inner.this is not None or len(inner.args["ifs"]) != 1:
        return None
    return inner if inner.args.get("default") is None else None


def tested_condition(node: Expr) -> Expr | None:
    """The condition of ``COUNT(CASE WHEN d THEN 1 END)``."""
    inner = node.this if isinstance(node, exp.Count) else None
    if not isinstance(inner, exp.Case) or conditional_argument(node) is not inner:
        return None
    branch = inner.args["ifs"][0]
    condition: Expr = branch.this
    return condition if whole_number(branch.args["true"]) == 1 else None


def counts_when(condition: Expr) -> Expr:
    """``COUNT(CASE WHEN d THEN 1 END)``."""
    branch = exp.If(this=counted_copy(condition), true=exp.Literal.number(1))
    return exp.Count(this=exp.Case(ifs=[branch]), big_int=True)


def counts_rows(query: Expr) -> bool:
    """Whether a query for one value is ``SELECT COUNT(*) FROM ... WHERE ...`` and no more."""
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or not items(inner):
        return False
    call = inner.expressions[0]
    if not isinstance(call, exp.Count) or not isinstance(call.this, exp.Star):
        return False
    return has_only_rows(inner)


def asks_for_rows(condition: Expr) -> bool:
    """Whether a condition is ``COUNT(*) > 0`` or ``COUNT(*) >= 1``."""
    if not isinstance(condition, exp.GT | exp.GTE):
        return False
    call = condition.this
    least = 0 if isinstance(condition, exp.GT) else 1
    is_count = isinstance(call, exp.Count) and isinstance(call.this, exp.Star)
    return is_count and whole_number(condition.expression) == least


def share_of(condition: Expr) -> Expr:
    """``AVG(CASE WHEN d THEN 1 ELSE 0 END)``."""
    branch = exp.If(this=counted_copy(condition), true=exp.Literal.number(1))
    return exp.Avg(this=exp.Case(ifs=[branch], default=exp.Literal.number(0)))


def _number(node: Expr | None) -> float | None:
    if isinstance(node, exp.Literal) and not node.is_string:
        return float(node.this)
    return None
