"""What belongs to another engine says which engine, and which extra."""

from __future__ import annotations

from pathlib import Path

import pytest

from error_parts import refuses_data, refuses_database
from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.parse.schemas.ddl import read_ddl


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        (b"\x12\x34\x56\x78\x9a\xbc\xde\xf0DUCK" + bytes(100), r"the engine duckdb .*\[duckdb\]"),
        (b"PGDMP\x01\x0e", r"postgresql://HOST/\{db_id\} .*\[postgres\]"),
        (b"--\n-- PostgreSQL database dump\n--\n", r"postgresql://HOST/\{db_id\} .*\[postgres\]"),
        (b"-- MySQL dump 10.13\n", r"mysql://HOST/\{db_id\} .*\[mysql\]"),
        (b"-- MariaDB dump 10.19\n", r"mysql://HOST/\{db_id\} .*\[mysql\]"),
        (b"This is no database.", "Check or restore the file"),
    ],
)
def test_a_file_of_another_engine(tmp_path: Path, header: bytes, advice: str) -> None:
    file = tmp_path / "a.sqlite"
    file.write_bytes(header)
    with refuses_database("not_a_database", advice):
        ENGINES.get("sqlite").open(file, Limits())


@pytest.mark.parametrize(
    ("ddl", "advice"),
    [
        (
            "CREATE TYPE mood AS ENUM ('sad')",
            r"PostgreSQL.*postgresql://HOST/DATABASE.*\[postgres\]",
        ),
        (
            "CREATE TABLE t (a text DEFAULT 'x'::text)",
            r"PostgreSQL.*postgresql://HOST",
        ),
        ("CREATE TABLE t (a int AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB", r"MySQL.*\[mysql\]"),
        ("CREATE TABLE t (a STRUCT(b int))", r"DuckDB.*FILE\.duckdb"),
        ("CREATE TABLE t (a int,,)", "remove it"),
    ],
)
def test_ddl_of_another_engine(ddl: str, advice: str) -> None:
    with refuses_data(SchemaError, "unreadable", match=advice):
        read_ddl(ddl, "x")
