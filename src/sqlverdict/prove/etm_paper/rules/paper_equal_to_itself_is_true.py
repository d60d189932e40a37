"""A condition that sets an expression equal to itself is true, and goes.

Statement
    SELECT _ FROM _ WHERE x = x AND d   ==   SELECT _ FROM _ WHERE d

Holds when
    It is a conjunct, or the whole WHERE.

Why
    The other rules leave ``1 = 1`` behind where they take a condition away.

Limits
    x may be NULL, and then the condition is unknown: with k NULL, ``WHERE k = k`` drops the row.
    In OR the same is done: ``x = x OR d`` becomes d, though it is true wherever x is no NULL. The
    copies of a table that is joined to itself have one name, so that ``a.k = b.k`` is ``k = k``.

Source
    The clean-up in the script of ETM (Ascoli et al.); the paper does not mention it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.etm_paper.shapes import nodes_below, same
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE 1 = 1 AND v > 1", "SELECT k FROM t WHERE v > 1"),
        Pair("SELECT k FROM t WHERE k = k", "SELECT k FROM t", (NotNull("t", "k"),)),
    ],
    different=[
        Pair("SELECT k FROM t WHERE k = v", "SELECT k FROM t", because="k need not be v"),
    ],
    corners=[
        Pair(
            "SELECT v FROM t WHERE k = k",
            "SELECT v FROM t",
            because="k = k is unknown where k is NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE 1 = 1 OR v > 1",
            "SELECT k FROM t WHERE v > 1",
            because="1 = 1 makes the first true for every row",
        ),
    ],
)
def paper_equal_to_itself_is_true(node: exp.Select, facts: Facts) -> Expr | None:
    """Take the condition away."""
    del facts
    changed = False
    connectives = nodes_below(node, exp.And, exp.Or)
    for part in reversed(connectives):
        for side, other in ((part.this, part.expression), (part.expression, part.this)):
            if _is_true(side):
                part.replace(other)
                changed = True
                break
    for where in nodes_below(node, exp.Where):
        if _is_true(where.this) and where.parent is not None:
            where.parent.set("where", None)
            changed = True
    return node if changed else None


def _is_true(condition: Expr) -> bool:
    return isinstance(condition, exp.EQ) and same(condition.this, condition.expression)
