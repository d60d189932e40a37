"""A schema from an open DuckDB database, as its catalogue describes it.

A table of the schema ``main`` goes by its own name, one of another schema by ``schema.table``. The
name of the file, without its ending, may stand before either. Other files are not attached.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import SchemaError
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.hidden import hidden_name, with_plain_views
from sqlverdict.parse.tokens import fold

_HERE = "database_name = current_database() AND NOT internal"
_MAIN = "main"
_DIALECT = "duckdb"
_INDEX = re.compile(r"CREATE UNIQUE INDEX (\w+) ON \w+\.\w+(\(.*)", re.DOTALL)

_Key = tuple[str, str]
"""The schema and the name of a table."""


class _Constraint(NamedTuple):
    kind: str
    expression: str | None
    columns: list[str]
    parent: str | None
    parent_columns: list[str]


def read_connection(connection: DuckDBPyConnection, db_id: str) -> Schema:
    """Read the schema of an open database.

    Raises:
        SchemaError: it has no table.
    """
    declarations: list[tuple[str, str, str]] = []
    for kind in ("table", "view"):
        declarations += connection.execute(
            f"SELECT schema_name, {kind}_name, sql FROM duckdb_{kind}s() WHERE {_HERE} "  # noqa: S608
            f"ORDER BY {kind}_oid"
        ).fetchall()
    declarations.sort(key=lambda each: each[0] != _MAIN)
    if not declarations:
        raise SchemaError(f"the DuckDB database {db_id!r} has no tables", reason="empty")
    row = connection.execute("SELECT current_database()").fetchone()
    database = str(row[0]) if row is not None else ""
    columns = _columns(connection)
    constraints = _constraints(connection)
    indexes = _indexes(connection)
    names = _names(declarations)
    tables = tuple(
        replace(
            _table(key, sql, columns[key], constraints[key], indexes[key], names),
            paths=_paths(database, *key),
        )
        for *parts, sql in declarations
        for key in [(parts[0], parts[1])]
    )
    schema = Schema(db_id, tables, "catalogue")
    return with_plain_views(schema, _DIALECT, dialect_of(_DIALECT).quote)


def _names(declarations: list[tuple[str, str, str]]) -> dict[_Key, str]:
    """The one name of each table; those of ``main`` have their own."""
    own = [(schema, name) for schema, name, _ in declarations]
    names = {key: key[1] for key in own if key[0] == _MAIN}
    in_use = {fold(name) for name in names.values()}
    for key in own:
        if key not in names:
            names[key] = hidden_name(*key, in_use)
            in_use.add(fold(names[key]))
    return names


def _paths(database: str, schema: str, name: str) -> tuple[tuple[str, ...], ...]:
    paths = ((schema, name), (database, schema, name))
    return (*paths, (database, name)) if schema == _MAIN and database != _MAIN else paths


def _columns(connection: DuckDBPyConnection) -> dict[_Key, list[Column]]:
    columns: dict[_Key, list[Column]] = defaultdict(list)
    rows = connection.execute(
        "SELECT schema_name, table_name, column_name, data_type, NOT is_nullable, column_default, "  # noqa: S608
        "CASE WHEN is_generated THEN generation_expression END "
        f"FROM duckdb_columns() WHERE {_HERE} ORDER BY table_oid, column_index"
    ).fetchall()
    for schema, table, name, kind, not_null, default, generated in rows:
        default = None if generated is not None else default
        columns[schema, table].append(Column(name, kind, not_null, default, generated))
    return columns


def _constraints(connection: DuckDBPyConnection) -> dict[_Key, list[_Constraint]]:
    constraints: dict[_Key, list[_Constraint]] = defaultdict(list)
    rows = connection.execute(
        "SELECT schema_name, table_name, constraint_type, expression, constraint_column_names, "
        "referenced_table, referenced_column_names FROM duckdb_constraints() "
        "WHERE database_name = current_database() ORDER BY table_oid, constraint_index"
    ).fetchall()
    for schema, table, *parts in rows:
        constraints[schema, table].append(_Constraint(*parts))
    return constraints


def _indexes(connection: DuckDBPyConnection) -> dict[_Key, list[tuple[str, str]]]:
    """The unique indexes of each table: their expressions in brackets, and their declarations."""
    indexes: dict[_Key, list[tuple[str, str]]] = defaultdict(list)
    rows = connection.execute(
        "SELECT schema_name, table_name, expressions, sql FROM duckdb_indexes() WHERE is_unique "
        "AND database_name = current_database() ORDER BY index_oid"
    ).fetchall()
    for schema, table, *index in rows:
        indexes[schema, table].append((index[0], index[1]))
    return indexes


def _index(declaration: str, name: str) -> str:
    """The declaration of an index, on a table that goes by another name than its own.

    One with unusual names keeps its text, and the table cannot be made in a scratch database.
    """
    match = _INDEX.fullmatch(declaration.strip())
    if match is None:
        return declaration
    return f"CREATE UNIQUE INDEX {quote_name(f'{name}.{match[1]}')} ON {quote_name(name)}{match[2]}"


def _table(
    key: _Key,
    sql: str,
    columns: list[Column],
    constraints: list[_Constraint],
    indexes: list[tuple[str, str]],
    tables: dict[_Key, str],
) -> Table:
    name = tables[key]
    names = {fold(column.name): column.name for column in columns}
    primary_key: tuple[str, ...] = ()
    uniques: set[tuple[str, ...]] = set()
    foreign_keys: list[ForeignKey] = []
    checks: list[str] = []
    others: list[str] = []
    for constraint in constraints:
        columns_of = tuple(constraint.columns)
        match constraint.kind:
            case "PRIMARY KEY":
                primary_key = columns_of
            case "UNIQUE":
                uniques.add(columns_of)
            case "CHECK" if constraint.expression:
                checks.append(constraint.expression)
            case "FOREIGN KEY" if constraint.parent:
                # DuckDB has none that point to another schema.
                parent = tables.get((key[0], constraint.parent), constraint.parent)
                parent_columns = tuple(constraint.parent_columns)
                foreign_keys.append(ForeignKey(columns_of, parent, parent_columns))
    for expressions, declaration in indexes:
        parts = [fold(part.strip(" '\"")) for part in expressions.strip("[]").split(",")]
        if all(part in names for part in parts):
            uniques.add(tuple(names[part] for part in parts))
        else:
            others.append(declaration if key[0] == _MAIN else _index(declaration, name))
    return Table(
        name=name,
        columns=tuple(columns),
        primary_key=primary_key,
        uniques=tuple(sorted(uniques)),
        foreign_keys=tuple(foreign_keys),
        checks=tuple(checks),
        sql=sql,
        indexes=tuple(others),
    )
