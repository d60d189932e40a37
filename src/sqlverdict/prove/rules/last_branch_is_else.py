"""The last branch of a CASE whose conditions leave nothing is its ELSE.

Statement
    CASE WHEN x > 1 THEN a WHEN x <= 1 THEN b END   ==   CASE WHEN x > 1 THEN a ELSE b END

Holds when
    The CASE has no ELSE, and one of its conditions is true in every row: their OR is true by its
    table of truths, in three truth values.

Why
    Where no condition before the last one is true, the last one is.

Limits
    Where x may be NULL no condition is true: left alone, unless WHERE lets no NULL pass.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.conditions.one_form import one_form
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant_truth, is_truth_value
from sqlverdict.prove.reasoning.shape import aggregates_in, any_of, has_subquery
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_MOST_BRANCHES = 6


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Case,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN v <= 1 THEN 'b' END FROM t",
            "SELECT CASE WHEN v > 1 THEN 'a' ELSE 'b' END FROM t",
            (NotNull("t", "v"),),
        ),
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN v <= 1 OR v IS NULL THEN 'b' END FROM t",
            "SELECT CASE WHEN v > 1 THEN 'a' ELSE 'b' END FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN v <= 1 THEN 'b' END FROM t",
            "SELECT CASE WHEN v > 1 THEN 'a' ELSE 'b' END FROM t",
            because="v may be NULL",
        ),
    ],
)
def last_branch_is_else(node: exp.Case, facts: Facts) -> Expr | None:
    """Leave out the last condition."""
    branches = node.args["ifs"]
    if node.this is not None or node.args.get("default") is not None:
        return None
    if not 2 <= len(branches) <= _MOST_BRANCHES or has_subquery(node):
        return None
    tests = [branch.this for branch in branches]
    if not all(map(is_truth_value, tests)):
        return None
    if next(aggregates_in(tests), None) is not None:
        return None
    whole = any_of([counted_copy(test) for test in tests])
    # It is looked at where the CASE stands: what is NULL there depends on the query around.
    whole.parent, whole.arg_key = node, "this"
    form = one_form(whole, facts, only_truth=True)
    if form is None or constant_truth(form) is not True:
        facts.cited.clear()
        return None
    node.set("ifs", branches[:-1])
    node.set("default", branches[-1].args["true"])
    return node
