"""Whether a query always fails on DuckDB because of its types: its binder is asked.

The query is planned, and never run, on empty tables in memory under every guard. Columns alone are
made: no constraint changes the type of an expression. A table whose types DuckDB does not know is
not made, and about a query that reads it nothing is known.

DuckDB converts by itself what has no function of its type: ``chr('a')`` makes a number of the text,
and fails in every row. The plan has each conversion. One that fails for a text in quotes, or for
every value of a type, says that the query may always fail; so does one of texts that the query does
not write.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

import duckdb
import msgspec
from duckdb import DuckDBPyConnection

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.common_text import NoCommonText
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.connect import open_empty, set_guards
from sqlverdict.execute.engines.duckdb.syntax import Node, parse_tree
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.create_table import column_part, create_table

_PLAN: Final = """
SELECT json_serialize_plan(?, skip_null := true, skip_empty := true, optimize := false)
"""
_NUMBERS: Final = (
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT FLOAT "
    "DOUBLE DECIMAL"
)
_SAMPLES: Final = {
    **dict.fromkeys(_NUMBERS.split(), "1"),
    "BOOLEAN": "true",
    "DATE": "DATE '2020-01-31'",
    "TIME": "TIME '10:11:12'",
    "TIMESTAMP": "TIMESTAMP '2020-01-31 10:11:12'",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP '2020-01-31 10:11:12'",
    "INTERVAL": "INTERVAL 1 DAY",
    "BLOB": "'1'",
    "UUID": "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
}
"""A value of a type: where it cannot be converted, no value of the type can."""
_WRITTEN: Final = ("::", "cast")


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
        cursor = _tables(os.getpid(), schema).cursor()
        row = cursor.execute(_PLAN, [sql]).fetchone()
        # A plan ends early where a constant is one of bits.
        plan: Node = msgspec.json.decode(row[0]) if row is not None else {"error": True}
    except (duckdb.Error, DatabaseError, msgspec.DecodeError) as error:
        raise NoCommonText("a query of which DuckDB tells no plan") from error
    if plan.get("error"):
        message = str(plan.get("error_message")).partition("\n")[0]
        if plan.get("error_type") == "binder":
            return message
        raise NoCommonText(message)
    for conversion in _conversions(plan):
        _require_value(conversion, sql, cursor)
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


def _conversions(part: Any) -> Iterator[Node]:
    """The conversions of a plan that end the query where they fail."""
    if isinstance(part, list):
        for each in part:
            yield from _conversions(each)
    elif isinstance(part, dict):
        if part.get("type") == "OPERATOR_CAST" and not _is_try(part):
            yield part
        for each in part.values():
            yield from _conversions(each)


def _is_try(conversion: Node) -> bool:
    inner = conversion.get("function_data", conversion)
    return bool(inner.get("try_cast"))


def _require_value(conversion: Node, sql: str, cursor: DuckDBPyConnection) -> None:
    """Refuse a conversion that may fail for every value.

    Raises:
        NoCommonText: it may.
    """
    inner = conversion["children"][0] if "children" in conversion else conversion["child"]
    value = inner.get("value", {}) if inner["expression_class"] == "BOUND_CONSTANT" else {}
    given = conversion.get("arguments") or [value.get("type") or inner["return_type"]]
    source, target = given[0], conversion["return_type"]
    if source["id"] in (target["id"], "NULL") and source["id"] != "LIST":
        return
    if target["id"] == "VARCHAR" or value.get("is_null"):
        return
    wanted = _type_text(target)
    what = f"whether {source['id']} becomes {target['id']}"
    if source["id"] != "VARCHAR":
        sample, own = _sample(source), _type_text(source)
        probe = f"CAST({sample} AS {own})" if sample and own else None
    elif value:
        text = str(value["value"])
        what = f"whether {text!r} is a value of type {target['id']}"
        probe = "'" + text.replace("'", "''") + "'"
    elif _is_written(conversion, sql):
        return
    else:
        probe = None
    if probe is None or wanted is None or not _becomes(probe, wanted, cursor):
        raise NoCommonText(what)


def _becomes(probe: str, wanted: str, cursor: DuckDBPyConnection) -> bool:
    try:
        row = cursor.execute(f"SELECT TRY_CAST({probe} AS {wanted}) IS NOT NULL").fetchone()
    except duckdb.Error:
        return False
    return row is not None and bool(row[0])


def _is_written(conversion: Node, sql: str) -> bool:
    """Whether the query itself writes a conversion; whether it fails depends on the value."""
    start = conversion.get("query_location", len(sql))
    return sql.encode()[start : start + 4].decode(errors="replace").lower().startswith(_WRITTEN)


def _type_text(kind: Node) -> str | None:
    """A type as a query names it; ``None`` for one with names of its own."""
    details = kind.get("type_info") or {}
    if kind["id"] == "LIST":
        element = _type_text(details["child_type"])
        return element and f"{element}[]"
    if kind["id"] == "DECIMAL":
        return f"DECIMAL({details.get('width', 18)}, {details.get('scale', 0)})"
    return str(kind["id"]) if not details or "alias" in details else None


def _sample(kind: Node) -> str | None:
    if kind["id"] == "LIST":
        inner = _sample((kind.get("type_info") or {})["child_type"])
        return inner and f"[{inner}]"
    return _SAMPLES.get(kind["id"])
