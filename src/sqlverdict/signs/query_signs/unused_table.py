"""A table is joined and nothing of it is used.

Statement
    A table in FROM whose columns occur in join conditions only, each table once.

Looks at
    The columns of the outermost SELECT; no data. Not where the query selects a star.

Why
    The author wanted something of the table and forgot it, or the join only drops or repeats rows.

Limits
    A join may be there as a filter ("cities that have shops").
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
    fires=[SignExample("SELECT c.name FROM city AS c JOIN shop AS s ON s.city_id = c.id", "shop")],
    silent=[
        SignExample("SELECT c.name, s.kind FROM city AS c JOIN shop AS s ON s.city_id = c.id"),
        SignExample("SELECT name FROM city JOIN shop ON city_id = city.id WHERE kind = 'tea'"),
        SignExample("SELECT * FROM city JOIN shop ON city_id = city.id"),
        SignExample("SELECT COUNT(*) FROM city JOIN shop ON city_id = city.id"),
        SignExample(
            "SELECT a.kind FROM shop AS a JOIN city AS l ON l.id = a.city_id JOIN shop AS b "
            "ON b.city_id = l.id WHERE b.kind = 'tea'"
        ),
    ],
)
def unused_table(subject: Subject) -> Iterator[Notice]:
    """Each table at the end of a chain of joins of which nothing is used."""
    tree = subject.query.tree
    if not isinstance(tree, exp.Select) or not tree.args.get("joins"):
        return
    if any(True for _ in subject.query.find_all(exp.Star)):
        return
    start = tree.args.get("from_")
    items = [start.this] if start is not None else []
    items += [join.this for join in tree.args["joins"]]
    if any(not isinstance(item, exp.Table) for item in items):
        return
    used, joined = _used(subject, tree)
    for item in items:
        name = fold(item.alias_or_name)
        # A table that links two others is needed for its two conditions.
        if name not in used and joined.count(name) < 2:
            message = f"{item.name} is used only in its join condition"
            yield Notice("unused_table", message, {"table": item.name})


def _used(subject: Subject, tree: exp.Select) -> tuple[set[str], list[str]]:
    """The sources that are used beside join conditions, and those in join conditions."""
    used: set[str] = set()
    joined: list[str] = []
    for column in subject.query.find_all(exp.Column):
        name = fold(column.table) if column.table else _owner(subject, tree, column)
        equal = column.parent
        between = isinstance(equal, exp.EQ) and all(
            isinstance(side, exp.Column) for side in (equal.this, equal.expression)
        )
        if between and column.find_ancestor(exp.Select) is tree:
            joined.append(name)
        else:
            used.add(name)
    return used, joined


def _owner(subject: Subject, tree: exp.Select, column: exp.Column) -> str:
    column_ref = subject.resolver.column(column)
    if column_ref is None:
        return ""
    start = tree.args["from_"].this
    items = [start, *(join.this for join in tree.args["joins"])]
    return next((fold(i.alias_or_name) for i in items if fold(i.name) == fold(column_ref[0])), "")
