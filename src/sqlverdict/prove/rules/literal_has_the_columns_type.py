"""A literal that is compared with a column is of the column's type.

Statement
    n = '5'   ==   n = 5           n has a numeric affinity
    n > 5.0   ==   n > 5
    s = 5     ==   s = '5'         s has TEXT affinity

Holds when
    The other side is a column (or a CAST), so that it has an affinity; a text must be a plain
    decimal number, a real must be whole.

Why
    Before it compares, SQLite applies the column's affinity to a literal: a text that looks like
    a number becomes the number, a number becomes its text. 5.0 and 5 are equal as numbers.

Limits
    An expression has no affinity: STRFTIME('%Y', d) = 2012 is never true. Texts with
    exponents or more than 15 digits are left alone.

Source
    ETM (Ascoli et al.), rule 12, with the affinity added.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule

_PLAIN = re.compile(r"(0|-?[1-9]\d{0,14})(\.\d*[1-9])?")
_ZEROS = re.compile(r"^(-?)0+(?=\d)")
_WHOLE = re.compile(r"(0|-?[1-9]\d{0,14})\.0*")
_INTEGER = re.compile(r"0|-?[1-9]\d{0,14}")


@rule(
    trust="tested",
    paper=("12",),
    schema="CREATE TABLE t (n INTEGER, r REAL, s TEXT)",
    equal=[
        Pair("SELECT s FROM t WHERE n = '5'", "SELECT s FROM t WHERE n = 5"),
        Pair("SELECT s FROM t WHERE n = '05'", "SELECT s FROM t WHERE n = 5"),
        Pair("SELECT s FROM t WHERE r > 5.0", "SELECT s FROM t WHERE r > 5"),
        Pair("SELECT n FROM t WHERE s = 5", "SELECT n FROM t WHERE s = '5'"),
    ],
    different=[
        Pair(
            "SELECT n FROM t WHERE s = '5.0'",
            "SELECT n FROM t WHERE s = 5",
            because="as texts 5.0 and 5 differ",
        ),
    ],
)
def literal_has_the_columns_type(
    node: exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Convert the literal."""
    for side, other in (("expression", node.this), ("this", node.expression)):
        literal = node.args[side]
        sign = isinstance(literal, exp.Neg)
        inner = literal.this if sign else literal
        if not isinstance(inner, exp.Literal) or not isinstance(other, exp.Column | exp.Cast):
            continue
        converted = _converted(inner, facts.affinity(other), sign)
        if converted is not None:
            facts.kind(other)
            node.set(side, converted)
            return node
    return None


def _converted(literal: exp.Literal, affinity: str | None, sign: bool) -> Expr | None:
    text = f"-{literal.this}" if sign else str(literal.this)
    if affinity in ("INTEGER", "REAL", "NUMERIC"):
        if literal.is_string:
            text = _ZEROS.sub(r"\1", text)
            return _number(text) if not sign and _PLAIN.fullmatch(text) else None
        return _number(text.partition(".")[0]) if _WHOLE.fullmatch(text) else None
    if affinity == "TEXT" and not literal.is_string and _INTEGER.fullmatch(text):
        return exp.Literal.string(text)
    return None


def _number(text: str) -> Expr:
    number = exp.Literal.number(text.lstrip("-"))
    return exp.Neg(this=number) if text.startswith("-") else number
