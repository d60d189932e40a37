"""A pattern without wildcards matches one text, or its spellings.

Statement
    x LIKE '2013-06'   ==   x = '2013-06'
    x LIKE 'ab'        ==   x = 'ab'            in SQLite LOWER(x) = 'ab'
    n LIKE '15'        ==   n = 15

Holds when
    x is a column declared TEXT (in SQLite a table's own, not one that a query makes), or LOWER or
    UPPER of one where types are enforced, and the pattern is a literal without %, _ and a
    backslash; or n is a column declared INTEGER, and the pattern is a whole number as SQL writes
    it. Where equal texts may differ, the pattern has no letters either.

Why
    SQLite's LIKE ignores the case of ASCII letters, as LOWER does, and nothing else; that of the
    other engines does not ignore it. Without wildcards it is equality. An integer is written in one
    way.

Limits
    A real has several spellings, so columns of other types are left alone. SQLite's LIKE takes a
    NUL character for the end of a text: no legal database stores one, and the check of its facts
    looks for it.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.stored import holds_no_nul
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,14}")


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE s LIKE '#1'", "SELECT k FROM t WHERE s = '#1'"),
        Pair("SELECT k FROM t WHERE s NOT LIKE '2013'", "SELECT k FROM t WHERE s <> '2013'"),
        Pair(
            "SELECT k FROM t WHERE LOWER(s) LIKE '#abc'",
            "SELECT k FROM t WHERE '#abc' = LOWER(s)",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE LOWER(s) LIKE 'ab%'",
            "SELECT k FROM t WHERE LOWER(s) = 'ab'",
            because="% is any text",
        ),
        Pair(
            "SELECT k FROM t WHERE s LIKE '1_'",
            "SELECT k FROM t WHERE s = '1_'",
            because="_ is any letter",
        ),
    ],
)
def like_without_wildcard_is_equality(node: exp.Like, facts: Facts) -> Expr | None:
    """Write the equality."""
    column, pattern = node.this, node.expression
    if isinstance(node.parent, exp.Escape) or not isinstance(pattern, exp.Literal):
        return None
    text = str(pattern.this)
    if not pattern.is_string or any(sign in "%_\0\\" for sign in text):
        return None
    has_letters = any(sign.isascii() and sign.isalpha() for sign in text)
    if has_letters and not facts.record.exact_texts:
        return None
    inner = column.this if isinstance(column, exp.Lower | exp.Upper) else column
    if not isinstance(inner, exp.Column) or (column is not inner and has_letters is False):
        return None
    operator = exp.NEQ if node.args.get("negate") else exp.EQ
    kind = facts.kind(column)
    if kind == "text":
        if not holds_no_nul(inner, facts):
            return None
        if has_letters and not facts.record.typed:
            low = "".join(sign.lower() if sign.isascii() else sign for sign in text)
            return operator(this=exp.Lower(this=inner), expression=exp.Literal.string(low))
        return operator(this=column, expression=pattern)
    if kind == "integer" and _INTEGER.fullmatch(text):
        return operator(this=column, expression=_number(text))
    return None


def _number(text: str) -> Expr:
    number = exp.Literal.number(text.removeprefix("-"))
    return exp.Neg(this=number) if text.startswith("-") else number
