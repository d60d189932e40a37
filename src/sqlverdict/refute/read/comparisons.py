"""What a comparison asks of a row, by where it stands."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.refute.read.expressions import aggregate_name

OPERATORS: dict[type[Expr], str] = {
    exp.EQ: "=",
    exp.NullSafeEQ: "=",
    exp.NEQ: "!=",
    exp.NullSafeNEQ: "!=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
"""The sign of each comparison."""
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
"""The sign with the sides of a comparison exchanged."""
DENIED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "=": "!=", "!=": "=", "like": "unlike"}
_ORDERS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ)
_COUNTING = (exp.Count, exp.Window, exp.Sum)


def asked_operator(node: Expr, operator: str) -> str:
    """The comparison that a row has to meet: another one where the comparison is denied."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    # NOT LIKE is one node, which says that it is denied; NOT (... LIKE ...) is two.
    denied = isinstance(parent, exp.Not) is not bool(node.args.get("negate"))
    return DENIED.get(operator, operator) if denied else operator


def may_count_rows(side: Expr) -> bool:
    """Whether a number that it is compared with may be a number of rows."""
    return any(
        isinstance(node, _COUNTING) or aggregate_name(node) == "total" for node in side.walk()
    )


def stands_apart(node: Expr) -> bool:
    """Whether it stands in a query that other rows are held against: some do not meet it.

    That is what EXCEPT, NOT IN and NOT EXISTS take away, and what is less or more than others.
    """
    inner, outer = node, node.parent
    while outer is not None:
        if isinstance(outer, exp.Except) and outer.expression is inner:
            return True
        if isinstance(outer, exp.In | exp.Exists) and isinstance(outer.parent, exp.Not):
            return True
        if isinstance(outer, _ORDERS) and isinstance(inner, exp.Subquery):
            return True
        inner, outer = outer, outer.parent
    return False
