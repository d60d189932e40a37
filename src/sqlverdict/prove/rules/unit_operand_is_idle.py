"""To add nothing changes nothing.

Statement
    x + 0   ==   x        x - 0   ==   x        x * 1   ==   x        -(-x)   ==   x
    0 - x   ==   -x
    s || '' ==   s

Holds when
    x is an integer, s a text, and no comparison can tell whether the value has an affinity: a
    column has one, a computed value has none.

Why
    Integers and texts are what they are. (A real may be -0.0, and -0.0 + 0 is 0.0.)

Limits
    Reals and values of unknown type are left alone: '5' + 0 is a number.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER, s VARCHAR(9))",
    equal=[
        Pair("SELECT v + 0 FROM t", "SELECT v FROM t"),
        Pair("SELECT 1 * v FROM t", "SELECT -(-v) FROM t"),
        Pair("SELECT 0 - v FROM t", "SELECT -v FROM t"),
    ],
    different=[
        Pair("SELECT v + 1 FROM t", "SELECT v FROM t", because="1 is something"),
        Pair("SELECT 0 * v FROM t", "SELECT v FROM t", because="0 times v is 0"),
    ],
)
def unit_operand_is_idle(
    node: exp.Add | exp.Sub | exp.Mul | exp.Neg | exp.DPipe, facts: Facts
) -> Expr | None:
    """Take the other operand."""
    value = _value(node)
    if value is None or not facts.is_unconverted(node):
        return None
    kind = "text" if isinstance(node, exp.DPipe) else "integer"
    inner = value.this if isinstance(value, exp.Neg) else value
    return value if facts.kind(inner) == kind else None


def _value(node: Expr) -> Expr | None:
    """What is left of an operation without its neutral operand."""
    if isinstance(node, exp.Neg):
        inner: Expr | None = node.this.this if isinstance(node.this, exp.Neg) else None
        return inner
    left: Expr = node.this
    right: Expr = node.expression
    if isinstance(node, exp.DPipe):
        return left if _is_empty(right) else right if _is_empty(left) else None
    neutral = 1 if isinstance(node, exp.Mul) else 0
    if whole_number(right) == neutral:
        return left
    if whole_number(left) != neutral:
        return None
    return exp.Neg(this=right) if isinstance(node, exp.Sub) else right


def _is_empty(node: Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string) and not node.this
