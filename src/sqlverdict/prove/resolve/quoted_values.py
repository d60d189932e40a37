"""For which values a text in quotes stands, and its one spelling beside texts and days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import Dialect, dialect_of
from sqlverdict.execute.common_text import UNKNOWN_FUNCTION, unknown_name
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.column_types import column_values, declared_collation
from sqlverdict.prove.reasoning.filters import in_filter
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    MIRRORED,
    column_name,
    leaves,
    whole_number,
)
from sqlverdict.prove.resolve.engine_limits.own_types import is_enum, spells

_SIGNS = tuple(kind.__name__.lower() for kind in COMPARISONS)
_COMPARED = ("IN", "BETWEEN", *_SIGNS)
_CHOICES = ("COALESCE", "CASE", "WHEN", "IF")
_EQUALITIES = ("IN", "WHEN", "NULLIF", "eq", "neq")
_LAST_YEAR = 9998
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?", re.ASCII)
_HOUR_OF_DAY = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d", re.ASCII)


def takes_quotes(dialect: Dialect, kind: str, where: str, quoted: Sequence[exp.Literal]) -> bool:
    """Whether texts in quotes stand for values of a kind.

    Args:
        dialect: The dialect.
        kind: The kind of the values beside them.
        where: The comparison or the choice in which they meet.
        quoted: The texts.
    """
    if kind == "text":
        return True
    if kind == "collated":
        # The column's collation goes before that of a text in quotes.
        return where in _COMPARED or where in _CHOICES
    if dialect.typed_quotes:
        # In DuckDB a set operation of a date and a text in quotes is one of texts. So is an enum
        # beside one everywhere, and its labels have another order than their texts.
        becomes_text = where == "a set operation" or (is_enum(kind) and where not in _EQUALITIES)
        if becomes_text and not dialect.strict_types:
            return False
        return bool(quoted) and spells(kind, (str(text.this) for text in quoted), dialect)
    if kind == "date" and where in _COMPARED and quoted:
        # A day that is written as it is shown is the same whether days or their texts are compared.
        return all(map(_is_day, quoted))
    if kind == "timestamp" and where in _COMPARED and quoted:
        # MySQL compares moments, however they are written: a day is its midnight.
        return None not in map(_moment_of, quoted)
    if kind == "time" and where in _SIGNS and quoted:
        # So it is with an hour of the day in full.
        return all(_HOUR_OF_DAY.fullmatch(str(text.this)) for text in quoted)
    # What becomes of other types depends on the place.
    return kind in ("other", "untyped") and where in _COMPARED


def _is_day(literal: exp.Literal) -> bool:
    """Whether a text in quotes is a day as it is shown."""
    text = str(literal.this)
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _moment_of(node: Expr) -> str | None:
    """The one text of a moment in whole seconds, which is that of the day where it is midnight."""
    text = str(node.this) if isinstance(node, exp.Literal) and node.is_string else ""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return text.removesuffix(" 00:00:00")


def spell_collated_texts(
    tree: Expr, bases: Mapping[str, str], schema: Schema, dialect: str
) -> None:
    """Write texts beside a column of a known collation in one way; it changes a resolved tree.

    Under ``utf8mb4_general_ci`` of MariaDB and MySQL ``name = 'Ann '`` asks what ``name = 'ann'``
    asks: capitals of ASCII are equal to their small letters, and spaces at the end do not count.
    LIKE does see spaces. So it does beside a CHAR(5) of PostgreSQL, where ``c = 'ab '`` asks what
    ``c = 'ab'`` asks.
    """
    padded = dialect_of(dialect).padded_types
    for node in list(tree.find_all(*COMPARISONS, exp.In, exp.Between, exp.Like)):
        for column, text in _meetings(node):
            if padded.fullmatch(_declared_type(column, bases, schema)):
                if not isinstance(node, exp.Like):
                    text.replace(exp.Literal.string(str(text.this).rstrip(" ")))
                continue
            name = column_collation(column, bases, schema, dialect)
            plain = spelled_under(name, str(text.this), dialect, in_like=isinstance(node, exp.Like))
            if plain != text.this:
                text.replace(exp.Literal.string(plain))


def column_collation(
    column: exp.Column, bases: Mapping[str, str], schema: Schema, dialect: str
) -> str:
    """The collation of a column of a base table, where it is a text's and known; else empty."""
    label, name = column_name(column)
    table = schema.table(bases[label]) if label in bases else None
    own = table.column(name) if table is not None else None
    if table is None or own is None or column_values(table, own, dialect) != "collated":
        return ""
    return declared_collation(table, own)


