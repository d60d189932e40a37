"""What a condition is about: subjects, each with the cases that its atoms tell apart.

``x > 1 OR x <= 1 OR x IS NULL`` has one subject, x, and four cases: NULL, below 1, 1 and above 1.
A subject is an expression beside constants in order, two expressions beside each other, or a
condition that is looked at as a whole. Case 0 is NULL.

An atom is a comparison: LIKE, a test for NULL, an expression beside a constant, which stands right.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    MIRRORED,
    all_of,
    any_of,
    copied,
    has_subquery,
    own_nodes,
)

NULL = 0
FALSE, TRUE = 1, 2
"""The cases of a condition that is looked at as a whole."""

Cases = frozenset[int]

_MOST = 2**53
_FINEST = 12
_UNSAFE = (exp.Anonymous, exp.Window, exp.Tuple, exp.JSONExtract, exp.JSONExtractScalar)
_PLAIN = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Star, exp.Distinct),
    *(exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Case, exp.If, exp.Coalesce, exp.Connector),
    *(exp.Predicate, exp.Not, exp.Lower, exp.Upper, exp.Length, exp.Abs, exp.Substring, exp.Query),
    *(exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Cast, exp.DataType),
)
"""What never fails in an engine that has types, as far as it is read at all."""


@dataclass
class CaseSubject:
    """An expression, and what it is compared with.

    Attributes:
        node: The expression; a condition where ``whole``.
        bounds: The nodes that it is compared with, least first. Case ``2 i + 2`` is to be equal to
            bound ``i``; the cases around it are to lie below and above it.
        numbers: The bounds as numbers, where they are.
        whole: Whether it is a condition, of which only the truth is known.
        may_be_null: Whether it has the case NULL.
        integer: Whether there is nothing between a whole number and the next.
        least: The least whole number that it can be.
        partner: The other expression, where it is compared with one that is no constant.
        points: Whether nothing is known of the order of the bounds.
    """

    node: Expr
    bounds: list[Expr] = field(default_factory=list)
    numbers: list[Decimal] = field(default_factory=list)
    whole: bool = False
    may_be_null: bool = True
    integer: bool = False
    least: int | None = None
    partner: Expr | None = None
    points: bool = False

    def cases(self) -> list[int]:
        """The cases that can occur."""
        nulls = [NULL] if self.may_be_null else []
        if self.whole:
            return [*nulls, FALSE, TRUE]
        if self.points:
            # The odd case is to be equal to none of them.
            return [*nulls, 1, *range(2, 2 * len(self.bounds) + 2, 2)]
        last = 2 * len(self.bounds) + 1
        return [*nulls, *(case for case in range(1, last + 1) if self._occurs(case))]

    def _occurs(self, case: int) -> bool:
        if not self.integer:
            return True
        low, high = self.span(case)
        if low is not None and high is not None and low > high:
            return False
        return self.least is None or high is None or high >= self.least

    def span(self, case: int) -> tuple[int | None, int | None]:
        """The first and the last whole number of a case of an integer, where there are such."""
        at, between = divmod(case - 2, 2)
        if not between:
            number = self.numbers[at]
            whole = int(number)
            return (whole, whole) if number == whole else (whole + 1, whole)
        below = self.numbers[at] if at >= 0 else None
        above = self.numbers[at + 1] if at + 1 < len(self.numbers) else None
        return (
            None if below is None else _floor(below) + 1,
            None if above is None else -_floor(-above) - 1,
        )

    def bound_index(self, bound: Expr) -> int:
        """Which of its bounds a constant is."""
        if self.numbers:
            number = fixed_number(bound)
            assert number is not None
            return self.numbers.index(number)
        return next(i for i, own in enumerate(self.bounds) if own == bound)

    def write(self, cases: Cases) -> Expr:
        """A condition that is true in these cases alone; there are some, and not all."""
        nulls = NULL in cases
        values = cases - {NULL}
        every = frozenset(self.cases()) - {NULL}
        tests: list[Expr] = []
        if values == every:
            if not nulls:
                return exp.Not(this=self._is_null()) if self.partner is None else self._no_nulls()
        elif values:
            tests.append(self._values(values))
        if nulls:
            tests.append(self._is_null())
        return any_of(tests)

    def _copy(self) -> Expr:
        return copied(self.node)

    def _is_null(self) -> Expr:
        test: Expr = exp.Is(this=self._copy(), expression=exp.Null())
        if self.partner is not None:
            other = exp.Is(this=copied(self.partner), expression=exp.Null())
            test = exp.Or(this=test, expression=other)
        return test

    def _no_nulls(self) -> Expr:
        assert self.partner is not None
        sides = (self._copy(), copied(self.partner))
        return all_of([exp.Not(this=exp.Is(this=s, expression=exp.Null())) for s in sides])

    def _values(self, cases: Cases) -> Expr:
        if self.whole:
            return self._copy() if TRUE in cases else exp.Not(this=self._copy())
        if self.points:
            return self._points(cases)
        if self.integer and self.numbers:
            return self._whole_numbers(cases)
        return self._ranges(list(self._runs(cases)))

    def _compare(self, kind: type[Expr], bound: Expr) -> Expr:
        return kind(this=self._copy(), expression=copied(bound))

    def _points(self, cases: Cases) -> Expr:
        if 1 in cases:
            others = [case for case in self.cases() if case > 1 and case not in cases]
            return all_of([self._compare(exp.NEQ, self.bounds[c // 2 - 1]) for c in others])
        return any_of([self._compare(exp.EQ, self.bounds[c // 2 - 1]) for c in sorted(cases)])

    def _runs(self, cases: Cases) -> Iterator[tuple[int, int]]:
        """The cases as runs of consecutive ones."""
        first = last = None
        for case in sorted(cases):
            if first is None or last is None:
                first = case
            elif case > last + 1:
                yield first, last
                first = case
            last = case
        if first is not None and last is not None:
            yield first, last

    def _ranges(self, runs: Sequence[tuple[int, int]]) -> Expr:
        if all(first == last and first % 2 == 0 for first, last in runs):
            return any_of([self._range(*run) for run in runs])
        holes = [range(one[1] + 1, other[0]) for one, other in pairwise(runs)]
        if all(len(hole) == 1 and hole[0] % 2 == 0 for hole in holes):
            last_case = 2 * len(self.bounds) + 1
            whole = (runs[0][0], runs[-1][1])
            parts = [] if whole == (1, last_case) else [self._range(*whole)]
            parts += [self._compare(exp.NEQ, self.bounds[hole[0] // 2 - 1]) for hole in holes]
            return all_of(parts)
        return any_of([self._range(*run) for run in runs])

    def _range(self, first: int, last: int) -> Expr:
        """A condition that is true from one case to another."""
        if first == last and first % 2 == 0:
            return self._compare(exp.EQ, self.bounds[first // 2 - 1])
        tests: list[Expr] = []
        if first > 1:
            # An odd case lies above the bound before it.
            above = exp.GTE if first % 2 == 0 else exp.GT
            tests.append(self._compare(above, self.bounds[first // 2 - 1]))
        if last < 2 * len(self.bounds) + 1:
            below = exp.LTE if last % 2 == 0 else exp.LT
            tests.append(self._compare(below, self.bounds[(last - 1) // 2]))
        return all_of(tests)

    def _whole_numbers(self, cases: Cases) -> Expr:
        """The same for an integer: from one whole number to another, with exclusive bounds."""
        spans: list[tuple[int | None, int | None]] = []
        for case in (case for case in self.cases() if case != NULL and case in cases):
            low, high = self.span(case)
            if spans and spans[-1][1] is not None and low is not None and spans[-1][1] + 1 == low:
                spans[-1] = (spans[-1][0], high)
            else:
                spans.append((low, high))
        first, last = spans[0][0], spans[-1][1]
        if self.least is not None and (first is None or first < self.least):
            first = self.least
            spans[0] = (first, spans[0][1])
        if all(low is not None and low == high for low, high in spans):
            return any_of([self._span(*span) for span in spans])
        holes = [(one[1], other[0]) for one, other in pairwise(spans)]
        if all(a is not None and b is not None and b - a == 2 for a, b in holes):
            unbound = first in (None, self.least) and last is None
            parts = [] if unbound else [self._span(first, last)]
            parts += [self._compare(exp.NEQ, number_node(a + 1)) for a, _ in holes if a is not None]
            return all_of(parts)
        return any_of([self._span(*span) for span in spans])

    def _span(self, low: int | None, high: int | None) -> Expr:
        if low is not None and low == high:
            return self._compare(exp.EQ, number_node(low))
        tests: list[Expr] = []
        if low is not None and low != self.least:
            tests.append(self._compare(exp.GT, number_node(low - 1)))
        if high is not None:
            tests.append(self._compare(exp.LT, number_node(high + 1)))
        return all_of(tests)


class TooManyCases(Exception):
    """There are more cases than can be nodes, or a part of a condition must not be moved."""


def is_fixed(node: Expr) -> bool:
    """Whether a node is a constant that a subject can be compared with."""
    inner = node.this if isinstance(node, exp.Neg) else node
    if isinstance(inner, exp.Literal):
        return inner is node or not inner.is_string
    return isinstance(node, exp.Boolean)


def fixed_number(node: Expr) -> Decimal | None:
    """The value of a number that is written out."""
    if isinstance(node, exp.Neg):
        inner = fixed_number(node.this)
        return None if inner is None else -inner
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    try:
        return Decimal(str(node.this))
    except InvalidOperation:
        return None


def is_safe_number(number: Decimal | None) -> bool:
    """Whether there is a number, and no engine takes another one near it for the same."""
    return number is not None and abs(number) < _MOST and number == round(number, _FINEST)


def make_subject(
    node: Expr, bounds: Iterable[Expr], facts: Facts, numbers: bool, is_ordered: bool
) -> CaseSubject | None:
    """A subject beside its bounds; ``None`` where nothing is known of their order.

    Args:
        node: The expression.
        bounds: The constants that it is compared with.
        facts: What is known of it.
        numbers: Whether numbers among the bounds are compared as numbers.
        is_ordered: Whether it is compared by more than equality.
    """
    nodes = list(bounds)
    values = [fixed_number(bound) for bound in nodes]
    if nodes and numbers and None not in values:
        return _numeric(node, nodes, facts)
    if len(nodes) < 2:
        return CaseSubject(node, nodes)
    if facts.kind(node) != "text" or not all(map(_is_text, nodes)):
        return None
    nodes.sort(key=lambda bound: str(bound.this))
    if not facts.record.typed:
        # Bytes are compared, and UTF-8 keeps the order of characters.
        return CaseSubject(node, nodes)
    return None if is_ordered else CaseSubject(node, nodes, points=True)


def _is_text(bound: Expr) -> bool:
    return isinstance(bound, exp.Literal) and bool(bound.is_string)


def _numeric(node: Expr, bounds: list[Expr], facts: Facts) -> CaseSubject | None:
    numbers = sorted(number for number in map(fixed_number, bounds) if number is not None)
    if not all(map(is_safe_number, numbers)):
        # A neighbour may be the same number to an engine.
        return None if len(numbers) > 1 else CaseSubject(node, bounds)
    integer = facts.kind(node) == "integer"
    if not integer and not all(_single(one) < _single(other) for one, other in pairwise(numbers)):
        return None
    subject = CaseSubject(
        node, [number_node(number) for number in numbers], numbers, integer=integer
    )
    if isinstance(node, exp.Count | exp.Length):
        subject.least = 0
    return subject


def _single(number: Decimal) -> float:
    """A number as the coarsest type of an engine holds it."""
    value: float = struct.unpack("f", struct.pack("f", float(number)))[0]
    return value


def require_safe(node: Expr, facts: Facts) -> None:
    """Refuse an expression that may fail, so that it must stay where it is.

    Raises:
        TooManyCases: it may.
    """
    for part in own_nodes(node):
        if isinstance(part, _UNSAFE) or (facts.record.typed and not isinstance(part, _PLAIN)):
            raise TooManyCases


def number_node(value: Decimal | int) -> Expr:
    """A number as a literal, with a minus before it where it is negative."""
    text = f"{abs(Decimal(value)):f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    literal = exp.Literal.number(text)
    return exp.Neg(this=literal) if value < 0 else literal


def _floor(number: Decimal) -> int:
    whole = int(number)
    return whole - 1 if whole > number else whole


def constant_right(left: Expr, right: Expr, kind: type[Expr]) -> tuple[Expr, Expr, type[Expr]]:
    """A comparison with the constant, if there is one, on the right."""
    if (is_fixed(left) or isinstance(left, exp.Null)) and not isinstance(right, exp.Null):
        return right, left, MIRRORED.get(kind, kind)
    return left, right, kind


def is_null_test(node: Expr) -> bool:
    """Whether IS, or what stands for it, asks for NULL."""
    return isinstance(node.expression, exp.Null) and not isinstance(node.this, exp.Null)


def is_strict_like(node: Expr) -> bool:
    """Whether a condition is NULL where its first operand is, and only there."""
    if not isinstance(node, exp.Like | exp.Glob) or has_subquery(node):
        return False
    return isinstance(node.expression, exp.Literal)


def affirm(node: Expr) -> Expr:
    """LIKE for NOT LIKE."""
    like = copied(node)
    like.set("negate", None)
    return like


def is_truth_word(node: Expr) -> bool:
    """Whether a node is NULL, TRUE or FALSE."""
    return isinstance(node, exp.Null | exp.Boolean)
