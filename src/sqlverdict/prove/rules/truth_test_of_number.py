"""A number IS TRUE where it is not 0, and IS FALSE where it is.

Statement
    n IS TRUE    ==   n <> 0 AND n IS NOT NULL
    n IS FALSE   ==   n = 0 AND n IS NOT NULL

Holds when
    n is an integer.

Why
    A number is true where it is not 0. IS is never NULL.

Limits
    A text is converted first, and a real is left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.shape import groups_without, has_subquery
from sqlverdict.prove.rule import SQLITE, Pair, rule


@rule(
    trust="proved",
    dialects=SQLITE,
    needs=(exp.Is,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE v IS TRUE", "SELECT k FROM t WHERE v <> 0"),
        Pair(
            "SELECT k FROM t WHERE v IS NOT TRUE",
            "SELECT k FROM t WHERE v = 0 OR v IS NULL",
        ),
        Pair("SELECT k FROM t WHERE v IS FALSE", "SELECT k FROM t WHERE v = 0"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v IS TRUE",
            "SELECT k FROM t WHERE v = 1",
            because="2 is true, too",
        ),
        Pair(
            "SELECT k FROM t WHERE v IS NOT TRUE",
            "SELECT k FROM t WHERE v = 0",
            because="NULL is not true",
        ),
    ],
)
def truth_test_of_number(node: exp.Is, facts: Facts) -> Expr | None:
    """Compare with 0."""
    value, truth = node.this, node.expression
    if not isinstance(truth, exp.Boolean) or is_truth_value(value) or has_subquery(value):
        return None
    if facts.kind(value) != "integer" or not groups_without(node):
        return None
    kind = exp.NEQ if truth.this else exp.EQ
    compared = kind(this=counted_copy(value), expression=exp.Literal.number(0))
    has_value = exp.Not(this=exp.Is(this=value, expression=exp.Null()))
    return exp.And(this=compared, expression=has_value)
