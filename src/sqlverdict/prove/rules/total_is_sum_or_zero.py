"""TOTAL is a sum as a real, and 0 for no values.

Statement
    TOTAL(n)   ==   CAST(COALESCE(SUM(n), 0) AS REAL)

Holds when
    n is a condition, or an integer and the answer shows TOTAL as it is.

Why
    Both skip NULLs. TOTAL gives 0.0 where there is no value, and a real everywhere else.

Limits
    Reals are left alone: in what order they are added is the engine's choice. TOTAL rounds each sum
    of integers beyond 2^53 on its way, SUM none: a CAST, a comparison or ORDER BY would see the
    last digits. A CAST has an affinity, which TOTAL has not: beside a text, whether in a comparison
    or behind a query, nothing is rewritten.

Source
    SQLite's documentation of TOTAL.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.fractions import is_shown
from sqlverdict.prove.reasoning.shape import is_aggregate
from sqlverdict.prove.resolve.parser_losses import cast_type
from sqlverdict.prove.rule import SQLITE, Pair, rule


@rule(
    trust="proved",
    dialects=SQLITE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT TOTAL(v) FROM t", "SELECT CAST(COALESCE(SUM(v), 0) AS REAL) FROM t"),
        Pair("SELECT TOTAL(v > 1) FROM t", "SELECT COUNT(*) * 1.0 FROM t WHERE v > 1"),
    ],
    different=[
        Pair("SELECT TOTAL(v) FROM t", "SELECT SUM(v) FROM t", because="an empty table"),
        Pair(
            "SELECT TOTAL(v) / 2 FROM t",
            "SELECT COALESCE(SUM(v), 0) / 2 FROM t",
            because="a division of integers cuts",
        ),
        Pair(
            "SELECT TOTAL(v > 1) > '0' FROM t",
            "SELECT CAST(COALESCE(SUM(v > 1), 0) AS REAL) > '0' FROM t",
            because="the CAST makes a number of the text",
        ),
    ],
)
def total_is_sum_or_zero(node: exp.Anonymous, facts: Facts) -> Expr | None:
    """Write the sum."""
    if str(node.this).lower() != "total" or not is_aggregate(node) or len(node.expressions) != 1:
        return None
    value = node.expressions[0]
    if isinstance(node.parent, exp.Window | exp.Filter) or facts.kind(value) != "integer":
        return None
    if not is_truth_value(value) and not is_shown(node):
        return None
    if not facts.is_unconverted(node) and not _is_beside_a_number(node, facts):
        return None
    total = exp.Coalesce(this=exp.Sum(this=value), expressions=[exp.Literal.number(0)])
    return exp.Cast(this=total, to=cast_type("REAL"))


def _is_beside_a_number(node: exp.Anonymous, facts: Facts) -> bool:
    """Whether a comparison has a number on the other side, which no affinity changes."""
    around = node.parent
    if not isinstance(around, exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        return False
    other = around.expression if node is around.this else around.this
    return facts.kind(other) in ("integer", "real", "number")
