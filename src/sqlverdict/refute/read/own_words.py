"""What a query asks of values in the words of its engine, beyond what constants say.

Letter case (``LOWER(c) = 'ab'``, ``ILIKE``), the digit at which a number is rounded or cut off, the
alternatives of a regular expression, the elements of a list, how long ago a moment was, and whether
the length of a text is one in letters or in bytes (``LENGTH`` and ``CHAR_LENGTH`` of MySQL). A
search on another engine than SQLite reads the query itself for these: SQLite's words for it lack
them.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.records import Cell
from sqlverdict.refute.read.columns import ColumnRef, Resolver
from sqlverdict.refute.read.expressions import literal_value, without_parens
from sqlverdict.refute.read.hint import Hint
from sqlverdict.refute.read.json_paths import compared_literals
from sqlverdict.refute.read.patterns import like_patterns

Rounding = tuple[ColumnRef, str, int]
"""A column, how its numbers are made shorter, and how many digits are left."""

_FOLDING = (exp.Lower, exp.Upper, exp.ILike, exp.RegexpILike)
_ROUNDING = (exp.Round, exp.Trunc, exp.Floor, exp.Ceil, exp.Cast)
_PATTERNS = (exp.RegexpLike, exp.RegexpILike, exp.SimilarTo)
_LISTS = (exp.ArrayContainsAll, exp.ArrayOverlaps, exp.ArrayContains, exp.Any, exp.Bracket)
_LENGTHS = (exp.Length, exp.BitLength, exp.Anonymous)
_BYTES = frozenset({"octet_length", "strlen", "lengthb", "bit_length"})
_FLIPPED: dict[type[Expr], str] = {
    exp.GT: "<",
    exp.GTE: "<=",
    exp.LT: ">",
    exp.LTE: ">=",
    exp.EQ: "=",
    exp.NEQ: "!=",
}
_SAME = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_KINDS = frozenset((*_FOLDING, *_ROUNDING, *_PATTERNS, *_LISTS, *_LENGTHS, *_FLIPPED, exp.Like))
_SPAN = re.compile(r"([+-]?\d+)\s*(year|mon|month|week|day|hour|minute|second)s?\s*", re.IGNORECASE)
_MOST_DIGITS = 6


@dataclass
class OwnWords:
    """What one or two queries ask of values.

    Attributes:
        hints: Texts and moments that conditions ask for.
        folded: Columns whose capitals and small letters count alike somewhere.
        rounded: Columns whose numbers lose digits, and how; of two queries, where only one does so.
        lists: Elements that lists are asked for.
        lengths: Columns whose letters or bytes are counted; of two queries, where only one does so.
    """

    hints: list[Hint] = field(default_factory=list)
    folded: list[ColumnRef] = field(default_factory=list)
    rounded: frozenset[Rounding] = frozenset()
    lists: dict[ColumnRef, tuple[Cell, ...]] = field(default_factory=dict)
    lengths: frozenset[tuple[ColumnRef, str]] = frozenset()

    @property
    def in_bytes(self) -> list[ColumnRef]:
        """The columns whose letters one query counts, and the other one their bytes."""
        both = [column_ref for column_ref, unit in self.lengths if unit == "bytes"]
        return sorted(each for each in both if (each, "letters") in self.lengths)

    def merge(self, other: OwnWords) -> OwnWords:
        """What two queries ask for."""
        lists = dict(self.lists)
        for column_ref, values in other.lists.items():
            lists[column_ref] = tuple(dict.fromkeys((*lists.get(column_ref, ()), *values)))
        return OwnWords(
            list(dict.fromkeys((*self.hints, *other.hints))),
            list(dict.fromkeys((*self.folded, *other.folded))),
            self.rounded ^ other.rounded,
            lists,
            self.lengths ^ other.lengths,
        )

    def with_lists_of(self, columns: Iterable[ColumnRef]) -> OwnWords:
        """The same, where only these columns hold lists."""
        known = frozenset(columns)
        return replace(self, lists={c: v for c, v in self.lists.items() if c in known})


def own_words(resolver: Resolver) -> OwnWords:
    """Read a query."""
    words = OwnWords()
    rounded: set[Rounding] = set()
    lengths: set[tuple[ColumnRef, str]] = set()
    for node in resolver.nodes:
        if type(node) not in _KINDS:
            continue
        if isinstance(node, _FOLDING) or (isinstance(node, exp.Like) and _is_word(node)):
            words.folded += resolver.columns(node.this)
        if isinstance(node, _PATTERNS):
            words.hints += _pattern_hints(node, resolver)
        elif isinstance(node, _ROUNDING):
            rounded |= set(_roundings(node, resolver))
        elif isinstance(node, _LISTS):
            _add_elements(words.lists, node, resolver)
        elif isinstance(node, _LENGTHS):
            lengths |= {(column_ref, unit) for column_ref, unit in _lengths(node, resolver)}
        elif type(node) in _FLIPPED:
            words.hints += _moment_hints(node, resolver)
    words.folded = list(dict.fromkeys(words.folded))
    words.rounded = frozenset(rounded)
    words.lengths = frozenset(lengths)
    return words


def _lengths(node: Expr, resolver: Resolver) -> Iterator[tuple[ColumnRef, str]]:
    """The columns whose length is asked for, and in which unit."""
    if isinstance(node, exp.Anonymous) and str(node.this).lower() not in _BYTES:
        return
    is_binary = isinstance(node.this, exp.Cast) and node.this.is_type(exp.DType.VARBINARY)
    is_letters = isinstance(node, exp.Length) and not node.args.get("binary") and not is_binary
    unit = "letters" if is_letters else "bytes"
    yield from ((column_ref, unit) for column_ref in resolver.columns(node))


def _is_word(node: Expr) -> bool:
    """Whether LIKE compares with a text without wildcards: what it adds to = is the letter case."""
    word = node.expression
    return isinstance(word, exp.Literal) and not set(str(word.this)) & {"%", "_"}


def _pattern_hints(node: Expr, resolver: Resolver) -> Iterator[Hint]:
    column_ref = resolver.column(without_parens(node.this))
    regex = node.expression
    if column_ref is None or not isinstance(regex, exp.Literal):
        return
    text = str(regex.this)
    if isinstance(node, exp.SimilarTo):
        text = f"^{text.replace('%', '.*').replace('_', '.')}$"
    yield from (Hint(column_ref, "like", pattern) for pattern in like_patterns(text))


def _roundings(node: Expr, resolver: Resolver) -> Iterator[Rounding]:
    kind, digits = type(node).__name__, 0
    if isinstance(node, exp.Cast):
        if node.to.this not in exp.DataType.INTEGER_TYPES:
            return
    else:
        places = node.args.get("decimals")
        if places is not None:
            value = literal_value(places) if isinstance(places, exp.Literal) else None
            if not isinstance(value, int) or value > _MOST_DIGITS:
                return
            digits = value
    yield from ((column_ref, kind, digits) for column_ref in resolver.columns(node.this))


def _add_elements(lists: dict[ColumnRef, tuple[Cell, ...]], node: Expr, resolver: Resolver) -> None:
    column_ref = resolver.column(without_parens(node.this))
    if isinstance(node, exp.Any | exp.Bracket):
        values = [*compared_literals(node)]
    else:
        other = node.expression
        elements = other.expressions if isinstance(other, exp.Array) else [other]
        inner = [each.this if isinstance(each, exp.Cast) else each for each in elements]
        values = [literal_value(each) for each in inner if isinstance(each, exp.Literal)]
    if column_ref is not None and values:
        lists[column_ref] = tuple(dict.fromkeys((*lists.get(column_ref, ()), *values)))


def _moment_hints(node: Expr, resolver: Resolver) -> Iterator[Hint]:
    """``age(c, '2024-01-01') > '1 month'`` and ``c - '2024-01-01' > '1 month'``: that moment."""
    operator = _FLIPPED[type(node)]
    left, right = without_parens(node.this), without_parens(node.expression)
    if _steps(left):
        left, right = right, left
    else:
        operator = _SAME[operator]
    steps = _steps(right)
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
                way = operator if sign > 0 else _SAME[operator]
                yield Hint(column_ref, way, shifted)


def _steps(node: Expr) -> list[tuple[int, str]]:
    """The parts of an interval; none where the expression is no constant one."""
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
    names = {"mon": "month", "week": "day"}
    return [
        (int(number) * (7 if unit.lower() == "week" else 1), names.get(unit.lower(), unit.lower()))
        for number, unit in _SPAN.findall(text)
    ]


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
