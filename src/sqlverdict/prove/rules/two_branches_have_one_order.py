"""A CASE of two values may ask for the opposite.

Statement
    CASE WHEN NOT p THEN x ELSE y END     ==   CASE WHEN p THEN y ELSE x END
    CASE WHEN v <= 1 THEN x ELSE y END    ==   CASE WHEN v > 1 THEN y ELSE x END
    CASE WHEN v = 0 THEN NULL ELSE v END  ==   CASE WHEN v <> 0 THEN v END

Holds when
    The CASE has one branch and no operand, and its test is never NULL; or one of its values is
    NULL, and the other one is NULL where the test is: the test compares a column with a constant,
    and the value is made of that column. There is no query in it.

Why
    Where p has a truth, NOT p has the other one. A CASE takes ELSE where its test is NULL.

Limits
    Where the test may be NULL, ELSE takes such rows in both forms: left alone. An aggregate is left
    alone, too.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.shape import (
    OPPOSITES,
    aggregates_in,
    columns_in,
    has_subquery,
    is_constant,
    whole_number,
)
from sqlverdict.prove.reasoning.strict import is_strict_in
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Case,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT CASE WHEN v IS NOT NULL THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v IS NULL THEN 'b' ELSE 'a' END FROM t",
        ),
        Pair(
            "SELECT CASE WHEN v <= 1 THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v > 1 THEN 'b' ELSE 'a' END FROM t",
            (NotNull("t", "v"),),
        ),
        Pair(
            "SELECT NULLIF(v, 0) FROM t",
            "SELECT CASE WHEN v <> 0 THEN v END FROM t",
        ),
        Pair(
            "SELECT SUM(CASE WHEN v IS NULL THEN 0 ELSE 1 END) FROM t GROUP BY k",
            "SELECT SUM(CASE WHEN v IS NOT NULL THEN 1 ELSE 0 END) FROM t GROUP BY k",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN v <= 1 THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v > 1 THEN 'b' ELSE 'a' END FROM t",
            because="where v is NULL, CASE takes ELSE",
        ),
        Pair(
            "SELECT CASE WHEN v = 0 THEN NULL ELSE k END FROM t",
            "SELECT CASE WHEN v <> 0 THEN k END FROM t",
            because="k may have a value where v has none",
        ),
    ],
)
def two_branches_have_one_order(node: exp.Case, facts: Facts) -> Expr | None:
    """Ask for the opposite, where that is the usual form."""
    if node.this is not None or len(node.args["ifs"]) != 1 or has_subquery(node):
        return None
    if next(aggregates_in([node]), None) is not None:
        return None
    branch, default = node.args["ifs"][0], node.args.get("default")
    test, value = branch.this, branch.args["true"]
    if default is None or isinstance(default, exp.Null) or not is_truth_value(test):
        return None
    is_null = isinstance(value, exp.Null)
    if not is_null and not _is_unusual(test, value, default):
        return None
    if not facts.never_null(test) and not (is_null and _is_null_with(test, default)):
        facts.cited.clear()
        return None
    branch.set("this", _opposite(test))
    branch.set("true", default)
    node.set("default", None if is_null else value)
    return node


def _is_unusual(test: Expr, value: Expr, default: Expr) -> bool:
    """Whether the other order is the usual form: ELSE 0, and no NOT, <> or upper bound."""
    zero, other = whole_number(value) == 0, whole_number(default) == 0
    if zero or other:
        return zero and not other
    if isinstance(test, exp.LT | exp.LTE | exp.GT | exp.GTE):
        if is_constant(test.expression):
            return isinstance(test, exp.LT | exp.LTE)
        # a < b is b > a, so that only strictness tells the two apart.
        return not is_constant(test.this) and isinstance(test, exp.LTE | exp.GTE)
    return isinstance(test, exp.Not | exp.NEQ)


def _is_null_with(test: Expr, value: Expr) -> bool:
    """Whether a value is NULL where a comparison of a column with a constant is."""
    if type(test) not in OPPOSITES or not any(map(is_constant, (test.this, test.expression))):
        return False
    columns = list(columns_in(test))
    return len(columns) == 1 and any(
        part is columns[0] and is_strict_in(value, part) for part in (test.this, test.expression)
    )


def _opposite(test: Expr) -> Expr:
    if isinstance(test, exp.Not):
        inner: Expr = test.this
        return inner
    kind = OPPOSITES.get(type(test))
    if kind is None:
        return exp.Not(this=test)
    return kind(this=test.this, expression=test.expression)
