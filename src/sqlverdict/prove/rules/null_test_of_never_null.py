"""A test for NULL is a constant where there never is a NULL.

Statement
    x IS NOT NULL   ==   TRUE
    x IS NULL       ==   FALSE

Holds when
    x is never NULL: a column declared NOT NULL that no outer join fills, or an expression of
    such.

Why
    The test asks what the schema answers.

Limits
    A PRIMARY KEY that is not the rowid's alias may hold NULL in SQLite; without NOT NULL it is
    no such fact. An aggregate that alone makes the query one row stays: COUNT(*) IS NULL.

Source
    ETM (Ascoli et al.), rule 7, with outer joins in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant
from sqlverdict.prove.reasoning.shape import groups_without
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("7",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v IS NOT NULL AND k > 1",
            "SELECT k FROM t WHERE k > 1 AND TRUE",
            (NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            "SELECT a.k FROM t a LEFT JOIN t b ON a.k = b.v WHERE b.v IS NOT NULL",
            "SELECT a.k FROM t a LEFT JOIN t b ON a.k = b.v",
            (NotNull("t", "v"),),
            because="the outer join fills b.v with NULL",
        ),
    ],
)
def null_test_of_never_null(node: exp.Is, facts: Facts) -> Expr | None:
    """Answer the test."""
    if not isinstance(node.expression, exp.Null) or not facts.never_null(node.this):
        return None
    if not groups_without(node):
        return None
    return constant(False, node)
