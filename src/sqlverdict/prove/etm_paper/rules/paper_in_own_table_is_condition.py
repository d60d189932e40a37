"""IN over a column of the same table is the inner condition.

Statement
    SELECT _ FROM t WHERE c IN (SELECT c FROM t WHERE d)   ==   SELECT _ FROM t WHERE d

Holds when
    The inner query selects the same column from the same table, and has a WHERE.

Why
    A row's c is among those of the rows for which d holds where d holds for it.

Limits
    That takes a c that no two rows share: with the rows (c, v) = (1, 5) and (1, 6), ``c IN
    (SELECT c FROM t WHERE v = 5)`` keeps both, ``v = 5`` one. What the inner query joins, groups
    or limits is not looked at.

Source
    ETM (Ascoli et al.), table 3, rule 20.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.shapes import name_of, same, table_name
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("20",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT k FROM t WHERE v > 1)",
            "SELECT v FROM t WHERE v > 1",
            (Unique("t", ("k",)), NotNull("t", "k")),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT v FROM t WHERE v > 1)",
            "SELECT v FROM t WHERE v > 1",
            because="k is looked up among the v",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT k FROM t WHERE v = 5)",
            "SELECT v FROM t WHERE v = 5",
            because="rows may share k",
        ),
    ],
)
def paper_in_own_table_is_condition(node: exp.In, facts: Facts) -> Expr | None:
    """Write the inner condition."""
    del facts
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    where, sources = inner.args.get("where"), items(inner)
    outside = name_of(node.this)
    if where is None or outside is None or not same(inner.expressions[0], node.this):
        return None
    if not sources or table_name(sources[0]) != outside[0]:
        return None
    if not isinstance(node.find_ancestor(exp.Where, exp.Select), exp.Where):
        return None
    condition: Expr = where.this
    return condition
