"""A schema from an open DuckDB database, as its catalogue describes it: the schema ``main``.

Tables of other schemas are left out: queries name them with their schema, and a name here has none.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from duckdb import DuckDBPyConnection

from sqlverdict.errors import SchemaError
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.tokens import fold

_HERE = "database_name = current_database() AND schema_name = 'main' AND NOT internal"


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
    declarations: list[tuple[str, str]] = connection.execute(
        f"SELECT table_name, sql FROM duckdb_tables() WHERE {_HERE} ORDER BY table_oid"  # noqa: S608
    ).fetchall()
    declarations += connection.execute(
        f"SELECT view_name, sql FROM duckdb_views() WHERE {_HERE} ORDER BY view_oid"  # noqa: S608
    ).fetchall()
    if not declarations:
        raise SchemaError(f"the DuckDB database {db_id!r} has no tables in its schema main")
    columns = _columns(connection)
    constraints = _constraints(connection)
    indexes = _indexes(connection)
    tables = tuple(
        _table(name, sql, columns[name], constraints[name], indexes[name])
        for name, sql in declarations
    )
    return Schema(db_id, tables, "catalogue")


def _columns(connection: DuckDBPyConnection) -> dict[str, list[Column]]:
    columns: dict[str, list[Column]] = defaultdict(list)
    rows = connection.execute(
        "SELECT table_name, column_name, data_type, NOT is_nullable, column_default, "
        "CASE WHEN is_generated THEN generation_expression END "
        "FROM duckdb_columns() WHERE database_name = current_database() "
        "AND schema_name = 'main' AND NOT internal ORDER BY table_oid, column_index"
    ).fetchall()
    for table, name, kind, not_null, default, generated in rows:
        default = None if generated is not None else default
        columns[table].append(Column(name, kind, not_null, default, generated))
    return columns


def _constraints(connection: DuckDBPyConnection) -> dict[str, list[_Constraint]]:
    constraints: dict[str, list[_Constraint]] = defaultdict(list)
    rows = connection.execute(
        "SELECT table_name, constraint_type, expression, constraint_column_names, "
        "referenced_table, referenced_column_names FROM duckdb_constraints() "
        "WHERE database_name = current_database() AND schema_name = 'main' "
        "ORDER BY table_oid, constraint_index"
    ).fetchall()
    for table, *parts in rows:
        constraints[table].append(_Constraint(*parts))
    return constraints


def _indexes(connection: DuckDBPyConnection) -> dict[str, list[tuple[str, str]]]:
    """The unique indexes of each table: their expressions in brackets, and their declarations."""
    indexes: dict[str, list[tuple[str, str]]] = defaultdict(list)
    rows = connection.execute(
        "SELECT table_name, expressions, sql FROM duckdb_indexes() WHERE is_unique "
        "AND database_name = current_database() AND schema_name = 'main' ORDER BY index_oid"
    ).fetchall()
    for table, *index in rows:
        indexes[table].append((index[0], index[1]))
    return indexes


def _table(
    name: str,
    sql: str,
    columns: list[Column],
    constraints: list[_Constraint],
    indexes: list[tuple[str, str]],
) -> Table:
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
                parent_columns = tuple(constraint.parent_columns)
                foreign_keys.append(ForeignKey(columns_of, constraint.parent, parent_columns))
    for expressions, declaration in indexes:
        parts = [fold(part.strip(" '\"")) for part in expressions.strip("[]").split(",")]
        if all(part in names for part in parts):
            uniques.add(tuple(names[part] for part in parts))
        else:
            others.append(declaration)
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
