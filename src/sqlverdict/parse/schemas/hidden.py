"""Tables that a query finds by their schema alone: their names, and the views that read them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from sqlverdict.parse.qualified import Path, with_plain_names
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query

_LONGEST = 63
"""Bytes of a name: PostgreSQL cuts off what is more."""
_VIEW = re.compile(r"(\s*CREATE (?:MATERIALIZED )?VIEW) .*? AS ", re.DOTALL | re.IGNORECASE)


def hidden_name(schema: str, table: str, in_use: Collection[str]) -> str:
    """The name of a table that a query finds by its schema alone.

    Args:
        schema: The schema's name.
        table: The table's name.
        in_use: The folded names of the tables before it.
    """
    name, number = f"{schema}.{table}", 1
    while fold(name) in in_use or len(name.encode()) > _LONGEST:
        short = f"{schema}.{table}".encode()[: _LONGEST - 6].decode(errors="ignore")
        name = f"{short}~{number}"
        number += 1
    return name


def with_plain_views(
    schema: Schema, dialect: str, quote: str, bases: Mapping[str, Path] | None = None
) -> Schema:
    """The schema with views that name each table as the schema does.

    A view that cannot be written so keeps its text, and cannot be made in a scratch database.

    Args:
        schema: The schema, whose views say ``CREATE VIEW name AS query``.
        dialect: The dialect of the queries.
        quote: What stands around a quoted name.
        bases: For each view the path where its names are looked up first, where that is its own
            schema and not the schema of whoever asks.
    """
    if not any(table.is_hidden for table in schema.tables):
        return schema
    tables = tuple(
        _with_plain_view(table, schema, dialect, quote, (bases or {}).get(table.name, ()))
        for table in schema.tables
    )
    return replace(schema, tables=tables)


def _with_plain_view(table: Table, schema: Schema, dialect: str, quote: str, base: Path) -> Table:
    match = _VIEW.match(table.sql or "")
    if match is None:
        return table
    body = (table.sql or "")[match.end() :].rstrip().rstrip(";")
    query = with_plain_names(parse(body, dialect), schema, base)
    if not isinstance(query, Query):
        return table
    name = quote + table.name.replace(quote, quote * 2) + quote
    return replace(table, sql=f"{match[1]} {name} AS {query.sql}")
