"""A condition is 1 or 0, so its sum is the sum of a CASE.

Statement
    SUM(d)   ==   SUM(CASE WHEN d THEN 1 ELSE 0 END)                for a d that is never NULL
    SUM(d)   ==   SUM(CASE WHEN d THEN 1 WHEN NOT d THEN 0 END)     for any other d

Holds when
    d is a condition; one that may be NULL has no query.

Why
    A condition's value is 1 where it is true, 0 where it is false, and NULL elsewhere, as a CASE is
    without ELSE.

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
from sqlverdict.prove.reasoning.shape import has_subquery
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
        Pair(
            "SELECT SUM(v > 1) FROM t",
            "SELECT SUM(CASE WHEN v <= 1 THEN 0 WHEN v > 1 THEN 1 END) FROM t",
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
    if not is_truth_value(inner):
        return None
    branch = exp.If(this=counted_copy(inner), true=exp.Literal.number(1))
    if not facts.never_null(inner):
        facts.cited.clear()
        if has_subquery(inner):
            return None
        other = exp.If(
            this=exp.Not(this=counted_copy(inner)),
            true=exp.Literal.number(0),
        )
        node.set("this", exp.Case(ifs=[branch, other]))
        return node
    node.set("this", exp.Case(ifs=[branch], default=exp.Literal.number(0)))
    return node
