"""A derived table in a LEFT JOIN may stand as its table, with its conditions in ON.

Statement
    SELECT a.x, d.y FROM a LEFT JOIN (SELECT k, y FROM b WHERE p) AS d ON a.f = d.k
    ==   SELECT a.x, b.y FROM a LEFT JOIN b ON a.f = b.k AND p

Holds when
    The derived table reads one table, without DISTINCT, GROUP BY, LIMIT or window; each of its
    columns that is used is NULL where all columns of the table are.

Why
    A row of b that does not meet p is no partner in either form. Where there is no partner, all
    of b's columns are NULL, and so is everything that is computed from them alone in that way.

Limits
    A constant column (1 AS found) is not NULL by itself: it is left alone.

Source
    Calcite's planner tests.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import substitute
from sqlverdict.prove.reasoning.shape import (
    all_of,
    columns_in,
    conditions,
    has_window,
    is_grouped,
    is_limited,
    items,
    joins,
    parts,
    source_label,
)
from sqlverdict.prove.reasoning.strict import is_null_with_its_columns
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v, n FROM t LEFT JOIN (SELECT f, w + 1 AS n FROM u WHERE w > 1) AS d ON k = f",
            "SELECT v, w + 1 FROM t LEFT JOIN u ON k = f AND w > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT v, n FROM t LEFT JOIN (SELECT f, 1 AS n FROM u) AS d ON k = f",
            "SELECT v, 1 FROM t LEFT JOIN u ON k = f",
            because="without a partner n is NULL",
        ),
        Pair(
            "SELECT v, w FROM t LEFT JOIN (SELECT f, w FROM u WHERE w > 1) AS d ON k = f",
            "SELECT v, w FROM t LEFT JOIN u ON k = f WHERE w > 1",
            because="WHERE drops rows without a partner",
        ),
    ],
)
def left_joined_query_is_merged(node: exp.Select, facts: Facts) -> Expr | None:
    """Join the table itself."""
    del facts
    own_joins = joins(node)
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in own_joins):
        return None
    for join in own_joins:
        item = join.this
        query = item.this if isinstance(item, exp.Subquery) else None
        if (join.side or "").upper() != "LEFT" or not _is_plain(query):
            continue
        assert isinstance(query, exp.Select)
        label = item.alias
        used = {column.name for column in columns_in(node) if source_label(column) == label}
        outputs = {f"c{number}": value for number, value in enumerate(query.expressions)}
        if not all(is_null_with_its_columns(outputs[name]) for name in used):
            continue
        on_conditions = [*parts(join.args.get("on")), *conditions(query)]
        join.set("this", items(query)[0])
        join.set("on", all_of(on_conditions) if on_conditions else None)
        substitute(node, {(label, name): value for name, value in outputs.items()})
        return node
    return None


def _is_plain(query: Expr | None) -> bool:
    if not isinstance(query, exp.Select) or query.args.get("distinct") or is_limited(query):
        return False
    if query.args.get("order") is not None:
        return False
    sources = items(query)
    if len(sources) != 1 or not isinstance(sources[0], exp.Table):
        return False
    return not is_grouped(query) and not has_window(query)
