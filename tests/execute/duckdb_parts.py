"""DuckDB files for tests."""

from __future__ import annotations

from pathlib import Path

import duckdb

from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.records import Answer, Outcome, Row

DUCKDB = ENGINES.get("duckdb")


def write_duckdb(path: Path, *statements: str) -> Path:
    """A DuckDB file that the statements made."""
    connection = duckdb.connect(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path


def suite_database(folder: Path) -> Path:
    """The database that ``check_engine`` asks for."""
    return write_duckdb(
        folder / "suite.duckdb",
        "CREATE TABLE cells (i INTEGER, f DOUBLE, t VARCHAR, n VARCHAR, b BLOB)",
        "INSERT INTO cells VALUES (7, 2.5, 'é''x', NULL, '\\x00\\xFF'::BLOB)",
        "CREATE TABLE numbers AS SELECT i::INTEGER AS i, repeat('x', 100) AS t FROM range(1, 2001) AS r (i)",
    )


def ask(database: Path, sql: str, limits: Limits | None = None, **options: object) -> Outcome:
    session = DUCKDB.open(database, limits or Limits(seconds=600), **options)  # type: ignore[arg-type]
    try:
        return session.run(sql)
    finally:
        session.close()


def rows(database: Path, sql: str, **options: object) -> list[Row]:
    outcome = ask(database, sql, **options)  # type: ignore[arg-type]
    assert isinstance(outcome, Answer), outcome
    return outcome.rows
