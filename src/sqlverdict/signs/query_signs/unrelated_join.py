"""Two columns that are joined share no value.

Statement
    a.x = b.y or a.x [NOT] IN (SELECT y FROM b), between columns of two tables that hold values,
    and no value of one is in the other.

Looks at
    Equalities between columns of tables, on the data. Silent where the schema declares the pair
    as a foreign key: then the data are at fault.

Why
    The join returns nothing, and NOT IN excludes nothing: the columns mean different things.

Limits
    Says nothing about columns that share values by accident, as numbers from 1 on do.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.parse.schema import ColumnRef
from sqlverdict.parse.tokens import fold
from sqlverdict.signs.columns import column_text
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO city VALUES (1, 'Oslo'), (2, 'Bergen');
CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER, kind TEXT);
INSERT INTO shop VALUES (11, 1, 'tea'), (12, 2, 'books');
CREATE TABLE fair (city_id INTEGER);
CREATE TABLE visit (id INTEGER PRIMARY KEY, city INTEGER REFERENCES city (id));
INSERT INTO visit VALUES (1, 77);
"""


@sign(
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city JOIN shop ON city.id = shop.id", "city.id and shop.id"),
        SignExample(
            "SELECT name FROM city WHERE id IN (SELECT id FROM shop)", "city.id and shop.id"
        ),
        SignExample("SELECT name FROM city WHERE id NOT IN (SELECT id FROM shop)"),
    ],
    silent=[
        SignExample("SELECT name FROM city JOIN shop ON city.id = shop.city_id"),
        SignExample("SELECT name FROM city JOIN fair ON city.id = fair.city_id"),
        SignExample("SELECT a.name FROM city AS a JOIN city AS b ON a.id = b.id"),
        SignExample("SELECT name FROM city WHERE id NOT IN (SELECT city_id FROM shop)"),
        SignExample("SELECT name FROM city JOIN visit ON visit.city = city.id"),
    ],
)
def unrelated_join(subject: Subject) -> Iterator[Notice]:
    """Each pair of columns, once."""
    seen = set()
    for one, other in _pairs(subject):
        pair = tuple(sorted((one, other)))
        if one == other or pair in seen or _is_declared(subject, one, other):
            continue
        seen.add(pair)
        if _share_nothing(subject, one, other):
            message = f"{column_text(one)} and {column_text(other)} are joined and share no value"
            yield Notice(
                "unrelated_join", message, {"columns": [column_text(one), column_text(other)]}
            )


def _pairs(subject: Subject) -> Iterator[tuple[ColumnRef, ColumnRef]]:
    resolver = subject.resolver
    for node in subject.query.find_all(exp.EQ, exp.In):
        left, right = node.this, node.expression
        if isinstance(node, exp.In):
            query = node.args.get("query")
            inner = query.this if isinstance(query, exp.Subquery) else query
            if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
                continue
            right = inner.expressions[0].unalias()
        one, other = resolver.column(left), resolver.column(right)
        if one is not None and other is not None:
            yield one, other


def _is_declared(subject: Subject, one: ColumnRef, other: ColumnRef) -> bool:
    """Whether one of the columns is a foreign key that points to the other."""
    return any(
        (fold(key.parent), fold(parent)) == (fold(there[0]), fold(there[1]))
        for here, there in ((one, other), (other, one))
        for table in subject.schema.tables
        if fold(table.name) == fold(here[0])
        for key in table.foreign_keys
        for column, parent in zip(key.columns, key.parent_columns, strict=False)
        if fold(column) == fold(here[1])
    )


def _share_nothing(subject: Subject, one: ColumnRef, other: ColumnRef) -> bool:
    a, b = (
        f"{alias}.{subject.quoted(column_ref[1])}"
        for alias, column_ref in (("a", one), ("b", other))
    )
    shared = subject.rows(
        f"SELECT 1 FROM {subject.quoted(one[0])} AS a JOIN {subject.quoted(other[0])} AS b "  # noqa: S608
        f"ON {a} = {b} LIMIT 1"
    )
    return shared == [] and all(_has_values(subject, column_ref) for column_ref in (one, other))


def _has_values(subject: Subject, column_ref: ColumnRef) -> bool:
    column = subject.quoted(column_ref[1])
    sql = f"SELECT 1 FROM {subject.quoted(column_ref[0])} WHERE {column} IS NOT NULL LIMIT 1"  # noqa: S608
    return bool(subject.rows(sql))
