"""A choice among values is NULL where the value that it takes is.

Statement
    COALESCE(x, y) IS NULL                     ==   x IS NULL AND y IS NULL
    CASE WHEN p THEN x ELSE y END IS NULL
    ==   (p AND p IS NOT NULL AND x IS NULL) OR ((NOT p OR p IS NULL) AND y IS NULL)

Holds when
    The CASE has one branch and no operand, and p is a condition without a query. A branch that is
    NULL, or never NULL, is left out on the right, and so is the test of a p that is never NULL.

Why
    COALESCE goes on while values are NULL. CASE takes ELSE where p is false or NULL.

Limits
    A CASE with several branches is left alone, and so is an aggregate that alone makes the query
    one row.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.shape import aggregates_in, all_of, any_of, has_subquery
from sqlverdict.prove.reasoning.strict import null_test
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Case, exp.Coalesce),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE COALESCE(v, k) IS NULL",
            "SELECT k FROM t WHERE v IS NULL AND k IS NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE NULLIF(v, 0) IS NOT NULL",
            "SELECT k FROM t WHERE v <> 0",
        ),
        Pair(
            "SELECT k FROM t WHERE CASE WHEN v > 1 THEN 1 END IS NULL",
            "SELECT k FROM t WHERE v <= 1 OR v IS NULL",
        ),
        Pair(
            "SELECT CASE WHEN v IS NULL THEN k ELSE 0 END IS NULL FROM t",
            "SELECT v IS NULL AND k IS NULL FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE CASE WHEN v > 1 THEN 1 END IS NULL",
            "SELECT k FROM t WHERE v <= 1",
            because="CASE takes ELSE where v is NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE COALESCE(v, k) IS NULL",
            "SELECT k FROM t WHERE v IS NULL OR k IS NULL",
            because="the other value stands in",
        ),
    ],
)
def choice_is_null_where_its_value_is(node: exp.Is, facts: Facts) -> Expr | None:
    """Test the values."""
    choice = null_test(node)
    if not isinstance(choice, exp.Case | exp.Coalesce):
        return None
    if has_subquery(choice) or next(aggregates_in([choice]), None) is not None:
        return None
    if isinstance(choice, exp.Coalesce):
        return all_of([_is_null(value) for value in (choice.this, *choice.expressions)])
    if choice.this is not None or len(choice.args["ifs"]) != 1:
        return None
    branch = choice.args["ifs"][0]
    test, default = branch.this, choice.args.get("default")
    if not is_truth_value(test):
        return None
    is_true: Expr = counted_copy(test)
    is_other: Expr = exp.Not(this=counted_copy(test))
    if not facts.never_null(test):
        has_truth = exp.Not(this=_is_null(counted_copy(test)))
        is_true = exp.And(this=is_true, expression=has_truth)
        is_other = exp.Or(this=is_other, expression=_is_null(counted_copy(test)))
    ways = [
        part
        for test, value in ((is_true, branch.args["true"]), (is_other, default))
        if (part := _way(test, value, facts)) is not None
    ]
    return any_of(ways) if ways else exp.Boolean(this=False)


def _way(test: Expr, value: Expr | None, facts: Facts) -> Expr | None:
    """When a branch is taken and its value is NULL; ``None``: never."""
    if value is None or isinstance(value, exp.Null):
        return test
    if facts.never_null(value):
        return None
    return exp.And(this=test, expression=_is_null(value))


def _is_null(value: Expr) -> Expr:
    return exp.Is(this=value, expression=exp.Null())
