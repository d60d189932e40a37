"""A condition is 1 or 0, so its sum is the sum of a CASE.

Statement
    SUM(d)   ==   SUM(CASE WHEN d THEN 1 ELSE 0 END)

Holds when
    d is a condition that is never NULL.

Why
    A condition's value is 1 where it is true and 0 where it is false.

Limits
    A condition that may be NULL is skipped by SUM and counted as 0 by CASE: over NULLs alone the
    sums are NULL and 0.

Source
    House rule; ETM (Ascoli et al.) lacks it: SUM of a condition.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.rule import WITH_NUMBERS, Pair, rule


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    dialects=WITH_NUMBERS,
    equal=[
        Pair(
            "SELECT SUM(v = 3) FROM t WHERE v IS NOT NULL",
            "SELECT SUM(CASE WHEN v = 3 THEN 1 ELSE 0 END) FROM t WHERE v IS NOT NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(v = 3) FROM t",
            "SELECT SUM(CASE WHEN v = 3 THEN 1 ELSE 0 END) FROM t",
            because="NULLs alone",
        ),
    ],
)
def sum_of_condition_is_case(node: exp.Sum | exp.Avg, facts: Facts) -> Expr | None:
    """Write the CASE."""
    inner = node.this
    if not is_truth_value(inner) or not facts.never_null(inner):
        return None
    branch = exp.If(this=counted_copy(inner), true=exp.Literal.number(1))
    node.set("this", exp.Case(ifs=[branch], default=exp.Literal.number(0)))
    return node
