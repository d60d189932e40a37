"""A difference is below zero where the first is less than the second.

Statement
    a - b < 0   ==   a < b        and so on for >, <=, >=, =, <>

Holds when
    a and b are signed integers by their types; a constant is far from the ends of 32 bits.

Why
    Integers of a database are far from the limits at which a difference would overflow.

Limits
    At the very ends of 64 bits the difference becomes a real. Reals, texts and unsigned integers
    are left alone.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.reasoning.stored import is_signed_integer
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_MOST = 2**30


@rule(
    trust="tested",
    dialects=EVERYWHERE,
    needs=(exp.Sub,),
    schema="CREATE TABLE t (a INTEGER, b INTEGER)",
    equal=[Pair("SELECT a FROM t WHERE a - b < 0", "SELECT a FROM t WHERE a < b")],
    different=[
        Pair(
            "SELECT a FROM t WHERE a - b < 1", "SELECT a FROM t WHERE a < b", because="1 is not 0"
        ),
    ],
)
def difference_against_zero(
    node: exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Compare the two."""
    difference = node.this
    if not isinstance(difference, exp.Sub) or whole_number(node.expression) != 0:
        return None
    sides = (difference.this, difference.expression)
    if not all(isinstance(side, exp.Column | exp.Literal | exp.Count) for side in sides):
        # A sum of integers may leave 64 bits and become a real.
        return None
    if not all(_is_signed(side, facts) for side in sides):
        return None
    return type(node)(this=difference.this, expression=difference.expression)


def _is_signed(side: Expr, facts: Facts) -> bool:
    number = whole_number(side)
    return is_signed_integer(side, facts) if number is None else abs(number) <= _MOST
