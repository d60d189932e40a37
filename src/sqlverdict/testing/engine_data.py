"""The database that ``check_engine`` asks for, its queries, and what a folder contains."""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Final

from sqlverdict.records import Row

CELLS: Final[Row] = (7, 2.5, "é'x", None, b"\x00\xff")
NUMBERS = 2_000
GOOD = "SELECT count(*) FROM numbers"
ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT count(*) FROM n WHERE i < 0"
)
ENDLESS_JOIN = (
    "SELECT count(*) FROM numbers AS a, numbers AS b, numbers AS c, numbers AS d "
    "WHERE (a.i * b.i + c.i * d.i) % 7 = 9"
)
"""For engines that count no steps: it needs no recursion, which servers limit, and nobody sees
from the least and greatest values that no row fits."""
PATIENCE = 600.0
"""Seconds that no query here needs, however busy the machine: steps are the limit that counts."""


SHORT = 0.5
"""Seconds for a hostile query on an engine that counts no steps."""
TRIES = 50
"""How often a good query is tried that a busy machine slows down."""


def make_sqlite(folder: Path) -> Path:
    """The database of the suite as a SQLite file."""
    path = folder / "suite.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE cells (i INTEGER, f REAL, t TEXT, n TEXT, b BLOB)")
        connection.execute("INSERT INTO cells VALUES (?, ?, ?, ?, ?)", CELLS)
        connection.execute("CREATE TABLE numbers (i INTEGER, t TEXT)")
        rows = [(number, "x" * 100) for number in range(1, NUMBERS + 1)]
        connection.executemany("INSERT INTO numbers VALUES (?, ?)", rows)
    connection.close()
    return path


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below a folder with the digest of its bytes."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
