"""CASE WHEN p THEN TRUE ELSE FALSE END filters as p does.

Statement
    WHERE CASE WHEN p THEN TRUE ELSE FALSE END   ==   WHERE p
    WHERE CASE WHEN p THEN FALSE ELSE TRUE END   ==   WHERE NOT p, for p that is never NULL

Holds when
    It is a condition of WHERE, HAVING, ON or WHEN, alone or under AND and OR.

Why
    CASE takes ELSE where p is false or NULL; a filter treats the two alike.

Limits
    As a value it is 0 where p would be NULL, so it is left alone elsewhere.

Source
    Calcite's planner tests.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant_truth, in_filter
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE CASE WHEN v > 1 THEN 1 ELSE 0 END",
            "SELECT k FROM t WHERE v > 1",
        ),
        Pair(
            "SELECT k FROM t WHERE CASE WHEN v IS NULL THEN FALSE ELSE TRUE END AND k > 1",
            "SELECT k FROM t WHERE v IS NOT NULL AND k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN v > 1 THEN 1 ELSE 0 END FROM t",
            "SELECT v > 1 FROM t",
            because="the comparison is NULL where v is",
        ),
        Pair(
            "SELECT k FROM t WHERE CASE WHEN v > 1 THEN FALSE ELSE TRUE END",
            "SELECT k FROM t WHERE NOT v > 1",
            because="where v is NULL, CASE takes ELSE",
        ),
    ],
)
def case_of_truth_is_its_condition(node: exp.Case, facts: Facts) -> Expr | None:
    """Write the condition."""
    if node.this is not None or len(node.args["ifs"]) != 1:
        return None
    branch, default = node.args["ifs"][0], node.args.get("default")
    result = constant_truth(branch.args["true"])
    otherwise = (
        False if default is None or isinstance(default, exp.Null) else constant_truth(default)
    )
    if result is None or otherwise in (None, result) or not in_filter(node):
        return None
    condition: Expr = branch.this
    if result:
        return condition
    return exp.Not(this=condition) if facts.never_null(condition) else None
