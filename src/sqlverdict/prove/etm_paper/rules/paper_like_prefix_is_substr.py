"""LIKE with one wildcard at the end is a comparison of the prefix.

Statement
    c LIKE 'x%'   ==   SUBSTR(c, 1, n) = 'x', where x has n letters

Holds when
    The pattern has one ``%``, its last letter.

Why
    Both ask whether the text starts with x.

Limits
    LIKE ignores the case of ASCII letters: 'Xy' is LIKE 'x%', and its first letter is not 'x'.
    ``_`` in the pattern stands for any letter, and is a letter on the right.

Source
    ETM (Ascoli et al.), table 2, rule 16.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("16",),
    schema="CREATE TABLE t (k INTEGER, v TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v LIKE '12-%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 3) = '12-'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v LIKE '%1%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = '1'",
            because="the 1 may stand anywhere",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE v LIKE 'a%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = 'a'",
            because="LIKE takes A for a",
        ),
        Pair(
            "SELECT k FROM t WHERE v LIKE '1_%'",
            "SELECT k FROM t WHERE SUBSTR(v, 1, 2) = '1_'",
            because="_ stands for any letter in LIKE",
        ),
    ],
)
def paper_like_prefix_is_substr(node: exp.Like, facts: Facts) -> Expr | None:
    """Compare the prefix."""
    del facts
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or pattern.name.find("%") != len(pattern.name) - 1:
        return None
    prefix = pattern.name[:-1]
    if not pattern.name:
        return None
    cut = exp.Substring(
        this=node.this,
        start=exp.Literal.number("1.0"),
        length=exp.Literal.number(f"{len(prefix)}.0"),
    )
    return exp.EQ(this=cut, expression=exp.Literal.string(prefix))
