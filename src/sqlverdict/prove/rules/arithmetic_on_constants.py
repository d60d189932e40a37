"""Arithmetic on whole constants is done once.

Statement
    60 * 60   ==   3600        and so on for +, -, *

Holds when
    Both operands are integer literals and the result is below 2^53.

Why
    SQLite computes integers exactly up to 2^63, and the result of integers is an integer.

Limits
    Division and reals are left alone: their rounding is the engine's.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import Pair, rule

_MOST = 2**53


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE v > 60 * 60", "SELECT k FROM t WHERE v > 3600"),
        Pair("SELECT k + (5 - 7) FROM t", "SELECT k + -2 FROM t"),
    ],
    different=[
        Pair("SELECT k + (5 - 7) FROM t", "SELECT k + 2 FROM t", because="the sign counts"),
    ],
)
def arithmetic_on_constants(node: exp.Add | exp.Sub | exp.Mul, facts: Facts) -> Expr | None:
    """Compute it."""
    del facts
    left, right = whole_number(node.this), whole_number(node.expression)
    if left is None or right is None:
        return None
    if isinstance(node, exp.Add):
        value = left + right
    else:
        value = left - right if isinstance(node, exp.Sub) else left * right
    if abs(value) >= _MOST:
        return None
    number: Expr = exp.Literal.number(abs(value))
    return exp.Neg(this=number) if value < 0 else number
