"""Copies do not count in IN, EXISTS and set operations, so DISTINCT says nothing there.

Statement
    x IN (SELECT DISTINCT y FROM b)               ==   x IN (SELECT y FROM b)
    SELECT DISTINCT x FROM a UNION SELECT y FROM b ==  SELECT x FROM a UNION SELECT y FROM b

Holds when
    The query has no LIMIT, and only the set of its rows counts where it stands.

Why
    Membership in a set does not depend on copies, and UNION, INTERSECT and EXCEPT fold them.

Limits
    UNION ALL keeps copies; its sides are left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: IN (SELECT DISTINCT ...).
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import is_tested
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import is_limited
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Distinct,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE k IN (SELECT DISTINCT v FROM t)",
            "SELECT k FROM t WHERE k IN (SELECT v FROM t)",
        ),
        Pair(
            "SELECT DISTINCT k FROM t EXCEPT SELECT DISTINCT v FROM t",
            "SELECT k FROM t EXCEPT SELECT v FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT DISTINCT k FROM t UNION ALL SELECT v FROM t",
            "SELECT k FROM t UNION ALL SELECT v FROM t",
            because="UNION ALL keeps copies",
        ),
    ],
)
def distinct_inside_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop DISTINCT."""
    del facts
    if not node.args.get("distinct") or is_limited(node) or not is_tested(node):
        return None
    node.set("distinct", None)
    return node
