"""Whether a query always fails on DuckDB because of its types: its binder is asked.

The query is prepared, and never run, on empty tables in memory under every guard. Columns alone are
made: no constraint changes the type of an expression. A table whose types DuckDB does not know is
not made, and about a query that reads it nothing is known.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache

import duckdb
from duckdb import DuckDBPyConnection

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.connect import open_empty, set_guards
from sqlverdict.execute.engines.duckdb.syntax import parse_tree
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.create_table import column_part, create_table

_ALWAYS = (duckdb.BinderException, duckdb.ConversionException, duckdb.NotImplementedException)
"""What the binder says of a query that fails whatever its tables hold."""


def binding_error(sql: str, schema: Schema) -> str | None:
    """Why a query always fails because of its types; ``None`` where they are right.

    Args:
        sql: The query.
        schema: The tables, each by its one plain name.

    Raises:
        NoCommonText: that is not known.
    """
    parse_tree(sql)  # One query, and nothing else.
    try:
        _tables(os.getpid(), schema).cursor().execute(f"PREPARE query AS {sql.strip().rstrip(';')}")
    except _ALWAYS as error:
        return str(error).partition("\n")[0]
    except (duckdb.Error, DatabaseError) as error:
        raise NoCommonText(str(error).partition("\n")[0]) from error
    return None


@lru_cache(maxsize=8)
def _tables(process: int, schema: Schema) -> DuckDBPyConnection:
    """The empty tables of a schema; each process has its own."""
    del process
    connection = open_empty(Limits())
    for table in schema.tables:
        parts = [column_part(column.name, column.type or "VARCHAR") for column in table.columns]
        with suppress(duckdb.Error):
            connection.execute(create_table(table.name, parts))
    set_guards(connection, None)
    return connection
