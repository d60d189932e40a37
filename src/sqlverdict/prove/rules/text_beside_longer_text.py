"""A text with something put to it, beside a literal, is the text beside the rest of the literal.

Statement
    s || 'b' = 'ab'           ==   s = 'a'
    'a' || s = 'ab'           ==   s = 'b'
    CAST(n AS TEXT) = '15'    ==   n = 15

Holds when
    s is a column of texts, and the literal ends (or begins) with what is put to it. n is a column
    of integers, and the literal a whole number as SQL writes it. The same for <>.

Why
    Of two texts of one length at the end, the beginnings are equal where the texts are. An integer
    is written in one way.

Limits
    A literal that does not end so is left alone, and so is a real, which has several spellings.

Source
    House rule.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.stored import holds_no_nul
from sqlverdict.prove.resolve.parser_losses import cast_affinity
from sqlverdict.prove.rule import TYPED, Pair, rule

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,14}")


@rule(
    trust="proved",
    dialects=TYPED,
    needs=(exp.DPipe, exp.Cast),
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair("SELECT s FROM t WHERE CAST(k AS TEXT) = '-15'", "SELECT s FROM t WHERE k = -15"),
        Pair("SELECT s FROM t WHERE '0' <> CAST(k AS TEXT)", "SELECT s FROM t WHERE k <> 0"),
    ],
    different=[
        Pair(
            "SELECT s FROM t WHERE CAST(k AS TEXT) = '01'",
            "SELECT s FROM t WHERE k = 1",
            because="1 is written without a 0 before it",
        ),
        Pair(
            "SELECT k FROM t WHERE s || 'b' = 'ab'",
            "SELECT k FROM t WHERE s || 'b' = 'a'",
            because="the end is not there",
        ),
    ],
)
def text_beside_longer_text(node: exp.EQ | exp.NEQ, facts: Facts) -> Expr | None:
    """Compare what is put together, or what is cast."""
    whole, literal = node.this, node.expression
    if isinstance(whole, exp.Literal):
        whole, literal = literal, whole
    if not isinstance(literal, exp.Literal) or not literal.is_string:
        return None
    text, kind = str(literal.this), type(node)
    if isinstance(whole, exp.Cast):
        column = whole.this
        if cast_affinity(whole) != "TEXT" or not _INTEGER.fullmatch(text):
            return None
        if not isinstance(column, exp.Column) or facts.kind(column) != "integer":
            return None
        return kind(this=column, expression=_number(text))
    if not isinstance(whole, exp.DPipe):
        return None
    column, other = whole.this, whole.expression
    is_end = isinstance(column, exp.Column)
    if not is_end:
        column, other = other, column
    if not isinstance(column, exp.Column) or not isinstance(other, exp.Literal):
        return None
    part = str(other.this)
    if not other.is_string or facts.kind(column) != "text" or not holds_no_nul(column, facts):
        return None
    if is_end and text.endswith(part):
        return kind(this=column, expression=exp.Literal.string(text.removesuffix(part)))
    if not is_end and text.startswith(part):
        return kind(this=column, expression=exp.Literal.string(text.removeprefix(part)))
    return None


def _number(text: str) -> Expr:
    number = exp.Literal.number(text.removeprefix("-"))
    return exp.Neg(this=number) if text.startswith("-") else number
