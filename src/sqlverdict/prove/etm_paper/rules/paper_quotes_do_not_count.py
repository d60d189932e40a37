"""A name in quotes is the name.

Statement
    SELECT "t"."c" FROM "t"   ==   SELECT t.c FROM t

Holds when
    Always, for names; quoted words that name nothing are strings before any rule.

Why
    Quotes let a name have spaces or be a word of SQL; they are no part of it.

Limits
    A quoted word that names a column of any table is never a string here. In SQLite it is one
    where no column in reach has the name: with a table u that has a column w,
    ``SELECT k FROM t WHERE 'w' = "w"`` keeps every row, and here reads ``'w' = t.w``.

Source
    ETM (Ascoli et al.), table 1, P8.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import nodes_below
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P8",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair('SELECT "t"."k" FROM "t" WHERE `v` > 1', "SELECT t.k FROM t WHERE v > 1"),
        Pair("SELECT [k] FROM t", "SELECT k FROM t"),
    ],
    different=[
        Pair("SELECT k FROM t", "SELECT 'k' FROM t", because="single quotes make a string"),
    ],
)
def paper_quotes_do_not_count(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the quotes away."""
    del facts
    changed = False
    for name in nodes_below(node, exp.Identifier):
        if name.args.get("quoted"):
            name.set("quoted", False)
            changed = True
    return node if changed else None
