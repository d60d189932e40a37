"""A text is compared with a number, which SQLite decides by type and not by value.

Statement
    f(x) compared with a number where f returns texts (strftime, substr, upper ...), or with a
    quoted text where f returns numbers (COUNT, SUM, length ...); or a column without text
    affinity that holds only texts which spell no number, compared with a number by < or >.

Looks at
    Comparisons =, <>, <, >, <=, >=, BETWEEN and IN with a literal; stored values of plain
    columns.

Why
    In SQLite every text is greater than every number and equal to none: the comparison is always
    true or always false.

Limits
    A column whose values are of both kinds is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import affinity
from sqlverdict.parse.schema import stored_type
from sqlverdict.signs.columns import facts_of_column, spelt
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_TEXTS = (exp.TimeToStr, exp.Substring, exp.Upper, exp.Lower, exp.Trim, exp.DPipe, exp.Concat)
_NUMBERS = (exp.Count, exp.Sum, exp.Avg, exp.Length, exp.Round, exp.Abs)
_TEXT_CALLS = frozenset({"strftime", "substr", "substring", "date", "datetime", "time", "printf"})

_DATA = """
CREATE TABLE run (id INTEGER PRIMARY KEY, day DATE, name TEXT, points INTEGER);
INSERT INTO run VALUES (1, '2019-01-02', 'Ann', 9), (2, '2020-02-03', 'Bo', 10);
"""


@sign(
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT id FROM run WHERE strftime('%Y', day) = 2019", "is a text"),
        SignExample("SELECT id FROM run WHERE substr(day, 1, 4) > 2018", "is a text"),
        SignExample("SELECT id FROM run WHERE strftime('%Y', day) IN (2019, 2020)", "is a text"),
        SignExample("SELECT name FROM run GROUP BY name HAVING COUNT(*) > '0'", "is a number"),
        SignExample("SELECT id FROM run WHERE day > 2019", "holds texts"),
    ],
    silent=[
        SignExample("SELECT id FROM run WHERE strftime('%Y', day) = '2019'"),
        SignExample("SELECT id FROM run WHERE CAST(strftime('%Y', day) AS INTEGER) = 2019"),
        SignExample("SELECT id FROM run WHERE points > '8' AND day > '2018'"),
        SignExample("SELECT id FROM run WHERE length(name) = 3"),
        SignExample("SELECT id FROM run WHERE name > 5"),
    ],
)
def type_confusion(subject: Subject) -> Iterator[Notice]:
    """Each comparison, once."""
    for node in subject.query.tree.find_all(exp.EQ, exp.NEQ, exp.In, *_ORDERED):
        for value, literals in _sides(node):
            numbers = [each for each in literals if _is_number(each)]
            texts = [each for each in literals if isinstance(each, exp.Literal) and each.is_string]
            shown = value.sql(dialect="sqlite")
            if numbers and _returns_text(value):
                message = f"{shown} is a text and is compared with the number {numbers[0].sql()}"
                yield Notice("type_confusion", message, {"value": shown})
            elif texts and isinstance(value, _NUMBERS):
                message = f"{shown} is a number and is compared with the text {texts[0].sql()}"
                yield Notice("type_confusion", message, {"value": shown})
            elif numbers and isinstance(node, _ORDERED):
                yield from _column(subject, value, numbers[0])


def _sides(node: Expr) -> Iterator[tuple[Expr, list[Expr]]]:
    if isinstance(node, exp.In):
        yield node.this.unnest(), node.expressions
    elif isinstance(node, exp.Between):
        yield node.this.unnest(), [node.args["low"], node.args["high"]]
    else:
        yield node.this.unnest(), [node.expression]
        yield node.expression.unnest(), [node.this]


def _is_number(node: Expr) -> bool:
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal) and not inner.is_string


def _returns_text(node: Expr) -> bool:
    if isinstance(node, _TEXTS):
        return True
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    return name in _TEXT_CALLS


def _column(subject: Subject, value: Expr, number: Expr) -> Iterator[Notice]:
    place = subject.resolver.column(value)
    table = subject.schema.table(place[0]) if place is not None else None
    column = table.column(place[1]) if table is not None and place is not None else None
    if place is None or table is None or column is None or subject.schema.source == "tables_json":
        return
    if affinity(stored_type(table, column)) == "TEXT":
        return
    facts = facts_of_column(subject, place)
    if (
        facts is not None
        and facts.texts
        and facts.texts == facts.values
        and not facts.numeric_texts
    ):
        message = f"{spelt(place)} holds texts and is compared with the number {number.sql()}"
        yield Notice("type_confusion", message, {"value": spelt(place)})
