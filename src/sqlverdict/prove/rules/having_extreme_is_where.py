"""Groups whose greatest value is above a bound are the groups with a row above it.

Statement
    SELECT g, MAX(x) FROM t GROUP BY g HAVING MAX(x) > 1
    ==   SELECT g, MAX(x) FROM t WHERE x > 1 GROUP BY g
    SELECT g, MIN(x) FROM t GROUP BY g HAVING MIN(x) < 1
    ==   SELECT g, MIN(x) FROM t WHERE x < 1 GROUP BY g

Holds when
    There is a GROUP BY, every aggregate of the query is that MAX(x) or MIN(x), and no other column
    is shown beside the grouping ones. x is a column of integers, reals, texts, days, moments or
    decimals of one scale, or NUMERIC in SQLite; the bound is a constant that is compared with x as
    with MAX(x).

Why
    A group has a greatest value above the bound just if one of its rows is above it. The rows that
    WHERE drops are below that value, so it stays the greatest.

Limits
    COUNT, SUM and AVG see the rows that WHERE drops. Without GROUP BY there is a group of no rows.
    SQLite makes a number of '5' beside x, and not beside MAX(x).

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    has_subquery,
    has_window,
    is_constant,
    labels,
    labels_in,
    output_nodes,
    set_conditions,
)
from sqlverdict.prove.reasoning.stored import compares_like_extreme
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression

_ABOVE = (exp.GT, exp.GTE)
_BELOW = (exp.LT, exp.LTE)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Having,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, MAX(v) FROM t GROUP BY k HAVING MAX(v) > 1",
            "SELECT k, MAX(v) FROM t WHERE v > 1 GROUP BY k",
        ),
        Pair(
            "SELECT k FROM t GROUP BY k HAVING MIN(v) <= 1",
            "SELECT DISTINCT k FROM t WHERE v <= 1",
        ),
    ],
    different=[
        Pair(
            "SELECT k, COUNT(*) FROM t GROUP BY k HAVING MAX(v) > 1",
            "SELECT k, COUNT(*) FROM t WHERE v > 1 GROUP BY k",
            because="COUNT sees all rows of a group",
        ),
        Pair(
            "SELECT k, MAX(v) FROM t GROUP BY k HAVING MAX(v) < 1",
            "SELECT k, MAX(v) FROM t WHERE v < 1 GROUP BY k",
            because="a group may have rows above the bound, too",
        ),
    ],
)
def having_extreme_is_where(node: exp.Select, facts: Facts) -> Expr | None:
    """Move the condition."""
    having = conditions(node, "having")
    if node.args.get("group") is None or not having or has_window(node):
        return None
    index = next((n for n, part in enumerate(having) if _extreme(part) is not None), None)
    if index is None or any(map(has_subquery, output_nodes(node))):
        return None
    call = _extreme(having[index])
    assert call is not None
    calls = list(aggregates_in(output_nodes(node)))
    if not all(type(other) is type(call) and same_expression(other, call) for other in calls):
        return None
    if any(isinstance(other.parent, exp.Filter) for other in calls):
        return None
    value = call.this
    if not labels_in(value) & set(labels(node)):
        return None
    if next(bare_columns(node), None) is not None:
        return None
    condition = having[index]
    bound = condition.expression if condition.this is call else condition.this
    if not compares_like_extreme(value, bound, facts):
        return None
    call.replace(value)
    set_conditions(node, [*having[:index], *having[index + 1 :]], "having")
    set_conditions(node, [*conditions(node), condition])
    return node


def _extreme(condition: Expr) -> Expr | None:
    """The call of ``MAX(x) > 1`` or ``MIN(x) < 1``, in either order of the operands."""
    if not isinstance(condition, (*_ABOVE, *_BELOW)):
        return None
    call, bound, above = condition.this, condition.expression, isinstance(condition, _ABOVE)
    if is_constant(call):
        call, bound, above = bound, call, not above
    literal = bound.this if isinstance(bound, exp.Neg) else bound
    if not isinstance(literal, exp.Literal):
        return None
    if not isinstance(call, exp.Max if above else exp.Min) or call.expressions:
        return None
    return call if not isinstance(call.this, exp.Distinct) else None
