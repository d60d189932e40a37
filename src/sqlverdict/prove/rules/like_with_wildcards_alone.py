"""A pattern of wildcards asks for a length.

Statement
    s LIKE '%'    ==   s IS NOT NULL, in a filter
    s LIKE '_%'   ==   s <> ''

Holds when
    s is a column declared TEXT; in SQLite it is a table's own, not one that a query makes.

Why
    % is any text and _ any character: every text matches the first pattern, and every text but the
    empty one the second.

Limits
    NOT LIKE '%' and longer patterns are left alone. SQLite's LIKE takes a NUL character for the end
    of a text: no legal database stores one, and the check of its facts looks for it.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.stored import holds_no_nul
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="tested",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE s LIKE '%'", "SELECT k FROM t WHERE s IS NOT NULL"),
        Pair("SELECT k FROM t WHERE s LIKE '_%'", "SELECT k FROM t WHERE s <> ''"),
    ],
    different=[
        Pair("SELECT k FROM t WHERE s LIKE '%'", "SELECT k FROM t", because="s may be NULL"),
        Pair(
            "SELECT k FROM t WHERE s LIKE '_'",
            "SELECT k FROM t WHERE s <> ''",
            because="a single _ is one character",
        ),
    ],
)
def like_with_wildcards_alone(node: exp.Like, facts: Facts) -> Expr | None:
    """Ask for the length."""
    column, pattern = node.this, node.expression
    if not isinstance(column, exp.Column) or not isinstance(pattern, exp.Literal):
        return None
    if isinstance(node.parent, exp.Escape) or node.args.get("negate") or not pattern.is_string:
        return None
    text = str(pattern.this).replace("%%", "%")
    if text not in ("%", "_%", "%_") or facts.kind(column) != "text":
        return None
    if not holds_no_nul(column, facts):
        return None
    if text != "%":
        return exp.NEQ(this=column, expression=exp.Literal.string(""))
    if not in_filter(node):
        return None
    return exp.Not(this=exp.Is(this=column, expression=exp.Null()))
