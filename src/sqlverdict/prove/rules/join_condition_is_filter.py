"""The condition of an inner join may as well stand in WHERE.

Statement
    FROM a JOIN b ON p WHERE q   ==   FROM a, b WHERE p AND q

Holds when
    No RIGHT or FULL JOIN comes after it.

Why
    An inner join keeps the pairs of rows for which p is true, as WHERE does; a later LEFT JOIN
    keeps every row of its left side, so it does not matter when they are dropped.

Limits
    The conditions of outer joins stay where they are.

Source
    House rule; ETM (Ascoli et al.) lacks it: comma joins, and a condition in ON or WHERE.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import conditions, is_inner, joins, parts, set_conditions
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    paper=("P4",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t JOIN u ON t.k = u.k WHERE w > 1",
            "SELECT v FROM u, t WHERE u.k = t.k AND w > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT v FROM t, u WHERE t.k = u.k",
            because="the outer join keeps rows without a partner",
        ),
    ],
)
def join_condition_is_filter(node: exp.Select, facts: Facts) -> Expr | None:
    """Move the conditions."""
    del facts
    own_joins = joins(node)
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in own_joins):
        return None
    filters: list[Expr] = []
    for join in own_joins:
        if is_inner(join) and join.args.get("on") is not None:
            filters += parts(join.args["on"])
            join.set("on", None)
    if not filters:
        return None
    set_conditions(node, [*filters, *conditions(node)])
    return node
