"""A branch that is certain is the value of its CASE; one that is impossible is not there.

Statement
    CASE WHEN TRUE THEN x ... END          ==   x
    CASE WHEN FALSE THEN x ELSE y END      ==   y
    SELECT CASE WHEN p THEN x ... END FROM t WHERE p   ==   SELECT x FROM t WHERE p

Holds when
    No comparison can tell whether the value has an affinity: a column has one, a CASE has none. In
    dialects with types, what is left of the CASE has the type that it had with the other branches.
    A condition is certain where it is a constant, or a conjunct of WHERE behind which the CASE is
    computed; it holds no query.

Why
    CASE takes the first branch whose condition is true.

Limits
    A CASE with an operand is left alone, and so is an aggregate that alone makes the query one row.
    In PostgreSQL CASE WHEN TRUE THEN 3 ELSE 0.5 END / 2 is 1.5, and 3 / 2 is 1.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.common_type import keeps_type
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant_truth
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    enclosing,
    groups_without,
    has_subquery,
    is_grouped,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT CASE WHEN 1 = 1 THEN v ELSE k END FROM t",
            "SELECT CASE WHEN 1 = 2 THEN k ELSE v END FROM t",
        ),
        Pair(
            "SELECT CASE WHEN v IS NULL THEN k ELSE v END FROM t",
            "SELECT v FROM t",
            (NotNull("t", "v"),),
        ),
        Pair(
            "SELECT SUM(CASE WHEN v > 1 THEN k ELSE 0 END) FROM t WHERE v > 1",
            "SELECT SUM(k) FROM t WHERE v > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN v = v THEN v ELSE k END FROM t",
            "SELECT v FROM t",
            because="v may be NULL",
        ),
    ],
)
def sure_branch_is_the_value(node: exp.Case, facts: Facts) -> Expr | None:
    """Take the value, or drop the branch."""
    if next(aggregates_in([node]), None) is not None and not groups_without(node):
        return None
    if node.this is not None:
        return None
    branches = node.args["ifs"]
    for at, branch in enumerate(branches):
        truth = constant_truth(branch.this)
        if truth is None and _is_asked(branch.this, node):
            truth = True
        if truth is None and not isinstance(branch.this, exp.Null):
            continue
        default = branch.args["true"] if truth else node.args.get("default")
        rest = branches[:at] if truth else [*branches[:at], *branches[at + 1 :]]
        if not _keep_type(node, rest, default, facts):
            return None
        if rest:
            node.set("ifs", rest)
            node.set("default", default)
            return node
        if not facts.is_unconverted(node):
            return None
        return default if default is not None else exp.Null()
    return None


def _is_asked(test: Expr, node: exp.Case) -> bool:
    """Whether WHERE lets only such rows pass, and the CASE is computed behind it."""
    select = enclosing(node)
    if not isinstance(select, exp.Select):
        return False
    part: Expr = node
    is_counted = False
    while part.parent is not None and part.parent is not select:
        part = part.parent
        is_counted = is_counted or isinstance(part, exp.AggFunc)
    if isinstance(part, exp.Where | exp.Join | exp.From) or has_subquery(test):
        return False
    if is_grouped(select) and select.args.get("group") is None and not is_counted:
        # A group of no rows has NULL in every column.
        return False
    return any(same_expression(test, condition) for condition in conditions(select))


def _keep_type(node: exp.Case, rest: list[Expr], default: Expr | None, facts: Facts) -> bool:
    """Whether a CASE has the same type with some of its branches as with all of them."""
    remaining = [
        *(branch.args["true"] for branch in rest),
        *([default] if default is not None else []),
    ]
    results = [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")]
    others = [
        result
        for result in results
        if result is not None and not any(result is other for other in remaining)
    ]
    return all(any(keeps_type(own, result, facts) for own in remaining) for result in others)
