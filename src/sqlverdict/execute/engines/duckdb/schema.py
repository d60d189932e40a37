"""A schema from an open DuckDB database, as its catalogue describes it.

A table of the schema ``main`` goes by its own name, one of another schema by ``schema.table``. The
name of the file, without its ending, may stand before either. A table of a further file goes by
``file.table`` or ``file.schema.table``. A collation stands behind the type of its column.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import SchemaError
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.qualified import Path
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.hidden import hidden_name, with_plain_views
from sqlverdict.parse.tokens import fold

_HERE = "database_name NOT IN ('system', 'temp') AND NOT internal"
_IN_ORDER = "database_name <> current_database(), database_name"
_MAIN = "main"
_DIALECT = "duckdb"
_INDEX = re.compile(r"CREATE UNIQUE INDEX (\w+) ON (?:\w+\.)?\w+(\(.*)", re.DOTALL)
_COLLATED = re.compile(r"(\"(?:[^\"]|\"\")+\"|\w+) VARCHAR COLLATE ([\w.]+)")
"""A column in a declaration, as DuckDB writes it; its catalogue has collations nowhere else."""

_Key = tuple[str, str, str]
"""The database, the schema and the name of a table."""


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
    declarations: dict[_Key, str] = {}
    for kind in ("table", "view"):
        rows = connection.execute(
            f"SELECT database_name, schema_name, {kind}_name, sql FROM duckdb_{kind}s() "  # noqa: S608
            f"WHERE {_HERE} ORDER BY {_IN_ORDER}, {kind}_oid"
        ).fetchall()
        declarations |= {(database, schema, name): sql for database, schema, name, sql in rows}
    row = connection.execute("SELECT current_database()").fetchone()
    first = str(row[0]) if row is not None else ""
    # Those that go by their own names come first.
    keys = sorted(declarations, key=lambda key: (key[0] != first, key[0], key[1] != _MAIN))
    if not keys:
        raise SchemaError(f"the DuckDB database {db_id!r} has no tables", reason="empty")
    columns = _columns(connection)
    constraints = _constraints(connection)
    indexes = _indexes(connection)
    names = _names(keys, first)
    tables = tuple(
        replace(
            _table(key, declarations[key], columns[key], constraints[key], indexes[key], names),
            paths=_paths(*key, is_first=key[0] == first),
        )
        for key in keys
    )
    schema = Schema(db_id, tables, "catalogue", own_functions=_own_functions(connection))
    bases = {names[key]: key[:2] for key in keys}
    return with_plain_views(schema, _DIALECT, dialect_of(_DIALECT).quote, bases)


def _own_functions(connection: DuckDBPyConnection) -> tuple[str, ...]:
    """The macros that stand before DuckDB's own functions and operators of their names."""
    macros = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE "
    own = {str(name) for (name,) in connection.execute(macros + _HERE).fetchall()}
    if not own:
        return ()
    usual = {str(name) for (name,) in connection.execute(f"{macros} internal").fetchall()}
    return tuple(sorted(own & usual))


def _names(keys: Sequence[_Key], first: str) -> dict[_Key, str]:
    """The one name of each table; those of the first file's ``main`` have their own."""
    names = {key: key[2] for key in keys if key[:2] == (first, _MAIN)}
    in_use = {fold(name) for name in names.values()}
    for key in keys:
        if key not in names:
            database, schema, name = key
            parts = [database] * (database != first) + [schema] * (schema != _MAIN)
            names[key] = hidden_name(".".join(parts), name, in_use)
            in_use.add(fold(names[key]))
    return names


def _paths(database: str, schema: str, name: str, *, is_first: bool) -> tuple[Path, ...]:
    """How a query can name a table; the usual way first, which is sure to mean it alone."""
    whole = (database, schema, name)
    paths = ((schema, name), whole) if is_first else (whole,)
    # A schema of the first file may have the name of another file: DuckDB refuses both then.
    return (*paths, (database, name)) if schema == _MAIN else paths


def _columns(connection: DuckDBPyConnection) -> dict[_Key, list[Column]]:
    columns: dict[_Key, list[Column]] = defaultdict(list)
    rows = connection.execute(
        "SELECT database_name, schema_name, table_name, column_name, data_type, "  # noqa: S608
        "NOT is_nullable, column_default, "
        "CASE WHEN is_generated THEN generation_expression END "
        f"FROM duckdb_columns() WHERE {_HERE} ORDER BY database_name, table_oid, column_index"
    ).fetchall()
    for *key, name, kind, not_null, default, generated in rows:
        default = None if generated is not None else default
        columns[_key(key)].append(Column(name, kind, not_null, default, generated))
    return columns


def _constraints(connection: DuckDBPyConnection) -> dict[_Key, list[_Constraint]]:
    constraints: dict[_Key, list[_Constraint]] = defaultdict(list)
    rows = connection.execute(
        "SELECT database_name, schema_name, table_name, constraint_type, expression, "
        "constraint_column_names, referenced_table, referenced_column_names "
        "FROM duckdb_constraints() ORDER BY database_name, table_oid, constraint_index"
    ).fetchall()
    for database, schema, table, *parts in rows:
        constraints[database, schema, table].append(_Constraint(*parts))
    return constraints


def _indexes(connection: DuckDBPyConnection) -> dict[_Key, list[tuple[str, str]]]:
    """The unique indexes of each table: their expressions in brackets, and their declarations."""
    indexes: dict[_Key, list[tuple[str, str]]] = defaultdict(list)
    rows = connection.execute(
        "SELECT database_name, schema_name, table_name, expressions, sql FROM duckdb_indexes() "
        "WHERE is_unique ORDER BY database_name, index_oid"
    ).fetchall()
    for *key, expressions, declaration in rows:
        indexes[_key(key)].append((expressions, declaration))
    return indexes


def _key(parts: Sequence[str]) -> _Key:
    database, schema, name = parts
    return database, schema, name


def _index(declaration: str, name: str) -> str:
    """The declaration of an index, on a table that goes by another name than its own.

    One with unusual names keeps its text, and the table cannot be made in a scratch database.
    """
    match = _INDEX.fullmatch(declaration.strip())
    if match is None:
        return declaration
    return f"CREATE UNIQUE INDEX {quote_name(f'{name}.{match[1]}')} ON {quote_name(name)}{match[2]}"


def _with_collation(column: Column, collations: Mapping[str, str]) -> Column:
    by = collations.get(column.name)
    return column if by is None else replace(column, type=f"{column.type} COLLATE {by}")


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
                parent = tables.get((*key[:2], constraint.parent), constraint.parent)
                parent_columns = tuple(constraint.parent_columns)
                foreign_keys.append(ForeignKey(columns_of, parent, parent_columns))
    for expressions, declaration in indexes:
        parts = [fold(part.strip(" '\"")) for part in expressions.strip("[]").split(",")]
        if all(part in names for part in parts):
            uniques.add(tuple(names[part] for part in parts))
        else:
            others.append(declaration if name == key[2] else _index(declaration, name))
    collations = {each.strip('"').replace('""', '"'): by for each, by in _COLLATED.findall(sql)}
    return Table(
        name=name,
        columns=tuple(_with_collation(column, collations) for column in columns),
        primary_key=primary_key,
        uniques=tuple(sorted(uniques)),
        foreign_keys=tuple(foreign_keys),
        checks=tuple(checks),
        sql=sql,
        indexes=tuple(others),
    )
