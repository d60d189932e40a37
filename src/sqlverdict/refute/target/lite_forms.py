"""Dates, JSON and patterns of other dialects in SQLite's words, for the fast screen.

``CURRENT_DATE - INTERVAL '7 days'``, which stands in a frozen query as a constant, becomes
``date('2024-08-14', '-7 days')``; ``EXTRACT(YEAR FROM d)`` becomes a call of ``strftime``. The
search then reads the days and documents that a query asks for. Nothing rests on these forms being
exact: what they propose, the engine itself confirms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.refute.read.moments import interval_steps
from sqlverdict.refute.read.patterns import like_pattern

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK_UNITS = frozenset({"hour", "minute", "second"})
_FIELDS = {
    "year": "%Y",
    "month": "%m",
    "day": "%d",
    "hour": "%H",
    "minute": "%M",
    "second": "%S",
    "dow": "%w",
    "doy": "%j",
    "epoch": "%s",
    "week": "%W",
}
_STARTS: dict[str, tuple[str, ...]] = {
    "year": ("start of year",),
    "month": ("start of month",),
    "week": ("-6 days", "weekday 1"),
    "day": (),
}
_DATE_TYPES = frozenset({"DATE", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ"})
_YEAR = "365.25"
_SECONDS = "86400"


def with_lite_forms(tree: Expr) -> Expr:
    """The tree with SQLite's words; it is changed in place."""
    # Inner expressions first: what stands around them sees what they have become.
    for node in reversed(list(tree.walk())):
        form = _FORMS.get(type(node))
        lite = form(node) if form is not None else None
        if lite is None:
            continue
        if node is tree:
            return lite
        node.replace(lite)
    return tree


def _call(name: str, *arguments: Expr | str) -> Expr:
    parts = [exp.Literal.string(a) if isinstance(a, str) else a.copy() for a in arguments]
    return exp.Anonymous(this=name, expressions=parts)


def _number(node: Expr) -> Expr:
    return exp.Cast(this=node, to=exp.DataType.build("INTEGER"))


def _days_between(later: Expr, earlier: Expr) -> Expr:
    return exp.Paren(
        this=exp.Sub(this=_call("julianday", later), expression=_call("julianday", earlier))
    )


def _is_date(node: Expr | None) -> bool:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Cast):
        return str(node.to.this.value) in _DATE_TYPES
    if isinstance(node, exp.Literal):
        return bool(node.is_string and _DAY.match(str(node.this)))
    return isinstance(node, exp.Anonymous) and str(node.this) in ("date", "datetime")


def _cast(node: Expr) -> Expr | None:
    """A day or a time that is written in full is itself; its zone is left out."""
    inner = node.this
    if not _is_date(node) or not isinstance(inner, exp.Literal) or not _is_date(inner):
        return None
    return exp.Literal.string(str(inner.this).split("+")[0].removesuffix(" 00:00:00"))


def _shifted(moment: Expr, steps: list[tuple[int, str]], sign: int) -> Expr:
    modifiers = [f"{number * sign:+} {unit}s" for number, unit in steps]
    has_clock = any(unit in _CLOCK_UNITS for _, unit in steps) or (
        isinstance(moment, exp.Literal) and ":" in str(moment.this)
    )
    inner = [moment]
    if isinstance(moment, exp.Anonymous) and _is_date(moment):
        # One call: modifiers of modifiers are what readers of dates expect.
        has_clock |= str(moment.this) == "datetime"
        inner = moment.expressions
    return _call("datetime" if has_clock else "date", *inner, *modifiers)


def _sum(node: Expr) -> Expr | None:
    sign = -1 if isinstance(node, exp.Sub) else 1
    left, right = node.this, node.expression
    if isinstance(left, exp.Interval) and sign > 0:
        left, right = right, left
    if isinstance(right, exp.Interval):
        steps = interval_steps(right)
        return _shifted(left.unnest(), steps, sign) if steps else None
    if not _is_date(left) and not (_is_date(right) and sign < 0):
        return None
    if isinstance(right, exp.Literal) and not right.is_string:
        days = [(int(right.this), "day")] if right.is_int else []
        return _shifted(left.unnest(), days, sign) if days else None
    return _days_between(left, right) if sign < 0 else None


def _added(sign: int) -> Callable[[Expr], Expr | None]:
    def form(node: Expr) -> Expr | None:
        unit = node.args.get("unit")
        steps = interval_steps(exp.Interval(this=node.expression.copy(), unit=unit))
        return _shifted(node.this, steps, sign) if steps else None

    return form


def _truncated(node: Expr) -> Expr | None:
    unit = node.args.get("unit")
    day = node.this
    if isinstance(unit, Expr) and unit.name.lower() == "quarter" and isinstance(day, exp.Literal):
        # SQLite has no quarters; the first month of a day's own is a matter of its digits.
        year, month = str(day.this)[:4], str(day.this)[5:7]
        first = (int(month) - 1) // 3 * 3 + 1 if month.isdecimal() else 1
        return exp.Literal.string(f"{year}-{first:02}-01") if _is_date(day) else None
    modifiers = _STARTS.get(unit.name.lower()) if isinstance(unit, Expr) else None
    return _call("date", node.this, *modifiers) if modifiers is not None else None


