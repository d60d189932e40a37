"""The date 0000-00-00 of MySQL and MariaDB passes IS NULL where its column is declared NOT NULL."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.prover import prove

TABLES = (
    "CREATE TABLE z (id INTEGER PRIMARY KEY, d DATE NOT NULL, e DATE, v INTEGER NOT NULL)",
    "CREATE TABLE y (k INTEGER PRIMARY KEY, d DATETIME NOT NULL)",
)
ROWS = (
    "SET SESSION sql_mode = ''",
    "INSERT INTO z VALUES (1, '0000-00-00', NULL, 1), (2, '2020-01-01', '2020-01-01', 2)",
    "INSERT INTO y VALUES (1, '0000-00-00'), (3, '2020-01-01')",
)
NOTHING = "SELECT id FROM z WHERE id IS NULL"

DIFFERENT = {
    "a test by itself": ("SELECT id FROM z WHERE d IS NULL", NOTHING),
    "a function": ("SELECT id FROM z WHERE ISNULL(d)", NOTHING),
    "another word": ("SELECT id FROM z WHERE d IS UNKNOWN", NOTHING),
    "a test that is negated twice": ("SELECT id FROM z WHERE NOT (d IS NOT NULL)", NOTHING),
    "a test that is negated twice, inside": (
        "SELECT id FROM z WHERE NOT (v = 1 AND d IS NOT NULL)",
        "SELECT id FROM z WHERE v <> 1",
    ),
    "a column of a derived table": (
        "SELECT x.id FROM (SELECT DISTINCT id, d FROM z) AS x WHERE x.d IS NULL",
        NOTHING,
    ),
    "a part of a derived table's column": (
        "SELECT x.id FROM (SELECT id, COALESCE(d, d) AS d FROM z GROUP BY id, d) AS x"
        " WHERE x.d IS NULL",
        NOTHING,
    ),
    "a test behind an outer join": (
        "SELECT z.id FROM z LEFT JOIN y ON y.k = z.id WHERE y.d IS NULL",
        "SELECT z.id FROM z WHERE NOT EXISTS (SELECT 1 FROM y WHERE y.k = z.id)",
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_test_for_null_that_a_zero_date_may_pass_is_refused(name: str) -> None:
    pytest.importorskip("pymysql", reason="PyMySQL is not installed: extra 'mysql'")
    from mysql_parts import execute, server_database

    gold, other = DIFFERENT[name]
    assert not prove(gold, other, read_ddl(";".join(TABLES), "zero"), dialect="mysql").proved
    with server_database(*TABLES, *ROWS) as url:
        answers = [execute(urlsplit(url).path[1:], sql) for sql in (gold, other)]
    assert sorted(answers[0]) != sorted(answers[1])


@pytest.mark.parametrize(
    ("gold", "other"),
    [
        ("SELECT id FROM z WHERE d IS NOT NULL AND v > 1", "SELECT id FROM z WHERE v > 1"),
        ("SELECT id FROM z WHERE NOT d IS NULL", "SELECT id FROM z"),
        ("SELECT id FROM z WHERE e IS NULL AND v IS NOT NULL", "SELECT id FROM z WHERE e IS NULL"),
        ("SELECT id FROM z WHERE d <=> NULL", NOTHING),
        (
            "SELECT z.id FROM z LEFT JOIN y ON y.k = z.id WHERE y.k IS NULL",
            "SELECT z.id FROM z WHERE NOT EXISTS (SELECT 1 FROM y WHERE y.k = z.id)",
        ),
    ],
)
def test_other_tests_are_read(gold: str, other: str) -> None:
    assert prove(gold, other, read_ddl(";".join(TABLES), "zero"), dialect="mysql").proved
