"""A derived table that only filters and picks columns is part of the query around it.

Statement
    SELECT d.x FROM (SELECT a.x FROM a WHERE p) AS d WHERE q   ==   SELECT a.x FROM a WHERE p AND q

Holds when
    The inner query has no DISTINCT, GROUP BY, aggregate, window function, ORDER BY or LIMIT, and
    is joined by inner joins.

Why
    Each of its rows stands for one row of its own FROM and WHERE.

Limits
    On the padded side of an outer join its conditions must not move; it is left alone there.

Source
    ETM (Ascoli et al.), rule 26, for derived tables too.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, set_items, split_items, substitute
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    all_inner,
    column_name,
    conditions,
    has_window,
    is_grouped,
    is_limited,
    set_conditions,
)
from sqlverdict.prove.reasoning.strict import is_null_with_its_columns
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    paper=("26",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT d.v FROM (SELECT k, v FROM t WHERE k > 1) AS d WHERE d.v < 3",
            "SELECT v FROM t WHERE k > 1 AND v < 3",
        ),
        Pair(
            "WITH d AS (SELECT k + 1 AS n FROM t) SELECT n, w FROM d JOIN u ON d.n = u.k",
            "SELECT t.k + 1, w FROM t, u WHERE t.k + 1 = u.k",
        ),
    ],
    different=[
        Pair(
            "SELECT d.v FROM (SELECT DISTINCT v FROM t) AS d",
            "SELECT v FROM t",
            because="DISTINCT folds rows",
        ),
    ],
)
def derived_table_is_merged(node: exp.Select, facts: Facts) -> Expr | None:
    """Take its sources and conditions over."""
    del facts
    if not is_flat(node):
        return None
    inner, outer = split_items(node)
    for index, item in enumerate(inner):
        query = item.this if isinstance(item, exp.Subquery) else None
        if not isinstance(query, exp.Select) or not _is_plain(query):
            continue
        theirs, _ = split_items(query)
        columns = {(item.alias, f"c{n}"): output for n, output in enumerate(query.expressions)}
        if not _are_null_for_no_rows(node, columns):
            continue
        inner_conditions = conditions(query)
        set_items(node, [*inner[:index], *theirs, *inner[index + 1 :]], outer)
        set_conditions(node, [*inner_conditions, *conditions(node)])
        substitute(node, columns)
        return node
    return None


def _are_null_for_no_rows(node: exp.Select, columns: Mapping[ColumnName, Expr]) -> bool:
    """Whether columns beside an aggregate are NULL where there is no row, as they were."""
    if node.args.get("group") is not None:
        return True
    selected = (columns.get(column_name(column)) for column in bare_columns(node))
    return all(is_null_with_its_columns(output) for output in selected)


def _is_plain(query: exp.Select) -> bool:
    if query.args.get("distinct") or is_limited(query) or query.args.get("from_") is None:
        return False
    if query.args.get("order") is not None:
        return False
    return is_flat(query) and all_inner(query) and not is_grouped(query) and not has_window(query)
