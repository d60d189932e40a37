"""A join with the parent of a foreign key is idle where nothing else of the parent is used.

Statement
    SELECT _ FROM t1 JOIN t2 ON t1.c1 = t2.c2   ==   SELECT _ FROM t2

Holds when
    t2.c2 is a foreign key that references t1.c1, the whole primary key of t1; no other column of
    t1 is used; no join is an outer one.

Why
    Each row of t2 has exactly one row of t1 that it points to: the join neither repeats nor
    drops a row. t1.c1 is written t2.c2.

Limits
    A foreign key may be NULL: with one row in t2 whose c2 is NULL the join is empty, and without
    it there is one row. When a single table is left, further ON conditions are dropped with the
    join: ``ON t1.c1 = t2.c2 AND t2.x = 5`` keeps only rows with x = 5.

Source
    ETM (Ascoli et al.), table 2, rule 14.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, PrimaryKey, References, Unique
from sqlverdict.prove.etm_paper.constraints import key_columns, parent_and_child
from sqlverdict.prove.etm_paper.shapes import (
    column_node,
    has_side,
    name_of,
    nodes_below,
    on_conditions,
    own_columns,
    set_sources,
    table_name,
    truth,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins
from sqlverdict.prove.rule import Pair, rule

LINK = (
    PrimaryKey("t", ("k",)),
    Unique("t", ("k",)),
    NotNull("t", "k"),
    References("u", ("k",), "t", ("k",)),
)
KEY = (*LINK, NotNull("u", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("14",),
    schema=(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER); "
        "CREATE TABLE u (k INTEGER REFERENCES t (k), w INTEGER)"
    ),
    equal=[
        Pair("SELECT u.w FROM t JOIN u ON t.k = u.k", "SELECT w FROM u", KEY),
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k = u.k WHERE u.w > 1",
            "SELECT k FROM u WHERE w > 1",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT t.v FROM t JOIN u ON t.k = u.k",
            "SELECT w FROM u",
            KEY,
            because="v is the parent's",
        ),
        Pair(
            "SELECT t.k FROM t JOIN u ON t.k = u.k",
            "SELECT k FROM t",
            KEY,
            because="a parent may have no child, or several",
        ),
    ],
    corners=[
        Pair(
            "SELECT u.w FROM t JOIN u ON t.k = u.k",
            "SELECT w FROM u",
            LINK,
            because="a child whose k is NULL has no parent",
        ),
        Pair(
            "SELECT u.w FROM t JOIN u ON t.k = u.k AND u.w = 5",
            "SELECT w FROM u",
            KEY,
            because="the further condition is dropped with the join",
        ),
    ],
)
def paper_join_to_parent_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the parent away."""
    if not joins(node) or has_side(node):
        return None
    for condition in reversed(on_conditions(node)):
        reference = parent_and_child(condition, facts)
        if reference is None or len(key_columns(reference[0][0], facts)) != 1:
            continue
        parent, child, fact = reference
        sources = items(node)
        parents = [item for item in sources if table_name(item) == parent[0]]
        used = {name_of(column) for column in own_columns(node)}
        if not parents or any(name and name[0] == parent[0] and name != parent for name in used):
            continue
        facts.cite(fact)
        left = [item for item in sources if item is not parents[0]]
        on = [part for part in on_conditions(node) if part is not condition]
        on = [part for part in on if isinstance(part, exp.EQ)] or [truth()]
        set_sources(node, left, on)
        for column in nodes_below(node, exp.Column):
            if name_of(column) == parent:
                column.replace(column_node(*child))
        return node
    return None
