"""The condition of a JOIN names columns of one table only.

Statement
    a JOIN b ON ..., where every column of the condition is of one table.

Looks at
    Inner and outer joins with ON whose columns can all be told; no data. A condition that names
    no column is left to constant_condition and cross_join.

Why
    The condition does not say which rows of the two tables belong together: one side was
    misspelled, or a filter stands where the join should.

Limits
    WHERE may hold the join, and the ON a filter.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.parse.tokens import fold
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER, kind TEXT);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city JOIN shop ON shop.id = shop.city_id", "shop alone"),
        SignExample("SELECT name FROM city AS a JOIN shop AS b ON b.kind = 'tea'", "b alone"),
        SignExample("SELECT name FROM city LEFT JOIN shop ON kind = 'tea'", "shop alone"),
    ],
    silent=[
        SignExample("SELECT name FROM city JOIN shop ON shop.city_id = city.id"),
        SignExample("SELECT a.id FROM shop AS a JOIN shop AS b ON a.city_id = b.city_id"),
        SignExample("SELECT name FROM city JOIN shop ON city_id = city.id AND kind = 'tea'"),
        SignExample("SELECT name FROM city NATURAL JOIN shop"),
        SignExample("SELECT name FROM city JOIN shop ON 1 = 1"),
        SignExample("SELECT name FROM city, shop WHERE city_id = city.id"),
    ],
    needs_answer=False,
)
def one_table_join(subject: Subject) -> Iterator[Notice]:
    """Each join whose condition is about one table."""
    for join in subject.query.find_all(exp.Join):
        condition = join.args.get("on")
        if condition is None:
            continue
        owners = {_owner(subject, column) for column in condition.find_all(exp.Column)}
        if len(owners) == 1 and "" not in owners:
            (owner,) = owners
            text = subject.text(condition)
            yield Notice("one_table_join", f"JOIN ... ON {text} names columns of {owner} alone")


def _owner(subject: Subject, column: exp.Column) -> str:
    """The name of the table that a column belongs to, as the query calls it; empty: unknown."""
    if column.table:
        return fold(column.table)
    column_ref = subject.resolver.column(column)
    return fold(column_ref[0]) if column_ref is not None else ""
