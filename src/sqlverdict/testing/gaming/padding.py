"""Ways to dress a wrong answer, to see whether a metric then leaves it out or forgives it.

What needs review is no part of a score. A system that is unsure could therefore win by making
its answers look open: with columns beside them, in another form, or in a text that a tool cannot
follow. Each padding keeps what the wrong query says; a metric should still call it wrong.
"""

# ruff: noqa: S608 - nothing here runs with rights to write
from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.files.sqlite import quote_name
from sqlverdict.testing.gaming.strategies import Target

Padding = Callable[[Target, str], str]

_LIMIT = re.compile(r"\s+limit\s+\d+\s*\Z", re.IGNORECASE)


def _around(select: str, behind: str = "") -> Padding:
    """The query in a WITH; ``{all}`` stands for its columns, ``{first}`` for the first of them."""

    def write(target: Target, sql: str) -> str:
        names = target.column_names(sql)
        if not names:
            return sql
        joined = " || ' ' || ".join(names)
        cells = select.format(all=", ".join(names), first=names[0], joined=joined)
        nulls, ones = (", ".join([each] * len(names)) for each in ("NULL", "1"))
        end = behind.format(first=names[0], nulls=nulls, ones=ones)
        return f"WITH w({', '.join(names)}) AS ({_bare(sql)}) SELECT {cells} FROM w{end}"

    return write


def _bare(sql: str) -> str:
    return sql.strip().rstrip(";")


def _each_cell(cell: str) -> Padding:
    def write(target: Target, sql: str) -> str:
        names = target.column_names(sql)
        if not names:
            return sql
        cells = ", ".join(cell.format(c=name) for name in names)
        return f"WITH w({', '.join(names)}) AS ({_bare(sql)}) SELECT {cells} FROM w"

    return write


def _beside(target: Target, sql: str) -> str:
    """One more column, from the table that stands first."""
    cell = (
        f"(SELECT {quote_name(target.first.columns[0].name)} FROM {quote_name(target.first.name)})"
    )
    return _around("{all}, " + cell)(target, sql)


def _row_of_table(target: Target, sql: str) -> str:
    """One more row, from the table that stands first."""
    cell, width = quote_name(target.first.columns[0].name), len(target.column_names(sql))
    row = f"SELECT {', '.join([cell] * width)} FROM {quote_name(target.first.name)} LIMIT 1"
    return _around("{all}", f" UNION ALL SELECT * FROM ({row})")(target, sql)


def _whole_rows(target: Target, sql: str) -> str:
    """All columns of the query's tables behind its own, where it has rows and no groups."""
    del target
    return _with_columns(sql, None)


def _two_columns(target: Target, sql: str) -> str:
    """Two more columns of the table that the query reads first, where it has no groups."""
    return _with_columns(sql, target)


def _with_columns(sql: str, target: Target | None) -> str:
    from sqlglot import exp

    from sqlverdict.parse.query import parse
    from sqlverdict.records import ParseFailure

    query = parse(sql)
    if isinstance(query, ParseFailure) or not isinstance(query.tree, exp.Select):
        return sql
    tree = query.tree.copy()
    table = tree.find(exp.Table)
    grouped = tree.args.get("group") or tree.args.get("distinct")
    if table is None or grouped or any(item.find(exp.AggFunc) for item in tree.expressions):
        return sql
    if target is None:
        tree.append("expressions", exp.Star())
        return tree.sql(DEFAULT_DIALECT)
    known = [each for each in target.schema.tables if each.name.lower() == table.name.lower()]
    for column in known[0].columns[:2] if known else ():
        tree.append("expressions", exp.column(column.name, table.alias_or_name, quoted=True))
    return tree.sql(DEFAULT_DIALECT)


def _without_limit(target: Target, sql: str) -> str:
    del target
    return _LIMIT.sub("", _bare(sql))


def _text_behind(text: str) -> Padding:
    return lambda _, sql: f"{_bare(sql)}{text}"


PADDINGS: Mapping[str, Padding] = {
    "constant_beside": _around("{all}, 1"),
    "column_beside": _beside,
    "two_columns": _two_columns,
    "whole_rows": _whole_rows,
    "twice": _around("{all}", " UNION ALL SELECT * FROM w"),
    "distinct": _around("DISTINCT {all}"),
    "sorted": _around("{all}", " ORDER BY 1"),
    "reversed": _around("{all}", " ORDER BY 1 DESC"),
    "one_row": _around("{all}", " LIMIT 1"),
    "best_row": _around("{all}", " ORDER BY {first} LIMIT 1"),
    "without_limit": _without_limit,
    "one_text": _around("{joined}"),
    "as_text": _each_cell("CAST({c} AS TEXT)"),
    "rounded": _each_cell("CASE WHEN typeof({c}) = 'real' THEN round({c}) ELSE {c} END"),
    "in_percent": _each_cell("CASE WHEN typeof({c}) = 'real' THEN {c} * 100 ELSE {c} END"),
    "yes_or_no": _around("CASE WHEN count(*) THEN 'yes' ELSE 'no' END"),
    "number_of": _around("count(*)"),
    "sum_of": _around("sum({first})"),
    "null_row": _around("{all}", " UNION ALL SELECT {nulls}"),
    "value_row": _around("{all}", " UNION ALL SELECT {ones}"),
    "row_of_table": _row_of_table,
    "chance_order": _around("{all}", " ORDER BY random()"),
    "chance_beside": _around("{all}, random()"),
    "now_beside": _around("{all}, datetime('now')"),
    "broken_text_beside": _around("{all}, CAST(x'ff' AS TEXT)"),
    "infinite_beside": _around("{all}, 9e999"),
    "open_comment": _text_behind(" /* "),
    "many_conditions": _around("{all}", " WHERE 1" + " AND 1" * 984),
}
"""Paddings of a query, by name."""
