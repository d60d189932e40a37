"""Between two integers there is nothing: an inclusive bound is the next exclusive one.

Statement
    n >= 5   ==   n > 4
    n <= 5   ==   n < 6

Holds when
    n is an integer by its declared type, and the bound is a whole literal.

Why
    No integer lies between 4 and 5. NULL makes both NULL.

Limits
    REAL and NUMERIC columns may hold 4.5; they are left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_MOST = 2**53


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (n INTEGER, r REAL)",
    equal=[
        Pair("SELECT n FROM t WHERE n >= 5", "SELECT n FROM t WHERE n > 4"),
        Pair(
            "SELECT COUNT(*) FROM t HAVING COUNT(*) <= 1",
            "SELECT COUNT(*) FROM t HAVING COUNT(*) < 2",
        ),
    ],
    different=[
        Pair("SELECT r FROM t WHERE r >= 5", "SELECT r FROM t WHERE r > 4", because="r may be 4.5"),
    ],
)
def integers_have_gaps(node: exp.GTE | exp.LTE, facts: Facts) -> Expr | None:
    """Make the bound exclusive."""
    left, right = node.this, node.expression
    upper = isinstance(node, exp.LTE)
    bound, value_side = whole_number(right), left
    if bound is None:
        bound, value_side, upper = whole_number(left), right, not upper
    if bound is None or abs(bound) >= _MOST or facts.kind(value_side) != "integer":
        return None
    if isinstance(value_side, exp.Literal):
        return None
    value = bound + 1 if upper else bound - 1
    limit: Expr = exp.Literal.number(abs(value))
    limit = exp.Neg(this=limit) if value < 0 else limit
    kind = exp.LT if upper else exp.GT
    return kind(this=value_side, expression=limit)
