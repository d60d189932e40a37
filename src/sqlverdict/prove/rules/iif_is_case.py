"""IIF is a CASE of one branch.

Statement
    IIF(d, x, y)   ==   CASE WHEN d THEN x ELSE y END

Holds when
    Always.

Why
    SQLite's documentation defines IIF so.

Limits
    None.

Source
    ETM (Ascoli et al.), rule 24.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import WITH_IF, Pair, rule


@rule(
    trust="proved",
    dialects=WITH_IF,
    paper=("24",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT IIF(v > 1, 'a', 'b') FROM t",
            "SELECT CASE WHEN v > 1 THEN 'a' ELSE 'b' END FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT IIF(v > 1, 'a', 'b') FROM t",
            "SELECT CASE WHEN v > 1 THEN 'a' END FROM t",
            because="without ELSE the rest is NULL",
        ),
    ],
)
def iif_is_case(node: exp.If, facts: Facts) -> Expr | None:
    """Write the CASE."""
    del facts
    if isinstance(node.parent, exp.Case) and node.arg_key == "ifs":
        return None
    branch = exp.If(this=node.this, true=node.args["true"])
    return exp.Case(ifs=[branch], default=node.args.get("false"))
