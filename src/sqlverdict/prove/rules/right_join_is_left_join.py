"""A RIGHT JOIN is the LEFT JOIN of the swapped sides.

Statement
    FROM a RIGHT JOIN b ON p   ==   FROM b LEFT JOIN a ON p

Holds when
    It is the first join of its FROM clause.

Why
    Both keep every row of b, with the partners in a or with NULLs.

Limits
    A RIGHT JOIN behind other joins is left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: RIGHT and LEFT flipped.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import joins
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v, w FROM t RIGHT JOIN u ON t.k = u.k",
            "SELECT v, w FROM u LEFT JOIN t ON t.k = u.k",
        ),
    ],
    different=[
        Pair(
            "SELECT v, w FROM t RIGHT JOIN u ON t.k = u.k",
            "SELECT v, w FROM t LEFT JOIN u ON t.k = u.k",
            because="the other side is kept",
        ),
    ],
)
def right_join_is_left_join(node: exp.Select, facts: Facts) -> Expr | None:
    """Swap the sides."""
    del facts
    own_joins = joins(node)
    if not own_joins or (own_joins[0].side or "").upper() != "RIGHT":
        return None
    start = node.args["from_"]
    left, right = start.this, own_joins[0].this
    start.set("this", right)
    own_joins[0].set("this", left)
    own_joins[0].set("side", "LEFT")
    return node
