"""The UNION of two selections from the same source is their OR.

Statement
    SELECT x FROM a WHERE p UNION SELECT x FROM a WHERE q
    ==   SELECT DISTINCT x FROM a WHERE p OR q

Holds when
    Both sides select the same expressions from the same sources, without grouping, LIMIT or
    outer joins, and their conditions hold the same conjuncts but for one part on each side.

Why
    UNION folds copies, so it does not matter that a row of a may pass both conditions.

Limits
    UNION ALL keeps copies; it is left alone.

Source
    ETM (Ascoli et al.), rules 3 and 21, with copies in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.set_sides import other_conditions
from sqlverdict.prove.reasoning.shape import all_of, conditions, is_limited, set_conditions
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("3", "21"),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v = 1 UNION SELECT k FROM t WHERE v = 2",
            "SELECT DISTINCT k FROM t WHERE v = 1 OR v = 2",
        ),
        Pair("SELECT k FROM t UNION SELECT k FROM t", "SELECT DISTINCT k FROM t"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v = 1 UNION ALL SELECT k FROM t WHERE v = 2",
            "SELECT DISTINCT k FROM t WHERE v = 1 OR v = 2",
            because="UNION ALL keeps copies",
        ),
    ],
)
def union_of_one_source_is_or(node: exp.Union, facts: Facts) -> Expr | None:
    """Write one selection."""
    left, right = node.this, node.expression
    if not node.args.get("distinct") or node.args.get("order") is not None or is_limited(node):
        return None
    rest = other_conditions(left, right, facts)
    if rest is None:
        return None
    ours = conditions(left)
    either = [all_of(side) for side in (ours, rest) if side]
    set_conditions(left, [exp.Or(this=either[0], expression=either[1])] if len(either) == 2 else [])
    left.set("distinct", exp.Distinct())
    return left  # type: ignore[no-any-return]
