"""What tests ask of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engine_examples import EngineExamples, replaced_by


@contextmanager
def _database(folder: Path, statements: Sequence[str]) -> Iterator[str]:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")
    path = folder / "t.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        for statement in statements:
            connection.execute(statement)
    yield str(path)


EXAMPLES = EngineExamples(
    database=_database,
    change=replaced_by(_database),
    computed="VIRTUAL",
    more_columns=", tags TEXT[]",
    cells=("DOUBLE", "BLOB", r"'\x00\xFF'::BLOB"),
    failing=(
        "SELECT error('IO Error: the disk fails')",
        "SELECT * FROM 'nowhere.csv'",
        "SELECT * FROM read_parquet('nowhere.parquet')",
        "SELECT 'x'::INTEGER",
        "SELECT regexp_matches('x', '(')",
        "SELECT json_extract('{', '$')",
    ),
    column_types=(
        *("BOOLEAN", "JSON", "BLOB", "INTEGER[]", "STRUCT(a INTEGER)", "MAP(INTEGER, INTEGER)"),
        *("UUID", "INTERVAL", "HUGEINT", "BIT", "TIMESTAMP", "UNION(a INTEGER, b VARCHAR)"),
    ),
    revealing=(
        "current_database() = 't'",
        "CURRENT_SCHEMA() IS NOT NULL",
        "current_catalog IS NOT NULL",
        "(SELECT count(*) FROM duckdb_tables() WHERE database_name = 't') > 0",
        "(SELECT count(*) FROM information_schema.tables WHERE table_catalog = 't') > 0",
        '(SELECT count(*) FROM "pg_class") > 0',
    ),
    not_revealing=("name <> 'current_database()'", "length(name) > 0"),
    different=[
        ("LOWER(code) = 'ab'", "code = 'ab' OR code = 'AB'"),
        ("code ILIKE 'ab'", "code = 'ab' OR code = 'AB'"),
        ("CAST(n AS INTEGER) = 2", "FLOOR(n) = 2"),
        ("regexp_matches(code, '^(n|m)')", "code LIKE 'n%'"),
        ("list_contains(tags, 'x')", "tags[1] = 'x'"),
        ("length(code) > 3", "strlen(code) > 3"),
        ("list_has_all(tags, ['it''s'])", "list_has_any(tags, ['it''s', 'y'])"),
        ("tags = ['x']", "tags[1] = 'x'"),
        ("try_cast(code AS INTEGER) > 1", "try_cast(code AS DOUBLE) > 1"),
        ("try_strptime(code, '%d/%m/%Y') IS NULL", "try_strptime(code, '%m/%d/%Y') IS NULL"),
    ],
    different_queries=[
        ("SELECT id, ROUND(n, 1) FROM item", "SELECT id, TRUNC(n, 1) FROM item"),
        ("SELECT id // 2 FROM item", "SELECT FLOOR(id / 2) FROM item"),
    ],
    equal=[
        ("tags = ['x']", "tags[1] = 'x' AND len(tags) = 1"),
        ("hour(seen) = 9", "seen::time >= '09:00:00' AND seen::time < '10:00:00'"),
    ],
    recent="sold {} current_date - INTERVAL 7 DAY",
    harm="COPY (SELECT 1) TO '{file}'",
    write_file="COPY (SELECT 1) TO '{file}'",
)
