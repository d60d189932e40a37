"""EXCEPT is NOT IN over a column that is unique and never NULL.

Statement
    SELECT c FROM t EXCEPT q   ==   SELECT c FROM t WHERE c NOT IN (q)

Holds when
    c is UNIQUE and NON_NULL.

Why
    The left side has no duplicates to remove, and both drop the values that q has.

Limits
    A NULL in q makes NOT IN unknown for every row: with t = (1) and q = (NULL), EXCEPT gives 1
    and NOT IN nothing. Where t is joined, c may repeat, and only EXCEPT removes the repetitions.

Source
    ETM (Ascoli et al.), table 2, rule 5.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.constraints import is_not_null, is_unique
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("5",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t EXCEPT SELECT w FROM u",
            "SELECT k FROM t WHERE k NOT IN (SELECT w FROM u)",
            (*KEY, NotNull("u", "w")),
        ),
        Pair(
            "SELECT k FROM t WHERE v > 1 EXCEPT SELECT w FROM u",
            "SELECT k FROM t WHERE v > 1 AND k NOT IN (SELECT w FROM u)",
            (*KEY, NotNull("u", "w")),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t EXCEPT SELECT w FROM u",
            "SELECT v FROM t WHERE v NOT IN (SELECT w FROM u)",
            (NotNull("t", "v"), NotNull("u", "w")),
            because="EXCEPT removes duplicates of v",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t EXCEPT SELECT w FROM u",
            "SELECT k FROM t WHERE k NOT IN (SELECT w FROM u)",
            KEY,
            because="NOT IN is unknown where w is NULL",
        ),
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k = u.k EXCEPT SELECT w FROM u",
            "SELECT t.k FROM t JOIN u ON t.k = u.k WHERE t.k NOT IN (SELECT w FROM u)",
            (*KEY, NotNull("u", "w")),
            because="the join repeats k, and EXCEPT alone removes repetitions",
        ),
    ],
)
def paper_except_is_not_in(node: exp.Except, facts: Facts) -> Expr | None:
    """Write NOT IN."""
    left = node.this
    if not isinstance(left, exp.Select) or len(left.expressions) != 1:
        return None
    column = left.expressions[0]
    if not is_unique(column, facts) or not is_not_null(column, facts):
        return None
    inside = exp.In(this=column.copy(), query=exp.Subquery(this=node.expression))
    condition: Expr = exp.Not(this=inside)
    where = left.args.get("where")
    if where is not None:
        condition = exp.And(this=condition, expression=where.this)
    left.set("where", exp.Where(this=condition))
    return left
