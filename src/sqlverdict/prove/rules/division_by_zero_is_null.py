"""A guard against a division by zero is idle, where that gives NULL anyway.

Statement
    x / NULLIF(y, 0)                     ==   x / y
    CASE WHEN y <> 0 THEN x / y END      ==   x / y

Holds when
    A division by zero gives NULL, as in SQLite and MySQL. THEN may be any expression that is NULL
    where the quotient is and that cannot fail, and the operation a remainder. Of a COUNT, ``> 0``
    is as good as ``<> 0``.

Why
    Where y is 0, both sides are NULL; where it is NULL, too.

Limits
    In MySQL y is a number: 'a' is equal to 0 there, and so is a value of ENUM in a CASE. In SQLite
    a CAST has an affinity, which a CASE has not: beside other values it is left alone.

Source
    SQLite's and MySQL's documentation of the operators; house rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.zero_guards import divides_by, guard_of
from sqlverdict.prove.rule import WITH_NUMBERS, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=WITH_NUMBERS,
    needs=(exp.Case, exp.Nullif),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT v / NULLIF(k, 0) FROM t", "SELECT v / k FROM t"),
        Pair(
            "SELECT CASE WHEN k = 0 THEN NULL ELSE v * 1.0 / k * 100 END FROM t",
            "SELECT v * 1.0 / k * 100 FROM t",
        ),
        Pair(
            "SELECT CASE WHEN COUNT(*) > 0 THEN SUM(v) * 1.0 / COUNT(*) END FROM t",
            "SELECT SUM(v) * 1.0 / COUNT(*) FROM t",
        ),
    ],
    different=[
        Pair("SELECT v / NULLIF(k, 1) FROM t", "SELECT v / k FROM t", because="k may be 1"),
        Pair(
            "SELECT CASE WHEN k > 0 THEN v / k END FROM t",
            "SELECT v / k FROM t",
            because="k may be negative",
        ),
        Pair(
            "SELECT CASE WHEN k <> 0 THEN COALESCE(v / k, 1) END FROM t",
            "SELECT COALESCE(v / k, 1) FROM t",
            because="another value stands in for NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE CASE WHEN k <> 0 THEN CAST(v / k AS TEXT) END > 1",
            "SELECT k FROM t WHERE CAST(v / k AS TEXT) > 1",
            because="the CAST makes a text of the number",
        ),
    ],
)
def division_by_zero_is_null(node: exp.Div | exp.Mod | exp.Case, facts: Facts) -> Expr | None:
    """Leave the guard out."""
    guard = guard_of(node if isinstance(node, exp.Case) else node.expression, facts)
    if guard is None:
        return None
    below, value, other = guard
    if other is not None:
        return None
    if isinstance(node, exp.Case):
        if isinstance(value, exp.Cast) and not facts.is_unconverted(node):
            return None
        return value if divides_by(value, below) else None
    if not same_expression(below, value):
        return None
    node.set("expression", value)
    return node
