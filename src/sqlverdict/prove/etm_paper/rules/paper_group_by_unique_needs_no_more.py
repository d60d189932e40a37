"""Grouping by a unique column makes further grouping columns idle.

Statement
    SELECT _ FROM t GROUP BY c, c2, ...   ==   SELECT _ FROM t GROUP BY c

Holds when
    c is UNIQUE, and the query does not order.

Why
    Every group has one row of t, in which c2 has one value.

Limits
    UNIQUE admits any number of NULLs, which are one group: with the rows (NULL, 1) and (NULL, 2),
    GROUP BY c, c2 has two groups and GROUP BY c one. Where t is joined, c may repeat, and c2 may
    be of the other table: one order with two lines is two groups by (order, line) and one by
    order.

Source
    ETM (Ascoli et al.), table 2, rule 4.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.constraints import is_unique
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("4",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT COUNT(*) FROM t GROUP BY k, v", "SELECT COUNT(*) FROM t GROUP BY k", KEY),
        Pair("SELECT COUNT(*) FROM t GROUP BY v, k", "SELECT COUNT(*) FROM t GROUP BY k", KEY),
    ],
    different=[
        Pair(
            "SELECT COUNT(*) FROM t GROUP BY k, v",
            "SELECT COUNT(*) FROM t GROUP BY v",
            KEY,
            because="rows may share v",
        ),
    ],
    corners=[
        Pair(
            "SELECT COUNT(*) FROM t GROUP BY k, v",
            "SELECT COUNT(*) FROM t GROUP BY k",
            (Unique("t", ("k",)),),
            because="the rows whose unique k is NULL are one group",
        ),
        Pair(
            "SELECT COUNT(*) FROM t JOIN u ON t.k = u.k GROUP BY t.k, u.w",
            "SELECT COUNT(*) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
            KEY,
            because="the join repeats k, with another w",
        ),
    ],
)
def paper_group_by_unique_needs_no_more(node: exp.Select, facts: Facts) -> Expr | None:
    """Group by the unique column alone."""
    group = node.args.get("group")
    if group is None or node.args.get("order") or len(group.expressions) < 2:
        return None
    for item in group.expressions:
        if is_unique(item, facts):
            group.set("expressions", [item])
            return node
    return None
