"""A condition on a derived table that folds rows may stand inside it.

Statement
    SELECT d.g FROM (SELECT g, COUNT(*) AS n FROM t GROUP BY g) AS d WHERE d.n > 1
    ==   SELECT d.g FROM (SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING COUNT(*) > 1) AS d
    SELECT d.g FROM (SELECT DISTINCT g FROM t) AS d WHERE d.g > 1
    ==   SELECT d.g FROM (SELECT DISTINCT g FROM t WHERE g > 1) AS d

Holds when
    The condition speaks of no other source of its query, and a query in it of nothing outside. The
    derived table has GROUP BY or DISTINCT, no LIMIT and no window, and is joined by inner joins.
    Values that DISTINCT folds have one order, in which equal ones are the same: integers, reals,
    texts, days, moments, decimals of one scale.

Why
    The condition is asked of each row that the derived table gives, before or after its last step.

Limits
    On the padded side of an outer join a condition must not move; it is left alone there, and so is
    a derived table that shows columns beside its groups.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, split_items, substitute
from sqlverdict.prove.reasoning.shape import (
    columns_in,
    conditions,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    own_nodes,
    set_conditions,
    source_label,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS d WHERE n > 1",
            "SELECT k FROM t GROUP BY k HAVING COUNT(*) > 1",
        ),
        Pair(
            "SELECT w FROM u JOIN (SELECT DISTINCT k, v FROM t) AS d ON w > v WHERE v > 1",
            "SELECT w FROM u JOIN (SELECT DISTINCT k, v FROM t WHERE v > 1) AS d ON w > v",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM (SELECT k, COUNT(v) AS n FROM t GROUP BY k) AS d WHERE n > 1",
            "SELECT k FROM (SELECT k, COUNT(v) AS n FROM t WHERE v > 1 GROUP BY k) AS d",
            because="the condition is one on the count",
        ),
    ],
)
def filter_of_derived_groups(node: exp.Select, facts: Facts) -> Expr | None:
    """Move the conditions inside."""
    own = conditions(node)
    if not own or not is_flat(node):
        return None
    for item in split_items(node)[0]:
        query = item.this if isinstance(item, exp.Subquery) else None
        if not isinstance(query, exp.Select) or not _folds_rows(query, facts):
            continue
        filters = [part for part in own if _is_of(part, item.alias)]
        if not filters:
            continue
        set_conditions(node, [part for part in own if not any(part is m for m in filters)])
        columns = {(item.alias, f"c{n}"): value for n, value in enumerate(query.expressions)}
        clause = "having" if query.args.get("group") is not None else "where"
        holder = exp.Select()
        set_conditions(holder, filters)
        substitute(holder, columns)
        set_conditions(query, [*conditions(query, clause), *conditions(holder)], clause)
        return node
    return None


def _folds_rows(query: exp.Select, facts: Facts) -> bool:
    if is_limited(query) or has_window(query) or query.args.get("order") is not None:
        return False
    if query.args.get("group") is not None:
        return next(bare_columns(query), None) is None
    if is_grouped(query) or not query.args.get("distinct"):
        return False
    return all(has_one_order(item, facts) for item in query.expressions)


def _is_of(condition: Expr, label: str) -> bool:
    """Whether a condition speaks of one source alone, and its queries of nothing outside."""
    queries = [part for part in own_nodes(condition) if isinstance(part, exp.Query)]
    if not all(map(is_closed, queries)):
        return False
    inside = {id(column) for query in queries for column in columns_in(query)}
    own = [column for column in columns_in(condition) if id(column) not in inside]
    return bool(own) and all(source_label(column) == label for column in own)
