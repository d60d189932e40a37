"""Other words for the same on MySQL: proved equal, and equal where they run; near misses are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from small_databases import database_of
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove

_TABLES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, d DATE, e DATE NOT NULL, at DATETIME(3), h TIME, s VARCHAR(30),
  n BIGINT, y YEAR)
"""
SCHEMA = read_ddl(_TABLES, "mysql")
MOMENTS = (
    *(None, "2020-02-29", "2020-12-31 23:59:59.9", "0000-00-00", "2020-00-15", "2020-05-00"),
    *("9999-12-31", "1000-01-01", "2020-03-01", "2019-02-28 00:00:00"),
)
OTHERS = (
    *((None, None, None, None), ("30:10:20", "abc", 20200229, 2020), ("-30:10:20", "", 0, 0)),
    *(("838:59:59", "2020-02-30", -5, 1999), ("00:00:00", "20-02-29", 1, 2000)),
    *(("10:11", "2020-02-29x", 20200229235959, 2155), ("00:00:01", "10:11", 1900, 1901)),
)
SAME = [
    ("year(d)", "EXTRACT(YEAR FROM d)"),
    ("MONTH(t.at)", "EXTRACT(month FROM t.at)"),
    ("day(e)", "EXTRACT(DAY FROM `e`)"),
    ("DAYOFMONTH(at)", "EXTRACT(DAY FROM at)"),
    ("dayofmonth(s)", "DAY(s)"),
    ("QUARTER(d)", "extract(quarter FROM d)"),
    ("HOUR(at)", "EXTRACT(HOUR FROM at)"),
    ("MINUTE(at)", "EXTRACT(MINUTE FROM at)"),
    ("SECOND(at)", "EXTRACT(SECOND FROM at)"),
    ("datediff(CURDATE(), d)", "datediff(CURRENT_DATE, d)"),
    ("datediff(CURRENT_DATE(), d)", "datediff(current_date, d)"),
    ("year(NOW())", "year(CURRENT_TIMESTAMP)"),
    ("year(LOCALTIME)", "year(localtimestamp())"),
    ("DATE_ADD(d, INTERVAL 1 MONTH)", "d + INTERVAL 1 MONTH"),
    ("ADDDATE(at, INTERVAL 2 HOUR)", "at + INTERVAL 2 HOUR"),
    ("DATE_SUB(t.at, INTERVAL 7 DAY)", "t.at - INTERVAL 7 DAY"),
    ("SUBDATE(h, INTERVAL 90 MINUTE)", "h - INTERVAL 90 MINUTE"),
    ("DATE_ADD(s, INTERVAL 1 DAY)", "s + INTERVAL 1 DAY"),
    ("DATE_ADD(n, INTERVAL 1 DAY)", "n + INTERVAL 1 DAY"),
    (
        "DATE_SUB(DATE_ADD(d, INTERVAL 1 MONTH), INTERVAL 1 DAY)",
        "d + INTERVAL 1 MONTH - INTERVAL 1 DAY",
    ),
    ("LAST_DAY(DATE_SUB(d, INTERVAL 1 MONTH))", "LAST_DAY(d - INTERVAL 1 MONTH)"),
    ("year(DATE(at) + INTERVAL 1 YEAR)", "year(DATE_ADD(DATE(at), INTERVAL 1 YEAR))"),
    ("d - e", "((d - e))"),
    ("DATE_SUB(d, INTERVAL -(n) MONTH)", "(date_sub(d, INTERVAL -(n) month))"),
    ("DATE(DATE_ADD(CURDATE(), INTERVAL n DAY))", "DATE_ADD(CURRENT_DATE, INTERVAL n DAY)"),
    (
        "DATE(DATE_SUB(DATE(at), INTERVAL WEEKDAY(at) WEEK))",
        "DATE_SUB(DATE(at), INTERVAL weekday(at) WEEK)",
    ),
    ("DATE(DATE(s))", "DATE(s)"),
    ("COALESCE(at - d, 0) + 1", "CASE WHEN (at - d) IS NULL THEN 0 ELSE at - d END + 1"),
    ("LOCATE('2', s)", "INSTR(s, '2')"),
    ("LOCATE(CONCAT('-', n), CONCAT(s, n))", "INSTR(CONCAT(s, n), CONCAT('-', n))"),
    ("MID(s, 2, 3)", "SUBSTRING(s, 2, 3)"),
    ("(n > 1) XOR (id > 9)", "(n > 1 AND NOT id > 9) OR (NOT n > 1 AND id > 9)"),
]
SAME_CONDITIONS = [
    ("at > DATE_SUB(NOW(), INTERVAL 100 DAY) AND n > 0", "n > 0 AND at > now() - INTERVAL 100 DAY"),
    ("NOW() - INTERVAL 2500 DAY < at", "at > NOW() - INTERVAL 2500 DAY"),
    ("d + INTERVAL 1 MONTH >= '2020-03-29'", "'2020-03-29' <= DATE_ADD(d, INTERVAL 1 MONTH)"),
    ("EXTRACT(YEAR FROM d) = 2020 AND n > 0", "n > 0 AND 2020 = YEAR(d)"),
    ("CURDATE() >= e", "e <= CURRENT_DATE"),
    (
        "n IN (FLOOR((n + 1) / 2), CEIL(n)) AND id > 0",
        "id > 0 AND n IN (FLOOR((n + 1) / 2), CEIL(n))",
    ),
    ("d - e > 8871 AND n > 0", "n > 0 AND 8871 < d - e"),
    ("h < '13:00:00' AND n > 0", "0 < n AND NOT h >= '13:00:00'"),
    ("n > 1 XOR id < 9", "(n > 1 AND id >= 9) OR (n <= 1 AND id < 9)"),
    ("at - INTERVAL 1 DAY > e - INTERVAL 1 MONTH", "e - INTERVAL 1 MONTH < at - INTERVAL 1 DAY"),
]
SAME_QUERIES = [
    ("SELECT n FROM t GROUP BY n ORDER BY NULL", "SELECT DISTINCT n FROM t"),
    (
        "SELECT COUNT(DISTINCT n, d) FROM t WHERE id > 3 OR n > 0",
        "SELECT COUNT(*) FROM (SELECT DISTINCT d, n FROM t WHERE (n > 0 OR id > 3)"
        " AND d IS NOT NULL AND n IS NOT NULL) x",
    ),
    ("SELECT COUNT(DISTINCT id, n) FROM t", "SELECT COUNT(n) FROM t"),
]
NEAR = [
    ("LOCATE('2', s)", "LOCATE(s, '2')"),
    ("LOCATE('2', s)", "LOCATE('2', s, 2)"),
    ("MID(s, 2, 3)", "SUBSTRING(s, 2)"),
    ("YEAR(h)", "EXTRACT(YEAR FROM h)"),
    ("HOUR(h)", "EXTRACT(HOUR FROM h)"),
    ("DAY(s)", "EXTRACT(DAY FROM s)"),
    ("DAY(n)", "EXTRACT(DAY FROM n)"),
    ("DAY(y)", "EXTRACT(DAY FROM y)"),
    ("WEEK(d)", "EXTRACT(WEEK FROM d)"),
    ("YEAR(d)", "EXTRACT(MONTH FROM d)"),
    ("d + INTERVAL 1 MONTH", "d + INTERVAL 30 DAY"),
    ("d + INTERVAL 1 DAY", "d - INTERVAL 1 DAY"),
    ("h - INTERVAL 7 DAY", "h - INTERVAL 1 WEEK"),
    ("d - at", "at - d"),
    ("DATE_ADD(d, INTERVAL n DAY)", "DATE_ADD(d, INTERVAL n MONTH)"),
    ("DATE_ADD(d, INTERVAL n DAY)", "DATE_ADD(d, INTERVAL -n DAY)"),
    ("DATE(DATE_ADD(CURDATE(), INTERVAL 1 HOUR))", "DATE_ADD(CURDATE(), INTERVAL 1 HOUR)"),
    ("DATE(DATE_ADD(at, INTERVAL 1 DAY))", "DATE_ADD(at, INTERVAL 1 DAY)"),
    ("DATE(NOW())", "NOW()"),
    ("d - at", "DATEDIFF(d, at)"),
    ("d - at", "d - DATE(at)"),
    ("n + d + INTERVAL 1 DAY", "n + DATE_ADD(d, INTERVAL 1 DAY)"),
    ("d + INTERVAL 1 MONTH - INTERVAL 1 DAY", "d - INTERVAL 1 DAY + INTERVAL 1 MONTH"),
]
NEAR_CONDITIONS = [
    ("n IN (FLOOR((n * 3) / 2), 7)", "n IN (CEIL((n * 3) / 2), 7)"),
    ("h < '00:00:00'", "h <= '00:00:00'"),
    ("h > '24:00:00'", "h > '08:00:00'"),
    ("at - d > 20201211034728.9", "at - d >= 20201211034728.9"),
    ("d + INTERVAL 1 MONTH > '2020-03-29'", "'2020-03-29' > d + INTERVAL 1 MONTH"),
    ("d + INTERVAL 1 MONTH >= '2020-03-29'", "'2020-03-29' < d + INTERVAL 1 MONTH"),
]
NEAR_QUERIES = [
    ("SELECT COUNT(DISTINCT n, id) FROM t", "SELECT COUNT(DISTINCT n) FROM t"),
    ("SELECT id FROM t WHERE n > 1 XOR id < 9", "SELECT id FROM t WHERE n > 1 OR id < 9"),
    (
        "SELECT year(d) FROM (SELECT h AS d FROM t) x",
        "SELECT EXTRACT(YEAR FROM d) FROM (SELECT h AS d FROM t) x",
    ),
    (
        "SELECT h AS d FROM t HAVING year(d) = 0",
        "SELECT h AS d FROM t HAVING EXTRACT(YEAR FROM d) = 0",
    ),
    (
        "SELECT h 'd' FROM t HAVING year(d) = 0",
        "SELECT h 'd' FROM t HAVING EXTRACT(YEAR FROM d) = 0",
    ),
]


