"""A schema as a judge reads it: CREATE TABLE statements, and what columns mean, a line each.

The statements are written from what is known about the tables, not copied from their declarations:
comments in a declaration cannot speak to the judge, and every source of schemas looks the same.

A natural name that is the column's own name in other letters says nothing and is left out, and
so is a description that only repeats a name. What is left is shown whole: a list of codes is of no
use without its middle. The number of lines is bounded; ``fit`` shortens them where it must.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sqlverdict.files.sqlite import quote_name
from sqlverdict.load.descriptions import Description, Descriptions
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.create_table import (
    column_part,
    create_table,
    foreign_key_part,
    name_list,
    primary_key_part,
    unique_part,
)

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


def schema_text(schema: Schema, row_counts: Mapping[str, int] | None = None) -> str:
    """Every table of the schema; with row counts, each table's number of rows."""
    return "\n\n".join(_table(schema, table, row_counts or {}) for table in schema.tables)


def _table(schema: Schema, table: Table, row_counts: Mapping[str, int]) -> str:
    parts = [_column(column) for column in table.columns]
    if table.primary_key and schema.whole_keys:
        parts.append(primary_key_part(table.primary_key, _name))
    parts += [unique_part(columns, _name) for columns in table.uniques]
    parts += [foreign_key_part(key, _name) for key in table.foreign_keys]
    parts += [f"CHECK ({_flat(check)})" for check in table.checks]
    text = create_table(table.name, parts, write=_name) + ";"
    if table.primary_key and not schema.whole_keys:
        text += f"\n-- the primary key begins with {name_list(table.primary_key, _name)}"
    if table.name in row_counts:
        text += f"\n-- {row_counts[table.name]} rows"
    return text


def _column(column: Column) -> str:
    default = None if column.default is None else _flat(column.default)
    return column_part(
        column.name, _flat(column.type), not_null=column.not_null, default=default, write=_name
    )


def _name(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return quote_name(_flat(name))


def _flat(text: str) -> str:
    return " ".join(text.split())


MOST_COLUMNS = 30

_NOT_LETTERS = re.compile(r"[\W_]+")


def column_lines(
    columns: Iterable[tuple[str, str]], known: Descriptions, most: int = MOST_COLUMNS
) -> tuple[str, ...]:
    """A line for each of these columns about which something is said.

    Args:
        columns: Tables and columns, the most important first.
        known: What is said about them.
        most: How many lines at most; the rest is counted.
    """
    lines: list[str] = []
    more = 0
    for table, column in dict.fromkeys(columns):
        description = known.of(table, column)
        text = _line(column, description) if description is not None else ""
        if text and len(lines) < most:
            lines.append(f"{table}.{column}: {text}")
        elif text:
            more += 1
    return (*lines, f"and {more} more described columns") if more else tuple(lines)


def _line(column: str, description: Description) -> str:
    known = {_letters(column)}
    parts = []
    for text, before in (
        (description.name, ""),
        (description.text, ""),
        (description.values, "values: "),
    ):
        if text and _letters(text) not in known:
            known.add(_letters(text))
            parts.append(before + text.rstrip(" .;"))
    return "; ".join(parts)


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()
