"""What a query asks of values in the words of its engine, beyond what constants say.

Letter case (``LOWER(c) = 'ab'``, ``ILIKE``), the digit at which a number is rounded or cut off, the
alternatives of a regular expression, the elements of a list, how long ago a moment was, and whether
the length of a text is one in letters or in bytes (``LENGTH`` and ``CHAR_LENGTH`` of MySQL). A
search on another engine than SQLite reads the query itself for these: SQLite's words for it lack
them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.records import Cell
from sqlverdict.refute.read.calls import Call, calls
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.refute.read.expressions import literal_value, without_parens
from sqlverdict.refute.read.hint import Hint
from sqlverdict.refute.read.json_paths import compared_literals
from sqlverdict.refute.read.moments import COMPARED, moment_hints, spans
from sqlverdict.refute.read.patterns import like_patterns
from sqlverdict.refute.read.regex_texts import texts_matching

_Cells = dict[ColumnRef, tuple[Cell, ...]]
Rounding = tuple[ColumnRef, str, int]
"""A column, how its numbers are made shorter, and how many digits are left."""

_FOLDING = (exp.Lower, exp.Upper, exp.ILike, exp.RegexpILike, exp.Collate)
_ROUNDING = (exp.Round, exp.Trunc, exp.Floor, exp.Ceil, exp.Cast)
_PATTERNS = (exp.RegexpLike, exp.RegexpILike, exp.SimilarTo)
_LISTS = (
    *(exp.ArrayContainsAll, exp.ArrayOverlaps, exp.ArrayContains, exp.ArrayPosition),
    *(exp.Any, exp.Bracket),
)
_LENGTHS = (exp.Length, exp.BitLength, exp.Anonymous)
_BYTES = frozenset({"octet_length", "strlen", "lengthb", "bit_length"})
_SETS = (exp.Any, exp.All)
_KINDS = frozenset((*_FOLDING, *_ROUNDING, *_PATTERNS, *_LISTS, *_LENGTHS, *COMPARED, exp.Like))
_ROUNDINGS = frozenset({"round_even", "roundbankers", "truncate"})
_OF_MAPS = ("map_", "element_at")
_BRACED = re.compile(r"\{.*\}", re.DOTALL)
"""A list as a text has it: ``'{a,b}'``."""
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
        keys: The texts by which parts of values are named: keys of maps, fields of structures.
        spans: The intervals that columns are compared with.
        calls: What is done to columns by functions; of two queries, what only one of them does.
    """

    hints: list[Hint] = field(default_factory=list)
    folded: list[ColumnRef] = field(default_factory=list)
    rounded: frozenset[Rounding] = frozenset()
    lists: _Cells = field(default_factory=dict)
    lengths: frozenset[tuple[ColumnRef, str]] = frozenset()
    keys: _Cells = field(default_factory=dict)
    spans: _Cells = field(default_factory=dict)
    calls: frozenset[Call] = frozenset()

    @property
    def in_bytes(self) -> list[ColumnRef]:
        """The columns whose letters one query counts, and the other one their bytes."""
        both = [column_ref for column_ref, unit in self.lengths if unit == "bytes"]
        return sorted(each for each in both if (each, "letters") in self.lengths)

    def merge(self, other: OwnWords) -> OwnWords:
        """What two queries ask for."""
        return OwnWords(
            list(dict.fromkeys((*self.hints, *other.hints))),
            list(dict.fromkeys((*self.folded, *other.folded))),
            self.rounded ^ other.rounded,
            _merged(self.lists, other.lists),
            self.lengths ^ other.lengths,
            _merged(self.keys, other.keys),
            _merged(self.spans, other.spans),
            self.calls ^ other.calls,
        )

    def with_lists_of(self, columns: Iterable[ColumnRef]) -> OwnWords:
        """The same, where only these columns hold lists; others hold ranges, or what is alike."""
        known = frozenset(columns)
        others = [Hint(c, "=", v) for c in self.lists if c not in known for v in self.lists[c]]
        lists = {c: v for c, v in self.lists.items() if c in known}
        return replace(self, hints=[*self.hints, *others], lists=lists)


def _merged(one: _Cells, two: _Cells) -> _Cells:
    merged = dict(one)
    for column_ref, values in two.items():
        _add(merged, column_ref, values)
    return merged


def _add(known: _Cells, column_ref: ColumnRef, values: Iterable[Cell]) -> None:
    known[column_ref] = tuple(dict.fromkeys((*known.get(column_ref, ()), *values)))


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
            rounded |= set(_roundings(node, resolver)) if _name(node) in _ROUNDINGS else set()
        elif type(node) in COMPARED:
            words.hints += [*moment_hints(node, resolver), *_whole_hints(node, resolver)]
            for column_ref, span in spans(node, resolver):
                _add(words.spans, column_ref, (span,))
        if type(node) in COMPARED or isinstance(node, exp.Like | exp.ILike):
            words.hints += _hints_of_sets(node, resolver)
        if isinstance(node, exp.Bracket) or _name(node).startswith(_OF_MAPS):
            _add_keys(words.keys, node, resolver)
    words.folded = list(dict.fromkeys(words.folded))
    words.rounded = frozenset(rounded)
    words.lengths = frozenset(lengths)
    words.calls = calls(resolver)
    return words


