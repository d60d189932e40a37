"""Queries inside a query: IN and WITH."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, PrimaryKey, References, Unique
from sqlverdict.prove.etm_paper.constraints import is_unique, refers
from sqlverdict.prove.etm_paper.shapes import (
    column_node,
    nodes_below,
    plain_name,
    same_node,
    table_name,
    true_condition,
)
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("20",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT k FROM t WHERE v > 1)",
            "SELECT v FROM t WHERE v > 1",
            (Unique("t", ("k",)), NotNull("t", "k")),
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT v FROM t WHERE v > 1)",
            "SELECT v FROM t WHERE v > 1",
            because="k is looked up among the v",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT k FROM t WHERE v = 5)",
            "SELECT v FROM t WHERE v = 5",
            because="rows may share k",
        ),
    ],
)
def paper_in_own_table_is_condition(node: exp.In, facts: Facts) -> Expr | None:
    """IN over a column of the same table is the inner condition.

    Statement
        SELECT _ FROM t WHERE c IN (SELECT c FROM t WHERE d)   ==   SELECT _ FROM t WHERE d

    Holds when
        The inner query selects the same column from the same table, and has a WHERE.

    Why
        A row's c is among those of the rows for which d holds where d holds for it.

    Limits
        That takes a c that no two rows share: with the rows (c, v) = (1, 5) and (1, 6), ``c IN
        (SELECT c FROM t WHERE v = 5)`` keeps both, ``v = 5`` one. What the inner query joins,
        groups or limits is not looked at.

    Source
        ETM (Ascoli et al.), table 3, rule 20.
    """
    del facts
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    where, sources = inner.args.get("where"), items(inner)
    outside = plain_name(node.this)
    if where is None or outside is None or not same_node(inner.expressions[0], node.this):
        return None
    if not sources or table_name(sources[0]) != outside[0]:
        return None
    if not isinstance(node.find_ancestor(exp.Where, exp.Select), exp.Where):
        return None
    condition: Expr = where.this
    return condition


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
    where = node.args.get("where")
    condition = where.this if where is not None else None
    if joins(node) or not isinstance(condition, exp.In | exp.EQ):
        return None
    inner = _inner(condition)
    outside, inside = plain_name(condition.this), None
    if inner is not None and len(inner.expressions) == 1:
        inside = plain_name(inner.expressions[0])
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
    node.set(
        "where", exp.Where(this=inner_where.this if inner_where is not None else true_condition())
    )
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


MOST_NODES = 6_000


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("26",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "WITH q AS (SELECT v FROM t WHERE k > 1) SELECT q.v FROM q",
            "SELECT q.v FROM (SELECT v FROM t WHERE k > 1) AS q",
        ),
    ],
    different=[
        Pair(
            "WITH q AS (SELECT v FROM t WHERE k > 1) SELECT q.v FROM q",
            "WITH q AS (SELECT v FROM t WHERE k > 2) SELECT q.v FROM q",
            because="the conditions differ",
        ),
    ],
)
def paper_with_is_derived_table(node: exp.Select | exp.SetOperation, facts: Facts) -> Expr | None:
    """A common table expression is a derived table where it is used.

    Statement
        WITH q AS (q1) SELECT _ FROM q   ==   SELECT _ FROM (q1) AS q

    Holds when
        The expression is not recursive and names no columns of its own.

    Why
        A common table expression is a name for a query.

    Limits
        Used twice, the query is run twice: with RANDOM() in it the two copies differ. A query that
        would grow beyond 6,000 nodes keeps its WITH.

    Source
        ETM (Ascoli et al.), table 3, rule 26.
    """
    del facts
    with_ = node.args.get("with_")
    if with_ is None or with_.args.get("recursive"):
        return None
    parts = with_.expressions
    if any(part.args["alias"].args.get("columns") for part in parts):
        return None
    copy: Expr = node.copy()
    copy.set("with_", None)
    bodies: dict[str, Expr] = {}
    for part in parts:
        bodies[part.alias.lower()] = _inlined(part.this.copy(), bodies)
        if sum(map(_size, bodies.values())) > MOST_NODES:
            return None
    copy = _inlined(copy, bodies)
    return copy if _size(copy) <= MOST_NODES else None


def _inlined(query: Expr, bodies: dict[str, Expr]) -> Expr:
    for table in nodes_below(query, exp.Table):
        body = bodies.get(table.name.lower())
        if body is None or table.args.get("db"):
            continue
        alias = table.args.get("alias") or exp.TableAlias(this=exp.Identifier(this=table.name))
        table.replace(exp.Subquery(this=counted_copy(body), alias=alias))
    return query


def _size(query: Expr) -> int:
    return len(nodes_below(query, Expr))
