"""The extreme of a comparison with a constant is the comparison of an extreme.

Statement
    MAX(x > 3)   ==   MAX(x) > 3        MIN(x > 3)   ==   MIN(x) > 3
    MAX(x < 3)   ==   MIN(x) < 3        MIN(x < 3)   ==   MAX(x) < 3
    MAX(CASE WHEN x > 3 THEN 1 WHEN x <= 3 THEN 0 END) = 1   ==   MAX(x) > 3

Holds when
    x is a column of integers, reals, texts, days, moments or decimals of one scale, or NUMERIC in
    SQLite, and the constant is compared with x as with MAX(x). Of the CASE one branch is taken
    where the other is not, and neither where x is NULL. The same for >= and <=, and for MIN of the
    CASE.

Why
    Some value is above 3 where the greatest one is, and all are where the least one is. Without a
    value both sides are NULL.

Limits
    A window is left alone, and so is DISTINCT.

Source
    House rule; BOOL_OR and BOOL_AND are read as the CASE.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.conditions.one_form import one_form
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.disjoint import are_disjoint
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import is_aggregate, whole_number
from sqlverdict.prove.reasoning.stored import compares_like_extreme
from sqlverdict.prove.reasoning.strict import not_null_test
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression

_ABOVE = (exp.GT, exp.GTE)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Max, exp.Min),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT MAX(CASE WHEN v > 1 THEN 1 WHEN v <= 1 THEN 0 END) = 1 FROM t",
            "SELECT MAX(v) > 1 FROM t",
        ),
        Pair(
            "SELECT k FROM t GROUP BY k"
            " HAVING MIN(CASE WHEN v >= 3 THEN 0 WHEN v < 3 THEN 1 END) = 1",
            "SELECT k FROM t GROUP BY k HAVING MAX(v) < 3",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t GROUP BY k"
            " HAVING MIN(CASE WHEN v > 1 THEN 1 WHEN v <= 1 THEN 0 END) = 1",
            "SELECT k FROM t GROUP BY k HAVING MAX(v) > 1",
            because="another value may be small",
        ),
        Pair(
            "SELECT k FROM t GROUP BY k"
            " HAVING MAX(CASE WHEN v > 2 THEN 1 WHEN v < 1 THEN 0 END) IS NULL",
            "SELECT k FROM t GROUP BY k HAVING MAX(v) IS NULL",
            because="no branch is taken between the two",
        ),
    ],
)
def extreme_of_comparison(node: exp.EQ | exp.NEQ | exp.Max | exp.Min, facts: Facts) -> Expr | None:
    """Compare the extreme."""
    if isinstance(node, exp.Max | exp.Min):
        return _compared(node, node.this, facts) if facts.record.number_conditions else None
    call, number = node.this, whole_number(node.expression)
    if not isinstance(call, exp.Max | exp.Min) or number not in (0, 1):
        return None
    condition = _truth(call.this, facts)
    whole = _compared(call, condition, facts) if condition is not None else None
    if whole is None:
        facts.cited.clear()
        return None
    return whole if (number == 1) is isinstance(node, exp.EQ) else exp.Not(this=whole)


def _compared(call: Expr, condition: Expr, facts: Facts) -> Expr | None:
    """The comparison of an extreme; nothing is changed."""
    if not isinstance(condition, exp.GT | exp.GTE | exp.LT | exp.LTE) or call.expressions:
        return None
    value, bound = condition.this, condition.expression
    if not is_aggregate(call) or not isinstance(value, exp.Column):
        return None
    if not compares_like_extreme(value, bound, facts):
        return None
    greatest = isinstance(call, exp.Max) is isinstance(condition, _ABOVE)
    extreme = (exp.Max if greatest else exp.Min)(this=counted_copy(value))
    return type(condition)(this=extreme, expression=counted_copy(bound))


def _truth(case: Expr, facts: Facts) -> Expr | None:
    """The condition of a CASE that is 1 where it is true, 0 where false, and NULL elsewhere."""
    if not isinstance(case, exp.Case) or case.this is not None:
        return None
    branches = case.args["ifs"]
    if len(branches) != 2 or case.args.get("default") is not None:
        return None
    if {whole_number(branch.args["true"]) for branch in branches} != {0, 1}:
        return None
    first, second = branches
    if whole_number(first.args["true"]) == 0:
        first, second = second, first
    condition: Expr = first.this
    if not isinstance(condition, exp.GT | exp.GTE | exp.LT | exp.LTE):
        return None
    if not are_disjoint([condition], [second.this], facts):
        return None
    either = exp.Or(this=counted_copy(condition), expression=counted_copy(second.this))
    either.parent, either.arg_key = case, "this"
    form = one_form(either, facts, only_truth=True)
    value = not_null_test(form) if form is not None else None
    return condition if value is not None and same_expression(value, condition.this) else None
