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
    A column whose values are of both kinds is left alone. Silent on other engines than SQLite: they
    compare a text with a number by its value, or refuse to.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import affinity
from sqlverdict.parse.schema import stored_type
from sqlverdict.signs.columns import column_text, facts_of_column
from sqlverdict.signs.literals import ORDERED, comparison_operands
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

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
    if subject.record.typed:
        return
    for node in subject.query.find_all(exp.EQ, exp.NEQ, exp.In, *ORDERED):
        for value, literals in _sides(node):
            numbers = [each for each in literals if _is_number(each)]
            texts = [each for each in literals if isinstance(each, exp.Literal) and each.is_string]
            if numbers and _returns_text(value):
                text = subject.text(value)
                message = f"{text} is a text and is compared with the number {numbers[0].sql()}"
                yield Notice("type_confusion", message, {"value": text})
            elif texts and isinstance(value, _NUMBERS):
                text = subject.text(value)
                message = f"{text} is a number and is compared with the text {texts[0].sql()}"
                yield Notice("type_confusion", message, {"value": text})
            elif numbers and isinstance(node, ORDERED):
                yield from _column(subject, value, numbers[0])


def _sides(node: Expr) -> Iterator[tuple[Expr, list[Expr]]]:
    first, *others = comparison_operands(node)
    yield first.unnest(), others
    if not isinstance(node, exp.In | exp.Between):
        yield others[0].unnest(), [first]


def _is_number(node: Expr) -> bool:
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal) and not inner.is_string


def _returns_text(node: Expr) -> bool:
    if isinstance(node, _TEXTS):
        return True
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    return name in _TEXT_CALLS


def _column(subject: Subject, value: Expr, number: Expr) -> Iterator[Notice]:
    column_ref = subject.resolver.column(value)
    table = subject.schema.table(column_ref[0]) if column_ref is not None else None
    column = table.column(column_ref[1]) if table is not None and column_ref is not None else None
    if (
        column_ref is None
        or table is None
        or column is None
        or subject.schema.source == "tables_json"
    ):
        return
    if affinity(stored_type(table, column)) == "TEXT":
        return
    facts = facts_of_column(subject, column_ref)
    if (
        facts is not None
        and facts.texts
        and facts.texts == facts.values
        and not facts.numeric_texts
    ):
        message = (
            f"{column_text(column_ref)} holds texts and is compared with the number {number.sql()}"
        )
        yield Notice("type_confusion", message, {"value": column_text(column_ref)})
