"""IN over a parent's key is a join with the parent.

Statement
    SELECT _ FROM t2 WHERE c2 IN (SELECT c1 FROM t1 WHERE d)
    ==   SELECT _ FROM t1 JOIN t2 ON t1.c1 = t2.c2 WHERE d
    The same with ``=`` for IN, where d is an equality over a unique column.

Holds when
    t2.c2 is a foreign key that references the primary key t1.c1, IN is the only condition, and
    t2 is joined to nothing.

Why
    Each row of t2 has one row of t1 that it points to, so that the join repeats nothing.

Limits
    What else the inner query does is dropped: its LIMIT, its GROUP BY and HAVING, its joins.
    ``c2 IN (SELECT c1 FROM t1 LIMIT 1)`` is read as without LIMIT; with two parents that have a
    child each, the first has one row, the second two. Where c1 is one column of a
    composite key it may repeat, and the join repeats rows of t2.

Source
    ETM (Ascoli et al.), table 2, rule 13.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, PrimaryKey, References, Unique
from sqlverdict.prove.etm_paper.constraints import is_unique, refers
from sqlverdict.prove.etm_paper.shapes import column_node, name_of, table_name, truth
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins
from sqlverdict.prove.rule import Pair, rule

KEY = (
    PrimaryKey("t", ("k",)),
    Unique("t", ("k",)),
    NotNull("t", "k"),
    References("u", ("k",), "t", ("k",)),
)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("13",),
    schema=(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER); "
        "CREATE TABLE u (k INTEGER REFERENCES t (k), w INTEGER)"
    ),
    equal=[
        Pair(
            "SELECT w FROM u WHERE k IN (SELECT k FROM t WHERE v > 1)",
            "SELECT u.w FROM t JOIN u ON t.k = u.k WHERE t.v > 1",
            KEY,
        ),
        Pair(
            "SELECT w FROM u WHERE k = (SELECT k FROM t WHERE v = 1)",
            "SELECT u.w FROM t JOIN u ON t.k = u.k WHERE t.v = 1",
            (*KEY, Unique("t", ("v",))),
        ),
    ],
    different=[
        Pair(
            "SELECT w FROM u WHERE w IN (SELECT v FROM t WHERE k > 1)",
            "SELECT u.w FROM t JOIN u ON t.v = u.w WHERE t.k > 1",
            KEY,
            because="v may repeat in t",
        ),
    ],
    corners=[
        Pair(
            "SELECT w FROM u WHERE k IN (SELECT k FROM t LIMIT 1)",
            "SELECT u.w FROM t JOIN u ON t.k = u.k",
            KEY,
            because="LIMIT is dropped",
        ),
        Pair(
            "SELECT w FROM u WHERE k IN (SELECT k FROM t GROUP BY k HAVING SUM(v) > 1)",
            "SELECT u.w FROM t JOIN u ON t.k = u.k",
            KEY,
            because="HAVING is dropped",
        ),
    ],
)
def paper_in_key_is_join(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the join."""
    where = node.args.get("where")
    condition = where.this if where is not None else None
    if joins(node) or not isinstance(condition, exp.In | exp.EQ):
        return None
    inner = _inner(condition)
    outside, inside = name_of(condition.this), None
    if inner is not None and len(inner.expressions) == 1:
        inside = name_of(inner.expressions[0])
    sources = items(node)
    if inner is None or inside is None or outside is None or not sources or not items(inner):
        return None
    parent, child = table_name(items(inner)[0]), table_name(sources[0])
    if not parent or not child:
        return None
    fact = refers((child, outside[1]), (parent, inside[1]), facts)
    if fact is None:
        return None
    inner_where = inner.args.get("where")
    if isinstance(condition, exp.EQ) and not _names_one_row(inner_where, facts):
        return None
    facts.cite(fact)
    on = exp.EQ(this=column_node(parent, inside[1]), expression=column_node(child, outside[1]))
    node.set("joins", [exp.Join(this=items(inner)[0], on=on)])
    node.set("where", exp.Where(this=inner_where.this if inner_where is not None else truth()))
    return node


def _inner(condition: Expr) -> Expr | None:
    """The query of ``c IN (query)`` or ``c = (query)``."""
    query = condition.args.get("query") if isinstance(condition, exp.In) else condition.expression
    inner = query.this if isinstance(query, exp.Subquery) else None
    return inner if isinstance(inner, exp.Select) else None


def _names_one_row(where: Expr | None, facts: Facts) -> bool:
    """Whether a WHERE is an equality over a unique column."""
    return (
        where is not None and isinstance(where.this, exp.EQ) and is_unique(where.this.this, facts)
    )
