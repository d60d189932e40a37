"""A table in FROM has no condition that ties it to the others.

Statement
    FROM a, b or a JOIN b in which no comparison names columns of both, directly or over a third
    table.

Looks at
    The tables of each SELECT and its comparisons, in ON and WHERE; no data. Not where FROM has
    subqueries, NATURAL or USING.

Why
    Every row of one is paired with every row of the other. The condition was forgotten, or names
    the wrong table.

Limits
    All pairs may be meant, and a table of one row harms nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER, kind TEXT);
CREATE TABLE fair (id INTEGER PRIMARY KEY, city_id INTEGER);
"""


@sign(
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city JOIN shop WHERE kind = 'tea'", "shop"),
        SignExample("SELECT name FROM city, shop WHERE city.id = 3", "shop"),
        SignExample("SELECT kind FROM shop AS a JOIN city AS b JOIN city AS c ON c.id = a.city_id"),
    ],
    silent=[
        SignExample("SELECT name FROM city JOIN shop ON shop.city_id = city.id"),
        SignExample("SELECT name FROM city, shop WHERE city_id = city.id"),
        SignExample("SELECT a.id FROM shop AS a, shop AS b WHERE a.id < b.id"),
        SignExample(
            "SELECT name FROM city JOIN shop ON shop.city_id = city.id JOIN fair "
            "ON fair.city_id = shop.city_id"
        ),
        SignExample("SELECT name FROM city NATURAL JOIN shop"),
        SignExample("SELECT name FROM city, (SELECT MAX(id) AS m FROM shop) AS s"),
    ],
)
def cross_join(subject: Subject) -> Iterator[Notice]:
    """Each table that stands alone."""
    for select in subject.query.find_all(exp.Select):
        start, joins = select.args.get("from_"), select.args.get("joins") or []
        if start is None or not joins or any(_ties_itself(join) for join in joins):
            continue
        items = [start.this, *(join.this for join in joins)]
        if not all(_is_named(item) for item in items):
            continue
        names = [fold(item.alias_or_name) for item in items]
        tied = _tied(subject, select, items, names)
        for item, name in zip(items, names, strict=True):
            if name not in tied:
                message = f"no condition ties {item.name} to the other tables of its FROM"
                yield Notice("cross_join", message, {"table": item.name})


def _is_named(item: Expr) -> bool:
    """Whether it is a table; a function in FROM may read the tables before it."""
    return isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier)


def _ties_itself(join: Expr) -> bool:
    return bool(join.args.get("using") or join.args.get("method"))


def _tied(subject: Subject, select: Expr, items: list[Expr], names: list[str]) -> set[str]:
    """The names that conditions tie to the first one."""
    groups = []
    for node in select.find_all(exp.Predicate):
        owners = {_owner(subject, column, items) for column in node.find_all(exp.Column)}
        groups.append(owners & set(names))
    tied = {names[0]}
    for _ in names:
        for group in groups:
            if group & tied:
                tied |= group
    return tied


def _owner(subject: Subject, column: exp.Column, items: list[Expr]) -> str:
    if column.table:
        return fold(column.table)
    column_ref = subject.resolver.column(column)
    if column_ref is None:
        return ""
    owners = [fold(i.alias_or_name) for i in items if fold(i.name) == fold(column_ref[0])]
    return owners[0] if owners else ""
