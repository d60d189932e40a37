"""Inner joins may be written in any order, with their conditions at any of them.

Statement
    SELECT _ FROM t JOIN u ON d   ==   SELECT _ FROM u JOIN t ON d

Holds when
    No join of the SELECT is an outer one.

Why
    Inner joins commute and associate, and their ON conditions are a conjunction.

Limits
    The word before JOIN, USING and NATURAL are dropped: ``SELECT t.v FROM t NATURAL JOIN u``
    matches ``SELECT t.v FROM t JOIN u``. With one row in t, and two in u of which none shares
    its k, the first is empty and the second has two rows.

Source
    ETM (Ascoli et al.), table 1, P4.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import has_side, key, set_sources, sort_key
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items, joins
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P4",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT w FROM t JOIN u ON t.k = u.k", "SELECT w FROM u JOIN t ON t.k = u.k"),
        Pair("SELECT w FROM t INNER JOIN u ON t.k > u.k", "SELECT w FROM t JOIN u ON t.k > u.k"),
    ],
    different=[
        Pair(
            "SELECT w FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT w FROM u LEFT JOIN t ON t.k = u.k",
            because="a left join keeps the rows of its left side",
        ),
    ],
    corners=[
        Pair(
            "SELECT t.v FROM t NATURAL JOIN u",
            "SELECT t.v FROM t JOIN u",
            because="a natural join asks that the k are equal",
        ),
        Pair(
            "SELECT v FROM t JOIN u USING (k)",
            "SELECT v FROM t JOIN u",
            because="USING asks that the k are equal",
        ),
    ],
)
def paper_joins_commute(node: exp.Select, facts: Facts) -> Expr | None:
    """Order the tables by their text, with all conditions at the first join."""
    del facts
    if not joins(node) or has_side(node):
        return None
    before = key([node.args["from_"], *joins(node)])
    on = [join.args["on"] for join in joins(node) if join.args.get("on") is not None]
    set_sources(node, sorted(items(node), key=sort_key), sorted(on, key=sort_key))
    return node if key([node.args["from_"], *joins(node)]) != before else None
