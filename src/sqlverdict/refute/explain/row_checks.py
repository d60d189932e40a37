"""Whether a sentence is true of a witness: what it says of rows is looked up among all of them.

A change that makes two queries agree names a cause, but not where it lies. ``LEFT JOIN employee ...
WHERE age > 20`` may drop a department that has no employee: then no row of employee is too young.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Row
from sqlverdict.refute.explain.spellings import unnested_columns
from sqlverdict.refute.explain.what_if import WhatIf
from sqlverdict.refute.read.columns import Resolver


def some_row_meets(what_if: WhatIf, node: Expr, table: str) -> bool | None:
    """Whether a row of a table meets a condition of a query; ``None``: it cannot be told."""
    return _some_row(what_if, node, table, "{}")


def some_row_fails(what_if: WhatIf, node: Expr, table: str) -> bool | None:
    """Whether a row of a table does not meet a condition of a query, for NULL as for others."""
    return _some_row(what_if, node, table, "NOT coalesce({}, 0)")


def _some_row(what_if: WhatIf, node: Expr, table: str, test: str) -> bool | None:
    name = _name_in_query(node, table)
    if name is None:
        return None
    condition = test.format(f"({node.sql(DEFAULT_DIALECT)})")
    source = f"{quote_name(table)} AS {quote_name(name)}"
    return what_if.returns_rows(f"SELECT 1 FROM {source} WHERE {condition}")


def _name_in_query(node: Expr, table: str) -> str | None:
    """What the query around a condition calls a table; ``None``: it has none or several such."""
    select = node.find_ancestor(exp.Select)
    if select is None:
        return None
    start, joins = select.args.get("from_"), select.args.get("joins") or []
    sources = [clause.this for clause in (start, *joins) if clause is not None]
    names = [
        source.alias_or_name
        for source in sources
        if isinstance(source, exp.Table) and fold(source.name) == fold(table)
    ]
    own = {outer.table for outer in unnested_columns(node) if outer.table}
    called = [name for name in names if name in own] if len(names) > 1 else names
    return called[0] if len(called) == 1 else None


def some_pair_meets(what_if: WhatIf, one_: str, other: str, tables: set[str]) -> bool:
    """Whether rows of tables meet one condition and fail the other.

    Args:
        what_if: The witness.
        one_: A condition, with tables under their own names.
        other: Another one.
        tables: The tables that they name, each once.
    """
    sources = ", ".join(map(quote_name, sorted(tables)))
    where = f"({one_}) AND NOT coalesce(({other}), 0)"
    return what_if.returns_rows(f"SELECT 1 FROM {sources} WHERE {where}") is True


def some_group_is(what_if: WhatIf, table: str, holds: Callable[[Row], bool]) -> bool:
    """Whether each query that groups by columns of a table has a group whose rows all hold.

    Rows that no query reads count as well, so that a reader of the rows sees such a group. Texts
    that differ in letter case count as one, as in some collations.
    """
    names = [column.name for column in what_if.table(table).columns]
    rows = what_if.rows.get(table, ())
    keys = [keys for keys in map(_group_keys, what_if.resolvers) if keys]
    if not keys or any(None in own for own in keys):
        return False
    for own in keys:
        indexes = [names.index(key[1]) for key in own if key is not None and key[0] == table]
        groups: dict[tuple[Cell, ...], bool] = {}
        for row in rows:
            group = tuple(_group_cell(row[index]) for index in indexes)
            groups[group] = groups.get(group, True) and holds(row)
        if not any(groups.values()):
            return False
    return True


def _group_keys(resolver: Resolver) -> list[tuple[str, str] | None]:
    """The columns by which a query groups; ``None`` for an expression."""
    return [
        resolver.column(node)
        for clause in resolver.tree.find_all(exp.Group)
        for node in clause.expressions
    ]


def _group_cell(cell: Cell) -> Cell:
    return cell.casefold().rstrip() if isinstance(cell, str) else cell
