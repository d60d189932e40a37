"""UNION, INTERSECT and EXCEPT as conditions."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.constraints import is_not_null, is_unique
from sqlverdict.prove.etm_paper.shapes import node_text, same_node
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("3",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v > 1 INTERSECT SELECT k FROM t WHERE v < 5",
            "SELECT k FROM t WHERE v > 1 AND v < 5",
            KEY,
        ),
        Pair(
            "SELECT k FROM t WHERE v < 1 UNION SELECT k FROM t WHERE v > 5",
            "SELECT k FROM t WHERE v < 1 OR v > 5",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k = 1 INTERSECT SELECT v FROM t WHERE k = 2",
            "SELECT v FROM t WHERE k = 1 AND k = 2",
            KEY,
            because="two rows may share v",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE v > 1 UNION ALL SELECT k FROM t WHERE v > 2",
            "SELECT k FROM t WHERE v > 1 OR v > 2",
            KEY,
            because="UNION ALL gives a row that satisfies both twice",
        ),
        Pair(
            "SELECT k FROM t WHERE v = 1 INTERSECT SELECT k FROM t WHERE v = 2",
            "SELECT k FROM t WHERE v = 1 AND v = 2",
            (Unique("t", ("k",)),),
            because="INTERSECT takes two NULLs for one value",
        ),
    ],
)
def paper_set_operation_is_a_condition(
    node: exp.Intersect | exp.Union, facts: Facts
) -> Expr | None:
    """INTERSECT is AND and UNION is OR over a unique column of one table.

    Statement
        SELECT c FROM t WHERE d1 INTERSECT SELECT c FROM t WHERE d2
        ==   SELECT c FROM t WHERE d1 AND d2   (UNION: OR)

    Holds when
        c is UNIQUE, and both sides select it from the same table.

    Why
        c tells the row: a value is on both sides where its row satisfies both conditions.

    Limits
        What the second side joins, groups or limits is not looked at, nor ALL: ``SELECT k FROM t
        WHERE v > 1 UNION ALL SELECT k FROM t WHERE v > 2`` is read as OR; with v = 3 the first has
        k twice, the second once. Where c is NULL in two rows, INTERSECT may join different rows.

    Source
        ETM (Ascoli et al.), table 2, rule 3.
    """
    left, right = node.this, node.expression
    if not isinstance(left, exp.Select) or not isinstance(right, exp.Select):
        return None
    if len(left.expressions) != 1 or len(right.expressions) != 1:
        return None
    sources = left.args.get("from_"), right.args.get("from_")
    first, second = left.args.get("where"), right.args.get("where")
    if first is None or second is None or node_text(sources[0]) != node_text(sources[1]):
        return None
    if not same_node(left.expressions[0], right.expressions[0]):
        return None
    if not is_unique(left.expressions[0], facts):
        return None
    join = exp.And if isinstance(node, exp.Intersect) else exp.Or
    left.set("where", exp.Where(this=join(this=first.this, expression=second.this)))
    return left


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
    """EXCEPT is NOT IN over a column that is unique and never NULL.

    Statement
        SELECT c FROM t EXCEPT q   ==   SELECT c FROM t WHERE c NOT IN (q)

    Holds when
        c is UNIQUE and NON_NULL.

    Why
        The left side has no duplicates to remove, and both drop the values that q has.

    Limits
        A NULL in q makes NOT IN unknown for every row: with t = (1) and q = (NULL), EXCEPT gives 1
        and NOT IN nothing. Where t is joined, c may repeat, and only EXCEPT removes the
        repetitions.

    Source
        ETM (Ascoli et al.), table 2, rule 5.
    """
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
