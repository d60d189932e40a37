"""The negation of a constant is a constant.

Statement
    NOT TRUE   ==   FALSE

Holds when
    The operand is TRUE or FALSE.

Why
    That is what NOT does.

Limits
    NULL stays NULL and is left alone.

Source
    House rule; it finishes what other rules begin.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[Pair("SELECT k FROM t WHERE NOT FALSE", "SELECT k FROM t WHERE TRUE")],
    different=[Pair("SELECT k FROM t WHERE NOT TRUE", "SELECT k FROM t", because="it is false")],
)
def negated_constant(node: exp.Not, facts: Facts) -> Expr | None:
    """Compute it."""
    del facts
    if not isinstance(node.this, exp.Boolean):
        return None
    return constant(not node.this.this, node)
