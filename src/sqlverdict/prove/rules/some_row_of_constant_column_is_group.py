"""An aggregate over rows that agree on a column, if there are any, is that of their group.

Statement
    SELECT COUNT(*) FROM t WHERE x = 1 HAVING COUNT(*) > 0
    ==   SELECT COUNT(*) FROM t WHERE x = 1 GROUP BY x

Holds when
    The query has no GROUP BY, and HAVING asks for a row by COUNT(*). The column is an integer and
    the constant a whole number, or both are texts; the equality is a conjunct of WHERE beside
    inner joins. No column stands beside the aggregates, and no window.

Why
    In every row that passes, the column is the constant, so there is one group of all rows, or
    none where there is no row.

Limits
    COUNT of a column may be 0 for a group, and is no test for a row.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.counting import asks_for_rows
from sqlverdict.prove.reasoning.dependencies import pinned_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat
from sqlverdict.prove.reasoning.shape import conditions, has_window, set_conditions
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Having,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(*), MAX(v) FROM t WHERE k = 3 HAVING COUNT(*) > 0",
            "SELECT COUNT(*), MAX(v) FROM t WHERE k = 3 GROUP BY k",
        ),
        Pair(
            "SELECT 3, SUM(v) FROM t WHERE k = 3 HAVING COUNT(*) >= 1 AND SUM(v) > 1",
            "SELECT k, SUM(v) FROM t WHERE k = 3 GROUP BY k HAVING SUM(v) > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(*), MAX(v) FROM t WHERE k = 3",
            "SELECT COUNT(*), MAX(v) FROM t WHERE k = 3 GROUP BY k",
            because="without GROUP BY there is one row for none",
        ),
        Pair(
            "SELECT COUNT(*), MAX(v) FROM t WHERE k = 3 HAVING COUNT(v) > 0",
            "SELECT COUNT(*), MAX(v) FROM t WHERE k = 3 GROUP BY k",
            because="all v of the group may be NULL",
        ),
        Pair(
            "SELECT COUNT(*), MAX(v) FROM t WHERE k > 3 HAVING COUNT(*) > 0",
            "SELECT COUNT(*), MAX(v) FROM t WHERE k > 3 GROUP BY k",
            because="there may be several groups",
        ),
    ],
)
def some_row_of_constant_column_is_group(node: exp.Select, facts: Facts) -> Expr | None:
    """Group by the column."""
    if node.args.get("group") is not None or node.args.get("where") is None:
        return None
    having = conditions(node, "having")
    rest = [condition for condition in having if not asks_for_rows(condition)]
    if len(rest) == len(having) or not is_flat(node) or has_window(node):
        return None
    if next(bare_columns(node), None) is not None:
        return None
    pinned = pinned_columns(node, facts)
    if not pinned:
        return None
    set_conditions(node, rest, "having")
    node.set("group", exp.Group(expressions=[resolved(*min(pinned))]))
    return node
