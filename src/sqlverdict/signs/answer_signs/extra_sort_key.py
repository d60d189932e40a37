"""The number by which rows are sorted is returned, and the question does not ask for it.

Statement
    SELECT x, f(y) ... ORDER BY f(y) LIMIT n, where f is an aggregate and the question has no word
    for a number.

Looks at
    The outermost SELECT and the question: words such as "how many", "number", "total", "average".

Why
    "Which city has the most shops?" asks for the city. A column more is another answer for
    whoever compares tables.

Limits
    The column harms no reader. English questions only; silent without a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.parse.tokens import fold
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_NUMBER = re.compile(
    r"\b(how (many|much|often|long)|numbers?|counts?|totals?|amounts?|averages?|sum|times|"
    r"percent\w*|ratio|maximum|minimum|value|score|cost|price)\b",
    re.IGNORECASE,
)
_DATA = """
CREATE TABLE shop (id INTEGER PRIMARY KEY, city TEXT, kind TEXT);
INSERT INTO shop VALUES (1, 'Oslo', 'tea'), (2, 'Oslo', 'books'), (3, 'Moss', 'tea');
"""
_SQL = "SELECT city, COUNT(*) FROM shop GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1"


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample(_SQL, "COUNT(*)", question="Which city has the most shops?"),
        SignExample(
            "SELECT city, COUNT(*) AS n FROM shop GROUP BY city ORDER BY n DESC LIMIT 1",
            question="Which city has the most shops?",
        ),
    ],
    silent=[
        SignExample(_SQL, question="Which city has the most shops, and how many?"),
        SignExample(_SQL),
        SignExample(
            "SELECT city FROM shop GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1",
            question="Which city has the most shops?",
        ),
    ],
)
def extra_sort_key(subject: Subject) -> Iterator[Notice]:
    """The output column that is a sort key too."""
    tree = subject.query.tree
    order = tree.args.get("order")
    if not subject.question or _NUMBER.search(subject.question) or order is None:
        return
    if not isinstance(tree, exp.Select) or tree.args.get("limit") is None:
        return
    keys = [key.this for key in order.expressions]
    for output in tree.expressions if len(tree.expressions) > 1 else ():
        value = output.unalias()
        key_names = {fold(key.name) for key in keys if isinstance(key, exp.Column)}
        if value.find(exp.AggFunc) is None:
            continue
        if value in keys or (output.alias and fold(output.alias) in key_names):
            text = subject.text(value)
            message = f"{text} is returned beside what the question asks for"
            yield Notice("extra_sort_key", message, {"column": text})
