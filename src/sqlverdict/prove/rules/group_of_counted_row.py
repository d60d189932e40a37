"""In a group that is counted to have one row, the row's value is its least, its greatest, its sum.

Statement
    SELECT g, MIN(x), SUM(x) FROM t GROUP BY g HAVING COUNT(*) = 1
    ==   SELECT g, MAX(x), MAX(x) FROM t GROUP BY g HAVING COUNT(*) = 1
    SELECT x FROM t GROUP BY g HAVING COUNT(*) = 1
    ==   SELECT MAX(x) FROM t GROUP BY g HAVING COUNT(*) = 1      (in SQLite)

Holds when
    COUNT(*) = 1 is a conjunct of HAVING. x is a column; for SUM one of integers, or of reals, and
    the sum is a column of the answer, as is each column that is neither grouped by nor aggregated.

Why
    The group has one row, and each of the aggregates is the value of that row, NULL included.

Limits
    AVG makes another type of an integer: left alone, as are DISTINCT and FILTER.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import EXTREMES, bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    has_window,
    output_nodes,
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
            "SELECT k, MIN(v) FROM t GROUP BY k HAVING COUNT(*) = 1",
            "SELECT k, MAX(v) FROM t GROUP BY k HAVING COUNT(*) = 1",
        ),
        Pair(
            "SELECT k, SUM(v) FROM t GROUP BY k HAVING 1 = COUNT(*) AND k > 1",
            "SELECT k, MAX(v) FROM t GROUP BY k HAVING COUNT(*) = 1 AND k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT k, MIN(v) FROM t GROUP BY k HAVING COUNT(v) = 1",
            "SELECT k, SUM(v) FROM t GROUP BY k HAVING COUNT(*) = 1",
            because="a group with one value may have more rows",
        ),
    ],
)
def group_of_counted_row(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the greatest."""
    if node.args.get("group") is None or has_window(node):
        return None
    if not any(map(_counts_one, conditions(node, "having"))):
        return None
    bare = list(bare_columns(node))
    if bare and (facts.record.typed or any(not _is_shown(column) for column in bare)):
        return None
    calls = [call for call in aggregates_in(output_nodes(node)) if _is_its_value(call, facts)]
    for value in [*(call.this for call in calls), *bare]:
        term = value if value.parent is node else value.parent
        term.replace(exp.Max(this=value.copy()))
    if not calls and not bare:
        facts.cited.clear()
        return None
    # With one row there is nothing to choose.
    node.set(EXTREMES, None)
    return node


def _is_shown(node: Expr) -> bool:
    """Whether it is a column of the answer."""
    select = node.parent
    return (
        isinstance(select, exp.Select)
        and select.parent is None
        and node.arg_key == "expressions"
        and not select.args.get("distinct")
    )


def _counts_one(condition: Expr) -> bool:
    """Whether it is ``COUNT(*) = 1``."""
    if not isinstance(condition, exp.EQ):
        return False
    call, bound = condition.this, condition.expression
    if not isinstance(call, exp.Count):
        call, bound = bound, call
    is_count = isinstance(call, exp.Count) and isinstance(call.this, exp.Star)
    return is_count and whole_number(bound) == 1


def _is_its_value(call: Expr, facts: Facts) -> bool:
    if not isinstance(call.this, exp.Column) or isinstance(call.parent, exp.Filter):
        return False
    if isinstance(call, exp.Min):
        return not call.expressions and facts.is_unconverted(call)
    if not isinstance(call, exp.Sum) or not _is_shown(call):
        return False
    return facts.kind(call.this) in ("integer", "real")