def _whole_hints(node: Expr, resolver: Resolver) -> Iterator[Hint]:
    """``tags = ['x']``, ``flags = B'101'``: a value that is written in the words of the engine."""
    sides = without_parens(node.this), without_parens(node.expression)
    for column, value in (sides, sides[::-1]):
        column_ref = resolver.column(column)
        if column_ref is None:
            continue
        if isinstance(value, exp.BitString):
            yield Hint(column_ref, "=", value.name)
        elif isinstance(value, exp.Array | exp.Struct):
            with suppress(ValueError):
                yield Hint(column_ref, "=", json.dumps(_whole(value), ensure_ascii=False))


def _hints_of_sets(node: Expr, resolver: Resolver) -> Iterator[Hint]:
    """``name LIKE ALL (ARRAY['a%', '%b'])``: each of the values with which a column is compared."""
    column_ref, among = resolver.column(without_parens(node.this)), node.expression
    if isinstance(among, exp.Anonymous) and _name(among) == "all" and among.expressions:
        among = among.expressions[0]
    elif isinstance(among, _SETS):
        among = without_parens(among.this)
    else:
        return
    values = _elements_of(among)
    if isinstance(among, exp.Literal) and _BRACED.fullmatch(str(among.this)):
        values = [part.strip('" ') for part in str(among.this)[1:-1].split(",")]
    operator = "like" if isinstance(node, exp.Like | exp.ILike) else "="
    if column_ref is not None:
        yield from (Hint(column_ref, operator, value) for value in values)


def _whole(node: Expr) -> object:
    """A constant with parts.

    Raises:
        ValueError: it has another part than constants.
    """
    if isinstance(node, exp.Array):
        return [*map(_whole, node.expressions)]
    if isinstance(node, exp.Struct):
        parts = {each.this.name: each.expression for each in node.expressions if _is_field(each)}
        if len(parts) != len(node.expressions):
            raise ValueError(node)
        return {name: _whole(part) for name, part in parts.items()}
    inner = node.this if isinstance(node, exp.Cast) else node
    if isinstance(inner, exp.Null):
        return None
    if isinstance(inner, exp.Boolean):
        return bool(inner.this)
    if not isinstance(inner, exp.Literal):
        raise ValueError(node)
    return literal_value(inner)


def _is_field(node: Expr) -> bool:
    return isinstance(node, exp.PropertyEQ) and isinstance(node.this, Expr)


def _name(node: Expr) -> str:
    """The name of a function that our parser does not know."""
    return str(node.this).lower() if isinstance(node, exp.Anonymous) else ""


def _add_keys(keys: _Cells, node: Expr, resolver: Resolver) -> None:
    """``m['k']`` and ``map_extract(m, 'k')``: what the part of a value is called."""
    column, *others = node.expressions or [node] if isinstance(node, exp.Anonymous) else [node.this]
    column_ref = resolver.column(without_parens(column))
    texts = [each for each in others or node.expressions if isinstance(each, exp.Literal)]
    if column_ref is not None and texts:
        _add(keys, column_ref, (literal_value(each) for each in texts))


def _lengths(node: Expr, resolver: Resolver) -> Iterator[tuple[ColumnRef, str]]:
    """The columns whose length is asked for, and in which unit."""
    if isinstance(node, exp.Anonymous) and _name(node) not in _BYTES:
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
    yield from (Hint(column_ref, "=", match) for match in texts_matching(text))


def _roundings(node: Expr, resolver: Resolver) -> Iterator[Rounding]:
    kind, digits, number = type(node).__name__, 0, node.this
    if isinstance(node, exp.Anonymous):
        # Its digits, too, are an argument of no name; most are rounded to whole numbers.
        kind, number = _name(node), node.expressions[0] if node.expressions else exp.Null()
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
    if not isinstance(number, exp.Column):
        # A double is rounded otherwise than a decimal number.
        kind = f"{kind} {type(number).__name__}"
    yield from ((column_ref, kind, digits) for column_ref in resolver.columns(number))


def _add_elements(lists: _Cells, node: Expr, resolver: Resolver) -> None:
    column_ref = resolver.column(without_parens(node.this))
    if isinstance(node, exp.Any | exp.Bracket):
        around = node.parent
        sides = [*around.iter_expressions()] if around and type(around) in COMPARED else []
        elements = [each for side in sides for each in _elements_of(side)]
        values = [*compared_literals(node), *elements]
    else:
        values = _elements_of(node.expression)
        if isinstance(node.expression, exp.Anonymous) and _name(node.expression).endswith("range"):
            # Where a range begins and ends.
            bounds = node.expression.expressions[:2]
            values = [each for bound in bounds for each in _elements_of(bound)]
    if column_ref is not None and values:
        _add(lists, column_ref, values)


def _elements_of(node: Expr) -> list[Cell]:
    """The literals of an ARRAY, or the one that a node is."""
    elements = node.expressions if isinstance(node, exp.Array) else [node]
    inner = [each.this if isinstance(each, exp.Cast) else each for each in elements]
    return [literal_value(each) for each in inner if isinstance(each, exp.Literal)]
