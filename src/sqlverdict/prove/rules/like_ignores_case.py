"""LIKE takes upper and lower case letters for the same.

Statement
    x LIKE '%Al%'   ==   x LIKE '%al%'

Holds when
    For the letters A to Z, where no letter of them is the escape character.

Why
    SQLite's LIKE ignores the case of ASCII letters unless a pragma says otherwise.

Limits
    Letters beyond ASCII keep their case. GLOB and = do not ignore case. Behind ESCAPE 'A' the
    letters A and a are not the same.

Source
    SQLite's documentation of LIKE.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[Pair("SELECT k FROM t WHERE s LIKE '%Al%'", "SELECT k FROM t WHERE s LIKE '%al%'")],
    different=[
        Pair(
            "SELECT k FROM t WHERE s LIKE 'xA%' ESCAPE 'A'",
            "SELECT k FROM t WHERE s LIKE 'xa%' ESCAPE 'A'",
            because="A escapes the sign behind it, and a does not",
        ),
        Pair(
            "SELECT k FROM t WHERE s = 'Al'", "SELECT k FROM t WHERE s = 'al'", because="= does not"
        ),
    ],
)
def like_ignores_case(node: exp.Like, facts: Facts) -> Expr | None:
    """Write the pattern in lower case."""
    del facts
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return None
    if isinstance(node.parent, exp.Escape) and not _is_no_letter(node.parent.expression):
        return None
    text = str(pattern.this)
    low = "".join(letter.lower() if letter.isascii() else letter for letter in text)
    if low == text:
        return None
    node.set("expression", exp.Literal.string(low))
    return node


def _is_no_letter(escape: Expr) -> bool:
    """Whether an escape character is known, and has no case."""
    return (
        isinstance(escape, exp.Literal)
        and escape.is_string
        and len(escape.this) == 1
        and not escape.this.isalpha()
    )
