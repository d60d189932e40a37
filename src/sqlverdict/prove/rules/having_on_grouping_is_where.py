"""A condition on grouping columns may come before the grouping.

Statement
    SELECT x, COUNT(*) FROM t GROUP BY x HAVING x > 1
    ==   SELECT x, COUNT(*) FROM t WHERE x > 1 GROUP BY x

Holds when
    The condition uses grouping columns alone, of integers, reals, texts, days, moments or decimals
    of one scale, or NUMERIC in SQLite; and no aggregate and no query.

Why
    All rows of a group have the same values there, so it holds for all of them or for none; a
    group without rows is none.

Limits
    Columns without a type and decimals without a scale are left alone: 1 and 1.0 are in one group,
    and a condition may tell them apart.

Source
    Calcite's planner tests; open pairs of published predictions.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    aggregates_in,
    column_name,
    columns_in,
    conditions,
    has_subquery,
    has_window,
    set_conditions,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Having,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT v, COUNT(*) FROM t GROUP BY v HAVING v > 1 AND COUNT(*) > 2",
            "SELECT v, COUNT(*) FROM t WHERE v > 1 GROUP BY v HAVING COUNT(*) > 2",
        ),
    ],
    different=[
        Pair(
            "SELECT v, COUNT(*) FROM t GROUP BY v HAVING MAX(k) > 1",
            "SELECT v, COUNT(*) FROM t WHERE k > 1 GROUP BY v",
            because="the rows of a group differ in k",
        ),
    ],
)
def having_on_grouping_is_where(node: exp.Select, facts: Facts) -> Expr | None:
    """Move it."""
    group, having = node.args.get("group"), conditions(node, "having")
    if group is None or not having or has_window(node):
        return None
    grouped = plain_columns(group.expressions)
    filters = [part for part in having if _is_of(part, grouped, facts)]
    if not filters:
        return None
    set_conditions(node, [part for part in having if part not in filters], "having")
    set_conditions(node, [*conditions(node), *filters])
    return node


def _is_of(condition: Expr, grouped: set[ColumnName], facts: Facts) -> bool:
    used = list(columns_in(condition))
    if not used or any(column_name(column) not in grouped for column in used):
        return False
    if next(aggregates_in([condition]), None) is not None or has_subquery(condition):
        return False
    return all(has_one_order(column, facts) for column in used)
