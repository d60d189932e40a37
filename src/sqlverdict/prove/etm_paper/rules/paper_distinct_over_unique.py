"""DISTINCT is idle where a selected column is unique.

Statement
    SELECT DISTINCT c, _ FROM t   ==   SELECT c, _ FROM t
    COUNT(DISTINCT c)   ==   COUNT(c)

Holds when
    c is UNIQUE in t, and t is joined to nothing.

Why
    Rows that agree on every selected column agree on c, so they are one row.

Limits
    UNIQUE admits any number of NULLs: with two rows whose c is NULL, DISTINCT gives one row and
    its absence two. A partial unique index counts as UNIQUE and says nothing of the rows that it
    leaves out.

Source
    ETM (Ascoli et al.), table 2, rule 2.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.constraints import is_unique
from sqlverdict.prove.etm_paper.shapes import nodes_below
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import joins
from sqlverdict.prove.rule import Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("2",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT DISTINCT k, v FROM t", "SELECT k, v FROM t", KEY),
        Pair("SELECT COUNT(DISTINCT k) FROM t", "SELECT COUNT(k) FROM t", KEY),
    ],
    different=[
        Pair("SELECT DISTINCT v FROM t", "SELECT v FROM t", KEY, because="v may repeat"),
        Pair(
            "SELECT DISTINCT t.k FROM t JOIN u ON t.v = u.k",
            "SELECT t.k FROM t JOIN u ON t.v = u.k",
            KEY,
            because="the join repeats k",
        ),
    ],
    corners=[
        Pair(
            "SELECT DISTINCT k FROM t",
            "SELECT k FROM t",
            (Unique("t", ("k",)),),
            because="a unique k may be NULL in many rows",
        ),
    ],
)
def paper_distinct_over_unique(node: exp.Select, facts: Facts) -> Expr | None:
    """Take DISTINCT away."""
    if joins(node):
        return None
    changed = False
    if node.args.get("distinct") and any(is_unique(item, facts) for item in node.expressions):
        node.set("distinct", None)
        changed = True
    for distinct in nodes_below(node, exp.Distinct):
        items = distinct.expressions
        if distinct.parent is not node and len(items) == 1 and is_unique(items[0], facts):
            distinct.replace(items[0])
            changed = True
    return node if changed else None