def queries(one: str, other: str) -> tuple[str, str]:
    """Two queries that show these values."""
    return f"SELECT id, {one} FROM t WHERE id > 0", f"SELECT id, {other} FROM t WHERE 0 < id"


def filters(one: str, other: str) -> tuple[str, str]:
    """Two queries with these conditions."""
    return f"SELECT id FROM t WHERE {one}", f"SELECT id FROM t WHERE {other}"


ALL_SAME = [*(queries(*pair) for pair in SAME), *(filters(*pair) for pair in SAME_CONDITIONS)]
ALL_SAME += SAME_QUERIES
ALL_NEAR = [*(queries(*pair) for pair in NEAR), *(filters(*pair) for pair in NEAR_CONDITIONS)]
ALL_SAME += [
    ("SELECT 1 + (SELECT MAX(n) FROM t) AS x FROM DUAL", "SELECT 1 + (SELECT MAX(n) FROM t) AS x"),
    (
        "SELECT n FROM t UNION ALL SELECT COUNT(*) FROM dual WHERE 1 = 0",
        "SELECT n FROM t UNION ALL SELECT COUNT(*) WHERE 1 = 0",
    ),
]
ALL_NEAR += NEAR_QUERIES
ALL_NEAR += [("SELECT 1 FROM dual WHERE EXISTS (SELECT 1 FROM t)", "SELECT 1 FROM t")]


