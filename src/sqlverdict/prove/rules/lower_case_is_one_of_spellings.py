"""A text whose small letters are given is one of its spellings.

Statement
    LOWER(x) = 'ab'   ==   x = 'ab' OR x = 'Ab' OR x = 'aB' OR x = 'AB'

Holds when
    x is a column of texts of which equal ones are the same. The literal is ASCII, has at most two
    letters, and these are small ones other than i and k.

Why
    LOWER makes a small letter of its capital and of no other character.

Limits
    Beyond ASCII the Kelvin sign has a small k, and in one locale the small letter of I has no dot:
    left alone. With more letters there are too many spellings.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from itertools import product

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import any_of
from sqlverdict.prove.rule import TYPED, Pair, rule

_MOST_LETTERS = 2
_UNSURE = frozenset("ik")


@rule(
    trust="tested",
    dialects=TYPED,
    needs=(exp.Lower,),
    schema="CREATE TABLE t (k INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE LOWER(s) = 'a'", "SELECT k FROM t WHERE s IN ('a', 'A')"),
        Pair(
            "SELECT k FROM t WHERE 'b-1' = LOWER(s)",
            "SELECT k FROM t WHERE s = 'b-1' OR s = 'B-1'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE LOWER(s) = 'ab'",
            "SELECT k FROM t WHERE s IN ('ab', 'AB')",
            because="one of the letters may be a capital",
        ),
    ],
)
def lower_case_is_one_of_spellings(node: exp.EQ, facts: Facts) -> Expr | None:
    """Compare with each spelling."""
    call, literal = node.this, node.expression
    if isinstance(literal, exp.Lower):
        call, literal = literal, call
    if not isinstance(call, exp.Lower) or not isinstance(call.this, exp.Column):
        return None
    text = str(literal.this) if isinstance(literal, exp.Literal) and literal.is_string else ""
    letters = [each for each in text if each.isalpha()]
    if not text.isascii() or not letters or len(letters) > _MOST_LETTERS:
        return None
    if text != text.lower() or _UNSURE & set(letters) or facts.kind(call.this) != "text":
        return None
    spellings = product(*((each, each.upper()) if each.isalpha() else (each,) for each in text))
    return any_of(
        [
            exp.EQ(this=counted_copy(call.this), expression=exp.Literal.string("".join(spelling)))
            for spelling in spellings
        ]
    )
