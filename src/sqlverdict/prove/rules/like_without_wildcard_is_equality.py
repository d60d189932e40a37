"""A pattern without wildcards and letters matches one text.

Statement
    x LIKE '2013-06'   ==   x = '2013-06'
    n LIKE '15'        ==   n = 15

Holds when
    x is a column declared TEXT (in SQLite a table's own, not one that a query makes), and the
    pattern is a literal without %, _, a backslash and ASCII letters; or n is a column declared
    INTEGER, and the pattern is a whole number as SQL writes it.

Why
    LIKE ignores the case of ASCII letters and nothing else; without these, and without
    wildcards, it is equality. An integer is written in one way.

Limits
    A pattern with letters matches several texts. A real has several spellings, so columns of
    other types are left alone. SQLite's LIKE takes a NUL character for the end of a text: no legal
    database stores one, and the check of its facts looks for it.

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
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE s LIKE 'a'",
            "SELECT k FROM t WHERE s = 'a'",
            because="LIKE lets 'A' pass",
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
    if not isinstance(column, exp.Column) or not isinstance(pattern, exp.Literal):
        return None
    if isinstance(node.parent, exp.Escape) or not pattern.is_string:
        return None
    if any(sign in "%_\0\\" or (sign.isascii() and sign.isalpha()) for sign in str(pattern.this)):
        return None
    operator = exp.NEQ if node.args.get("negate") else exp.EQ
    kind = facts.kind(column)
    if kind == "text":
        if not holds_no_nul(column, facts):
            return None
        return operator(this=column, expression=pattern)
    if kind == "integer" and _INTEGER.fullmatch(str(pattern.this)):
        return operator(this=column, expression=_number(str(pattern.this)))
    return None


def _number(text: str) -> Expr:
    number = exp.Literal.number(text.removeprefix("-"))
    return exp.Neg(this=number) if text.startswith("-") else number
