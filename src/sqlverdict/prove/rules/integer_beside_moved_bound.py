"""Arithmetic of an integer and a constant beside a bound is the integer beside another bound.

Statement
    n + 1 > 5   ==   n > 4        and so on for <, >=, <=, =, <>
    n - 1 > 5   ==   n > 6
    -n > -5     ==   n < 5
    n * 2 > 5   ==   n > 2        and n * 2 = 6   ==   n = 3

Holds when
    n is a column of signed integers, or a count, and the constants are whole numbers, a factor
    other than 0. For = and <> the factor divides the bound.

Why
    To add a number to both sides keeps their order, and to negate both turns it round. A multiple
    of 2 is above 5 where it is above 4. Integers of a database are far from the limits at which a
    sum or a product would overflow.

Limits
    Reals are rounded when they are added, and unsigned integers have no negative ones: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import MIRRORED, whole_number
from sqlverdict.prove.reasoning.stored import is_signed_integer
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_MOST = 2**30


@rule(
    trust="tested",
    dialects=EVERYWHERE,
    needs=(exp.Add, exp.Sub, exp.Neg, exp.Mul),
    schema="CREATE TABLE t (n INTEGER, r REAL)",
    equal=[
        Pair("SELECT n FROM t WHERE n + 1 > 5", "SELECT n FROM t WHERE n > 4"),
        Pair("SELECT n FROM t WHERE 2 >= n - 1", "SELECT n FROM t WHERE n <= 3"),
        Pair("SELECT n FROM t WHERE -n < -1", "SELECT n FROM t WHERE n > 1"),
        Pair("SELECT n FROM t WHERE n * 2 > 5", "SELECT n FROM t WHERE n > 2"),
        Pair("SELECT n FROM t WHERE n * 2 <= -5", "SELECT n FROM t WHERE n <= -3"),
        Pair("SELECT n FROM t WHERE -3 * n = 6", "SELECT n FROM t WHERE n = -2"),
    ],
    different=[
        Pair(
            "SELECT n FROM t WHERE -n < -1",
            "SELECT n FROM t WHERE n < 1",
            because="a negation turns the order round",
        ),
        Pair(
            "SELECT n FROM t WHERE n * 2 >= 5",
            "SELECT n FROM t WHERE n >= 2",
            because="4 is below 5",
        ),
        Pair(
            "SELECT n FROM t WHERE n * -2 > 4",
            "SELECT n FROM t WHERE n > -2",
            because="a negative factor turns the order round",
        ),
        Pair(
            "SELECT n FROM t WHERE n - 1 > 1",
            "SELECT n FROM t WHERE n > 0",
            because="what is taken away on one side is added on the other",
        ),
    ],
)
def integer_beside_moved_bound(
    node: exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Move the constant."""
    kind: type[Expr] = type(node)
    term, bound = node.this, whole_number(node.expression)
    if bound is None:
        kind, term, bound = MIRRORED.get(kind, kind), node.expression, whole_number(node.this)
    if bound is None or abs(bound) > _MOST:
        return None
    value: Expr
    if isinstance(term, exp.Neg):
        value, bound, kind = term.this, -bound, MIRRORED.get(kind, kind)
    elif isinstance(term, exp.Add | exp.Sub):
        value, constant = term.this, whole_number(term.expression)
        if constant is None and isinstance(term, exp.Add):
            value, constant = term.expression, whole_number(term.this)
        if constant is None or abs(constant) > _MOST:
            return None
        bound += -constant if isinstance(term, exp.Add) else constant
    elif isinstance(term, exp.Mul):
        value, factor = term.this, whole_number(term.expression)
        if factor is None:
            value, factor = term.expression, whole_number(term.this)
        if not factor or abs(factor) > _MOST:
            return None
        if factor < 0:
            bound, factor, kind = -bound, -factor, MIRRORED.get(kind, kind)
        if kind in (exp.EQ, exp.NEQ) and bound % factor:
            return None
        # The least whole number from the bound on, or the greatest up to it.
        bound = -(-bound // factor) if kind in (exp.GTE, exp.LT) else bound // factor
    else:
        return None
    if not is_signed_integer(value, facts):
        return None
    number: Expr = exp.Literal.number(abs(bound))
    return kind(this=value, expression=exp.Neg(this=number) if bound < 0 else number)
