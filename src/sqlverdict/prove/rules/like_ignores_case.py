"""LIKE takes upper and lower case letters for the same.

Statement
    x LIKE '%Al%'   ==   x LIKE '%al%'

Holds when
    Always, for the letters A to Z.

Why
    SQLite's LIKE ignores the case of ASCII letters unless a pragma says otherwise.

Limits
    Letters beyond ASCII keep their case. GLOB and = do not ignore case.

Source
    SQLite's documentation of LIKE.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.known import Known
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[Pair("SELECT k FROM t WHERE s LIKE '%Al%'", "SELECT k FROM t WHERE s LIKE '%al%'")],
    different=[
        Pair(
            "SELECT k FROM t WHERE s = 'Al'", "SELECT k FROM t WHERE s = 'al'", because="= does not"
        ),
    ],
)
def like_ignores_case(node: exp.Like, known: Known) -> Expr | None:
    """Write the pattern in lower case."""
    del known
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return None
    text = str(pattern.this)
    low = "".join(letter.lower() if letter.isascii() else letter for letter in text)
    if low == text:
        return None
    node.set("expression", exp.Literal.string(low))
    return node
