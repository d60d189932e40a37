"""A query united or intersected with itself is the query.

Statement
    q UNION q   ==   q
    q INTERSECT q   ==   q

Holds when
    Both sides are the same after all other rules.

Why
    The two sides have the same rows.

Limits
    UNION and INTERSECT remove duplicates, q does not: where q gives a value twice, the left side
    gives it once. UNION ALL is read alike, and gives every row twice.

Source
    ETM (Ascoli et al.), table 3, rule 21.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.shapes import same
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("21",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t UNION SELECT k FROM t", "SELECT k FROM t", KEY),
        Pair("SELECT k, v FROM t INTERSECT SELECT k, v FROM t", "SELECT k, v FROM t", KEY),
    ],
    different=[
        Pair(
            "SELECT k FROM t UNION SELECT v FROM t",
            "SELECT k FROM t",
            KEY,
            because="v may have other values",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t UNION SELECT v FROM t",
            "SELECT v FROM t",
            because="UNION removes repetitions of v",
        ),
        Pair(
            "SELECT k FROM t UNION ALL SELECT k FROM t",
            "SELECT k FROM t",
            KEY,
            because="UNION ALL gives every row twice",
        ),
    ],
)
def paper_same_operands_are_one(node: exp.Union | exp.Intersect, facts: Facts) -> Expr | None:
    """Keep one side."""
    del facts
    left: Expr = node.this
    return left if same(left, node.expression) else None
