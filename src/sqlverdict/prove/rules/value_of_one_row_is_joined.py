"""A value that a filter asks for, of at most one row, may as well be joined.

Statement
    SELECT a.x FROM a WHERE a.y > (SELECT b.z FROM b WHERE b.k = a.f)
    ==   SELECT a.x FROM a, b WHERE b.k = a.f AND a.y > b.z

Holds when
    The inner query gives at most one row for each outer row: its conditions fix a UNIQUE column set
    of each of its sources. The condition is a conjunct of WHERE that is never true where the value
    is NULL.

Why
    Without a row the value is NULL, and the condition drops the outer row, as the join does. With
    one row the join repeats nothing.

Limits
    With several rows SQLite takes the first: left alone, and so is a value under OR or in IN.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import at_most_one_row
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items, split_items
from sqlverdict.prove.reasoning.shape import (
    all_inner,
    conditions,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    items,
    labels,
    own_nodes,
    set_conditions,
)
from sqlverdict.prove.reasoning.strict import rejects_null
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER);"
    " CREATE TABLE s (k INTEGER, z INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE v > (SELECT z FROM u JOIN s ON s.k = w WHERE u.k = t.k)",
            "SELECT v FROM t JOIN u ON u.k = t.k JOIN s ON s.k = w WHERE v > z",
            (Unique("u", ("k",)), Unique("s", ("k",))),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE (SELECT w FROM u WHERE u.k = t.k) IS NULL",
            "SELECT v FROM t JOIN u ON u.k = t.k WHERE w IS NULL",
            (Unique("u", ("k",)),),
            because="without a partner the value is NULL, too",
        ),
    ],
)
def value_of_one_row_is_joined(node: exp.Select, facts: Facts) -> Expr | None:
    """Join the inner sources."""
    if not items(node) or not is_flat(node):
        return None
    own = conditions(node)
    for index, condition in enumerate(own):
        for query in own_nodes(condition):
            if not isinstance(query, exp.Subquery) or not _is_plain(query, node):
                continue
            if not rejects_null(condition, query) or not at_most_one_row(query.this, facts):
                facts.cited.clear()
                continue
            inner = query.this
            mine, outer = split_items(node)
            theirs, _ = split_items(inner)
            inner_conditions = conditions(inner)
            query.replace(inner.expressions[0])
            holder = conditions(node)[index]
            set_items(node, [*mine, *theirs], outer)
            rest = [part for n, part in enumerate(conditions(node)) if n != index]
            set_conditions(node, [*rest, *inner_conditions, holder])
            return node
    return None


def _is_plain(query: exp.Subquery, node: exp.Select) -> bool:
    inner = query.this
    if query.alias or not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return False
    if is_grouped(inner) or is_limited(inner) or has_window(inner) or inner.args.get("distinct"):
        return False
    if not items(inner) or not all_inner(inner) or not is_flat(inner):
        return False
    return all(map(is_closed, items(inner))) and not set(labels(inner)) & set(labels(node))
