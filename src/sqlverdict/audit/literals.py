"""The texts that a query compares columns with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query

if TYPE_CHECKING:
    from sqlglot.expressions import Column, Expr


@dataclass(frozen=True)
class Asked:
    """A text that a column of a table is compared with."""

    table: str
    column: str
    operator: Literal["=", "LIKE"]
    text: str


def asked_literals(query: Query, schema: Schema) -> Iterator[Asked]:
    """The texts that must occur in a column for a condition of the query to hold.

    Conditions below a NOT are left out, for they hold where the text does not occur; so are
    columns of subqueries and common table expressions, and the empty text, which golds ask
    for to be safe.
    """
    from sqlglot import exp

    for node in query.tree.find_all(exp.EQ, exp.Is, exp.In, exp.Like):
        if not _is_condition(node):
            continue
        for column, text in _sides(node, schema):
            place = _resolve(column, schema)
            if place is not None and text:
                yield Asked(*place, "LIKE" if isinstance(node, exp.Like) else "=", text)


def _is_condition(node: Expr) -> bool:
    from sqlglot import exp

    if node.args.get("negate"):
        return False
    around: Expr | None = node.parent
    while around is not None and not isinstance(around, exp.Select | exp.SetOperation):
        if isinstance(around, exp.Not | exp.Having | exp.Escape):
            return False
        around = around.parent
    return True


def _sides(node: Expr, schema: Schema) -> Iterator[tuple[Column, str]]:
    from sqlglot import exp

    if isinstance(node, exp.In):
        pairs = [(node.this, value) for value in node.expressions]
    elif isinstance(node, exp.Like):
        pairs = [(node.this, node.expression)]
    else:
        pairs = [(node.this, node.expression), (node.expression, node.this)]
    for column, value in pairs:
        text = _string(value, schema)
        if isinstance(column, exp.Column) and _string(column, schema) is None and text is not None:
            yield column, text


def _string(node: Expr, schema: Schema) -> str | None:
    """The text of a string; a double-quoted word that names no column is one in SQLite."""
    from sqlglot import exp

    if isinstance(node, exp.Literal) and node.is_string:
        return node.name
    if isinstance(node, exp.Column) and not node.table and isinstance(node.this, exp.Identifier):
        name = node.name
        known = any(table.column(name) is not None for table in schema.tables)
        if node.this.quoted and not known and not _is_alias(node, name):
            return name
    return None


def _is_alias(node: Expr, name: str) -> bool:
    """Whether a name is given in the query itself, as an alias of some output column."""
    from sqlglot import exp

    wanted = fold(name)
    return any(fold(alias.alias) == wanted for alias in node.root().find_all(exp.Alias))


def _resolve(column: Column, schema: Schema) -> tuple[str, str] | None:
    """The table and column that a column means, where it is one of the schema's own."""
    from sqlglot import exp

    ctes = {fold(cte.alias) for cte in column.root().find_all(exp.CTE)}
    select = column.find_ancestor(exp.Select)
    while select is not None:
        sources = list(_sources(select))
        if column.table:
            wanted = fold(column.table)
            named = [source for source in sources if fold(source.alias_or_name) == wanted]
        else:
            named = sources
        found = []
        for source in named:
            if not isinstance(source, exp.Table) or fold(source.name) in ctes:
                # What a subquery's columns hold cannot be told from the schema.
                return None
            table = schema.table(source.name)
            known = table.column(column.name) if table is not None else None
            if table is not None and known is not None:
                found.append((table.name, known.name))
        if found:
            return found[0] if len(set(found)) == 1 else None
        select = select.find_ancestor(exp.Select)
    return None


def _sources(select: Expr) -> Iterator[Expr]:
    start = select.args.get("from_")
    if start is not None:
        yield start.this
    for join in select.args.get("joins") or ():
        yield join.this
