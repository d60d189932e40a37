"""How long ago a moment was, and how long something lasts: intervals that a query compares with."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.parse.schema import ColumnRef
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.refute.read.comparisons import FLIPPED, OPERATORS
from sqlverdict.refute.read.expressions import without_parens
from sqlverdict.refute.read.hint import Hint

COMPARED = frozenset({exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ})
"""The comparisons that are looked at."""
_SPAN = re.compile(r"([+-]?\d{1,9})\s*([a-z]+)\s*", re.IGNORECASE)
_UNITS = {
    **{unit: (1, unit) for unit in ("day", "month", "year", "hour", "minute", "second")},
    "mon": (1, "month"),
    "week": (7, "day"),
    "quarter": (3, "month"),
}
"""Units of an interval, and what they are in those of SQLite."""
_DAYS = {"day": 1, "month": 30, "year": 365}


def spans(node: Expr, resolver: Resolver) -> Iterator[tuple[ColumnRef, str]]:
    """``lasts > INTERVAL '1 day'``: a column, and the interval that it is compared with."""
    sides = without_parens(node.this), without_parens(node.expression)
    for side, other in (sides, sides[::-1]):
        steps = interval_steps(other) if isinstance(side, exp.Column) else []
        column_ref = resolver.column(side) if steps else None
        if column_ref is not None:
            yield column_ref, " ".join(f"{number} {unit}s" for number, unit in steps)


def days_of(interval: Expr) -> int | None:
    """About how many days an interval has; ``None`` where it has others than whole days."""
    steps = interval_steps(interval)
    if not steps or not all(unit in _DAYS for _, unit in steps):
        return None
    return sum(number * _DAYS[unit] for number, unit in steps)


def moment_hints(node: Expr, resolver: Resolver) -> Iterator[Hint]:
    """``age(c, '2024-01-01') > '1 month'`` and ``c - '2024-01-01' > '1 month'``: that moment."""
    operator = OPERATORS[type(node)]
    left, right = without_parens(node.this), without_parens(node.expression)
    if interval_steps(left):
        left, right, operator = right, left, FLIPPED[operator]
    steps = interval_steps(right)
    if not steps:
        return
    if isinstance(left, exp.Anonymous) and str(left.this).lower() == "age":
        sides = left.expressions
    else:
        sides = [left.this, left.expression] if isinstance(left, exp.Sub) else []
    if len(sides) != 2:
        return
    for column, moment, sign in ((*sides, 1), (*reversed(sides), -1)):
        column_ref, text = resolver.column(without_parens(column)), _moment(moment)
        if column_ref is not None and text is not None:
            shifted = _shifted(text, steps, sign)
            if shifted is not None:
                # What is earlier was longer ago.
                way = operator if sign > 0 else FLIPPED[operator]
                yield Hint(column_ref, way, shifted)


def interval_steps(node: Expr) -> list[tuple[int, str]]:
    """The parts of an interval, in units of SQLite; none where it is no constant that we read."""
    if isinstance(node, exp.Cast):
        node = node.this
    if isinstance(node, exp.Interval):
        unit = node.args.get("unit")
        if not isinstance(node.this, exp.Literal):
            return []
        text = f"{node.this.this} {unit.name if isinstance(unit, Expr) else ''}"
    elif isinstance(node, exp.Literal) and node.is_string:
        text = str(node.this)
    else:
        return []
    text = text.strip()
    if not text or _SPAN.sub("", text):
        return []
    steps = []
    for number, word in _SPAN.findall(text):
        times, unit_name = _UNITS.get(word.lower().rstrip("s"), (0, ""))
        if not times:
            return []
        steps.append((int(number) * times, unit_name))
    return steps


def _moment(node: Expr) -> str | None:
    node = without_parens(node)
    if isinstance(node, exp.Cast):
        node = node.this
    return str(node.this) if isinstance(node, exp.Literal) and node.is_string else None


def _shifted(moment: str, steps: list[tuple[int, str]], sign: int) -> str | None:
    modifiers = [f"{number * sign:+} {unit}s" for number, unit in steps]
    marks = ", ".join("?" for _ in modifiers)
    with closing(open_in_memory()) as connection, suppress(sqlite3.Error, UnicodeEncodeError):
        query = f"SELECT datetime(?, {marks})"
        (day,) = connection.execute(query, (moment, *modifiers)).fetchone()
        return None if day is None else str(day).removesuffix(" 00:00:00")
    return None
