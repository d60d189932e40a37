"""Distinct rows of a grouping and its aggregates over windows are groups.

Statement
    SELECT DISTINCT p, AVG(x) OVER (PARTITION BY p) FROM t WHERE q
    ==   SELECT DISTINCT p, AVG(x) FROM t WHERE q GROUP BY p

Holds when
    The query does not group. Each column that it shows is a column of the grouping, or an aggregate
    over a window that is partitioned by these columns alone, without an order or a frame. The
    grouping columns have one order, in which equal values are the same: integers, reals, texts,
    days, moments, decimals of one scale. It is sorted by what it shows.

Why
    A part of the window is a group: the rows that agree in the grouping columns, NULL included. All
    rows of a part show the same, and DISTINCT keeps one of them.

Limits
    Windows of different parts are left alone.

Source
    House rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    BAG_AGGREGATES,
    is_grouped,
    items,
    output_nodes,
    own_nodes,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Window,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, s TEXT)",
    equal=[
        Pair(
            "SELECT DISTINCT k, AVG(v) OVER (PARTITION BY k) FROM t WHERE v > 1",
            "SELECT k, AVG(v) FROM t WHERE v > 1 GROUP BY k",
        ),
        Pair(
            "SELECT DISTINCT MAX(v) OVER (PARTITION BY k, s) - k FROM t",
            "SELECT DISTINCT MAX(v) - k FROM t GROUP BY k, s",
        ),
    ],
    different=[
        Pair(
            "SELECT k, AVG(v) OVER (PARTITION BY k) FROM t",
            "SELECT k, AVG(v) FROM t GROUP BY k",
            because="without DISTINCT each row is shown",
        ),
        Pair(
            "SELECT DISTINCT v, MAX(v) OVER (PARTITION BY k) FROM t",
            "SELECT DISTINCT v, MAX(v) FROM t GROUP BY k, v",
            because="the window sees all rows of a k",
        ),
    ],
)
def windows_of_distinct_rows_are_groups(node: exp.Select, facts: Facts) -> Expr | None:
    """Group."""
    if not node.args.get("distinct") or not items(node) or is_grouped(node):
        return None
    outputs = output_nodes(node)
    windows = [part for each in outputs for part in own_nodes(each) if isinstance(part, exp.Window)]
    if not windows or not all(map(_is_plain, windows)):
        return None
    terms = windows[0].args["partition_by"]
    keys = sorted(map(expression_key, terms))
    if any(sorted(map(expression_key, w.args["partition_by"])) != keys for w in windows):
        return None
    if not all(isinstance(term, exp.Column) and has_one_order(term, facts) for term in terms):
        facts.cited.clear()
        return None
    if any(expression_key(part) not in keys for each in outputs for part in _outside(each)):
        facts.cited.clear()
        return None
    node.set("group", exp.Group(expressions=[term.copy() for term in terms]))
    for window in windows:
        window.replace(window.this)
    return node


def _is_plain(window: exp.Window) -> bool:
    """Whether a window sees whole parts, and calls an aggregate."""
    if any(window.args.get(part) for part in ("order", "spec", "alias")):
        return False
    call = window.this
    return bool(window.args.get("partition_by")) and (
        isinstance(call, BAG_AGGREGATES) and not call.expressions
    )


def _outside(node: Expr) -> Iterator[Expr]:
    """The columns outside of windows, and the queries."""
    if isinstance(node, exp.Window):
        return
    if isinstance(node, exp.Column | exp.Query):
        yield node
        return
    for part in node.iter_expressions():
        yield from _outside(part)
