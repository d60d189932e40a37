"""GROUP BY over a primary key, for tables that are written into a query.

Where a GROUP BY names the primary key of a table, PostgreSQL lets a query use the table's other
columns: they depend on the key. A common table expression has no key. The columns are added to the
GROUP BY, which leaves the groups as they are: rows of one key are one row of the table, or all of
its columns are NULL.

A GROUP BY is left alone where it is not sure which column it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlverdict.execute.engines.postgres.guard.parser import Tree
from sqlverdict.execute.engines.postgres.sandbox import names_in, parse_text
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Table
from sqlverdict.parse.tokens import word_set

_UNGROUPED: Final = word_set("json xml point line lseg box path polygon circle")
"""Types that cannot be grouped by."""
_WORD: Final = re.compile(r"\w+")
Node = dict[str, Any]


_Joined = tuple[str, Table | None]
"""What stands in FROM: how a query calls it, and the table, where it is one."""


def _expression_names(tree: Tree) -> frozenset[str]:
    """The names of all common table expressions of a text."""
    return frozenset(
        node["ctename"] for _, each in tree.statements for node in _nodes(each) if "ctename" in node
    )


def with_dependent_columns(sql: str, tables: Mapping[str, Table]) -> str:
    """The text with every GROUP BY complete.

    Args:
        sql: A text that the parser wrote.
        tables: The tables by name.
    """
    if "GROUP BY" not in sql:
        return sql
    tree = parse_text(sql)
    if not isinstance(tree, Tree) or tree.text != sql:
        return sql
    # An expression that hides a table has no key.
    bases = {n: table for n, table in tables.items() if n not in _expression_names(tree)}
    names = names_in(sql)
    additions = dict[int, list[str]]()
    for _, statement in tree.statements:
        for node in _nodes(statement):
            if "groupClause" in node:
                for position, column in _dependent(node, bases, names):
                    additions.setdefault(position, []).append(column)
    text = sql.encode()
    for position in sorted(additions, reverse=True):
        added = "".join(f"{column}, " for column in additions[position])
        text = text[:position] + added.encode() + text[position:]
    return text.decode()


def _nodes(part: Any) -> Iterator[Node]:
    """All nodes of a tree."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _dependent(
    select: Node, bases: Mapping[str, Table], names: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """Columns that depend on what a SELECT groups by, with the places where they are added."""
    sources = list(_sources(select.get("fromClause", ()), bases))
    groups = select["groupClause"]
    if None in sources or any("GroupingSet" in item for item in groups):
        return
    known = [source for source in sources if source is not None]
    merged = frozenset(_merged(select.get("fromClause", ())))
    grouped: dict[tuple[str, str], int] = {}
    for item in groups:
        position = _column(item, select, known, merged)
        if position is not None:
            grouped.setdefault(position, next(iter(item.values())).get("location", 0))
    for name, table in known:
        key = table.primary_key if table is not None else ()
        if table is None or not key or not all((name, column) in grouped for column in key):
            continue
        for column in table.columns:
            type_ = _WORD.match(column.type.lower())
            if column.name not in names or (name, column.name) in grouped:
                continue
            if type_ is None or type_[0] not in _UNGROUPED:
                yield grouped[name, key[0]], f"{quote_name(name)}.{quote_name(column.name)}"


def _merged(items: Any) -> Iterator[str]:
    """The columns that USING makes one of two tables; alone, such a name is neither's."""
    for item in items:
        for kind, node in item.items():
            if kind == "JoinExpr":
                yield from (each["String"]["sval"] for each in node.get("usingClause", ()))
                yield from _merged([node["larg"], node["rarg"]])


def _sources(items: Any, bases: Mapping[str, Table]) -> Iterator[_Joined | None]:
    """What stands in FROM; ``None`` for a join that is natural or has a name of its own."""
    for item in items:
        for kind, node in item.items():
            alias = node.get("alias", {})
            if kind == "JoinExpr":
                if alias or node.get("isNatural"):
                    yield None
                yield from _sources([node["larg"], node["rarg"]], bases)
            elif kind == "RangeVar":
                is_base = "schemaname" not in node and "colnames" not in alias
                table = bases.get(node["relname"]) if is_base else None
                yield alias.get("aliasname", node["relname"]), table
            else:
                yield alias.get("aliasname", ""), None


def _column(
    item: Node, select: Node, sources: list[_Joined], merged: frozenset[str]
) -> tuple[str, str] | None:
    """The source and the column that a part of GROUP BY names, where it is a table's."""
    targets = select.get("targetList", ())
    if "A_Const" in item:
        position = item["A_Const"].get("ival", {}).get("ival", 0)
        before = targets[:position]
        if not position or len(before) < position or any(map(_is_star, before)):
            return None
        return _of_input(before[-1]["ResTarget"].get("val", {}), sources, merged)
    column = _of_input(item, sources, merged)
    if column is not None or "ColumnRef" not in item:
        return column
    names = _names(item)
    if len(names) != 1 or names[0] in merged:
        return None
    # A name that no column has is that of an output.
    outputs = [each["ResTarget"] for each in targets if each["ResTarget"].get("name") == names[0]]
    if len(outputs) == 1 and all(table is not None for _, table in sources):
        return _of_input(outputs[0].get("val", {}), sources, merged)
    return None


def _of_input(item: Node, sources: list[_Joined], merged: frozenset[str]) -> tuple[str, str] | None:
    """The source and the column that an expression names, where it is a table's."""
    names = _names(item) if "ColumnRef" in item else []
    if len(names) == 2:
        owners = [source for source in sources if source[0] == names[0]]
    elif len(names) == 1 and names[0] not in merged:
        # Were it a column of two sources, the server would not accept it.
        owners = [source for source in sources if _has(source, names[0])]
    else:
        return None
    if len(owners) != 1 or not _has(owners[0], names[-1]):
        return None
    return owners[0][0], names[-1]


def _has(source: _Joined, column: str) -> bool:
    _, table = source
    return table is not None and any(each.name == column for each in table.columns)


def _names(item: Node) -> list[str]:
    """The names of a column; a star is none, and makes it no column."""
    fields = item["ColumnRef"]["fields"]
    if not all("String" in each for each in fields):
        return []
    return [each["String"]["sval"] for each in fields]


def _is_star(target: Node) -> bool:
    value = target["ResTarget"].get("val", {})
    return "ColumnRef" in value and not _names(value)
