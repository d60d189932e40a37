"""A product and quotient of reals has one form: factors above, factors below, one constant.

Statement
    CAST(a AS REAL) * 100 / b   ==   a * 100.0 / b   ==   100 * (a * 1.0 / b)
    CAST(SUM(x) AS REAL) / COUNT(x)   ==   AVG(x)
    CAST(SUM(CASE WHEN d THEN 1 ELSE 0 END) AS REAL) / COUNT(*)   ==   AVG(CASE WHEN d ...)
    SUM(x) / COUNT(x)   ==   AVG(x)        x * 0.5   ==   x / 2        x * 1.0   ==   x

Holds when
    Every division has a real operand by its types (a CAST, a literal with a point, an AVG, a REAL
    column), so that none of them cuts; factors that are cast are numbers. The value is shown as it
    is: a column of the answer, without DISTINCT or a set operation that folds rows.

Why
    Real multiplication and division are those of numbers, up to rounding in the last digits,
    which the comparison of answers tolerates. A NULL or zero below makes the whole NULL, in
    whatever order; so does a SUM over nothing above a COUNT of nothing.

Limits
    Where types are enforced, only the last three hold: for decimals and doubles, for integers where
    the engine does not cut them, and for a factor of at most four digits. MySQL rounds a quotient
    to a few digits, so that no constant is moved there. PostgreSQL shows more digits of a long
    number than others do: there ``SUM(x) * 1.0 / COUNT(x)`` and ``x * 0.5`` have one form with
    ``AVG(x)`` and ``x / 2`` for a REAL, an INTEGER and a NUMERIC of at most 12 digits before the
    point and 4 behind it.
    A division of two integers cuts and is a factor of its own. A comparison, a sort, a grouping,
    a CAST or a function sees the last digits: 55 * 1.0 / 100 * 100 > 55 is true. Reals whose
    product leaves the range of reals are not looked at.

Source
    ETM (Ascoli et al.), rule 8, and house forms: ``*1.0`` and CAST, AVG and SUM / COUNT.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.fractions import fraction_of, is_shown, typed_fraction
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="tested",
    dialects=EVERYWHERE,
    paper=("8",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, r REAL)",
    equal=[
        Pair("SELECT AVG(r) FROM t", "SELECT SUM(r) / COUNT(r) FROM t"),
        Pair("SELECT v * 1.0 FROM t", "SELECT v FROM t"),
        Pair("SELECT SUM(CAST(v AS REAL)) / 2 FROM t", "SELECT SUM(v) / 2.0 FROM t"),
        Pair(
            "SELECT AVG(r) FROM t WHERE r > 1",
            "SELECT SUM(r) / COUNT(*) FROM t WHERE r > 1",
        ),
        Pair("SELECT r / 4 FROM t", "SELECT 0.25 * r FROM t"),
        Pair(
            "SELECT SUM(v) * 100.0 / COUNT(*) FROM t",
            "SELECT CAST(SUM(v) AS REAL) * 100 / COUNT(*) FROM t",
        ),
        Pair("SELECT AVG(v) FROM t", "SELECT CAST(SUM(v) AS REAL) / COUNT(v) FROM t"),
        Pair(
            "SELECT COUNT(CASE WHEN v > 1 THEN 1 END) * 100.0 / COUNT(*) FROM t",
            "SELECT CAST(SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(CAST(v AS REAL)) / COUNT(*) FROM t",
            "SELECT SUM(v) / COUNT(*) FROM t",
            because="a sum of integers is cut",
        ),
        Pair(
            "SELECT SUM(v) / COUNT(*) * 100.0 FROM t",
            "SELECT SUM(v) * 100.0 / COUNT(*) FROM t",
            because="a division of integers cuts",
        ),
        Pair(
            "SELECT CAST(SUM(v) AS REAL) / COUNT(*) FROM t",
            "SELECT AVG(v) FROM t",
            because="v may be NULL",
        ),
    ],
)
def real_fraction_has_one_form(node: exp.Mul | exp.Div | exp.Cast, facts: Facts) -> Expr | None:
    """Write that form."""
    if isinstance(node.parent, exp.Mul | exp.Div):
        return None
    if isinstance(node.parent, exp.Cast) and facts.affinity(node.parent) == "REAL":
        return None
    if not is_shown(node):
        return None
    if facts.record.typed:
        return None if isinstance(node, exp.Cast) else typed_fraction(node, facts)
    fraction = fraction_of(node, facts)
    if isinstance(fraction, exp.Cast) and facts.kind(fraction.this) == "integer":
        # 2.0 is shown for 2.
        fraction = fraction.this
    return (
        fraction
        if fraction is not None and expression_key(fraction) != expression_key(node)
        else None
    )
