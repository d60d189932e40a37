"""The schema of a MySQL or MariaDB database, as its catalogue describes it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pymysql

from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.mysql.connection import (
    connect,
    database_name,
    is_mariadb,
    number_of,
    quote_in_backticks,
    server_message,
)
from sqlverdict.execute.servers.statements import rows_of
from sqlverdict.files.references import Reference
from sqlverdict.files.sqlite import quote_text
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

_NUMERIC: Final = ("int", "decimal", "double", "float", "bit", "year")
_SHOW_DENIED: Final = 1142


def database_schema(database: Reference, db_id: str | None) -> Schema:
    """Read the schema of a URL's database, which is its name where none is given.

    Raises:
        DatabaseError: the server does not answer.
        SchemaError: it cannot be read, or has no table.
    """
    with connect(database, Limits()) as connection:
        return read_schema(connection, db_id or database_name(database))


def read_schema(connection: Connection, db_id: str) -> Schema:
    """Read the schema of the connection's database.

    Raises:
        SchemaError: it cannot be read, or has no table.
    """
    try:
        tables = tuple(_tables(connection))
    except pymysql.Error as error:
        raise SchemaError(
            f"the schema of {db_id!r} cannot be read: {server_message(error)}",
            reason="unreadable",
        ) from error
    if not tables:
        raise SchemaError(
            f"the database {db_id!r} has no tables that this user may see", reason="empty"
        )
    return Schema(db_id, tables, "catalogue")


def _tables(connection: Connection) -> list[Table]:
    names = rows_of(
        connection,
        "SELECT table_name, table_type FROM information_schema.tables "
        "WHERE table_schema = database() AND table_type IN ('BASE TABLE', 'VIEW') "
        "ORDER BY table_type, table_name",
    )
    database = str(rows_of(connection, "SELECT database()")[0][0])
    columns = _columns(connection)
    keys = _keys(connection)
    foreign_keys = _foreign_keys(connection)
    checks = _checks(connection)
    tables = []
    for name, kind in names:
        table = str(name)
        sql: str | None
        if kind == "VIEW":
            text = rows_of(
                connection,
                "SELECT view_definition FROM information_schema.views "
                "WHERE table_schema = database() AND table_name = %s",
                table,
            )[0][0]
            # The server writes the database before every name.
            body = str(text).replace(f"{quote_in_backticks(database)}.", "")
            sql = f"CREATE VIEW {quote_in_backticks(table)} AS {body}"
        else:
            sql = _declaration(connection, table)
        own = keys[table]
        if not sql:
            columns[table] = _with_collations(connection, table, columns[table])
            seen = {column.name for column in columns[table]}
            own = {index: names for index, names in own.items() if seen.issuperset(names)}
        tables.append(
            Table(
                name=table,
                columns=tuple(columns[table]),
                primary_key=tuple(own.pop("PRIMARY", ())),
                uniques=tuple(sorted({tuple(names) for names in own.values() if all(names)})),
                foreign_keys=tuple(foreign_keys[table]),
                checks=tuple(checks[table]),
                sql=sql,
                paths=((database, table),),
            )
        )
    return tables


def _declaration(connection: Connection, table: str) -> str | None:
    """How a table was declared; ``None`` where the user may read some of its columns alone."""
    try:
        return str(rows_of(connection, f"SHOW CREATE TABLE {quote_in_backticks(table)}")[0][1])
    except pymysql.Error as error:
        if number_of(error) != _SHOW_DENIED:
            raise
        return None


def _with_collations(connection: Connection, table: str, columns: list[Column]) -> list[Column]:
    """Columns whose types say their collations, which a declaration would tell."""
    rows = rows_of(
        connection,
        "SELECT column_name, character_set_name, collation_name FROM information_schema.columns "
        "WHERE table_schema = database() AND table_name = %s AND collation_name IS NOT NULL",
        table,
    )
    behind = {name: f" CHARACTER SET {charset} COLLATE {rule}" for name, charset, rule in rows}
    return [
        replace(column, type=f"{column.type}{behind.get(column.name, '')}") for column in columns
    ]


def _columns(connection: Connection) -> dict[str, list[Column]]:
    columns: dict[str, list[Column]] = defaultdict(list)
    mariadb = is_mariadb(connection)
    rows = rows_of(
        connection,
        "SELECT table_name, column_name, column_type, data_type, is_nullable = 'NO', "
        "column_default, extra, generation_expression FROM information_schema.columns "
        "WHERE table_schema = database() ORDER BY table_name, ordinal_position",
    )
    for table, name, kind, base, not_null, default, extra, expression in rows:
        text = None if default is None or (mariadb and default == "NULL") else str(default)
        if text is not None and not mariadb and "DEFAULT_GENERATED" not in str(extra):
            # MySQL gives the value, MariaDB the SQL of it.
            is_number = any(word in str(base) for word in _NUMERIC)
            text = text if is_number else quote_text(text)
        generated = str(expression) if expression else None
        columns[str(table)].append(
            Column(
                str(name),
                str(kind),
                bool(not_null),
                None if generated is not None else text,
                generated,
                invisible="INVISIBLE" in str(extra).upper().split(),
            )
        )
    return columns


def _keys(connection: Connection) -> dict[str, dict[str, list[str]]]:
    """The columns of each unique index; empty names where one is over a prefix or an expression."""
    keys: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    rows = rows_of(
        connection,
        "SELECT table_name, index_name, CASE WHEN sub_part IS NULL THEN column_name END "
        "FROM information_schema.statistics WHERE table_schema = database() AND non_unique = 0 "
        "ORDER BY table_name, index_name, seq_in_index",
    )
    for table, index, column in rows:
        keys[str(table)][str(index)].append(str(column or ""))
    return keys


def _foreign_keys(connection: Connection) -> dict[str, list[ForeignKey]]:
    groups: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    rows = rows_of(
        connection,
        "SELECT table_name, constraint_name, column_name, referenced_table_name, "
        "referenced_column_name FROM information_schema.key_column_usage "
        "WHERE table_schema = database() AND referenced_table_schema = database() "
        "ORDER BY table_name, constraint_name, ordinal_position",
    )
    for table, constraint, *names in rows:
        column, parent, parent_column = map(str, names)
        groups[str(table), str(constraint)].append((column, parent, parent_column))
    keys: dict[str, list[ForeignKey]] = defaultdict(list)
    for (table, _), parts in groups.items():
        columns, parents, parent_columns = zip(*parts, strict=True)
        keys[table].append(ForeignKey(columns, parents[0], parent_columns))
    return keys


def _checks(connection: Connection) -> dict[str, list[str]]:
    checks: dict[str, list[str]] = defaultdict(list)
    table = (
        "c.table_name"
        if is_mariadb(connection)
        else "(SELECT t.table_name FROM information_schema.table_constraints AS t WHERE "
        "t.constraint_schema = c.constraint_schema AND t.constraint_name = c.constraint_name)"
    )
    try:
        rows = rows_of(
            connection,
            f"SELECT {table}, c.check_clause FROM information_schema.check_constraints AS c "  # noqa: S608
            "WHERE c.constraint_schema = database() ORDER BY c.constraint_name",
        )
    except pymysql.err.OperationalError:
        # MySQL before 8.0.16 has no such constraints.
        return checks
    for name, clause in rows:
        checks[str(name)].append(str(clause))
    return checks
