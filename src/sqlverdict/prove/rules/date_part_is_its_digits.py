"""A part of a date as a number is compared as its digits are.

Statement
    CAST(STRFTIME('%Y', x) AS INTEGER) = 2020   ==   STRFTIME('%Y', x) = '2020'
    STRFTIME('%m', x) >= '05'   ==   STRFTIME('%m', x) > '04'
    The same for <> < <= > >=, and for %d, %H, %M, %S, %j, %w and %W.

Holds when
    The other side is a literal that the part can have: a number from 0 up, or a text of so many
    digits as the part has.

Why
    A part has a fixed number of digits, with zeros before the number, so that the order of these
    texts is that of the numbers, and no text lies between two neighbours. A year before 0 begins
    with a minus, which stands before all digits, as its number stands before 0. Where x is no date,
    both are NULL.

Limits
    A format of several parts is left alone, and so are modifiers.

Source
    House rule, met in published predictions: models write both.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import MIRRORED, whole_number
from sqlverdict.prove.resolve.parser_losses import cast_affinity
from sqlverdict.prove.rule import Pair, rule

_DIGITS = {"%Y": 4, "%j": 3, "%w": 1, **dict.fromkeys(("%m", "%d", "%H", "%M", "%S", "%W"), 2)}
_STRICT: dict[type[Expr], tuple[type[exp.Binary], int]] = {
    exp.GTE: (exp.GT, -1),
    exp.LTE: (exp.LT, 1),
}


@rule(
    trust="proved",
    schema="CREATE TABLE t (k INTEGER, d TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE CAST(STRFTIME('%Y', d) AS INTEGER) = 2020",
            "SELECT k FROM t WHERE STRFTIME('%Y', d) = '2020'",
        ),
        Pair(
            "SELECT k FROM t WHERE CAST(STRFTIME('%m', d) AS INT) BETWEEN 5 AND 10",
            "SELECT k FROM t WHERE STRFTIME('%m', d) BETWEEN '05' AND '10'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE CAST(STRFTIME('%m', d) AS INTEGER) >= 5",
            "SELECT k FROM t WHERE STRFTIME('%m', d) >= '5'",
            because="'10' is less than '5'",
        ),
    ],
)
def date_part_is_its_digits(
    node: exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE, facts: Facts
) -> Expr | None:
    """Compare the text, strictly."""
    del facts
    kind: type[Expr] = type(node)
    part, other = node.this, node.expression
    if isinstance(part, exp.Literal):
        part, other, kind = other, part, MIRRORED[kind]
    is_number = isinstance(part, exp.Cast) and cast_affinity(part) == "INTEGER"
    text = part.this if is_number else part
    width = _DIGITS.get(_format(text))
    if width is None:
        return None
    value = whole_number(other) if is_number else _number(other, width)
    strict, step = _STRICT.get(kind, (kind, 0))
    if value is None or not (is_number or step):
        return None
    if not 0 <= value + step < 10**width:
        return None
    digits = exp.Literal.string(str(value + step).zfill(width))
    return strict(this=text, expression=digits)


def _format(node: Expr) -> str:
    """The format of a STRFTIME of one date without modifiers; empty for anything else."""
    if not isinstance(node, exp.TimeToStr) or not isinstance(node.this, exp.TsOrDsToTimestamp):
        return ""
    pattern = node.args.get("format")
    return str(pattern.this) if isinstance(pattern, exp.Literal) and pattern.is_string else ""


def _number(node: Expr, width: int) -> int | None:
    """The number that a text of so many digits is."""
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    text = str(node.this)
    return int(text) if len(text) == width and text.isascii() and text.isdigit() else None