def spell_days(tree: Expr, bases: Mapping[str, str], schema: Schema, dialect: str) -> None:
    """Write days beside values that are days or moments in one way; it changes a resolved tree.

    ``DATE '2020-01-31'`` and ``CAST('2020-01-31' AS DATE)`` are the text in quotes, which stands
    for that day, and beside moments for its midnight, as ``'2020-01-31 00:00:00'`` does. Where no
    date has a month 0, up to the last day of 2020 is before 2021, and a filter by the year is one
    by its first day and that of the next year.
    """
    record = dialect_of(dialect)
    derived = {node.alias: node.this for node in tree.find_all(exp.Subquery) if node.alias}
    types = _Types(derived, bases, schema, dialect)
    for node in list(tree.find_all(*COMPARISONS, exp.In, exp.Between)):
        operands = [node.this, node.expression, *node.expressions]
        operands += [node.args[part] for part in ("low", "high") if part in node.args]
        values = {types.of(each) for each in operands} - {""}
        if values == {"date"} or (values == {"timestamp"} and record.typed_quotes):
            for each in operands:
                text = _day_of(each)
                if text is not None:
                    each.replace(text)
        if values == {"timestamp"}:
            for each in filter(None, operands):
                if (moment := _moment_of(each)) is not None:
                    each.replace(exp.Literal.string(moment))
        if record.zero_dates:
            continue
        if values == {"date"}:
            _spell_bounds(node)
        elif not values and isinstance(node, COMPARISONS) and in_filter(node):
            _spell_year(node, types, record)


def call_day_differences(
    tree: Expr, bases: Mapping[str, str], schema: Schema, dialect: str
) -> None:
    """Make a function of a difference of two days or moments, where that is one of their digits.

    It changes a resolved tree. No rule knows the function: it is the same where both days are.
    """
    if not dialect_of(dialect).digit_dates:
        return
    derived = {node.alias: node.this for node in tree.find_all(exp.Subquery) if node.alias}
    types = _Types(derived, bases, schema, dialect)
    for node in list(tree.find_all(exp.Sub)):
        operands = [node.this, node.expression]
        if {types.of(each) for each in operands} <= {"date", "timestamp"}:
            name = unknown_name("number", "total", b"-", lambda _, days: " - ".join(days))
            node.replace(exp.Anonymous(this=name, expressions=operands))


class _Types:
    """What expressions of a tree hold, by the types of the columns of base tables, and of calls.

    Args:
        derived: The queries of derived tables, by label.
        bases: The base table of each label that has one.
        schema: The tables.
        dialect: The dialect.
    """

    def __init__(
        self,
        derived: Mapping[str, Expr],
        bases: Mapping[str, str],
        schema: Schema,
        dialect: str,
    ) -> None:
        self.derived = derived
        self.bases = bases
        self.schema = schema
        self.dialect = dialect

    def of(self, node: Expr | None) -> str:
        """What it holds; empty where that is not known."""
        if isinstance(node, exp.Max | exp.Min) and not node.expressions:
            return self.of(node.this)
        if isinstance(node, exp.Subquery):
            return self._output(node.this, 0)
        if isinstance(node, exp.Anonymous) and dialect_of(self.dialect).typed_quotes:
            call = UNKNOWN_FUNCTION.fullmatch(str(node.this))
            return "date" if call is not None and call["kind"] == "date" else ""
        if not isinstance(node, exp.Column):
            return ""
        label, name = column_name(node)
        if label in self.derived and name[1:].isdigit():
            return self._output(self.derived[label], int(name[1:]))
        table = self.schema.table(self.bases[label]) if label in self.bases else None
        own = table.column(name) if table is not None else None
        if table is None or own is None or self.schema.has_labels:
            return ""
        return column_values(table, own, self.dialect)

    def _output(self, query: Expr, number: int) -> str:
        if not all(isinstance(side, exp.Select) for side in leaves(query)):
            return ""
        kinds = {self.of(side.expressions[number]) for side in leaves(query)}
        return kinds.pop() if len(kinds) == 1 else ""


def _day_of(node: Expr | None) -> exp.Literal | None:
    """The text in quotes of a day that is written as one."""
    is_cast = isinstance(node, exp.Cast) and node.args["to"].this == exp.DType.DATE
    if not is_cast and not isinstance(node, exp.Date | exp.TsOrDsToDate):
        return None
    text = node.this if node is not None else None
    is_text = isinstance(text, exp.Literal) and text.is_string and _is_day(text)
    return text if is_text else None


