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

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import nodes_below
from sqlverdict.prove.reasoning.copies import copy_of
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

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
    """Write each derived table where it is used."""
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
        table.replace(exp.Subquery(this=copy_of(body), alias=alias))
    return query


def _size(query: Expr) -> int:
    return len(nodes_below(query, Expr))
