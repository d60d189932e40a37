"""Tests of the day of a moment, and of the period of a day, as bounds.

* ``CAST(m AS DATE) = '2020-01-31'`` is ``m >= '2020-01-31' AND m < '2020-02-01'``, and so it is for
  <, <=, > and >=;
* ``DATE_TRUNC('year', m) = '2020-01-01'`` is ``m >= '2020-01-01' AND m < '2021-01-01'``, and so for
  months and days.

m is a column: its name is that of columns of timestamps alone in all tables (for DATE_TRUNC, of
days, too), and of nothing that the query makes. Where a date may have a month 0, there is nothing
of this: such a day lies between two others.
"""

from __future__ import annotations

from datetime import date, timedelta

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.shape import MIRRORED

_LAST = date(9998, 12, 31)
_COMPARISONS = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def spell_day_tests(tree: Expr, dialect: str, schema: Schema) -> None:
    """Change a parsed tree, in place; the schema says what columns hold."""
    record = dialect_of(dialect)
    if not record.typed_quotes or record.zero_dates:
        return
    for node in list(tree.find_all(*_COMPARISONS)):
        kind: type[Expr] = type(node)
        call, day = node.this, _day_of(node.expression)
        if day is None:
            kind, call, day = MIRRORED[kind], node.expression, _day_of(node.this)
        if day is None or not date.min < day < _LAST:
            continue
        later = _end(call, day) if kind is exp.EQ else _day_after(call, day)
        kinds = {"timestamp", "date"} if isinstance(call, exp.TimestampTrunc) else {"timestamp"}
        if later is None or not is_column_of(call.this, kinds, tree, dialect, schema):
            continue
        first, end = (exp.Literal.string(each.isoformat()) for each in (day, later))
        node.replace(exp.Paren(this=_bounds(kind, call.this, first, end)))


def _bounds(kind: type[Expr], column: Expr, first: Expr, end: Expr) -> Expr:
    if kind is exp.EQ:
        above = exp.GTE(this=column.copy(), expression=first)
        return exp.And(this=above, expression=exp.LT(this=column.copy(), expression=end))
    if kind in (exp.GTE, exp.LT):
        return kind(this=column.copy(), expression=first)
    open_: type[Expr] = exp.GTE if kind is exp.GT else exp.LT
    return open_(this=column.copy(), expression=end)


def _day_of(node: Expr) -> date | None:
    """The day that a text in quotes, or ``DATE '...'``, is."""
    if isinstance(node, exp.Cast) and node.args["to"].this == exp.DType.DATE:
        node = node.this
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    try:
        day = date.fromisoformat(str(node.this))
    except ValueError:
        return None
    return day if day.isoformat() == node.this else None


def _day_after(call: Expr, day: date) -> date | None:
    """The day after, where a call makes a day of a moment."""
    is_cast = isinstance(call, exp.Cast) and call.args["to"].this == exp.DType.DATE
    is_call = isinstance(call, exp.Date) and not call.expressions and call.args.get("zone") is None
    return day + timedelta(days=1) if is_cast or is_call else None


def _end(call: Expr, day: date) -> date | None:
    """The first day after the period that a call and a day stand for."""
    if not isinstance(call, exp.TimestampTrunc):
        return _day_after(call, day)
    unit = call.args.get("unit")
    name = unit.name.upper() if isinstance(unit, exp.Var) else ""
    if call.args.get("zone") is not None:
        return None
    if name == "DAY":
        return day + timedelta(days=1)
    if name == "MONTH" and day.day == 1:
        return (day + timedelta(days=31)).replace(day=1)
    if name == "YEAR" and (day.month, day.day) == (1, 1):
        return day.replace(year=day.year + 1)
    return None


def is_column_of(
    node: Expr | None, kinds: set[str], tree: Expr, dialect: str, schema: Schema
) -> bool:
    """Whether a name can only mean columns of some kinds."""
    if not isinstance(node, exp.Column):
        return False
    name = fold(node.name)
    aliases = [each.alias for each in tree.find_all(exp.Alias, exp.TableAlias)]
    aliases += [each.name for alias in tree.find_all(exp.TableAlias) for each in alias.columns]
    if name in map(fold, aliases):
        return False
    columns = [
        column_values(table, column, dialect)
        for table in schema.tables
        for column in table.columns
        if fold(column.name) == name
    ]
    return bool(columns) and set(columns) <= kinds
