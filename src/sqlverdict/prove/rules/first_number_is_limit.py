"""The first row by its number is the first row by its order.

Statement
    SELECT d.x FROM (SELECT x, ROW_NUMBER() OVER (ORDER BY y) AS r FROM t WHERE p) AS d
    WHERE d.r = 1
    ==   SELECT x FROM t WHERE p ORDER BY y LIMIT 1

Holds when
    The number is that of all rows: the window has no PARTITION BY. Nothing else asks for it, the
    query around has no other condition and does not group, and the query inside has FROM and WHERE
    alone.

Why
    Rows are numbered in the order of the window, and LIMIT keeps the first one in the same order.
    Of no rows both show none. One row has no order, and is no copy of another one.

Limits
    Where several rows tie, both leave open which of them is first. More rows than one would be
    sorted by LIMIT alone: left alone.

Source
    House rule, met in published predictions.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import substitute
from sqlverdict.prove.reasoning.shape import (
    column_name,
    columns_in,
    conditions,
    has_only_rows,
    has_subquery,
    has_window,
    is_grouped,
    items,
    own_nodes,
    whole_number,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_NUMBERED = "SELECT x.k FROM (SELECT k, v, ROW_NUMBER() OVER ({}) AS r FROM t {}) x WHERE x.r {}"


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Window,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            _NUMBERED.format("ORDER BY v DESC, k", "", "= 1"),
            "SELECT k FROM t ORDER BY v DESC, k LIMIT 1",
        ),
        Pair(
            _NUMBERED.format("ORDER BY v, k", "WHERE v > 1", "< 2"),
            "SELECT k FROM t WHERE v > 1 ORDER BY v, k LIMIT 1",
        ),
    ],
    different=[
        Pair(
            _NUMBERED.format("PARTITION BY v ORDER BY k", "", "= 1"),
            "SELECT k FROM t ORDER BY k LIMIT 1",
            because="each part has a first row",
        ),
        Pair(
            _NUMBERED.format("ORDER BY v, k", "", "= 1 AND x.v > 1"),
            "SELECT k FROM t WHERE v > 1 ORDER BY v, k LIMIT 1",
            because="the row that comes first may be one that does not pass",
        ),
    ],
)
def first_number_is_limit(node: exp.Select, facts: Facts) -> Expr | None:
    """Order and limit."""
    del facts
    sources = items(node)
    inner = sources[0].this if len(sources) == 1 and isinstance(sources[0], exp.Subquery) else None
    if not isinstance(inner, exp.Select) or is_grouped(node) or has_window(node):
        return None
    if is_grouped(inner) or not has_only_rows(inner) or not items(inner):
        return None
    windows = [part for each in inner.expressions for part in own_nodes(each) if _is_window(part)]
    if len(windows) != 1 or windows[0].parent is not inner or not _numbers_all(windows[0]):
        return None
    if node.args.get("limit") is not None or node.args.get("offset") is not None:
        return None
    if any(map(has_subquery, node.expressions)) or any(map(has_subquery, inner.expressions)):
        return None
    label = sources[0].alias
    number = (label, f"c{inner.expressions.index(windows[0])}")
    own = conditions(node)
    uses = [column for column in columns_in(node) if column_name(column) == number]
    if len(own) != 1 or len(uses) != 1 or not _asks_for_first(own[0], uses[0]):
        return None
    columns = {(label, f"c{n}"): value for n, value in enumerate(inner.expressions)}
    order = windows[0].args["order"]
    del columns[number]
    node.set("order", None)
    node.set("where", None)
    node.set("distinct", None)
    substitute(node, columns)
    for part in ("from_", "joins", "where"):
        node.set(part, inner.args.get(part))
    node.set("order", order)
    node.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    return node


def _is_window(node: Expr) -> bool:
    return isinstance(node, exp.Window)


def _numbers_all(window: Expr) -> bool:
    if any(window.args.get(part) for part in ("partition_by", "spec", "alias")):
        return False
    return isinstance(window.this, exp.RowNumber) and window.args.get("order") is not None


def _asks_for_first(test: Expr, column: Expr) -> bool:
    return isinstance(test, exp.EQ) and test.this is column and whole_number(test.expression) == 1
