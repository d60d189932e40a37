"""A text that begins with another one matches a pattern.

Statement
    SUBSTRING(s, 1, 2) = 'ab'   ==   s LIKE 'ab%'        in SQLite s GLOB 'ab*'
    SUBSTRING(s, 1, 3) = 'ab'   ==   s = 'ab'

Holds when
    s is a column of texts of which equal ones are the same. The literal has no sign that means
    something in a pattern, and not more characters than are taken.

Why
    Both ask for the first characters. A text with less characters than are asked for is the whole
    text.

Limits
    SQLite's LIKE ignores letter case, so that GLOB is meant there. SQLite takes a NUL character for
    the end of a pattern: no legal database stores one.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.reasoning.stored import holds_no_nul
from sqlverdict.prove.rule import TYPED, Pair, rule

_SIGNS = frozenset("%_\\*?[]\0")


@rule(
    trust="proved",
    dialects=TYPED,
    needs=(exp.Substring,),
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE SUBSTRING(s, 1, 1) = 'a'",
            "SELECT k FROM t WHERE 'a' = SUBSTRING(s, 1, 1) AND s IS NOT NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE SUBSTRING(s, 1, 3) = 'ab'",
            "SELECT k FROM t WHERE s = 'ab'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE SUBSTRING(s, 1, 2) = 'ab'",
            "SELECT k FROM t WHERE s = 'ab'",
            because="the text may go on",
        ),
        Pair(
            "SELECT k FROM t WHERE SUBSTRING(s, 2, 2) = 'ab'",
            "SELECT k FROM t WHERE SUBSTRING(s, 1, 2) = 'ab'",
            because="the text may begin with another character",
        ),
    ],
)
def beginning_is_pattern(node: exp.EQ, facts: Facts) -> Expr | None:
    """Write the pattern."""
    part, literal = node.this, node.expression
    if isinstance(literal, exp.Substring):
        part, literal = literal, part
    if not isinstance(part, exp.Substring) or not isinstance(part.this, exp.Column):
        return None
    if not isinstance(literal, exp.Literal) or not literal.is_string:
        return None
    text, length = str(literal.this), whole_number(part.args.get("length"))
    if whole_number(part.args.get("start")) != 1 or not text or length is None or _SIGNS & {*text}:
        return None
    column = part.this
    if len(text) > length or facts.kind(column) != "text" or not holds_no_nul(column, facts):
        facts.cited.clear()
        return None
    if len(text) < length:
        return exp.EQ(this=column, expression=literal)
    if facts.record.typed:
        return exp.Like(this=column, expression=exp.Literal.string(f"{text}%"))
    return exp.Glob(this=column, expression=exp.Literal.string(f"{text}*"))