@pytest.mark.parametrize(("one", "other"), ALL_SAME)
def test_other_words_for_the_same_are_proved(one: str, other: str) -> None:
    proof = prove(one, other, SCHEMA, dialect="mysql")
    assert isinstance(proof, Proof), proof
    assert check_proof(proof, SCHEMA).holds


@pytest.mark.parametrize(("one", "other"), ALL_NEAR)
def test_words_for_something_else_are_not(one: str, other: str) -> None:
    assert not isinstance(prove(one, other, SCHEMA, dialect="mysql"), Proof)


@pytest.fixture(scope="module")
def cursor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cursor on the table, with dates that are none."""
    with database_of("mysql", tmp_path_factory.mktemp("db"), _TABLES) as db:
        import pymysql

        parts = urlsplit(db)
        connection = pymysql.connect(
            host=parts.hostname,
            port=parts.port or 3306,
            user=parts.username,
            database=parts.path.strip("/"),
            charset="utf8mb4",
        )
        with closing(connection), connection.cursor() as cursor:
            cursor.execute("SET SESSION sql_mode = ''")
            for number in range(len(MOMENTS) * len(OTHERS)):
                moment = MOMENTS[number % len(MOMENTS)]
                row = (number + 1, moment, moment or "0000-00-00", moment)
                row += OTHERS[number % len(OTHERS)]
                cursor.execute("INSERT IGNORE INTO t VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", row)
            connection.commit()
            yield cursor


def _rows(cursor: Any, sql: str) -> list[str]:
    cursor.execute(sql)
    return sorted(map(repr, cursor.fetchall()))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["", "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE"])
def test_other_words_for_the_same_give_the_same_rows(cursor: Any, mode: str) -> None:
    cursor.execute(f"SET SESSION sql_mode = '{mode}'")
    assert [pair for pair in ALL_SAME if _rows(cursor, pair[0]) != _rows(cursor, pair[1])] == []


@pytest.mark.slow
def test_words_for_something_else_give_other_rows(cursor: Any) -> None:
    same = [pair for pair in ALL_NEAR if _rows(cursor, pair[0]) == _rows(cursor, pair[1])]
    assert same == []


def test_contains_is_no_test_of_texts() -> None:
    """There it is one of shapes, and fails."""
    columns = (Column("id", "integer"), Column("s", "varchar(20) COLLATE utf8mb4_nopad_bin"))
    schema = Schema("mysql", (Table("t", columns),), "ddl")
    pair = ("SELECT id FROM t WHERE CONTAINS(s, 'a')", "SELECT id FROM t WHERE s LIKE '%a%'")
    assert not isinstance(prove(*pair, schema, dialect="mysql"), Proof)
