"""A LEFT JOIN whose padded rows WHERE drops is an inner join.

Statement
    FROM a LEFT JOIN b ON p WHERE b.x > 1   ==   FROM a JOIN b ON p WHERE b.x > 1

Holds when
    A conjunct of WHERE is never true where a column of b is NULL, and no RIGHT or FULL JOIN is
    about.

Why
    The rows that the outer join adds have NULL in every column of b.

Limits
    Conditions like b.x IS NULL or COALESCE(b.x, 0) = 0 let such rows pass.

Source
    House rule; a well-known simplification of outer joins.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import columns_in, conditions, has_subquery, joins, parts
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.k = u.k WHERE u.w > 1",
            "SELECT v FROM t JOIN u ON t.k = u.k WHERE u.w > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t LEFT JOIN u ON t.k = u.k WHERE t.v > 1",
            "SELECT v FROM t JOIN u ON t.k = u.k WHERE t.v > 1",
            because="a row of t without a partner passes",
        ),
    ],
)
def left_join_with_filter_is_inner(node: exp.Select, facts: Facts) -> Expr | None:
    """Make the join an inner one."""
    del facts
    own_joins = joins(node)
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in own_joins):
        return None
    # A later inner join's condition filters too.
    filters = [part for part in conditions(node) if not has_subquery(part)]
    for join in own_joins:
        if (join.side or "").upper() != "LEFT":
            continue
        label = join.this.alias
        for condition in filters:
            ours = [c for c in columns_in(condition) if c.text("table") == label]
            if any(rejects_null(part, c) for part in parts(condition) for c in ours):
                join.set("side", None)
                join.set("kind", None)
                return node
    return None
