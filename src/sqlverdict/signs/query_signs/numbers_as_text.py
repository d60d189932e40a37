"""Numbers that are stored as texts are sorted or compared as texts.

Statement
    ORDER BY c, MIN(c), MAX(c) or c < literal, where the column's values are texts that spell
    numbers of different lengths.

Looks at
    Plain columns: the stored values of the whole column. A CAST or a sum in the query makes it
    silent.

Why
    As texts, '9' is greater than '10'.

Limits
    Silent where one value in ten or more is no number, and where all have the same length, such
    as years and codes. Other engines than SQLite compare a text with a number by its value, or not
    at all: there a comparison counts only with a text.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.signs.columns import column_text, facts_of_column
from sqlverdict.signs.literals import ORDERED, comparison_operands, literal_of
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE run (id INTEGER PRIMARY KEY, score TEXT, year TEXT, name TEXT, points INTEGER);
INSERT INTO run VALUES (1, '9', '2019', 'Ann', 9), (2, '10', '2020', 'Bo', 10);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT id FROM run ORDER BY score DESC LIMIT 1", "sorted"),
        SignExample("SELECT MAX(score) FROM run", "MAX"),
        SignExample("SELECT id FROM run WHERE score > 5", "compared"),
        SignExample("SELECT id FROM run WHERE score BETWEEN '5' AND '20'", "compared"),
    ],
    silent=[
        SignExample("SELECT id FROM run ORDER BY CAST(score AS INTEGER) DESC LIMIT 1"),
        SignExample("SELECT id FROM run WHERE year > '2019' ORDER BY name"),
        SignExample("SELECT MAX(points), SUM(score) FROM run"),
        SignExample("SELECT id FROM run WHERE score = '9'"),
    ],
)
def numbers_as_text(subject: Subject) -> Iterator[Notice]:
    """Each such column, once a use."""
    seen: set[tuple[tuple[str, str], str]] = set()
    for column, use in _uses(subject):
        column_ref = subject.resolver.column(column)
        if column_ref is None or (column_ref, use) in seen:
            continue
        seen.add((column_ref, use))
        facts = facts_of_column(subject, column_ref)
        if facts is None or not facts.texts or facts.shortest == facts.longest:
            continue
        if facts.numeric_texts * 10 > facts.values * 9:
            message = f"{column_text(column_ref)} holds numbers as texts and is {use} as text"
            yield Notice(
                "numbers_as_text", message, {"column": column_text(column_ref), "use": use}
            )


def _uses(subject: Subject) -> Iterator[tuple[Expr, str]]:
    for node in subject.query.find_all(exp.Ordered, exp.Min, exp.Max, *ORDERED):
        if isinstance(node, exp.Ordered):
            yield node.this, "sorted"
        elif isinstance(node, exp.Min | exp.Max):
            yield node.this, f"taken by {node.key.upper()}"
        else:
            first, *others = comparison_operands(node)
            if subject.record.typed and any(_is_number(each) for each in (first, *others)):
                continue
            yield first, "compared"
            if not isinstance(node, exp.Between):
                yield others[0], "compared"


def _is_number(node: Expr) -> bool:
    literal = literal_of(node)
    return literal is not None and literal[1]
