"""Values that queries ask for without naming them: sums, shifted dates, lengths, large numbers."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing, suppress

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.records import Cell

_DATES = frozenset({"date", "datetime"})
_CONSTANT_DATES = _DATES | {"time"}
_DAY_COUNTS = frozenset({"julianday"})
_DATE_CALLS = frozenset({exp.Anonymous, exp.Date, exp.TimeToStr})
_DATE_NODES = _DATE_CALLS | {
    *(exp.Literal, exp.Paren, exp.TsOrDsToDate, exp.TsOrDsToTimestamp),
    *(exp.Add, exp.Sub, exp.Mod, exp.Neg, exp.DPipe, exp.Cast, exp.DataType),
}
_MODIFIER = re.compile(r"([+-]?)(\d+(?:\.\d+)? +(?:day|month|year|hour|minute|second)s?)")
_FLOATS = frozenset({"DOUBLE", "FLOAT", "DECIMAL"})
_MOST = 60
"""The longest text that is made for a condition on length."""


def rests(sums: Iterable[float], query_values: Iterable[Cell]) -> list[float]:
    """What is missing to a sum where one value is named, or lies beside a named one."""
    totals = list(sums)
    numbers = [value for value in query_values if isinstance(value, int | float)]
    differences = [t - (n + step) for t in totals for n in numbers if n != t for step in (0, 1, -1)]
    return [*dict.fromkeys(differences)]


def shifted_dates(side: Expr, value: Cell) -> list[str] | None:
    """``date(c, '+1 month') > '2020-03-01'``: days that the modifiers move there.

    ``None`` where the expression is no such function of a column.
    """
    if not isinstance(side, exp.Anonymous) or str(side.this).lower() not in _DATES:
        return None
    column, *others = side.expressions or [None]
    texts = [str(other.this) for other in others if isinstance(other, exp.Literal)]
    if not isinstance(column, exp.Column) or not texts or len(texts) < len(others):
        return None
    back = [_reversed_modifier(text) for text in reversed(texts)]
    if not isinstance(value, str) or None in back:
        return None
    marks = ", ".join("?" for _ in back)
    with closing(open_in_memory()) as connection:
        days = (value, *(f"date(?, '{step} day')" for step in ("-1", "+1")))
        values = [
            connection.execute(
                f"SELECT date({'?' if day is value else day}, {marks})", (value, *back)
            ).fetchone()[0]
            for day in days
        ]
    return [day for day in dict.fromkeys(values) if day is not None] or None


def constant_call(node: Expr) -> Cell:
    """What ``lower('%Rome%')`` is, or ``date('2024-08-14', '-7 days')``: a call on constants.

    ``None`` where the expression is no such call, or has no value.
    """
    if isinstance(node, exp.Lower | exp.Upper) and isinstance(node.this, exp.Literal):
        text = str(node.this.this)
        return text.lower() if isinstance(node, exp.Lower) else text.upper()
    if type(node) not in _DATE_CALLS or {type(inner) for inner in node.walk()} - _DATE_NODES:
        return None
    names = {str(call.this).lower() for call in node.find_all(exp.Anonymous)}
    if not names <= _CONSTANT_DATES | _DAY_COUNTS or _reads_clock(node):
        return None
    with closing(open_in_memory()) as connection, suppress(sqlite3.Error):
        row = connection.execute(f"SELECT {node.sql(DEFAULT_DIALECT)}").fetchone()
        return row[0] if isinstance(row[0], str | int | float) else None
    return None


def _reads_clock(node: Expr) -> bool:
    """Whether a call means the time it is: what it is today is no value for a search."""
    texts = (str(each.this).lower() for each in node.find_all(exp.Literal))
    calls = [each.expressions for each in node.find_all(exp.Anonymous)]
    return "now" in texts or not all((*calls, *(each.this for each in node.find_all(exp.Date))))


def counts_days(node: Expr) -> bool:
    """Whether a number is reckoned from a number of days."""
    return any(str(call.this).lower() in _DAY_COUNTS for call in node.find_all(exp.Anonymous))


def day_of_count(side: Expr, value: Cell) -> tuple[Expr, str] | None:
    """``julianday(c) < 2460810``: the moment with that number, and whose it is."""
    if not isinstance(side, exp.Anonymous) or str(side.this).lower() not in _DAY_COUNTS:
        return None
    if len(side.expressions) != 1 or not isinstance(value, int | float):
        return None
    with closing(open_in_memory()) as connection:
        (day,) = connection.execute("SELECT datetime(?)", (value,)).fetchone()
    return None if day is None else (side.expressions[0], day.removesuffix(" 00:00:00"))


def _reversed_modifier(modifier: str) -> str | None:
    match = _MODIFIER.fullmatch(modifier.strip().lower())
    if match is None:
        return None
    return f"{'+' if match[1] == '-' else '-'}{match[2]}"


def becomes_float(node: Expr) -> bool:
    """Whether a number becomes a floating-point one: by a CAST, or beside such a literal.

    Not where it was summed before: that sums of such numbers are not exact is no difference
    between two queries.
    """
    if not isinstance(node, exp.Cast | exp.Add | exp.Sub | exp.Mul | exp.Div):
        return False
    if any(isinstance(inner, exp.AggFunc) for inner in node.walk()):
        return False
    if isinstance(node, exp.Cast):
        return str(node.to.this).rpartition(".")[2] in _FLOATS
    return any(isinstance(s, exp.Literal) and "." in str(s.this) for s in (node.left, node.right))


def of_length(texts: Sequence[Cell], lengths: Collection[int]) -> list[Cell]:
    """The texts made as long as asked, and a letter longer."""
    fitting: list[Cell] = []
    sizes = {n for length in lengths for n in (length, length + 1, length - 1)}
    words = [text for text in texts if isinstance(text, str)] or ["a"]
    for length in sorted(n for n in sizes if 0 <= n <= _MOST):
        fitting += [word[:length].ljust(length, "z") for word in words]
    return fitting


def is_like(text: str, pattern: str) -> bool:
    """Whether a text matches a LIKE pattern; capitals and small letters count alike."""
    text, pattern = text.lower(), pattern.lower()
    at = mark = 0
    # Where the last % stands, and from which letter on the rest of the pattern is tried.
    wild, start = -1, 0
    while at < len(text):
        if mark < len(pattern) and pattern[mark] == "%":
            wild, start, mark = mark, at, mark + 1
        elif mark < len(pattern) and pattern[mark] in ("_", text[at]):
            at, mark = at + 1, mark + 1
        elif wild >= 0:
            start += 1
            at, mark = start, wild + 1
        else:
            return False
    return not pattern[mark:].strip("%")


def bytes_of(digits: str) -> bytes:
    """The value of ``x'...'``."""
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return b""


def text_of_parts(cuts: dict[int, str], filler: str) -> str:
    """A text that has each part where it is asked for."""
    text = ""
    for start, part in sorted(cuts.items()):
        text = text[: start - 1].ljust(start - 1, filler) + part
    return text
