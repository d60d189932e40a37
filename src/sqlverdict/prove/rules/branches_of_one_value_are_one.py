"""Two branches of a CASE that follow each other and have one value are one branch.

Statement
    CASE WHEN p THEN x WHEN q THEN x ELSE y END   ==   CASE WHEN p OR q THEN x ELSE y END
    CASE WHEN p THEN y WHEN q THEN x ELSE x END   ==   CASE WHEN p THEN y ELSE x END

Holds when
    The CASE has no operand, and the tests and values have no query.

Why
    The second test is asked where the first one is false or NULL, and p OR q is true where one of
    them is.

Limits
    Branches with another one between them are left alone, and so is an aggregate that alone makes
    the query one row.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import aggregates_in, has_subquery
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Case,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN k > 1 THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v > 1 OR k > 1 THEN 'a' ELSE 'b' END FROM t",
        ),
        Pair(
            "SELECT CASE v WHEN 1 THEN 'a' WHEN 2 THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v IN (1, 2) THEN 'a' ELSE 'b' END FROM t",
        ),
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN k > 1 THEN 'b' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v > 1 THEN 'a' ELSE 'b' END FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN k > 1 THEN 'c' WHEN v = 0 THEN 'a' END FROM t",
            "SELECT CASE WHEN v > 1 OR v = 0 THEN 'a' WHEN k > 1 THEN 'c' END FROM t",
            because="the branch between them is asked before the last one",
        ),
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN k > 1 THEN 'a' ELSE 'b' END FROM t",
            "SELECT CASE WHEN v > 1 AND k > 1 THEN 'a' ELSE 'b' END FROM t",
            because="one test is enough",
        ),
    ],
)
def branches_of_one_value_are_one(node: exp.Case, facts: Facts) -> Expr | None:
    """Ask both tests in one."""
    del facts
    branches, default = node.args["ifs"], node.args.get("default")
    if node.this is not None or has_subquery(node):
        return None
    if next(aggregates_in([node]), None) is not None:
        return None
    for at in range(len(branches) - 1):
        first, second = branches[at], branches[at + 1]
        if same_expression(first.args["true"], second.args["true"]):
            either = exp.Or(this=first.this, expression=second.this)
            first.set("this", either)
            node.set("ifs", [*branches[: at + 1], *branches[at + 2 :]])
            return node
    is_idle = default is not None and same_expression(branches[-1].args["true"], default)
    if len(branches) > 1 and is_idle:
        node.set("ifs", branches[:-1])
        return node
    return None
