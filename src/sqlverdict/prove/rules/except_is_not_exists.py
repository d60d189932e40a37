"""EXCEPT keeps the rows for which there is no equal row on the other side.

Statement
    SELECT x FROM a EXCEPT SELECT y FROM b
    ==   SELECT DISTINCT x FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE y = x)

Holds when
    Neither side has grouping, LIMIT or outer joins, no column of either side is ever NULL, and
    columns are of the same kind.

Why
    EXCEPT folds copies and removes rows that the other side has. It takes two NULLs for the
    same, which ``=`` does not: so there must be none. At least one side of each pair of columns
    must be free of NULL; both are asked for.

Limits
    Sides with columns that may be NULL are left alone.

Source
    ETM (Ascoli et al.), rule 5, with NULL and copies in mind.
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
    paper=("5",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t EXCEPT SELECT w FROM u",
            "SELECT DISTINCT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE w = t.k)",
            (NotNull("t", "k"),),
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t EXCEPT SELECT w FROM u",
            "SELECT DISTINCT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE w = t.k)",
            because="EXCEPT removes a NULL that the other side has",
        ),
    ],
)
def except_is_not_exists(node: exp.Except, facts: Facts) -> Expr | None:
    """Write NOT EXISTS."""
    test = existence(node, facts)
    if test is None:
        return None
    left: Expr = node.this
    set_conditions(left, [*conditions(left), exp.Not(this=test)])
    left.set("distinct", exp.Distinct())
    for part in ("order", "limit", "offset"):
        left.set(part, node.args.get(part))
    return left
