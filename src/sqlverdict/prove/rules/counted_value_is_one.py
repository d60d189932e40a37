"""Whatever is counted under a condition, it is the condition that counts.

Statement
    COUNT(CASE WHEN d THEN x END)   ==   COUNT(CASE WHEN d THEN 1 END)

Holds when
    x is never NULL.

Why
    COUNT looks only at whether there is a value.

Limits
    An x that may be NULL is left alone, and so is COUNT(DISTINCT ...).

Source
    ETM (Ascoli et al.), rule 9.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("9",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(CASE WHEN v > 1 THEN k END) FROM t",
            "SELECT COUNT(CASE WHEN v > 1 THEN 1 END) FROM t",
            (NotNull("t", "k"),),
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(CASE WHEN v > 1 THEN k END) FROM t",
            "SELECT COUNT(CASE WHEN v > 1 THEN 1 END) FROM t",
            because="k may be NULL",
        ),
    ],
)
def counted_value_is_one(node: exp.Count, facts: Facts) -> Expr | None:
    """Count ones."""
    inner = node.this
    if not isinstance(inner, exp.Case) or inner.args.get("default") is not None:
        return None
    branches = inner.args["ifs"]
    values = [branch.args["true"] for branch in branches]
    if all(whole_number(value) == 1 for value in values):
        return None
    if not all(facts.never_null(value) for value in values):
        return None
    for branch in branches:
        branch.set("true", exp.Literal.number(1))
    return node
