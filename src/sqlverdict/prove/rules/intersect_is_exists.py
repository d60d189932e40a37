"""INTERSECT keeps the rows for which there is an equal row on the other side.

Statement
    SELECT x FROM a INTERSECT SELECT y FROM b
    ==   SELECT DISTINCT x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE y = x)

Holds when
    Neither side has grouping, LIMIT or outer joins, one side of each pair of columns is never
    NULL, and columns are of the same kind.

Why
    INTERSECT folds copies and keeps rows that the other side has. It takes two NULLs for the
    same, which ``=`` does not: where one side has none, they cannot meet.

Limits
    Sides whose columns may both be NULL are left alone.

Source
    ETM (Ascoli et al.), rule 3, with NULL and copies in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.set_sides import existence
from sqlverdict.prove.reasoning.shape import conditions, set_conditions
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("3",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t INTERSECT SELECT w FROM u",
            "SELECT DISTINCT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w = t.k)",
            (NotNull("t", "k"),),
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t INTERSECT SELECT w FROM u",
            "SELECT DISTINCT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w = t.k)",
            because="INTERSECT keeps a NULL that both sides have",
        ),
    ],
)
def intersect_is_exists(node: exp.Intersect, facts: Facts) -> Expr | None:
    """Write EXISTS."""
    test = existence(node, facts)
    if test is None:
        return None
    left: Expr = node.this
    set_conditions(left, [*conditions(left), test])
    left.set("distinct", exp.Distinct())
    for part in ("order", "limit", "offset"):
        left.set(part, node.args.get(part))
    return left
