"""What two queries compare their columns with: the values on which they can part ways."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from operator import add, mul, sub, truediv

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.records import Cell, Query
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.refute.read.comparisons import (
    DENIED,
    FLIPPED,
    OPERATORS,
    asked_operator,
    may_count_rows,
    stands_apart,
)
from sqlverdict.refute.read.computed import computed, is_modifier, read_as_days
from sqlverdict.refute.read.derived_values import (
    becomes_float,
    bytes_of,
    constant_call,
    counts_days,
    day_of_count,
    rests,
    shifted_dates,
    text_of_parts,
)
from sqlverdict.refute.read.expressions import (
    aggregate_name,
    literal_value,
    scalar_output,
    value_operands,
    without_parens,
)
from sqlverdict.refute.read.json_paths import demands
from sqlverdict.refute.read.moments import days_of
from sqlverdict.refute.read.own_words import own_words
from sqlverdict.refute.read.patterns import like_pattern
from sqlverdict.refute.read.reading import Hint, QueryReading
from sqlverdict.refute.read.stars import stars, with_twins
from sqlverdict.refute.read.views import written_out

_INVERSE: dict[type[Expr], Callable[[float, float], float]] = {
    exp.Add: sub,
    exp.Sub: add,
    exp.Mul: truediv,
    exp.Div: mul,
}
_MOST = 1000
"""Larger counts need more rows than a search makes."""
_SMALL_SUM = 30
"""A sum up to this may be a count of ones."""
_SUMS = ("sum", "total")
_SILENT = frozenset({exp.Column, exp.Identifier, exp.Literal, exp.Table, exp.TableAlias})
"""Most nodes: what they mean is told by the nodes around them."""
_OFFSETS = (exp.Lag, exp.Lead, exp.NthValue, exp.Ntile)
_RECKONING = (exp.Sum, exp.Avg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Abs, exp.Round)
_CORNERED = (
    *(exp.Abs, exp.Mod, exp.Mul, exp.Neg),
    *(exp.Upper, exp.Lower, exp.Trim, exp.Length, exp.Substring),
)


_known: dict[tuple[str, str, Schema], QueryReading] = {}
_REMEMBERED = 512
"""How many readings a process keeps."""


def read_query(query: Query, schema: Schema) -> QueryReading:
    """Read a query's tables, joins, constants and counts; the search and the grade both ask."""
    key = (query.sql, query.dialect, schema)
    known = _known.get(key)
    if known is not None:
        return known
    reading = _ConstantsReader(Resolver(written_out(query.tree, schema), schema)).read()
    if len(_known) >= _REMEMBERED:
        _known.clear()
    _known[key] = reading
    return reading


