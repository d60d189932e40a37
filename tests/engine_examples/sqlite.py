"""What tests ask of SQLite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine_examples import EngineExamples, replaced_by
from small_databases import sqlite_file


@contextmanager
def _database(folder: Path, statements: Sequence[str]) -> Iterator[str]:
    yield str(sqlite_file(folder / "t.sqlite", *statements))


EXAMPLES = EngineExamples(
    database=_database,
    change=replaced_by(_database),
    cells=("REAL", "BLOB", "x'00ff'"),
    failing=(
        "SELECT abs(-9223372036854775808)",
        "SELECT json_extract('{', '$')",
        "SELECT load_extension('x')",
        "SELECT zeroblob(1000000000000)",
        "SELECT printf('%.*d', 2147483647, 1)",
        "SELECT count(*) FROM pragma_integrity_check",
        "SELECT fts5(1)",
    ),
    column_types=("BLOB", "INTEGER"),
    revealing=(
        "total_changes() = 0",
        "changes() = 0",
        "last_insert_rowid() = 0",
        "(SELECT max(rootpage) FROM sqlite_master) > 0",
        "(SELECT count(*) FROM main.SQLITE_SCHEMA) > 0",
    ),
    not_revealing=("name <> 'total_changes()'",),
    different=[
        ("LOWER(code) = 'ab'", "code = 'ab' OR code = 'AB'"),
        ("UPPER(code) = 'AB'", "code IN ('ab', 'AB')"),
        ("code LIKE 'ab'", "code = 'ab' OR code = 'AB'"),
        ("seen > date('2021-03-09 10:00:00')", "seen >= date('2021-03-09 10:00:00')"),
        ("length(code) > 3", "length(CAST(code AS BLOB)) > 3"),
        ("time(seen) BETWEEN '09:00:00' AND '17:00:00'", "strftime('%H', seen) <= '17'"),
        ("CAST(code AS INTEGER) > 1", "CAST(code AS REAL) > 1"),
    ],
    different_queries=[
        ("SELECT id, CAST(n AS INTEGER) FROM item", "SELECT id, FLOOR(n) FROM item"),
        ("SELECT id / 2 FROM item", "SELECT FLOOR(id / 2.0) FROM item"),
    ],
    equal=[("CAST(code AS INTEGER) > 1", "CAST(code AS INTEGER) >= 2")],
    recent="sold {} date('now', '-7 days')",
    harm="ATTACH '{file}' AS stolen",
    write_file="",
)
