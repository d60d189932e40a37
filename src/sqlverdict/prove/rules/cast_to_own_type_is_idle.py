"""A CAST to the type that a column has already changes nothing.

Statement
    CAST(r AS REAL)   ==   r          r is declared REAL
    CAST(n AS INTEGER)   ==   n       n is declared INTEGER, and so on for TEXT

Holds when
    The operand is a column whose declared type has the affinity of the CAST: INTEGER, REAL or TEXT.

Why
    The column holds values of that type or NULL, which CAST leaves alone; both have the same
    affinity, so that no comparison tells them apart.

Limits
    NUMERIC columns hold integers, reals and texts; expressions have no affinity: left alone.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

_KINDS = {"INTEGER": "integer", "REAL": "real", "TEXT": "text"}


@rule(
    trust="proved",
    schema="CREATE TABLE t (n INTEGER, r REAL, s TEXT, d DATE)",
    equal=[
        Pair("SELECT n FROM t ORDER BY CAST(r AS REAL) / n", "SELECT n FROM t ORDER BY r / n"),
        Pair("SELECT n FROM t WHERE CAST(s AS TEXT) > 5", "SELECT n FROM t WHERE s > 5"),
    ],
    different=[
        Pair(
            "SELECT n FROM t WHERE CAST(r AS INTEGER) > 1",
            "SELECT n FROM t WHERE r > 1",
            because="1.5 is cut to 1",
        ),
        Pair(
            "SELECT n FROM t WHERE CAST(n AS TEXT) < '2'",
            "SELECT n FROM t WHERE n < '2'",
            because="'10' comes before '2'",
        ),
        Pair(
            "SELECT CAST(d AS DATE) FROM t",
            "SELECT d FROM t",
            because="DATE is NUMERIC, and the cast of '2020-01-31' is 2020",
        ),
    ],
)
def cast_to_own_type_is_idle(node: exp.Cast, facts: Facts) -> Expr | None:
    """Take the column."""
    column = node.this
    affinity = facts.affinity(node)
    kind = _KINDS.get(affinity or "")
    if kind is None or not isinstance(column, exp.Column) or facts.kind(column) != kind:
        return None
    return column if facts.affinity(column) == affinity else None
