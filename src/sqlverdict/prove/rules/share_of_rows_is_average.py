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

from sqlverdict.prove.canonical import key
from sqlverdict.prove.counting import counts_when
from sqlverdict.prove.known import Known
from sqlverdict.prove.moves import is_flat, substitute
from sqlverdict.prove.rule import Pair, rule
from sqlverdict.prove.scope import resolved
from sqlverdict.prove.shape import (
    aggregates_in,
    all_inner,
    all_of,
    conditions,
    items,
    name_of,
    own_nodes,
    set_conditions,
)


@rule(
    trust="proved",
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
def share_of_rows_is_average(node: exp.Select, known: Known) -> Expr | None:
    """Count both in one query."""
    if any(node.args.get(p) for p in ("group", "having", "order", "limit", "distinct")):
        return None
    counts = list(aggregates_in(node.expressions))
    if (
        not counts
        or not all(_counts_rows(found) for found in counts)
        or not all_inner(node)
        or not is_flat(node)
    ):
        return None
    for projection in node.expressions:
        for found in own_nodes(projection):
            if isinstance(found, exp.Subquery) and found is not projection:
                rest = _rest(node, found.this, known)
                if rest is not None and _counts_rows(found.this.expressions[0]):
                    return _merged(node, counts, found, rest)
    return None


def _counts_rows(node: Expr) -> bool:
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Star)


def _rest(node: exp.Select, inner: Expr, known: Known) -> tuple[list[Expr], list[Expr]] | None:
    """The outer conditions that the inner query shares, and the others."""
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or not all_inner(inner):
        return None
    if not is_flat(inner):
        return None
    parts = ("group", "having", "order", "limit", "offset", "distinct")
    if any(inner.args.get(part) for part in parts):
        return None
    mine = {known.bases.get(item.alias): item.alias for item in items(node)}
    theirs = {known.bases.get(item.alias): item.alias for item in items(inner)}
    if None in mine or mine.keys() != theirs.keys() or len(mine) != len(items(node)):
        return None
    if len(theirs) != len(items(inner)):
        return None
    renamed = {theirs[table]: label for table, label in mine.items()}
    copy = inner.copy()
    names = {name_of(c) for c in copy.find_all(exp.Column) if c.text("table") in renamed}
    substitute(copy, {name: resolved(renamed[name[0]], name[1]) for name in names})
    wanted = {key(condition) for condition in conditions(copy)}
    ours = conditions(node)
    shared = [condition for condition in ours if key(condition) in wanted]
    if {key(condition) for condition in shared} != wanted:
        return None
    return shared, [condition for condition in ours if key(condition) not in wanted]


def _merged(
    node: exp.Select, counts: list[Expr], query: Expr, rest: tuple[list[Expr], list[Expr]]
) -> Expr:
    shared, own = rest
    for found in counts:
        if own:
            found.replace(counts_when(all_of([part.copy() for part in own])))
    query.replace(exp.Count(this=exp.Star(), big_int=True))
    set_conditions(node, shared)
    return node