def _spell_bounds(node: Expr) -> None:
    """Write ``d < '2021-01-01'`` for ``d <= '2020-12-31'``: what NOT makes of it is as plain."""
    if isinstance(node, exp.Between):
        value, low, high = node.this, node.args["low"], node.args["high"]
        later = _day_after(high)
        if later is not None and not isinstance(value, exp.Subquery):
            above = exp.GTE(this=value, expression=low)
            node.replace(
                exp.And(this=above, expression=exp.LT(this=value.copy(), expression=later))
            )
        return
    value, bound, kind = node.this, node.expression, type(node)
    if isinstance(value, exp.Literal):
        value, bound, kind = bound, value, MIRRORED.get(kind, kind)
    later = _day_after(bound) if kind in (exp.GT, exp.LTE) else None
    if later is not None:
        open_: type[Expr] = exp.GTE if kind is exp.GT else exp.LT
        node.replace(open_(this=value, expression=later))


def _day_after(node: Expr) -> exp.Literal | None:
    """The day after one that is written as a text in quotes."""
    if not isinstance(node, exp.Literal) or not node.is_string or not _is_day(node):
        return None
    day = date.fromisoformat(str(node.this))
    return exp.Literal.string((day + timedelta(days=1)).isoformat()) if day < date.max else None


def _spell_year(node: Expr, types: _Types, record: Dialect) -> None:
    """Write ``d >= '2020-01-01' AND d < '2021-01-01'`` for ``EXTRACT(YEAR FROM d) = 2020``."""
    kind: type[Expr] = type(node)
    call, year = node.this, whole_number(node.expression)
    if year is None:
        kind, call, year = MIRRORED.get(kind, kind), node.expression, whole_number(node.this)
    column = _year_of(call)
    if column is None or year is None or not 1 <= year <= _LAST_YEAR:
        return
    if types.of(column) not in ("date", "timestamp"):
        return
    first, next_first = (exp.Literal.string(f"{each:04}-01-01") for each in (year, year + 1))
    if kind is exp.EQ:
        above = exp.GTE(this=column, expression=first)
        node.replace(
            exp.And(this=above, expression=exp.LT(this=column.copy(), expression=next_first))
        )
    elif not record.endless_years:
        # DuckDB has the day 'infinity', which is above all days and has no year.
        return
    elif kind in (exp.GTE, exp.LT):
        node.replace(kind(this=column, expression=first))
    elif kind in (exp.GT, exp.LTE):
        open_: type[Expr] = exp.GTE if kind is exp.GT else exp.LT
        node.replace(open_(this=column, expression=next_first))


def _year_of(node: Expr) -> exp.Column | None:
    """The column whose year an expression is."""
    inner: Expr | None = None
    if isinstance(node, exp.Extract) and node.this.name.upper() == "YEAR":
        inner = node.expression
    elif isinstance(node, exp.Year):
        inner = node.this
    return inner if isinstance(inner, exp.Column) else None


def _declared_type(column: exp.Column, bases: Mapping[str, str], schema: Schema) -> str:
    """The type of a column of a base table as it is declared; empty for any other."""
    label, name = column_name(column)
    table = schema.table(bases[label]) if label in bases else None
    own = table.column(name) if table is not None else None
    return " ".join(own.type.split()) if own is not None else ""


def spelled_under(collation: str, text: str, dialect: str, *, in_like: bool) -> str:
    """The one spelling of a text that is compared under a collation, or by its LIKE."""
    record = dialect_of(dialect)
    if record.padded_collations.fullmatch(collation) and not in_like:
        text = text.rstrip(" ")
    if record.caseless_collations.fullmatch(collation):
        text = "".join(each.lower() if each.isascii() else each for each in text)
    return text


def _meetings(node: Expr) -> Iterator[tuple[exp.Column, exp.Literal]]:
    """The columns and the texts in quotes that a condition compares with each other."""
    operands = [node.this, node.expression, *node.expressions]
    operands += [node.args[part] for part in ("low", "high") if part in node.args]
    columns = [each for each in operands if isinstance(each, exp.Column)]
    texts = [each for each in operands if isinstance(each, exp.Literal) and each.is_string]
    if len(columns) == 1 and len(columns) + len(texts) == len([each for each in operands if each]):
        yield from ((columns[0], text) for text in texts)
