"""A text without characters is the empty text.

Statement
    LENGTH(s) = 0   ==   s = ''
    LENGTH(s) > 0   ==   s <> ''        and the same for >= 1 and <> 0

Holds when
    s is a column of texts of which equal ones are the same.

Why
    No other text has the length 0, and no length is negative.

Limits
    Under a collation that takes '' and ' ' for one text, the empty text has more than one length:
    left alone. SQLite takes a NUL character for the end of a text: no legal database stores one.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import MIRRORED, whole_number
from sqlverdict.prove.reasoning.stored import holds_no_nul
from sqlverdict.prove.rule import TYPED, Pair, rule

_IS_EMPTY: dict[tuple[type[Expr], int], bool] = {
    (exp.EQ, 0): True,
    (exp.LT, 1): True,
    (exp.LTE, 0): True,
    (exp.NEQ, 0): False,
    (exp.GT, 0): False,
    (exp.GTE, 1): False,
}


@rule(
    trust="proved",
    dialects=TYPED,
    needs=(exp.Length,),
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE LENGTH(s) = 0", "SELECT k FROM t WHERE s = ''"),
        Pair("SELECT k FROM t WHERE 0 < LENGTH(s)", "SELECT k FROM t WHERE s <> ''"),
        Pair("SELECT k FROM t WHERE LENGTH(s) >= 1", "SELECT k FROM t WHERE s <> ''"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE LENGTH(s) > 0",
            "SELECT k FROM t WHERE s IS NOT NULL",
            because="the empty text has a length",
        ),
        Pair(
            "SELECT k FROM t WHERE LENGTH(s) <= 1",
            "SELECT k FROM t WHERE s = ''",
            because="one character is no empty text",
        ),
    ],
)
def length_beside_zero(
    node: exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Compare the text."""
    kind: type[Expr] = type(node)
    call, bound = node.this, node.expression
    if isinstance(bound, exp.Length):
        kind, call, bound = MIRRORED.get(kind, kind), bound, call
    if not isinstance(call, exp.Length) or not isinstance(call.this, exp.Column):
        return None
    number = whole_number(bound)
    is_empty = _IS_EMPTY.get((kind, number)) if number is not None else None
    if is_empty is None or facts.kind(call.this) != "text" or not holds_no_nul(call.this, facts):
        return None
    operator = exp.EQ if is_empty else exp.NEQ
    return operator(this=call.this, expression=exp.Literal.string(""))
