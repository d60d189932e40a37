"""Parentheses around an expression say nothing that the tree does not.

Statement
    SELECT _ FROM _ WHERE (d)   ==   SELECT _ FROM _ WHERE d

Holds when
    Always: the tree has the order of operations, and only repetitions of it go.

Why
    Parentheses tell the parser how to build the tree; the tree is built.

Limits
    None known. The trees of this profile are not resolved, so that the rule is no more than its
    profile.

Source
    ETM (Ascoli et al.), table 1, P7.
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
    paper=("P7",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE (v > 1)", "SELECT k FROM t WHERE v > 1"),
        Pair("SELECT (k) FROM t WHERE ((v + 1)) > 1", "SELECT k FROM t WHERE v + 1 > 1"),
    ],
    different=[
        Pair("SELECT (k + 1) * 2 FROM t", "SELECT k + 1 * 2 FROM t", because="the sum comes first"),
        Pair(
            "SELECT k FROM t WHERE k = 1 AND (v = 1 OR v = 2)",
            "SELECT k FROM t WHERE k = 1 AND v = 1 OR v = 2",
            because="AND binds tighter",
        ),
    ],
)
def paper_parentheses_do_not_count(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the parentheses away."""
    del facts
    parentheses = nodes_below(node, exp.Paren)
    for part in reversed(parentheses):
        part.replace(part.this)
    return node if parentheses else None
