"""Copies of Spider's databases on other engines, and queries translated for them.

A column gets the type of the values that it holds: integers, doubles or texts. Keys and foreign
keys are declared where the data keep them. Names are in lower case, here and in the queries.
MySQL's texts get a collation under which equal texts are the same, as they are in SQLite.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import sqlglot
from sqlglot import exp

from sqlverdict.parse.facts import column_affinity
from sqlverdict.parse.schema import Schema, Table

POSTGRES = os.environ.get("SQLVERDICT_BENCH_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
MYSQL = os.environ.get("SQLVERDICT_BENCH_MYSQL", "mysql://root@127.0.0.1:3306/test")
READER = "sqlverdict_bench_reader"
MOST_ROWS = 5_000
"""Of a larger table the first rows: what is measured are the queries, not the loading."""
TYPES = {
    "duckdb": ("BIGINT", "DOUBLE", "VARCHAR"),
    "postgres": ("BIGINT", "DOUBLE PRECISION", "TEXT"),
    "mysql": ("BIGINT", "DOUBLE", "VARCHAR(190) COLLATE utf8mb4_nopad_bin"),
}

Execute = Callable[[str, Sequence[Sequence[Any]]], object]
"""Runs a statement, once for each row of values; without rows once."""


def translated(sql: str, schema: Schema, dialect: str) -> str | None:
    """A query of SQLite's in another dialect; ``None`` where it cannot be parsed."""
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except sqlglot.errors.SqlglotError:
        return None
    for column in list(tree.find_all(exp.Column)):
        quoted = isinstance(column.this, exp.Identifier) and column.this.args.get("quoted")
        if quoted and not column.table and column.name.lower() not in _columns(schema):
            column.replace(exp.Literal.string(column.name))
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.this.lower())
    return str(tree.sql(dialect))


@cache
def _columns(schema: Schema) -> frozenset[str]:
    return frozenset(column.name.lower() for table in schema.tables for column in table.columns)


def copy_database(engine: str, file: Path, schema: Schema, folder: Path) -> str:
    """Copy a SQLite file into an engine; returns the reference of the copy."""
    name = f"sqlverdict_bench_{schema.db_id}".lower()
    if engine == "duckdb":
        return _to_duckdb(file, schema, folder / f"{name}.duckdb")
    if engine == "postgres":
        return _to_postgres(file, schema, name)
    return _to_mysql(file, schema, name)


def drop_database(engine: str, db_id: str) -> None:
    """Remove the copy from a server."""
    name = f"sqlverdict_bench_{db_id}".lower()
    if engine == "postgres":
        import psycopg

        with psycopg.connect(POSTGRES, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    elif engine == "mysql":
        with closing(mysql_connection()) as connection:
            connection.cursor().execute(f"DROP DATABASE IF EXISTS `{name}`")


def as_reader(engine: str, reference: str) -> str:
    """The URL of a copy for a role that may SELECT, and nothing else: no temporary tables."""
    name = reference.rpartition("/")[2]
    parts = urlsplit(reference)
    host = parts.netloc.rpartition("@")[2]
    if engine == "postgres":
        import psycopg

        with psycopg.connect(reference, autocommit=True) as connection:
            with suppress(psycopg.errors.DuplicateObject):
                connection.execute(f"CREATE ROLE {READER} LOGIN")
            connection.execute(f'REVOKE TEMPORARY ON DATABASE "{name}" FROM PUBLIC')
            connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}")
        return urlunsplit(parts._replace(netloc=f"{READER}@{host}"))
    user = f"{READER}_{sha256(name.encode()).hexdigest()[:8]}"
    with closing(mysql_connection()) as connection:
        cursor = connection.cursor()
        cursor.execute(f"CREATE OR REPLACE USER {user}")
        cursor.execute(f"GRANT SELECT ON `{name}`.* TO {user}")
    return urlunsplit(parts._replace(netloc=f"{user}@{host}"))


def drop_reader(engine: str, reference: str) -> None:
    """Drop the role of a copy, as far as it is only this copy's."""
    if engine == "mysql":
        with closing(mysql_connection()) as connection:
            connection.cursor().execute(f"DROP USER {urlsplit(reference).username}")
        return
    import psycopg

    # Another copy may still need it.
    with (
        psycopg.connect(POSTGRES, autocommit=True) as connection,
        suppress(psycopg.errors.DependentObjectsStillExist, psycopg.errors.UndefinedObject),
    ):
        connection.execute(f"DROP ROLE {READER}")