def _field(unit: str, moment: Expr) -> Expr | None:
    inner = moment.unnest()
    if isinstance(inner, exp.Anonymous) and str(inner.this).lower() == "age":
        if len(inner.expressions) != 2 or unit != "year":
            return None
        days = _days_between(*inner.expressions)
        return _number(exp.Div(this=days, expression=exp.Literal.number(_YEAR)))
    if isinstance(inner, exp.Sub):
        # The difference of two moments is a number of days by now.
        if unit == "epoch":
            return exp.Mul(this=moment.copy(), expression=exp.Literal.number(_SECONDS))
        return moment.copy() if unit == "day" else None
    code = _FIELDS.get(unit)
    return _number(_call("strftime", code, moment)) if code is not None else None


def _extracted(node: Expr) -> Expr | None:
    return _field(node.name.lower(), node.expression)


def _named_field(unit: str) -> Callable[[Expr], Expr | None]:
    def form(node: Expr) -> Expr | None:
        inner = node.this
        return _field(unit, inner.this if isinstance(inner, exp.TsOrDsToDate) else inner)

    return form


def _difference(node: Expr) -> Expr | None:
    unit = node.args.get("unit")
    if unit is not None and unit.name.lower() != "day":
        return None
    return _days_between(node.this, node.expression)


def _pattern(node: Expr) -> Expr | None:
    regex = node.expression
    pattern = like_pattern(str(regex.this)) if isinstance(regex, exp.Literal) else None
    if pattern is None:
        return None
    return exp.Like(this=node.this.copy(), expression=exp.Literal.string(pattern))


def _json_path(node: Expr) -> Expr | None:
    """``extra #>> '{a,0}'`` as ``json_extract(extra, '$.a[0]')``."""
    steps = node.expression
    if not isinstance(steps, exp.Literal) or not str(steps.this).startswith("{"):
        return None
    names = [name.strip().strip('"') for name in str(steps.this).strip("{}").split(",")]
    path = "".join(f"[{name}]" if name.isdecimal() else f".{name}" for name in names if name)
    return _call("json_extract", node.this, f"${path}")


def _unquoted(node: Expr) -> Expr | None:
    """``JSON_UNQUOTE(JSON_EXTRACT(x, '$.a'))`` as ``x ->> '$.a'``."""
    inner = node.expressions[0] if len(node.expressions) == 1 else None
    if str(node.this).lower() != "json_unquote" or not isinstance(inner, exp.JSONExtract):
        return None
    return exp.JSONExtractScalar(this=inner.this.copy(), expression=inner.expression.copy())


def _of_name(node: Expr) -> Expr | None:
    """A call of a function that our parser knows by its name alone."""
    if str(node.this).lower() == "weekday" and len(node.expressions) == 1:
        # Monday is 0, and Sunday is 0 in SQLite.
        day = _field("dow", node.expressions[0])
        days = exp.Paren(this=exp.Add(this=day, expression=exp.Literal.number(6)))
        return exp.Paren(this=exp.Mod(this=days, expression=exp.Literal.number(7)))
    return _unquoted(node)


def _has_key(node: Expr) -> Expr | None:
    if not isinstance(node.expression, exp.Literal):
        return None
    kind = _call("json_type", node.this, f"$.{node.expression.this}")
    return exp.Not(this=exp.Is(this=kind, expression=exp.Null()))


def _contains(node: Expr) -> Expr | None:
    """``extra @> '{"a": 1}'`` as ``json_extract(extra, '$.a') = 1``."""
    inner = node.expression
    while isinstance(inner, exp.Cast):
        inner = inner.this
    try:
        document = json.loads(str(inner.this)) if isinstance(inner, exp.Literal) else None
    except ValueError:
        return None
    if not isinstance(document, dict) or not document:
        return None
    return exp.and_(*_conditions(node.this, document))


def _conditions(column: Expr, document: dict[str, object]) -> Iterator[Expr]:
    for key, value in document.items():
        if isinstance(value, str | int | float):
            part = _call("json_extract", column, f"$.{key}")
            yield exp.EQ(this=part, expression=exp.convert(value))


_FORMS: dict[type[Expr], Callable[[Expr], Expr | None]] = {
    exp.Cast: _cast,
    **dict.fromkeys((exp.Add, exp.Sub), _sum),
    **dict.fromkeys((exp.DateAdd, exp.TsOrDsAdd, exp.DatetimeAdd, exp.TimestampAdd), _added(1)),
    **dict.fromkeys((exp.DateSub, exp.DatetimeSub, exp.TimestampSub), _added(-1)),
    **dict.fromkeys((exp.DateTrunc, exp.TimestampTrunc), _truncated),
    exp.Extract: _extracted,
    **{kind: _named_field(kind.__name__.lower()) for kind in (exp.Year, exp.Month, exp.Day)},
    **dict.fromkeys((exp.DateDiff, exp.TimestampDiff), _difference),
    exp.UnixToTime: lambda node: _call("datetime", node.this, "unixepoch"),
    **dict.fromkeys((exp.StrToDate, exp.StrToTime), lambda node: _call("date", node.this)),
    # LIKE of SQLite takes capitals and small letters for the same.
    exp.ILike: lambda node: exp.Like(this=node.this.copy(), expression=node.expression.copy()),
    **dict.fromkeys((exp.RegexpLike, exp.RegexpILike), _pattern),
    **dict.fromkeys((exp.JSONBExtract, exp.JSONBExtractScalar), _json_path),
    exp.Anonymous: _of_name,
    exp.JSONBContainsTopKey: _has_key,
    exp.ArrayContainsAll: _contains,
}
