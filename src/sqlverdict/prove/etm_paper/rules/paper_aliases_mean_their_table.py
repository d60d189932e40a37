"""An alias of a table stands for the table.

Statement
    SELECT a.c FROM t AS a   ==   SELECT t.c FROM t

Holds when
    Always; a derived table is called by its text.

Why
    An alias is a name and nothing else.

Limits
    A table that is joined to itself has two aliases for two different rows; both become the
    table's name, so that ``a.v > b.v`` reads ``t.v > t.v``. ``SELECT a.k FROM t AS a JOIN t AS b
    ON a.v < b.v`` matches the same query with ``b.k``: on the rows (1, 1) and (2, 2) the first
    answers 1, the second 2.

Source
    ETM (Ascoli et al.), table 1, P3.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import derived_label, nodes_below, table_name
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import items
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P3",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT a.v FROM t AS a WHERE a.k > 1", "SELECT t.v FROM t WHERE t.k > 1"),
        Pair(
            "SELECT a.w FROM u AS a WHERE EXISTS (SELECT b.v FROM t AS b WHERE b.k = a.k)",
            "SELECT u.w FROM u WHERE EXISTS (SELECT t.v FROM t WHERE t.k = u.k)",
        ),
        Pair("SELECT d.v FROM (SELECT v FROM t) AS d", "SELECT e.v FROM (SELECT v FROM t) AS e"),
    ],
    different=[
        Pair(
            "SELECT a.k FROM t AS a JOIN u AS b ON a.k < b.k",
            "SELECT b.k FROM t AS a JOIN u AS b ON a.k < b.k",
            because="the aliases stand for two tables",
        ),
    ],
    corners=[
        Pair(
            "SELECT a.k FROM t AS a JOIN t AS b ON a.v < b.v",
            "SELECT b.k FROM t AS a JOIN t AS b ON a.v < b.v",
            because="the aliases stand for two rows of t",
        ),
        Pair(
            "SELECT a.k FROM t AS a WHERE EXISTS (SELECT 1 FROM t AS b WHERE b.k = a.v)",
            "SELECT a.k FROM t AS a WHERE EXISTS (SELECT 1 FROM t AS b WHERE b.k = b.v)",
            because="the first asks about the row outside, the second does not",
        ),
    ],
)
def paper_aliases_mean_their_table(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the table for its alias."""
    del facts
    changed = False
    for item in items(node):
        alias = item.args.get("alias")
        if alias is None:
            continue
        label = table_name(item) or derived_label(item.this)
        word = alias.this
        item.set("alias", None)
        changed = True
        if not isinstance(word, exp.Identifier):
            continue
        for column in nodes_below(node, exp.Column):
            table = column.args.get("table")
            if isinstance(table, exp.Identifier) and table.name == word.name:
                column.set("table", exp.Identifier(this=label))
    return node if changed else None
