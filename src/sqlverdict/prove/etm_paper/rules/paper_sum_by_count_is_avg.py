"""The sum as a float divided by the number of rows is the average.

Statement
    CAST(SUM(c) AS FLOAT) / COUNT(*)   ==   AVG(c)

Holds when
    c is NON_NULL.

Why
    AVG divides the sum by the number of values; without NULLs that is the number of rows.

Limits
    An outer join fills c with NULLs, and is not looked at. SUM of integers stops with an
    overflow where AVG adds floats: with two rows of 2^63 - 1 the first is an error.

Source
    ETM (Ascoli et al.), table 2, rule 8.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.etm_paper.constraints import is_not_null
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("8",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT CAST(SUM(v) AS FLOAT) / COUNT(*) FROM t",
            "SELECT AVG(v) FROM t",
            (NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            "SELECT CAST(SUM(v) AS FLOAT) / COUNT(*) FROM t",
            "SELECT AVG(v) FROM t",
            because="rows with a NULL count in the first alone",
        ),
        Pair(
            "SELECT SUM(v) / COUNT(*) FROM t",
            "SELECT AVG(v) FROM t",
            (NotNull("t", "v"),),
            because="integers are divided without a rest",
        ),
    ],
    corners=[
        Pair(
            "SELECT CAST(SUM(u.w) AS FLOAT) / COUNT(*) FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT AVG(u.w) FROM t LEFT JOIN u ON t.k = u.k",
            (NotNull("u", "w"),),
            because="the left join fills u.w with NULL, which AVG leaves out",
        ),
    ],
)
def paper_sum_by_count_is_avg(node: exp.Div, facts: Facts) -> Expr | None:
    """Write AVG."""
    cast, count = node.this, node.expression
    if not isinstance(cast, exp.Cast) or not cast.to.is_type("float"):
        return None
    if not isinstance(count, exp.Count) or not isinstance(count.this, exp.Star):
        return None
    total = cast.this
    if not isinstance(total, exp.Sum) or not is_not_null(total.this, facts):
        return None
    return exp.Avg(this=total.this)
