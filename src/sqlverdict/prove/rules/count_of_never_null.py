"""Counting a value that is never NULL counts rows.

Statement
    COUNT(x)   ==   COUNT(*)

Holds when
    x is never NULL where it is counted: declared NOT NULL and not filled by an outer join, or
    compared in WHERE so that a NULL does not pass, or a constant.

Why
    COUNT(x) skips NULLs, and there are none.

Limits
    COUNT(DISTINCT x) is another matter; see count_distinct_over_key.

Source
    ETM (Ascoli et al.), rule 6, with outer joins in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("6",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT COUNT(v) FROM t", "SELECT COUNT(*) FROM t", (NotNull("t", "v"),)),
        Pair("SELECT k, COUNT(1) FROM t GROUP BY k", "SELECT k, COUNT(*) FROM t GROUP BY k"),
        Pair("SELECT COUNT(v) FROM t WHERE v > 3", "SELECT COUNT(*) FROM t WHERE v > 3"),
    ],
    different=[
        Pair("SELECT COUNT(v) FROM t", "SELECT COUNT(*) FROM t", because="v may be NULL"),
    ],
)
def count_of_never_null(node: exp.Count, facts: Facts) -> Expr | None:
    """Count rows."""
    argument = node.this
    if isinstance(argument, exp.Star | exp.Distinct) or argument is None or node.expressions:
        return None
    if not facts.never_null(argument):
        return None
    node.set("this", exp.Star())
    return node
