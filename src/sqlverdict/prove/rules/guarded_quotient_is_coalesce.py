"""A quotient that is guarded against zero, with another value for that case.

Statement
    CASE WHEN y <> 0 THEN x / y ELSE d END   ==   COALESCE(x / y, d)

Holds when
    A division by zero gives NULL, as in SQLite and MySQL, and nothing else makes x / y NULL: x and
    y are never NULL, and x is an integer, times constants. Where y is ``COUNT(*)``, x may be a SUM
    of integers that are never NULL. The quotient may be multiplied by a constant, rounded or cast.

Why
    The quotient is NULL where y is 0, and only there.

Limits
    x that may be infinite is left alone: infinity divided by itself is NULL.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.zero_guards import guard_of, is_share
from sqlverdict.prove.rule import WITH_NUMBERS, Pair, rule


@rule(
    trust="proved",
    dialects=WITH_NUMBERS,
    needs=(exp.Case,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT CASE WHEN k = 0 THEN 0 ELSE v / k END FROM t",
            "SELECT COALESCE(v / NULLIF(k, 0), 0) FROM t",
            (NotNull("t", "k"), NotNull("t", "v")),
        ),
        Pair(
            "SELECT CASE WHEN COUNT(w) > 0 THEN COUNT(*) * 100.0 / COUNT(w) ELSE 1 END FROM t",
            "SELECT COALESCE(COUNT(*) * 100.0 / COUNT(w), 1) FROM t",
        ),
        Pair(
            "SELECT CASE WHEN COUNT(*) = 0 THEN 0 ELSE SUM(v) * 1.0 / COUNT(*) END FROM t",
            "SELECT COALESCE(SUM(v) * 1.0 / NULLIF(COUNT(*), 0), 0) FROM t",
            (NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN k <> 0 THEN w / k ELSE 0 END FROM t",
            "SELECT COALESCE(w / k, 0) FROM t",
            (NotNull("t", "k"),),
            because="w may be NULL",
        ),
        Pair(
            "SELECT CASE WHEN COUNT(*) = 0 THEN 0 ELSE SUM(w) * 1.0 / COUNT(*) END FROM t",
            "SELECT COALESCE(SUM(w) * 1.0 / COUNT(*), 0) FROM t",
            because="all values of w may be NULL",
        ),
        Pair(
            "SELECT CASE WHEN k > 0 THEN v / k ELSE 0 END FROM t",
            "SELECT COALESCE(v / k, 0) FROM t",
            (NotNull("t", "k"), NotNull("t", "v")),
            because="k may be negative",
        ),
    ],
)
def guarded_quotient_is_coalesce(node: exp.Case, facts: Facts) -> Expr | None:
    """Write COALESCE."""
    guard = guard_of(node, facts)
    if guard is None:
        return None
    below, value, other = guard
    if other is None or not facts.never_null(below) or not is_share(value, below, facts):
        return None
    return exp.Coalesce(this=value, expressions=[other])
