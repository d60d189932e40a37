"""Counting a column that is never NULL is counting rows.

Statement
    SELECT COUNT(c) FROM t   ==   SELECT COUNT(*) FROM t

Holds when
    c is NON_NULL.

Why
    COUNT(c) leaves out the rows in which c is NULL; there are none.

Limits
    An outer join fills c with NULLs, and is not looked at: ``SELECT COUNT(u.k) FROM t LEFT JOIN u
    ON t.k = u.k`` matches COUNT(*); with one row in t and none in u the first is 0, the second 1.
    A primary key that is not the rowid may hold NULL in SQLite.

Source
    ETM (Ascoli et al.), table 2, rule 6.
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
    paper=("6",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[Pair("SELECT COUNT(k) FROM t", "SELECT COUNT(*) FROM t", (NotNull("t", "k"),))],
    different=[
        Pair("SELECT COUNT(k) FROM t", "SELECT COUNT(*) FROM t", because="k may be NULL"),
        Pair(
            "SELECT COUNT(DISTINCT k) FROM t",
            "SELECT COUNT(*) FROM t",
            (NotNull("t", "k"),),
            because="k may repeat",
        ),
    ],
    corners=[
        Pair(
            "SELECT COUNT(u.k) FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT COUNT(*) FROM t LEFT JOIN u ON t.k = u.k",
            (NotNull("u", "k"),),
            because="the left join fills u.k with NULL",
        ),
    ],
)
def paper_count_of_not_null_is_count_star(node: exp.Count, facts: Facts) -> Expr | None:
    """Count rows."""
    if not isinstance(node.this, exp.Column) or not is_not_null(node.this, facts):
        return None
    return exp.Count(this=exp.Star(), big_int=True)
