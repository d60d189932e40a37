"""A derived table of one row is the values in it.

Statement
    SELECT a.x FROM a, (SELECT MAX(y) AS m FROM b WHERE p) AS d WHERE a.x = d.m
    ==   SELECT a.x FROM a WHERE a.x = (SELECT MAX(y) FROM b WHERE p)

Holds when
    The derived table aggregates without GROUP BY and HAVING, is joined by an inner join beside
    another source, and refers to nothing outside. Where the query around it groups, its columns are
    used in WHERE alone.

Why
    It has one row whatever its tables hold, so the join neither drops nor repeats a row; and a
    query for one value gives the value of that row.

Limits
    HAVING may leave no row: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import drop_item, is_flat, split_items, substitute
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    columns_in,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    output_nodes,
    source_label,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t, (SELECT MAX(w) AS m FROM u WHERE f > 1) AS d WHERE v = m",
            "SELECT k FROM t WHERE v = (SELECT MAX(w) FROM u WHERE f > 1)",
        ),
        Pair(
            "SELECT k, v - m FROM t CROSS JOIN (SELECT MIN(w) AS m, COUNT(*) AS n FROM u) AS d",
            "SELECT k, v - (SELECT MIN(w) FROM u) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t, (SELECT MAX(w) AS m FROM u GROUP BY f) AS d WHERE v = m",
            "SELECT k FROM t WHERE v = (SELECT MAX(w) FROM u)",
            because="there is a row for each group",
        ),
    ],
)
def table_of_one_row_is_values(node: exp.Select, facts: Facts) -> Expr | None:
    """Put the values."""
    del facts
    inner, _ = split_items(node)
    if len(inner) < 2 or not is_flat(node):
        return None
    for item in inner:
        query = item.this if isinstance(item, exp.Subquery) else None
        if not isinstance(query, exp.Select) or not _is_one_row(query) or not is_closed(item):
            continue
        if is_grouped(node) and _shows(node, item.alias):
            continue
        values = {}
        for number, output in enumerate(query.expressions):
            one = counted_copy(query)
            one.set("expressions", [counted_copy(output)])
            values[item.alias, f"c{number}"] = exp.Subquery(this=one)
        drop_item(node, item.alias)
        substitute(node, values)
        return node
    return None


def _is_one_row(query: exp.Select) -> bool:
    """Whether a query gives one row, and each of its columns would by itself."""
    if query.args.get("group") is not None or query.args.get("having") is not None:
        return False
    if query.args.get("distinct") or query.args.get("order") is not None:
        return False
    if is_limited(query) or has_window(query) or next(bare_columns(query), None) is not None:
        return False
    return all(next(aggregates_in([item]), None) is not None for item in query.expressions)


def _shows(node: exp.Select, label: str) -> bool:
    """Whether a grouped query uses a source elsewhere than in its conditions."""
    group = node.args.get("group")
    parts = [*output_nodes(node), *(group.expressions if group is not None else ())]
    return any(source_label(column) == label for part in parts for column in columns_in(part))
