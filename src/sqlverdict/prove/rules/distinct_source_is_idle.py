"""Copies in a derived table do not count where the query around it ignores copies.

Statement
    SELECT COUNT(DISTINCT d.x) FROM (SELECT DISTINCT x, y FROM t) AS d
    ==   SELECT COUNT(DISTINCT d.x) FROM (SELECT x, y FROM t) AS d

Holds when
    The derived table has no LIMIT, and it makes no difference how often a row of the outer query
    occurs: it is DISTINCT, or tested, or aggregates by MIN, MAX and DISTINCT alone.

Why
    DISTINCT takes nothing away but copies.

Limits
    Outer joins are left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: COUNT over a DISTINCT subquery.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import multiplicity_is_idle
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import all_inner, is_limited, items
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(DISTINCT d.v) FROM (SELECT DISTINCT k, v FROM t) AS d",
            "SELECT COUNT(DISTINCT d.v) FROM (SELECT k, v FROM t) AS d",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(d.v) FROM (SELECT DISTINCT k, v FROM t) AS d",
            "SELECT COUNT(d.v) FROM (SELECT k, v FROM t) AS d",
            because="COUNT counts copies",
        ),
    ],
)
def distinct_source_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop DISTINCT inside."""
    del facts
    if not all_inner(node):
        return None
    for item in items(node):
        inner = item.this if isinstance(item, exp.Subquery) else None
        if not isinstance(inner, exp.Select) or not inner.args.get("distinct"):
            continue
        if not is_limited(inner) and multiplicity_is_idle(node):
            inner.set("distinct", None)
            return node
    return None
