"""A column is compared with itself.

Statement
    a.x = a.x, a.x < a.x and the like, with the same table and column on both sides.

Looks at
    The query's conditions; no data.

Why
    The comparison says nothing, or is never true. Another column or another table was meant.

Limits
    x = x is sometimes written for "x is not NULL".
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.parse.tokens import fold
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = "CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, twin INTEGER);"


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city WHERE id = id", "id = id"),
        SignExample("SELECT a.name FROM city AS a JOIN city AS b ON a.id = a.id"),
    ],
    silent=[
        SignExample("SELECT a.name FROM city AS a JOIN city AS b ON a.id = b.twin"),
        SignExample("SELECT a.name FROM city AS a JOIN city AS b ON a.id = b.id"),
    ],
)
def self_comparison(subject: Subject) -> Iterator[Notice]:
    """Each comparison, once."""
    kinds = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    for node in subject.query.find_all(*kinds):
        left, right = node.this, node.expression
        if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
            continue
        if (fold(left.table), fold(left.name)) == (fold(right.table), fold(right.name)):
            comparison = subject.text(node)
            yield Notice("self_comparison", f"{comparison} compares a column with itself")
