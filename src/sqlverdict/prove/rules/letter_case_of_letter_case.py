"""Of two changes of letter case, or two trims, one is enough.

Statement
    UPPER(LOWER(s))   ==   UPPER(s)        LOWER(LOWER(s))   ==   LOWER(s)
    LTRIM(RTRIM(s))   ==   TRIM(s)         TRIM(TRIM(s))     ==   TRIM(s)
    UPPER(s) = 'AB'   ==   LOWER(s) = 'ab'

Holds when
    s is a text. A trim takes away spaces, no other characters. The literal has no small letter of
    ASCII.

Why
    SQLite changes the case of ASCII letters alone, each of which has one capital and one small
    form. Spaces at both ends go in any order.

Limits
    Engines that know more letters have some whose capital has another small letter: this holds in
    SQLite alone.

Source
    SQLite's documentation of LOWER, UPPER and TRIM.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import SQLITE, Pair, rule


@rule(
    trust="proved",
    dialects=SQLITE,
    needs=(exp.Upper, exp.Lower, exp.Trim),
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair("SELECT UPPER(LOWER(s)) FROM t", "SELECT UPPER(s) FROM t"),
        Pair("SELECT LTRIM(RTRIM(s)) FROM t", "SELECT TRIM(s) FROM t"),
        Pair("SELECT TRIM(LTRIM(s)) FROM t", "SELECT TRIM(s) FROM t"),
        Pair("SELECT k FROM t WHERE UPPER(s) = 'ABC'", "SELECT k FROM t WHERE LOWER(s) = 'abc'"),
    ],
    different=[
        Pair("SELECT UPPER(LOWER(s)) FROM t", "SELECT LOWER(s) FROM t", because="capitals"),
        Pair("SELECT LTRIM(s) FROM t", "SELECT TRIM(s) FROM t", because="spaces at the end"),
        Pair(
            "SELECT k FROM t WHERE UPPER(s) = 'aBC'",
            "SELECT k FROM t WHERE LOWER(s) = 'abc'",
            because="no capital is a small letter",
        ),
    ],
)
def letter_case_of_letter_case(
    node: exp.Upper | exp.Lower | exp.Trim | exp.EQ, facts: Facts
) -> Expr | None:
    """Change it once."""
    if isinstance(node, exp.EQ):
        return _in_small_letters(node, facts)
    inner = node.this
    kinds = (exp.Trim,) if isinstance(node, exp.Trim) else (exp.Upper, exp.Lower)
    if not isinstance(inner, kinds) or facts.kind(inner.this) != "text":
        return None
    if isinstance(node, exp.Trim):
        if not _takes_spaces(node) or not _takes_spaces(inner):
            return None
        sides = {node.args.get("position"), inner.args.get("position")}
        position = sides.pop() if len(sides) == 1 else None
        return exp.Trim(this=inner.this, position=position)
    node.set("this", inner.this)
    return node


def _takes_spaces(node: Expr) -> bool:
    others = {name for name, value in node.args.items() if value} - {"this", "position"}
    return not others and node.args.get("position") in (None, "LEADING", "TRAILING")


def _in_small_letters(node: exp.EQ, facts: Facts) -> Expr | None:
    """``LOWER(s) = 'ab'`` for ``UPPER(s) = 'AB'``."""
    call, literal = node.this, node.expression
    if isinstance(literal, exp.Upper):
        call, literal = literal, call
    if not isinstance(call, exp.Upper) or not isinstance(literal, exp.Literal):
        return None
    text = str(literal.this)
    small = "".join(sign.lower() if sign.isascii() else sign for sign in text)
    if not literal.is_string or facts.kind(call.this) != "text":
        return None
    if any(sign.isascii() and sign.islower() for sign in text):
        return None
    return exp.EQ(this=exp.Lower(this=call.this), expression=exp.Literal.string(small))
