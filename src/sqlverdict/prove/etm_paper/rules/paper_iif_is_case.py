"""IIF is a CASE of one branch.

Statement
    IIF(d, x, y)   ==   CASE WHEN d THEN x ELSE y END

Holds when
    Always.

Why
    SQLite's documentation defines IIF so.

Limits
    An IIF that is itself an output column, or one of several arguments, is left alone, as in the
    paper's script. No two queries that it joins are known to differ.

Source
    ETM (Ascoli et al.), table 3, rule 24.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("24",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT SUM(IIF(v > 1, k, 0)) FROM t",
            "SELECT SUM(CASE WHEN v > 1 THEN k ELSE 0 END) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(IIF(v > 1, k, 0)) FROM t",
            "SELECT SUM(CASE WHEN v > 1 THEN 0 ELSE k END) FROM t",
            because="the branches are swapped",
        ),
    ],
)
def paper_iif_is_case(node: exp.If, facts: Facts) -> Expr | None:
    """Write CASE."""
    del facts
    otherwise = node.args.get("false")
    if otherwise is None or node.index is not None:
        return None
    branch = exp.If(this=node.this, true=node.args["true"])
    return exp.Case(ifs=[branch], default=otherwise)
