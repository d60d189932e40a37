"""A left join whose partner is missing is NOT IN.

Statement
    SELECT _ FROM t1 LEFT JOIN t2 ON t1.c1 = t2.c2 WHERE t2._ IS NULL
    ==   SELECT _ FROM t1 WHERE t1.c1 NOT IN (SELECT c2 FROM t2)

Holds when
    The left join is the only join, and IS NULL the only condition.

Why
    The join fills t2 with NULLs exactly where no row of t2 fits.

Limits
    A NULL in t2.c2 makes NOT IN unknown for every row; a NULL in t1.c1 is kept by the join and
    dropped by NOT IN. Where the tested column may be NULL in t2 itself, rows with a partner are
    kept too: with t1 = (1) and t2 = (c2, v) = (1, NULL), ``WHERE t2.v IS NULL`` keeps the row.

Source
    ETM (Ascoli et al.), table 3, rule 25.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.etm_paper.shapes import name_of, table_name
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("25",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"), NotNull("u", "k")),
        ),
    ],
    different=[
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NOT NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"),),
            because="the first keeps the rows with a partner",
        ),
        Pair(
            "SELECT t.v FROM t JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"), NotNull("u", "k")),
            because="an inner join fills in no NULL",
        ),
    ],
    corners=[
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"),),
            because="NOT IN is unknown where u.k is NULL",
        ),
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("u", "k"),),
            because="the join keeps a row whose k is NULL",
        ),
        Pair(
            "SELECT t.v FROM t LEFT JOIN u ON t.k = u.k WHERE u.w IS NULL",
            "SELECT v FROM t WHERE k NOT IN (SELECT k FROM u)",
            (NotNull("t", "k"), NotNull("u", "k")),
            because="w may be NULL in a row that is a partner",
        ),
    ],
)
def paper_left_join_null_is_not_in(node: exp.Select, facts: Facts) -> Expr | None:
    """Write NOT IN."""
    del facts
    where = node.args.get("where")
    if where is None or len(joins(node)) != 1 or not isinstance(where.this, exp.Is):
        return None
    join, test = joins(node)[0], where.this
    on = join.args.get("on")
    if (join.side or "").upper() != "LEFT" or not isinstance(test.expression, exp.Null):
        return None
    left_table, missing = table_name(items(node)[0]), name_of(test.this)
    if not isinstance(on, exp.EQ) or missing is None or not left_table:
        return None
    for outer, inner in ((on.this, on.expression), (on.expression, on.this)):
        outside, inside = name_of(outer), name_of(inner)
        if outside is None or inside is None or outside[0] != left_table or inside[0] != missing[0]:
            continue
        table = exp.Table(this=exp.Identifier(this=missing[0]))
        query = exp.Select(expressions=[inner.copy()], from_=exp.From(this=table))
        condition = exp.In(this=outer.copy(), query=exp.Subquery(this=query))
        node.set("where", exp.Where(this=exp.Not(this=condition)))
        node.set("joins", None)
        return node
    return None