def _to_duckdb(file: Path, schema: Schema, target: Path) -> str:
    import duckdb

    target.unlink(missing_ok=True)
    with closing(duckdb.connect(str(target))) as connection:
        _fill(file, schema, "duckdb", _rows_at_once(connection), "?", '"')
    return str(target)


def _to_postgres(file: Path, schema: Schema, name: str) -> str:
    import psycopg

    drop_database("postgres", schema.db_id)
    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    url = f"{POSTGRES.rpartition('/')[0]}/{name}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        _fill(file, schema, "postgres", _rows_at_once(connection.cursor()), "%s", '"')
    return url


def _to_mysql(file: Path, schema: Schema, name: str) -> str:
    drop_database("mysql", schema.db_id)
    with closing(mysql_connection()) as connection:
        cursor = connection.cursor()
        cursor.execute(f"CREATE DATABASE `{name}`")
        cursor.execute(f"USE `{name}`")
        _fill(file, schema, "mysql", _rows_at_once(cursor), "%s", "`")
        connection.commit()
    return f"{MYSQL.rpartition('/')[0]}/{name}"


def mysql_connection() -> Any:
    import pymysql

    url = urlsplit(MYSQL)
    return pymysql.connect(host=url.hostname or "", port=url.port or 3306, user=url.username)


def _rows_at_once(cursor: Any) -> Execute:
    def execute(sql: str, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            cursor.execute(sql)
            return
        cursor.execute("BEGIN")
        try:
            cursor.executemany(sql, rows)
        finally:
            cursor.execute("COMMIT")

    return execute


def _fill(
    file: Path, schema: Schema, dialect: str, execute: Execute, mark: str, quote: str
) -> None:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source:
        source.text_factory = lambda raw: raw.decode("utf-8", "replace")
        for table in schema.tables:
            _fill_table(source, table, dialect, execute, mark, quote)
    for table in schema.tables:
        for key in table.foreign_keys:
            names = [
                ", ".join(quote + c.lower() + quote for c in k)
                for k in (key.columns, key.parent_columns)
            ]
            # The data may break it, or the parent lack a key; DuckDB cannot add one later.
            with suppress(Exception):
                execute(
                    f"ALTER TABLE {quote}{table.name.lower()}{quote} ADD FOREIGN KEY ({names[0]}) "
                    f"REFERENCES {quote}{key.parent.lower()}{quote} ({names[1]})",
                    (),
                )


def _fill_table(
    source: sqlite3.Connection,
    table: Table,
    dialect: str,
    execute: Execute,
    mark: str,
    quote: str,
) -> None:
    rows = source.execute(f'SELECT * FROM "{table.name}" LIMIT {MOST_ROWS}').fetchall()
    kinds = [
        _kind({type(row[index]) for row in rows} - {type(None)}, column.type)
        for index, column in enumerate(table.columns)
    ]
    types = [TYPES[dialect][kind] for kind in kinds]
    name = quote + table.name.lower() + quote
    columns = [
        f"{quote}{column.name.lower()}{quote} {kind}{' NOT NULL' if column.not_null else ''}"
        for column, kind in zip(table.columns, types, strict=True)
    ]
    keys = [f"PRIMARY KEY ({', '.join(quote + c.lower() + quote for c in table.primary_key)})"]
    keys += [f"UNIQUE ({', '.join(quote + c.lower() + quote for c in u)})" for u in table.uniques]
    values = f"({', '.join([mark] * len(columns))})"
    cells = [tuple(_cell(c, k) for c, k in zip(row, kinds, strict=True)) for row in rows]
    for declared in ([*columns, *(keys if table.primary_key else keys[1:])], columns):
        try:
            execute(f"CREATE TABLE {name} ({', '.join(declared)})", ())
            if cells:
                execute(f"INSERT INTO {name} VALUES {values}", cells)
        except Exception:
            # Drivers have no common error. Data that break the keys are copied without them.
            if declared is columns:
                raise
            execute(f"DROP TABLE IF EXISTS {name}", ())
        else:
            return


def _kind(result: set[type], declared: str) -> int:
    affinity = column_affinity(declared)
    if affinity == "TEXT" or not result <= {int, float}:
        return 2
    if result == {int} or (not result and affinity == "INTEGER"):
        return 0
    return 1


def _cell(cell: object, kind: int) -> object:
    if cell is None or kind < 2:
        return cell
    text = cell.decode("latin-1") if isinstance(cell, bytes) else str(cell)
    return text.replace("\0", "")[:190]
