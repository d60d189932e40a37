"""UNION ALL of two selections from one source that share no row is their OR.

Statement
    SELECT x FROM a WHERE y < 1 UNION ALL SELECT x FROM a WHERE y >= 1
    ==   SELECT x FROM a WHERE y < 1 OR y >= 1

Holds when
    Both sides select the same expressions from the same tables, without grouping, DISTINCT, LIMIT
    or outer joins. No row meets the conditions of both: one asks for y = 1 and the other for y = 2,
    one for y < 1 and the other for y >= 1, one for NULL and the other for a value.

Why
    Each row of a passes one of the two filters or none, so that it comes once or not at all.

Limits
    Rows that pass both filters come twice: left alone unless the conditions show that there are
    none. Only integers and reals are compared with bounds, and texts for equality.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.disjoint import are_disjoint
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.set_sides import other_conditions
from sqlverdict.prove.reasoning.shape import all_of, conditions, is_limited, set_conditions
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v = 1 UNION ALL SELECT k FROM t WHERE v = 2",
            "SELECT k FROM t WHERE v = 1 OR v = 2",
        ),
        Pair(
            "SELECT k FROM t WHERE v < 1 UNION ALL SELECT k FROM t WHERE v IS NULL",
            "SELECT k FROM t WHERE v < 1 OR v IS NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE v > 5 UNION ALL SELECT k FROM t WHERE v <= 5",
            "SELECT k FROM t WHERE v IS NOT NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v < 3 UNION ALL SELECT k FROM t WHERE v >= 2",
            "SELECT k FROM t WHERE v < 3 OR v >= 2",
            because="a row may pass both",
        ),
    ],
)
def union_all_of_disjoint_filters_is_or(node: exp.Union, facts: Facts) -> Expr | None:
    """Write one selection."""
    left, right = node.this, node.expression
    if node.args.get("distinct") or node.args.get("order") is not None or is_limited(node):
        return None
    if left.args.get("distinct") or right.args.get("distinct"):
        return None
    theirs = other_conditions(left, right, facts)
    if not theirs or not conditions(left) or not are_disjoint(conditions(left), theirs, facts):
        facts.cited.clear()
        return None
    either = exp.Or(this=all_of(conditions(left)), expression=all_of(theirs))
    set_conditions(left, [either])
    return left  # type: ignore[no-any-return]
