"""Tables of DuckDB with random rows, and answers of queries on them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import duckdb

from sqlverdict.execute.engines.duckdb.schema import read_connection
from sqlverdict.parse.schema import Schema

FOLDER = Path(__file__).parent
PAIRS = [
    line.split("\t")
    for line in (FOLDER / "duckdb_pairs.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
_VALUES = {
    "a": ("0", "1", "2", "3", "-1"),
    "b": ("0", "1", "2", "4"),
    "c": ("0", "1", "2", "5"),
    "t_id": ("1", "2", "3", "9"),
    "r": ("0", "1.5", "2"),
    "s": ("''", "'a'", "'A'", "'ab'", "'b'", "'1'", "'2'"),
    "d": ("'2020-01-31'", "'2020-02-29'", "'2021-01-01'"),
    "ts": ("'2020-01-31 23:59'", "'2020-01-02'", "'2021-01-01 12:30'"),
    "l": ("[]", "[1]", "[1, 2]", "[2, 1, 3]", "[NULL, 2]"),
    "st": ("{'x': 1, 'y': 'p'}", "{'x': 2, 'y': 'q'}", "{'x': NULL, 'y': 'p'}"),
    "ok": ("true", "false"),
}


def open_tables() -> duckdb.DuckDBPyConnection:
    """A database in memory with the tables, empty."""
    connection = duckdb.connect()
    connection.execute((FOLDER / "duckdb_pairs.sql").read_text(encoding="utf-8"))
    return connection


def pairs_schema() -> Schema:
    """The tables of the pairs, as DuckDB describes them."""
    connection = open_tables()
    try:
        return read_connection(connection, "pairs")
    finally:
        connection.close()


def fill(connection: duckdb.DuckDBPyConnection, schema: Schema, rng: Random) -> None:
    """Put random rows in the place of those that the tables have."""
    for table in schema.tables:
        connection.execute(f"DELETE FROM {table.name}")
        rows = []
        for key in range(1, rng.choice((1, 4, 7, 7))):
            cells = [
                str(key) if column.name == "id" else _cell(column.name, rng)
                for column in table.columns
            ]
            rows.append(f"({', '.join(cells)})")
        if rows:
            connection.execute(f"INSERT INTO {table.name} VALUES {', '.join(rows)}")


def _cell(column: str, rng: Random) -> str:
    return "NULL" if rng.random() < 0.15 else rng.choice(_VALUES[column])


def answer(
    connection: duckdb.DuckDBPyConnection, sql: str, columns: tuple[int, ...] = ()
) -> list[str] | str:
    """The rows of a query, sorted unless it says an order; or "error"."""
    try:
        rows = connection.execute(sql).fetchall()
    except duckdb.Error:
        return "error"
    places = columns or range(len(rows[0]) if rows else 0)
    return sorted(repr([_plain(row[index]) for index in places]) for row in rows)


def _plain(cell: object) -> object:
    """Numbers up to rounding, whatever type they have."""
    if isinstance(cell, list):
        return [_plain(each) for each in cell]
    if isinstance(cell, str | bool | dict) or cell is None:
        return cell
    try:
        return float(f"{float(str(cell)):.8g}") + 0.0
    except ValueError:
        return cell


def differing(pairs: list[tuple[str, str]], databases: int) -> Counter[tuple[str, str]]:
    """On how many random databases the two sides of each pair differ."""
    schema, connection = pairs_schema(), open_tables()
    counts: Counter[tuple[str, str]] = Counter()
    for number in range(databases):
        fill(connection, schema, Random(f"rows {number}"))
        for pair in pairs:
            counts[pair] += answer(connection, pair[0]) != answer(connection, pair[1])
    connection.close()
    return counts
