"""A schema as CREATE TABLE statements, the way a judge reads it.

Written from what is known about the tables, not copied from their declarations: comments in
a declaration cannot speak to the judge, and every source of schemas looks the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Column, Schema, Table

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


def schema_text(schema: Schema, row_counts: Mapping[str, int] | None = None) -> str:
    """Every table of the schema; with row counts, each table's number of rows."""
    return "\n\n".join(_table(schema, table, row_counts or {}) for table in schema.tables)


def _table(schema: Schema, table: Table, row_counts: Mapping[str, int]) -> str:
    parts = [_column(column) for column in table.columns]
    if table.primary_key and schema.whole_keys:
        parts.append(f"PRIMARY KEY ({_names(table.primary_key)})")
    parts += [f"UNIQUE ({_names(columns)})" for columns in table.uniques]
    for key in table.foreign_keys:
        target = f" ({_names(key.parent_columns)})" if key.parent_columns else ""
        parts.append(f"FOREIGN KEY ({_names(key.columns)}) REFERENCES {_name(key.parent)}{target}")
    parts += [f"CHECK ({_flat(check)})" for check in table.checks]
    text = f"CREATE TABLE {_name(table.name)} (\n  " + ",\n  ".join(parts) + "\n);"
    if table.primary_key and not schema.whole_keys:
        text += f"\n-- the primary key begins with {_names(table.primary_key)}"
    if table.name in row_counts:
        text += f"\n-- {row_counts[table.name]} rows"
    return text


def _column(column: Column) -> str:
    words = [_name(column.name)]
    if column.type:
        words.append(_flat(column.type))
    if column.not_null:
        words.append("NOT NULL")
    if column.default is not None:
        words.append(f"DEFAULT {_flat(column.default)}")
    return " ".join(words)


def _name(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return quote_name(_flat(name))


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(_name, names))


def _flat(text: str) -> str:
    return " ".join(text.split())
