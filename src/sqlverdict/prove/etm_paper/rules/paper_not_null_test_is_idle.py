"""IS NOT NULL is idle for a column that is never NULL.

Statement
    SELECT _ FROM t WHERE c IS NOT NULL   ==   SELECT _ FROM t

Holds when
    c is NON_NULL.

Why
    The condition is true in every row.

Limits
    An outer join fills c with NULLs, and is not looked at: with one row in t and none in u,
    ``SELECT t.k FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NOT NULL`` is empty, and without
    its WHERE has one row.

Source
    ETM (Ascoli et al.), table 2, rule 7.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.etm_paper.constraints import is_not_null
from sqlverdict.prove.etm_paper.shapes import truth
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("7",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT v FROM t WHERE k IS NOT NULL", "SELECT v FROM t", (NotNull("t", "k"),)),
        Pair(
            "SELECT v FROM t WHERE v > 1 AND k IS NOT NULL",
            "SELECT v FROM t WHERE v > 1",
            (NotNull("t", "k"),),
        ),
    ],
    different=[
        Pair("SELECT v FROM t WHERE k IS NOT NULL", "SELECT v FROM t", because="k may be NULL"),
    ],
    corners=[
        Pair(
            "SELECT t.k FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NOT NULL",
            "SELECT t.k FROM t LEFT JOIN u ON t.k = u.k",
            (NotNull("u", "k"),),
            because="the left join fills u.k with NULL",
        ),
    ],
)
def paper_not_null_test_is_idle(node: exp.Not, facts: Facts) -> Expr | None:
    """Write a condition that always holds."""
    test = node.this
    if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
        return None
    where = node.find_ancestor(exp.Where, exp.Select)
    if not isinstance(where, exp.Where) or not is_not_null(test.this, facts):
        return None
    return truth()
