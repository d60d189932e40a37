"""Names are the same in upper and lower case.

Statement
    SELECT Name FROM T   ==   SELECT name FROM t

Holds when
    Always.

Why
    SQLite folds the ASCII letters of the names of tables, columns and aliases.

Limits
    Python's lower case is wider than SQLite's: names that differ in a letter beyond ASCII
    (two columns, ``Ä`` and ``ä``) are two for SQLite and one here.

Source
    ETM (Ascoli et al.), table 1, P0.
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
    paper=("P0",),
    schema='CREATE TABLE t (k INTEGER, v INTEGER, "Ä" INTEGER, "ä" INTEGER)',
    equal=[
        Pair('SELECT "K" FROM t', 'SELECT "k" FROM t'),
        Pair("SELECT K FROM T WHERE V > 1 AND K = 2", "SELECT k FROM t WHERE k = 2 AND v > 1"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE 'A' = 'a'",
            "SELECT k FROM t WHERE 'a' = 'a'",
            because="letters of text keep their case",
        ),
    ],
    corners=[
        Pair(
            'SELECT "Ä" FROM t',
            'SELECT "ä" FROM t',
            because="SQLite folds ASCII letters alone",
        ),
    ],
)
def paper_names_ignore_case(node: exp.Select, facts: Facts) -> Expr | None:
    """Write every name in lower case."""
    del facts
    changed = False
    for name in nodes_below(node, exp.Identifier):
        lower = name.name.lower()
        if lower != name.this:
            name.set("this", lower)
            changed = True
    return node if changed else None
