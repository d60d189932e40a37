"""The rows that meet a condition, counted beside all rows: count them in one query.

Statement
    SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM t WHERE q) FROM t WHERE q AND p
    ==   SELECT COUNT(CASE WHEN p THEN 1 END) * 1.0 / COUNT(*) FROM t WHERE q

Holds when
    Both queries have the same sources, each table once and without outer joins; the conditions of
    the inner one are among those of the outer one; and the outer one aggregates by COUNT(*) alone.

Why
    COUNT(*) over the rows with q and p counts the rows with q for which p is true.

Limits
    Other aggregates in the outer query would see other rows: left alone.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.counting import counts_when
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat
from sqlverdict.prove.reasoning.same_rows import SameRows, same_rows
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    all_inner,
    all_of,
    own_nodes,
    set_conditions,
)
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="proved",
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(*) * 100.0 / (SELECT COUNT(*) FROM t WHERE k > 1) FROM t"
            " WHERE k > 1 AND v = 2",
            "SELECT COUNT(CASE WHEN v = 2 THEN 1 END) * 100.0 / COUNT(*) FROM t WHERE k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(*) * 100.0 / (SELECT COUNT(*) FROM t) FROM t WHERE k > 1 AND v = 2",
            "SELECT COUNT(CASE WHEN v = 2 THEN 1 END) * 100.0 / COUNT(*) FROM t WHERE k > 1",
            because="the inner query counts all rows",
        ),
    ],
)
def share_of_rows_is_average(node: exp.Select, facts: Facts) -> Expr | None:
    """Count both in one query."""
    if any(node.args.get(p) for p in ("group", "having", "order", "limit", "distinct")):
        return None
    counts = list(aggregates_in(node.expressions))
    if (
        not counts
        or not all(_counts_rows(count) for count in counts)
        or not all_inner(node)
        or not is_flat(node)
        or next(bare_columns(node), None) is not None
    ):
        return None
    for projection in node.expressions:
        for part in own_nodes(projection):
            if isinstance(part, exp.Subquery) and part is not projection:
                rest = same_rows(node, part.this, facts)
                if rest is not None and _counts_rows(part.this.expressions[0]):
                    return _merged(node, counts, part, rest)
    return None


def _counts_rows(node: Expr) -> bool:
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Star)


def _merged(node: exp.Select, counts: list[Expr], query: Expr, rest: SameRows) -> Expr:
    for count in counts:
        if rest.own:
            count.replace(counts_when(all_of([counted_copy(part) for part in rest.own])))
    query.replace(exp.Count(this=exp.Star(), big_int=True))
    set_conditions(node, rest.shared)
    return node