class _ConstantsReader:
    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.reading = QueryReading()
        self._cuts: dict[ColumnRef, dict[int, str]] = {}
        self._sums: dict[ColumnRef, set[float]] = {}
        self._nested = sum(type(node) is exp.Select for node in resolver.nodes) > 1

    def read(self) -> QueryReading:
        reading, resolver = self.reading, self.resolver
        reading.tables = [table.name for table in resolver.tables()]
        reading.copies = resolver.copies()
        columns = (node for node in resolver.nodes if isinstance(node, exp.Column))
        column_refs = map(resolver.column, columns)
        reading.used = list(
            dict.fromkeys(column_ref for column_ref in column_refs if column_ref is not None)
        )
        for node in resolver.nodes:
            if type(node) not in _SILENT:
                self._visit(node)
        for column_ref, cuts in self._cuts.items():
            # Parts of one text that are asked for apart: with something between them, or a dash.
            texts = {text_of_parts(cuts, filler) for filler in "-x"} if len(cuts) > 1 else ()
            reading.hints += [Hint(column_ref, "=", text, direct=False) for text in sorted(texts)]
        for column_ref, sums in self._sums.items():
            # What is left of a sum beside a value that another condition asks for.
            query_values = [hint.value for hint in reading.hints if hint.column_ref == column_ref]
            rest = rests(sums, query_values)
            reading.hints += [Hint(column_ref, "=", value, direct=False) for value in rest]
        reading.documents = demands(resolver)
        reading.own = own_words(resolver)
        reading.computed = list(dict.fromkeys(computed(resolver)))
        reading.days = list(dict.fromkeys(read_as_days(resolver)))
        reading.stars = stars(resolver)
        # The column of ``f(doc -> 'a')`` is read as a name of another kind.
        used = list(dict.fromkeys((*reading.used, *reading.documents)))
        reading.used = with_twins(resolver.schema, reading.tables, used)
        reading.hints = list(dict.fromkeys(reading.hints))
        reading.joins = list(dict.fromkeys(reading.joins))
        return reading

    def _visit(self, node: Expr) -> None:
        if becomes_float(node):
            self.reading.floats += self.resolver.columns(node)
        if isinstance(node, _RECKONING):
            self.reading.numbers += filter(None, map(self.resolver.column, value_operands(node)))
        aggregate = aggregate_name(node)
        if aggregate is not None:
            column_refs = map(self.resolver.column, value_operands(node))
            self.reading.aggregates |= {(c, aggregate) for c in column_refs if c is not None}
            # Without values it is 0 where a sum is NULL: negative numbers tell them apart.
            self.reading.corners |= aggregate == "total"
        operator = OPERATORS.get(type(node))
        if operator is not None:
            self._compare(node.this, asked_operator(node, operator), node.expression)
        elif isinstance(node, exp.Like | exp.ILike | exp.Glob):
            kind = "glob" if isinstance(node, exp.Glob) else "like"
            self._compare(node.this, asked_operator(node, kind), node.expression)
        elif isinstance(node, exp.RegexpLike | exp.RegexpILike | exp.SimilarTo):
            self._regex(node)
        elif isinstance(node, exp.In):
            self._in(node)
        elif isinstance(node, exp.Between):
            self._compare(node.this, asked_operator(node, ">="), node.args["low"])
            self._compare(node.this, asked_operator(node, "<="), node.args["high"])
        elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            self._hint(node.this, asked_operator(node, "="), None)
        elif isinstance(node, exp.Case | exp.If):
            # What a branch yields is compared with nothing.
            for branch in node.args.get("ifs") or () if node.this is not None else ():
                self._compare(node.this, "=", branch.this)
        elif isinstance(node, exp.Limit | exp.Offset):
            self._count(node.parent or node)
        elif isinstance(node, exp.WindowSpec):
            self._frame(node)
        elif isinstance(node, _OFFSETS):
            self._offset(node)
        elif isinstance(node, exp.Join):
            self._using(node)
        elif isinstance(node, exp.Group | exp.Pivot):
            # What stands behind ON makes the groups of a pivoted table.
            column_refs = map(self.resolver.column, node.expressions)
            self.reading.groups += [
                column_ref for column_ref in column_refs if column_ref is not None
            ]
        elif isinstance(node, _CORNERED):
            self.reading.corners = True
        elif isinstance(node, exp.Func) and not isinstance(node, exp.AggFunc | exp.Connector):
            self._function(node)

    def _regex(self, node: Expr) -> None:
        known, regex = self._value(node.expression)
        pattern = like_pattern(regex) if known and isinstance(regex, str) else None
        if pattern is not None:
            self._hint(node.this, asked_operator(node, "like"), pattern)

    def _in(self, node: Expr) -> None:
        for value in node.expressions:
            self._compare(node.this, asked_operator(node, "="), value)
        inner = node.args.get("query")
        if inner is not None:
            select = inner.this if isinstance(inner, exp.Subquery) else inner
            while isinstance(select, exp.SetOperation):
                select = select.this
            if isinstance(select, exp.Select) and select.expressions:
                self._join(node.this, select.expressions[0].unalias())

    def _compare(self, left: Expr, operator: str, right: Expr) -> None:
        left, right = without_parens(left), without_parens(right)
        known, value = self._value(right)
        if known:
            self._hint(left, operator, value)
            return
        known, value = self._value(left)
        if known:
            self._hint(right, FLIPPED.get(operator, operator), value)
        elif operator == "=":
            self._join(left, right)

    def _join(self, left: Expr, right: Expr) -> None:
        one, two = self.resolver.column(left), self.resolver.column(scalar_output(right))
        if one is not None and two is not None and one != two:
            self.reading.joins.append((one, two))

    def _using(self, join: Expr) -> None:
        shared = [name.name for name in join.args.get("using") or ()]
        tables = self.resolver.tables()
        if join.args.get("method") == "NATURAL":
            shared += [column.name for table in tables for column in table.columns]
        for name in dict.fromkeys(shared):
            column_refs = [(t.name, c.name) for t in tables if (c := t.column(name)) is not None]
            self.reading.joins += [(column_refs[0], other) for other in column_refs[1:]]

    def _hint(self, side: Expr, operator: str, value: Cell) -> None:
        side = without_parens(self.resolver.meaning(side))
        if isinstance(side, exp.Substring) and value is not None:
            known, start = self._value(side.args.get("start") or exp.Null())
            if known and isinstance(start, int) and 1 <= start < 40:
                for cut in self.resolver.columns(side):
                    self._cuts.setdefault(cut, {})[start] = str(value)
                value = "x" * (start - 1) + str(value)
        shifted_hint = shifted_dates(side, value)
        if shifted_hint is not None:
            for text in shifted_hint:
                self._hint(side.expressions[0], operator, text)
            return
        if isinstance(side, exp.Cast) and counts_days(side.this):
            side = without_parens(side.this)
        moment = day_of_count(side, value)
        if moment is not None:
            self._hint(moment[0], operator, moment[1])
            return
        if isinstance(side, exp.Length) and isinstance(value, int):
            self.reading.lengths += [(column, value) for column in self.resolver.columns(side)]
            return
        counts = True
        if aggregate_name(side) in _SUMS and isinstance(value, int | float):
            for summed in self.resolver.columns(side):
                self._sums.setdefault(summed, set()).add(value)
            # A sum of ones is a count; a large one is reached by large values.
            counts = value <= _SMALL_SUM
        if isinstance(value, int) and counts and may_count_rows(side):
            self.reading.counts.add(value)
            if isinstance(side, exp.Count):
                # A number of rows is no value of theirs.
                return
        solved = self._solved(side, operator, value)
        if solved:
            for part, flipped, reached in solved:
                self._hint(part, flipped, reached)
            return
        column_ref = self.resolver.column(side)
        if column_ref is not None:
            self.reading.hints.append(Hint(column_ref, operator, value))
            denied = DENIED.get(operator)
            if denied is not None and self._nested and stands_apart(side):
                self.reading.hints.append(Hint(column_ref, denied, value))
            return
        column_refs = dict.fromkeys(self.resolver.columns(side))
        is_number = isinstance(side, exp.Cast) and side.is_type(*exp.DataType.NUMERIC_TYPES)
        for inner in column_refs:
            # A text that is read as a number is one; a number out of a function may be a month.
            direct = is_number and isinstance(without_parens(side.this), exp.Column)
            hint = Hint(inner, operator, value, direct=direct, mixed=len(column_refs) > 1)
            self.reading.hints.append(hint)

    def _solved(self, side: Expr, operator: str, value: Cell) -> list[tuple[Expr, str, float]]:
        """``c * 12 > 600`` as ``c > 50``: a constant is taken to the other side."""
        if type(side) not in _INVERSE or not isinstance(value, int | float):
            return []
        inner, other = without_parens(side.this), without_parens(side.expression)
        known, number = self._value(other)
        if isinstance(side, exp.Sub) and not known:
            # A number of days before a fixed moment.
            moment = constant_call(inner)
            if isinstance(moment, int | float):
                return [(other, FLIPPED.get(operator, operator), moment - value)]
        if not known and type(side) in (exp.Add, exp.Mul):
            inner, other = other, inner
            known, number = self._value(other)
        if not known or not isinstance(number, int | float) or not number:
            return []
        reached = [_INVERSE[type(side)](value, number)]
        if isinstance(side, exp.Div) and isinstance(value, int) and isinstance(number, int):
            # Whole numbers are cut off: the next one begins there.
            reached.append((value + 1) * number)
        flipped = FLIPPED.get(operator, operator) if number < 0 else operator
        keeps = type(side) in (exp.Add, exp.Sub)
        return [
            (inner, operator if keeps else flipped, int(n) if float(n).is_integer() else n)
            for n in reached
            if isfinite(n)
        ]

    def _function(self, node: Expr) -> None:
        """A literal handed to a function together with a column: INSTR(c, 'x'), IFNULL(c, 0)."""
        values = [self._value(child) for child in node.iter_expressions()]
        # A word with % is a format or a pattern, not a value; a number says where, or how many.
        instead = isinstance(node, exp.Coalesce | exp.Nullif)
        kinds = str | int if instead else str
        constants = [
            v for known, v in values if known and isinstance(v, kinds) and "%" not in str(v)
        ]
        constants = [v for v in constants if not is_modifier(v, node)]
        for column_ref in self.resolver.columns(node) if constants else ():
            hints = (
                Hint(column_ref, "=", value, direct=False, mixed=instead) for value in constants
            )
            self.reading.hints += hints

    def _count(self, select: Expr) -> None:
        """So many rows are passed over, taken, or both."""
        parts = (select.args.get("limit"), select.args.get("offset"))
        bounds = [self._value(part.expression) for part in parts if part is not None]
        counts = [value for known, value in bounds if known and isinstance(value, int)]
        self.reading.counts |= {n for n in (*counts, sum(counts)) if 0 <= n <= _MOST}

    def _offset(self, node: Expr) -> None:
        """So many rows away."""
        known, value = self._value(node.args.get("offset") or node.this)
        if known and isinstance(value, int) and 0 <= value <= _MOST:
            self.reading.counts.add(value)

    def _frame(self, spec: Expr) -> None:
        """The bounds of a window's frame: numbers of rows, or distances of sort keys."""
        offsets = [
            value
            for known, value in map(self._bound, ("start", "end"), (spec, spec))
            if known and isinstance(value, int) and 0 <= value <= _MOST
        ]
        if str(spec.args.get("kind")).lower() != "range":
            self.reading.counts |= set(offsets)
            return
        window = spec.parent
        order = window.args.get("order") if window is not None else None
        for column_ref in self.resolver.columns(order) if order is not None else ():
            steps = [step for value in offsets for step in (value, value + 1, value + 2)]
            self.reading.hints += [Hint(column_ref, "=", step, False, mixed=True) for step in steps]

    def _bound(self, side: str, spec: Expr) -> tuple[bool, Cell]:
        bound = spec.args.get(side)
        if isinstance(bound, exp.Interval):
            days = days_of(bound)
            return days is not None, days
        return self._value(bound) if isinstance(bound, Expr) else (False, None)

    def _value(self, node: Expr) -> tuple[bool, Cell]:
        """A literal's value: whether it is one, and which."""
        node = without_parens(node)
        if isinstance(node, exp.Literal):
            return True, literal_value(node)
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            inner = literal_value(node.this)
            return True, -inner if isinstance(inner, int | float) else inner
        if isinstance(node, exp.Boolean):
            return True, int(bool(node.this))
        if isinstance(node, exp.Null):
            return True, None
        if isinstance(node, exp.Cast | exp.Date | exp.TsOrDsToDate) and isinstance(
            node.this, exp.Literal
        ):
            # The day of a moment is another text than the moment.
            day = constant_call(node) if isinstance(node, exp.Date) else None
            return True, literal_value(node.this) if day is None else day
        if isinstance(node, exp.HexString):
            return True, bytes_of(node.name)
        if self.resolver.is_text(node):
            return True, node.name
        value = constant_call(node)
        return value is not None, value
