"""Several distinct values have a least and a greatest one that differ.

Statement
    HAVING COUNT(DISTINCT x) > 1   ==   HAVING MIN(x) < MAX(x)
    HAVING COUNT(DISTINCT x) = 1   ==   HAVING MIN(x) = MAX(x)
    MIN(x) <> MAX(x)               ==   MIN(x) < MAX(x)

Holds when
    x is an integer, a day or the like by its declared type. The counts stand where only truth
    counts.

Why
    The least of two or more values is less than the greatest; one value is both. Without a value
    the count is 0, and the least and the greatest are NULL: no condition is true.

Limits
    Where a condition is shown, false and NULL differ: counts are left alone there.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import is_aggregate, whole_number
from sqlverdict.prove.reasoning.stored import is_exact_scalar
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression

_GROUPS = "SELECT k FROM t GROUP BY k HAVING {}"


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(_GROUPS.format("COUNT(DISTINCT v) > 1"), _GROUPS.format("MIN(v) <> MAX(v)")),
        Pair(_GROUPS.format("COUNT(DISTINCT v) >= 2"), _GROUPS.format("MAX(v) > MIN(v)")),
        Pair(_GROUPS.format("COUNT(DISTINCT v) = 1"), _GROUPS.format("MIN(v) = MAX(v)")),
    ],
    different=[
        Pair(
            _GROUPS.format("COUNT(DISTINCT v) < 2"),
            _GROUPS.format("MIN(v) = MAX(v)"),
            because="a group may have no value",
        ),
        Pair(
            _GROUPS.format("COUNT(DISTINCT v) > 2"),
            _GROUPS.format("MIN(v) < MAX(v)"),
            because="two values are enough",
        ),
    ],
)
def distinct_values_are_apart(node: exp.GT | exp.EQ | exp.NEQ, facts: Facts) -> Expr | None:
    """Compare the least with the greatest."""
    left, right = node.this, node.expression
    if isinstance(node, exp.NEQ):
        if isinstance(left, exp.Max):
            left, right = right, left
        if not _is_extreme(left, exp.Min) or not _is_extreme(right, exp.Max):
            return None
        if not same_expression(left.this, right.this) or not is_exact_scalar(left.this, facts):
            return None
        return exp.LT(this=left, expression=right)
    if whole_number(right) != 1 or not isinstance(left, exp.Count) or not in_filter(node):
        return None
    inner = left.this
    if not isinstance(inner, exp.Distinct) or len(inner.expressions) != 1:
        return None
    value = inner.expressions[0]
    if not is_aggregate(left) or isinstance(left.parent, exp.Filter):
        return None
    if not isinstance(value, exp.Column) or not is_exact_scalar(value, facts):
        return None
    compare = exp.LT if isinstance(node, exp.GT) else exp.EQ
    return compare(this=exp.Min(this=counted_copy(value)), expression=exp.Max(this=value))


def _is_extreme(node: Expr, kind: type[Expr]) -> bool:
    return isinstance(node, kind) and not node.expressions and is_aggregate(node)
