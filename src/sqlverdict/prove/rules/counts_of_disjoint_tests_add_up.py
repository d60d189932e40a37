"""Counts under conditions that exclude each other add up to one count.

Statement
    COUNT(CASE WHEN p THEN 1 END) + COUNT(CASE WHEN q THEN 1 END)
    ==   COUNT(CASE WHEN p OR q THEN 1 END)
    COUNT(x) + COUNT(CASE WHEN x IS NULL THEN 1 END)   ==   COUNT(*)

Holds when
    Both counts are of one group, and no row passes p and q: one asks for v = 1 and the other for
    v = 2, one for v < 1 and the other for v >= 1, one for NULL and the other for a value.

Why
    Each row is counted by one of the two or by none. A count is never NULL.

Limits
    A row that passes both is counted twice: left alone. So are counts with DISTINCT, and those of a
    window.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.counting import counts_when, tested_condition
from sqlverdict.prove.reasoning.disjoint import are_disjoint
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery, is_aggregate, parts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Add,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, COUNT(v) + COUNT(CASE WHEN v IS NULL THEN 1 END) FROM t GROUP BY k",
            "SELECT k, COUNT(*) FROM t GROUP BY k",
        ),
        Pair(
            "SELECT COUNT(CASE WHEN v = 1 THEN 1 END) + COUNT(CASE WHEN v = 2 THEN 1 END) FROM t",
            "SELECT COUNT(CASE WHEN v IN (1, 2) THEN 1 END) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(CASE WHEN v < 2 THEN 1 END) + COUNT(CASE WHEN v > 0 THEN 1 END) FROM t",
            "SELECT COUNT(CASE WHEN v < 2 OR v > 0 THEN 1 END) FROM t",
            because="a row may be counted twice",
        ),
    ],
)
def counts_of_disjoint_tests_add_up(node: exp.Add, facts: Facts) -> Expr | None:
    """Count once."""
    tests = [_test(part) for part in (node.this, node.expression)]
    first, second = tests
    if first is None or second is None or has_subquery(first) or has_subquery(second):
        return None
    if not are_disjoint(parts(first), parts(second), facts):
        facts.cited.clear()
        return None
    return counts_when(exp.Or(this=first, expression=second))


def _test(call: Expr) -> Expr | None:
    """The condition under which a row is counted."""
    if not isinstance(call, exp.Count) or not is_aggregate(call) or call.expressions:
        return None
    if isinstance(call.this, exp.Column):
        return exp.Not(this=exp.Is(this=call.this, expression=exp.Null()))
    return tested_condition(call)
