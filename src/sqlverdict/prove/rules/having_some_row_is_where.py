"""Groups in which some row counts are the groups of the rows that count.

Statement
    SELECT g FROM t GROUP BY g HAVING COUNT(CASE WHEN p THEN 1 END) > 0
    ==   SELECT g FROM t WHERE p GROUP BY g
    SELECT g FROM t GROUP BY g HAVING COUNT(x) >= 1
    ==   SELECT g FROM t WHERE x IS NOT NULL GROUP BY g

Holds when
    There is a GROUP BY, the query has no other aggregate, and shows no column beside the grouping
    ones.

Why
    A group has a row that counts just if that row is left by WHERE, and then it makes the group.

Limits
    Another aggregate sees the rows that WHERE drops: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.counting import tested_condition
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.partner_groups import drops_no_rows
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    has_window,
    output_nodes,
    set_conditions,
    whole_number,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Having,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t GROUP BY k HAVING COUNT(CASE WHEN v > 1 THEN 1 END) > 0",
            "SELECT DISTINCT k FROM t WHERE v > 1",
        ),
        Pair(
            "SELECT k FROM t GROUP BY k HAVING COUNT(v) >= 1",
            "SELECT DISTINCT k FROM t WHERE v IS NOT NULL",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t GROUP BY k HAVING COUNT(v) > 1",
            "SELECT DISTINCT k FROM t WHERE v IS NOT NULL",
            because="one row is not enough",
        ),
        Pair(
            "SELECT k, COUNT(*) FROM t GROUP BY k HAVING COUNT(v) > 0",
            "SELECT k, COUNT(*) FROM t WHERE v IS NOT NULL GROUP BY k",
            because="COUNT(*) sees all rows of a group",
        ),
    ],
)
def having_some_row_is_where(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask for the rows."""
    del facts
    having = conditions(node, "having")
    calls = list(aggregates_in(output_nodes(node)))
    if node.args.get("group") is None or len(having) != 1 or len(calls) != 1 or has_window(node):
        return None
    test, call = having[0], calls[0]
    if not _asks_for_one(test, call) or next(bare_columns(node), None) is not None:
        return None
    condition = tested_condition(call)
    if condition is None and isinstance(call.this, exp.Column):
        condition = exp.Not(this=exp.Is(this=call.this, expression=exp.Null()))
    if condition is None:
        return None
    set_conditions(node, [], "having")
    set_conditions(node, [*conditions(node), condition])
    return node


def _asks_for_one(test: Expr, call: Expr) -> bool:
    """Whether a condition is ``COUNT(...) > 0`` or ``COUNT(...) >= 1``."""
    if not isinstance(call, exp.Count) or not drops_no_rows(test, call, call):
        return False
    bound = whole_number(test.expression if test.this is call else test.this)
    return bound == (0 if isinstance(test, exp.GT | exp.LT) else 1) and not isinstance(test, exp.EQ)
