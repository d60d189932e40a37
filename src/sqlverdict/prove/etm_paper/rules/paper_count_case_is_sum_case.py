"""Counting the rows of a case is adding up ones.

Statement
    COUNT(CASE WHEN d THEN 1 END)   ==   SUM(CASE WHEN d THEN 1 ELSE 0 END)
    COUNT(CASE WHEN d THEN c END)   ==   the same

Holds when
    The counted value is 1, or a column that is NON_NULL.

Why
    COUNT leaves out NULL, which is what CASE gives where d does not hold.

Limits
    Of no rows COUNT is 0 and SUM is NULL: on an empty table the two differ.

Source
    ETM (Ascoli et al.), table 2, rule 9.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.constraints import is_not_null
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("9",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, COUNT(CASE WHEN v > 1 THEN 1 ELSE NULL END) FROM t GROUP BY k",
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
        ),
    ],
    different=[
        Pair(
            "SELECT k, COUNT(CASE WHEN v > 1 THEN k END) FROM t GROUP BY k",
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
            because="k may be NULL",
        ),
        Pair(
            "SELECT k, COUNT(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
            because="COUNT counts the zeros too",
        ),
    ],
    corners=[
        Pair(
            "SELECT COUNT(CASE WHEN v > 1 THEN 1 END) FROM t",
            "SELECT SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t",
            because="of no rows COUNT is 0 and SUM is NULL",
        ),
    ],
)
def paper_count_case_is_sum_case(node: exp.Count, facts: Facts) -> Expr | None:
    """Write SUM."""
    case = node.this
    if not isinstance(case, exp.Case) or len(case.args["ifs"]) != 1:
        return None
    default = case.args.get("default")
    if default is not None and not isinstance(default, exp.Null):
        return None
    branch = case.args["ifs"][0]
    value = branch.args["true"]
    one = isinstance(value, exp.Literal) and value.name in ("1", "1.0")
    if not one and not is_not_null(value, facts):
        return None
    new_branch = exp.If(this=branch.this, true=exp.Literal.number("1.0"))
    return exp.Sum(this=exp.Case(ifs=[new_branch], default=exp.Literal.number("0")))
