"""Conditions that no row meets together, and counts that add up therefore."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.counting import counts_rows
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.set_sides import other_conditions
from sqlverdict.prove.reasoning.shape import (
    MIRRORED,
    all_of,
    columns_in,
    conditions,
    has_subquery,
    parts,
    set_conditions,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.tree_key import same_expression

_BOUNDS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ)


def are_disjoint(ours: Sequence[Expr], theirs: Sequence[Expr], facts: Facts) -> bool:
    """Whether no row meets all of the one and all of the other conditions."""
    return any(_exclude(one, other, facts) for one in ours for other in theirs)


def common_count(left: Expr, right: Expr, facts: Facts) -> Expr | None:
    """One count for two counts of rows of the same tables that share none.

    The left one is changed only where the answer is not ``None``.
    """
    if not counts_rows(left) or not counts_rows(right):
        return None
    before, own = list(facts.cited), conditions(left.this)
    others = other_conditions(_selection(left.this), _selection(right.this), facts)
    if not others or not own or not are_disjoint(own, others, facts):
        facts.cited.clear()
        facts.cite(*before)
        return None
    set_conditions(left.this, [exp.Or(this=all_of(own), expression=all_of(others))])
    return left


def _selection(query: Expr) -> Expr:
    """The rows that a query counts, as a query."""
    copy: Expr = query.copy()
    copy.set("expressions", [exp.Literal.number(1)])
    return copy


def _exclude(one: Expr, other: Expr, facts: Facts) -> bool:
    """Whether two conditions of a row are never both true."""
    for mine, their in ((one, other), (other, one)):
        if isinstance(mine, exp.Or):
            return all(_exclude(part, their, facts) for part in parts(mine, exp.Or))
        if isinstance(mine, exp.And):
            return any(_exclude(part, their, facts) for part in parts(mine))
    if has_subquery(one) or has_subquery(other):
        return False
    for mine, their in ((one, other), (other, one)):
        if isinstance(mine, exp.Not) and same_expression(mine.this, their):
            return True
        if isinstance(mine, exp.Is) and isinstance(mine.expression, exp.Null):
            column = mine.this
            return isinstance(column, exp.Column) and any(
                rejects_null(their, own)
                for own in columns_in(their)
                if same_expression(own, column)
            )
        if isinstance(mine, exp.NEQ) and isinstance(their, exp.EQ):
            pairs = ((their.this, their.expression), (their.expression, their.this))
            if any(
                same_expression(mine.this, a) and same_expression(mine.expression, b)
                for a, b in pairs
            ):
                return True
    return _apart(_bound(one), _bound(other), facts)


_Bound = tuple[type[Expr], Expr, Expr]


def _bound(node: Expr) -> _Bound | None:
    """A comparison with a literal: the operator, the value and the literal."""
    if not isinstance(node, _BOUNDS):
        return None
    kind: type[Expr] = type(node)
    value, literal = node.this, node.expression
    if _literal(literal) is None:
        kind, value, literal = MIRRORED.get(kind, kind), literal, value
    return (kind, value, literal) if _literal(literal) is not None else None


def _literal(node: Expr) -> Decimal | str | None:
    if isinstance(node, exp.Neg):
        inner = _literal(node.this)
        return -inner if isinstance(inner, Decimal) else None
    if not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return str(node.this)
    try:
        return Decimal(str(node.this))
    except InvalidOperation:
        return None


def _apart(one: _Bound | None, other: _Bound | None, facts: Facts) -> bool:
    """Whether two bounds of one value leave nothing between them."""
    if one is None or other is None or not same_expression(one[1], other[1]):
        return False
    kind, mine, their = facts.kind(one[1]), _literal(one[2]), _literal(other[2])
    if kind == "text" and isinstance(mine, str) and isinstance(their, str):
        return one[0] is exp.EQ and other[0] is exp.EQ and mine != their
    if not has_one_order(one[1], facts):
        return False
    if isinstance(mine, str) and isinstance(their, str) and _is_day(kind):
        mine, their = _day(mine), _day(their)
    if kind == "text" or not isinstance(mine, Decimal) or not isinstance(their, Decimal):
        return False
    if mine != their and float(mine) == float(their):
        # An engine may read both as one double.
        return False
    first, second = (one[0], mine), (other[0], their)
    if kind == "integer":
        first, second = _reached(*first), _reached(*second)
    return _above(*first, *second) or _above(*second, *first)


def _is_day(kind: str | None) -> bool:
    return kind is None or kind.partition(" ")[0] in ("date", "timestamp")


def _day(text: str) -> Decimal | None:
    """The number of a day that is written as it is shown."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return Decimal(day.toordinal()) if day.isoformat() == text else None


def _reached(kind: type[Expr], bound: Decimal) -> tuple[type[Expr], Decimal]:
    """A bound of integers as one that is reached: above 5 is from 6 on."""
    if bound != bound.to_integral_value():
        return kind, bound
    if kind is exp.GT:
        return exp.GTE, bound + 1
    return (exp.LTE, bound - 1) if kind is exp.LT else (kind, bound)


def _above(low: type[Expr], least: Decimal, high: type[Expr], most: Decimal) -> bool:
    """Whether values from ``least`` on are above values up to ``most``."""
    if low not in (exp.GT, exp.GTE, exp.EQ) or high not in (exp.LT, exp.LTE, exp.EQ):
        return False
    return least > most or (least == most and (low is exp.GT or high is exp.LT))
