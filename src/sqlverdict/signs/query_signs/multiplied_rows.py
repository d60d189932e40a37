"""A join repeats rows before they are summed, averaged or counted.

Statement
    SUM(a.x), AVG(a.x) or COUNT(a.x) over a join in which one row of a occurs more than once.

Looks at
    Aggregates without DISTINCT over a column of a table, in the outermost SELECT, on the data:
    rows of that table in the join against different rows of it.

Why
    A row with several partners counts several times.

Limits
    The repetition may be meant: "how many orders" counts the repeated side. Rows are told apart by
    the engine's number for them (rowid), on servers by a primary key of one column. Silent where
    there is neither.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.parse.clauses import outer_clauses
from sqlverdict.parse.schema import is_view
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280);
CREATE TABLE shop (id INTEGER PRIMARY KEY, city_id INTEGER, kind TEXT, price INTEGER);
INSERT INTO shop VALUES (11, 1, 'tea', 2), (12, 1, 'books', 3), (13, 2, 'tea', 4);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT SUM(c.people) FROM city AS c JOIN shop AS s ON s.city_id = c.id", "3"),
        SignExample("SELECT COUNT(city.id) FROM city JOIN shop ON shop.city_id = city.id"),
        SignExample(
            "SELECT city.name, AVG(city.people) FROM city JOIN shop ON shop.city_id = city.id "
            "GROUP BY city.name"
        ),
    ],
    silent=[
        SignExample("SELECT SUM(price) FROM city JOIN shop ON shop.city_id = city.id"),
        SignExample("SELECT COUNT(DISTINCT city.id) FROM city JOIN shop ON shop.city_id = city.id"),
        SignExample("SELECT SUM(people) FROM city"),
        SignExample("SELECT MAX(people) FROM city JOIN shop ON shop.city_id = city.id"),
    ],
)
def multiplied_rows(subject: Subject) -> Iterator[Notice]:
    """Each aggregate whose rows are repeated."""
    tree = subject.query.tree
    clauses = outer_clauses(subject.query.sql)
    if not isinstance(tree, exp.Select) or not tree.args.get("joins") or clauses is None:
        return
    if clauses.compound or tree.args.get("with_") is not None:
        return
    sources = _sources(tree)
    for node in subject.query.find_all(exp.Sum, exp.Avg, exp.Count):
        if node.find_ancestor(exp.Select) is not tree or isinstance(node.this, exp.Distinct):
            continue
        columns = [node.this] if isinstance(node.this, exp.Column) else []
        names = {_source_of(subject, column, sources) for column in columns}
        if len(names) != 1 or None in names:
            continue
        name = names.pop() or ""
        key = _row_key(subject, name, sources.get(name, ""))
        if key is None:
            continue
        rows = subject.rows(f"SELECT COUNT({key}), COUNT(DISTINCT {key}) {clauses.body}")
        for total, different in rows or ():
            if isinstance(total, int) and isinstance(different, int) and total > different:
                aggregate = subject.text(node)
                message = (
                    f"{aggregate} takes {total} rows of a join that holds {different} different"
                )
                yield Notice("multiplied_rows", f"{message} ones", {"aggregate": aggregate})
                break


def _sources(tree: exp.Select) -> dict[str, str]:
    """The tables of FROM by the name that the query uses for them."""
    start = tree.args.get("from_")
    items = [start.this] if start is not None else []
    items += [join.this for join in tree.args.get("joins") or ()]
    return {item.alias_or_name: item.name for item in items if isinstance(item, exp.Table)}


def _row_key(subject: Subject, name: str, table_name: str) -> str | None:
    """What tells rows of a table apart, as SQL; ``None``: nothing does."""
    source, table = subject.quoted(name), subject.schema.table(table_name)
    if subject.record.row_id and not (table is not None and is_view(table)):
        return f"{source}.{subject.record.row_id}"
    key = table.primary_key if table is not None else ()
    return f"{source}.{subject.quoted(key[0])}" if len(key) == 1 else None


def _source_of(subject: Subject, column: exp.Column, sources: dict[str, str]) -> str | None:
    """The name under which FROM has the column's table."""
    if column.table:
        return next((name for name in sources if name.lower() == column.table.lower()), None)
    column_ref = subject.resolver.column(column)
    owners = [
        name
        for name, table in sources.items()
        if column_ref and table.lower() == column_ref[0].lower()
    ]
    return owners[0] if len(owners) == 1 else None
