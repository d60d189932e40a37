"""Pairs that differ on a legal database, each of which was proved once.

Every pair is run on rows that tell its queries apart, so that a pair which is no longer different
(another SQLite) fails here and not somewhere else.
"""

from __future__ import annotations

import sqlite3

import pytest

from sqlverdict.parse.facts import column_affinity, names_integers
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.tree import resolve_tree
from sqlverdict.records import Contract, Query

TABLES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, m INTEGER NOT NULL, n INTEGER, s TEXT, r REAL, x);
CREATE TABLE u (k INTEGER PRIMARY KEY, f TEXT, w INTEGER);
CREATE TABLE point (id INTEGER PRIMARY KEY, v FLOATING POINT, z INTERVAL);
"""
SCHEMA = read_ddl(TABLES, "shop")

ORDERED = "INSERT INTO t (id, m, n) VALUES (1, 1, 1), (2, 3, 1), (3, 2, 2); INSERT INTO u VALUES (1, '1', 1), (2, '2', 3), (3, '3', 2)"

INNER_ORDER = [
    "SELECT m FROM (SELECT m FROM t ORDER BY m{}) LIMIT 1",
    "SELECT m FROM (SELECT m FROM t ORDER BY m{}) LIMIT 9 OFFSET 1",
    "WITH d AS (SELECT m FROM t ORDER BY m{}) SELECT m FROM d LIMIT 1",
    "WITH d AS (SELECT m FROM t ORDER BY m{}), e AS (SELECT m FROM d) SELECT m FROM e LIMIT 1",
    "SELECT group_concat(m) FROM (SELECT m FROM t ORDER BY m{})",
    "SELECT json_group_array(m) FROM (SELECT m FROM t ORDER BY m{})",
    "SELECT n, group_concat(m) FROM (SELECT m, n FROM t ORDER BY m{}) GROUP BY n",
    "SELECT m FROM (SELECT m, n FROM t ORDER BY m{}) GROUP BY n",
    "SELECT m, COUNT(*) FROM (SELECT m, n FROM t ORDER BY m{}) GROUP BY n",
    "SELECT (SELECT m FROM (SELECT m FROM t ORDER BY m{}))",
    "SELECT id FROM t WHERE m = (SELECT m FROM (SELECT m FROM t ORDER BY m{}))",
    "SELECT id FROM t WHERE m IN ((SELECT m FROM t ORDER BY m{}))",
    "WITH d AS (SELECT m FROM t ORDER BY m{}) SELECT id FROM t WHERE m = (SELECT m FROM d)",
    "SELECT m FROM (SELECT m FROM (SELECT m, n FROM t ORDER BY m{}) WHERE n > 0) LIMIT 1",
    "SELECT m, ROW_NUMBER() OVER () FROM (SELECT m FROM t ORDER BY m{})",
    "SELECT * FROM (SELECT m FROM t ORDER BY m{}) UNION ALL SELECT w FROM u LIMIT 1",
    "SELECT * FROM (SELECT * FROM (SELECT m FROM t ORDER BY m{}) UNION ALL SELECT 9) LIMIT 1",
    "SELECT k FROM u WHERE k IN (SELECT m FROM (SELECT m FROM t ORDER BY m{}) LIMIT 1)",
    "SELECT DISTINCT m FROM (SELECT m FROM t ORDER BY m{}) LIMIT 1",
    "SELECT k FROM u WHERE EXISTS (SELECT 1 FROM (SELECT m FROM (SELECT m FROM t ORDER BY m{}) LIMIT 1) WHERE m = k)",
]

JOINED = [
    "SELECT d.m FROM (SELECT m FROM t ORDER BY m{}) AS d JOIN u ON d.m = u.k LIMIT 1",
    "SELECT d.m FROM (SELECT m FROM t ORDER BY m{}) AS d, u WHERE d.m = u.k LIMIT 1",
    "SELECT d.m FROM u LEFT JOIN (SELECT m FROM t ORDER BY m{}) AS d ON d.m = u.k LIMIT 1",
]
"""This SQLite drops an inner order beside a join; others may keep it."""

LARGE = "INSERT INTO t (m) VALUES (1), (1), (9007199254740993)"
"""TOTAL rounds each sum on its way, SUM none."""
OTHERS = {
    "TOTAL of large integers, cast": (
        "SELECT CAST(TOTAL(m) AS INTEGER) FROM t",
        "SELECT CAST(CAST(COALESCE(SUM(m), 0) AS REAL) AS INTEGER) FROM t",
        LARGE,
    ),
    "TOTAL of large integers, compared": (
        "SELECT TOTAL(m) > 9007199254740994 FROM t",
        "SELECT CAST(COALESCE(SUM(m), 0) AS REAL) > 9007199254740994 FROM t",
        LARGE,
    ),
    "TOTAL of large integers behind a query": (
        "SELECT x - 9007199254740994 FROM (SELECT TOTAL(m) AS x FROM t)",
        "SELECT x - 9007199254740994 FROM (SELECT CAST(COALESCE(SUM(m), 0) AS REAL) AS x FROM t)",
        LARGE,
    ),
    "a part of a BLOB without bytes": (
        "SELECT id FROM t WHERE SUBSTR(x, 1, 1) IS NULL",
        "SELECT id FROM t WHERE x IS NULL",
        "INSERT INTO t (m, x) VALUES (1, x'')",
    ),
    "a part of a BLOB that is not NULL": (
        "SELECT COALESCE(SUBSTR(x, 1, 1), 'z') FROM t WHERE x IS NOT NULL",
        "SELECT SUBSTR(x, 1, 1) FROM t WHERE x IS NOT NULL",
        "INSERT INTO t (m, x) VALUES (1, x'')",
    ),
    "a text that is compared, and is a condition by itself": (
        "SELECT id FROM t WHERE s > '1' AND s",
        "SELECT id FROM t WHERE FALSE",
        "INSERT INTO t (m, s) VALUES (1, '2')",
    ),
    "the last aggregate of a query without GROUP BY": (
        "SELECT COUNT(m) IS NULL FROM t",
        "SELECT FALSE FROM t",
        "INSERT INTO t (m) VALUES (1), (2)",
    ),
    "a CASE that WHERE decides, beside an aggregate over no rows": (
        "SELECT CASE WHEN m > 1 THEN n ELSE 5 END, COUNT(*) FROM t WHERE m > 1",
        "SELECT n, COUNT(*) FROM t WHERE m > 1",
        "",
    ),
    "a text with a sign is a number, which is a text beside texts": (
        "SELECT m FROM t GROUP BY m HAVING MAX(s) < -'5'",
        "SELECT DISTINCT m FROM t WHERE s < -'5'",
        "INSERT INTO t (m, s) VALUES (1, '')",
    ),
    "the last aggregate beside a constant": (
        "SELECT COUNT(*) IS NULL AND FALSE FROM t",
        "SELECT FALSE FROM t",
        "INSERT INTO t (m) VALUES (1), (2)",
    ),
    "the last aggregate over no rows": (
        "SELECT DISTINCT COUNT(*) IS NOT NULL FROM t",
        "SELECT DISTINCT TRUE FROM t",
        "",
    ),
    "the last aggregate of a subquery for one value, over no rows": (
        "SELECT COALESCE((SELECT COUNT(*) IS NULL FROM t WHERE n = 5),"
        " CASE WHEN m IS n THEN 0.0 END) FROM t",
        "SELECT COALESCE((SELECT FALSE FROM t WHERE n = 5), CASE WHEN m IS n THEN 0.0 END) FROM t",
        "INSERT INTO t (m) VALUES (2)",
    ),
    "a fraction in a comparison": (
        "SELECT id FROM t WHERE m * 1.0 / n * 100 > 55",
        "SELECT id FROM t WHERE m * 100.0 / n > 55",
        "INSERT INTO t (m, n) VALUES (55, 100)",
    ),
    "a fraction in IN": (
        "SELECT id FROM t WHERE m * 1.0 / n * 100 IN (55)",
        "SELECT id FROM t WHERE m * 100.0 / n IN (55)",
        "INSERT INTO t (m, n) VALUES (55, 100)",
    ),
    "a fraction in CASE": (
        "SELECT CASE WHEN m * 1.0 / n * 100 > 55 THEN 1 ELSE 0 END FROM t",
        "SELECT CASE WHEN m * 100.0 / n > 55 THEN 1 ELSE 0 END FROM t",
        "INSERT INTO t (m, n) VALUES (55, 100)",
    ),
    "a fraction in HAVING": (
        "SELECT n FROM t GROUP BY n HAVING SUM(m) * 1.0 / n * 100 > 55",
        "SELECT n FROM t GROUP BY n HAVING SUM(m) * 100.0 / n > 55",
        "INSERT INTO t (m, n) VALUES (55, 100)",
    ),
    "a fraction in CAST": (
        "SELECT CAST(m * 1.0 / n * 100 AS INTEGER) FROM t",
        "SELECT CAST(m * 100.0 / n AS INTEGER) FROM t",
        "INSERT INTO t (m, n) VALUES (29, 100)",
    ),
    "a fraction as text": (
        "SELECT (m * 1.0 / n * 100) || '' FROM t",
        "SELECT (m * 100.0 / n) || '' FROM t",
        "INSERT INTO t (m, n) VALUES (57, 13)",
    ),
    "a fraction in ORDER BY": (
        "SELECT m FROM t ORDER BY m * 1.0 / n * 100 DESC, m LIMIT 1",
        "SELECT m FROM t ORDER BY m * 100.0 / n DESC, m LIMIT 1",
        "INSERT INTO t (m, n) VALUES (94911250, 94911251), (94911251, 94911252)",
    ),
    "a fraction that is rounded": (
        "SELECT ROUND(m * 1.0 / n * 100) FROM t",
        "SELECT ROUND(m * 100.0 / n) FROM t",
        "INSERT INTO t (m, n) VALUES (285, 1000)",
    ),
    "a fraction in GROUP BY": (
        "SELECT COUNT(*) FROM t GROUP BY m * 1.0 / n * 100",
        "SELECT COUNT(*) FROM t GROUP BY m * 100.0 / n",
        "INSERT INTO t (m, n) VALUES (94911250, 94911251), (94911251, 94911252)",
    ),
    "a letter as escape character": (
        "SELECT id FROM t WHERE s LIKE 'xA%' ESCAPE 'A'",
        "SELECT id FROM t WHERE s LIKE 'xa%' ESCAPE 'A'",
        "INSERT INTO t (m, s) VALUES (1, 'xab'), (1, 'x%')",
    ),
    "INT in a type by accident": (
        "SELECT id FROM point WHERE v > 2",
        "SELECT id FROM point WHERE v >= 3",
        "INSERT INTO point VALUES (1, 2.5, 2.5)",
    ),
    "INT in another type by accident": (
        "SELECT id FROM point WHERE z < 3",
        "SELECT id FROM point WHERE z <= 2",
        "INSERT INTO point VALUES (1, 2.5, 2.5)",
    ),
    "integers beyond 64 bits compared": (
        "SELECT id FROM t WHERE 9223372036854775808 = 9223372036854775809",
        "SELECT id FROM t WHERE 1 = 2",
        "INSERT INTO t (m) VALUES (1)",
    ),
    "integers beyond 64 bits subtracted": (
        "SELECT 9223372036854775809 - 9223372036854775808",
        "SELECT 1",
        "",
    ),
    "bounds beyond 64 bits": (
        "SELECT id FROM t WHERE r = 9223372036854775809 AND r > 9223372036854775808",
        "SELECT id FROM t WHERE r = 9223372036854775809",
        "INSERT INTO t (m, r) VALUES (1, 9223372036854775809)",
    ),
    "infinities subtracted": (
        "SELECT COUNT(r - x) FROM t WHERE r IS NOT NULL AND x IS NOT NULL",
        "SELECT COUNT(*) FROM t WHERE r IS NOT NULL AND x IS NOT NULL",
        "INSERT INTO t (m, r, x) VALUES (1, 9e999, 9e999)",
    ),
    "IN over a UNION of texts and numbers": (
        "SELECT f FROM u WHERE f IN (SELECT s FROM t UNION SELECT m FROM t)",
        "SELECT f FROM u WHERE f IN (SELECT s FROM t) OR f IN (SELECT m FROM t)",
        "INSERT INTO t (m, s) VALUES (7, '1'); INSERT INTO u VALUES (1, '01', 1)",
    ),
    "groups of texts that are one number": (
        "SELECT m FROM t WHERE id IN (SELECT f FROM u GROUP BY f HAVING COUNT(*) = 1)",
        "SELECT t.m FROM t, u WHERE t.id = u.f GROUP BY t.id HAVING COUNT(*) = 1",
        "INSERT INTO t (id, m) VALUES (1, 7); INSERT INTO u VALUES (1, '1', 1), (2, '01', 1)",
    ),
    "EXISTS over an aggregate": (
        "SELECT id FROM t WHERE n IS NOT NULL AND EXISTS (SELECT COUNT(*) FROM u WHERE w = t.n)",
        "SELECT id FROM t WHERE EXISTS (SELECT COUNT(*) FROM u WHERE w = t.n)",
        "INSERT INTO t (m) VALUES (1)",
    ),
    "a sum of 1.0 divided": (
        "SELECT m, SUM(CASE WHEN n > 1 THEN 1.0 ELSE 0 END) / COUNT(*) FROM t GROUP BY m",
        "SELECT m, COUNT(CASE WHEN n > 1 THEN 1 END) / COUNT(*) FROM t GROUP BY m",
        "INSERT INTO t (m, n) VALUES (1, 1), (1, 2)",
    ),
    "a sum with FILTER": (
        "SELECT m, SUM(1) FILTER (WHERE n > 1) FROM t GROUP BY m",
        "SELECT m, COUNT(*) FILTER (WHERE n > 1) FROM t GROUP BY m",
        "INSERT INTO t (m, n) VALUES (1, 1)",
    ),
    "a window with FILTER is no aggregate": (
        "SELECT COUNT(*) FILTER (WHERE n > 1) OVER () FROM t LIMIT 1",
        "SELECT COUNT(*) FILTER (WHERE n > 1) OVER () FROM t",
        "INSERT INTO t (m, n) VALUES (1, 1), (1, 2)",
    ),
    "a window before LIMIT": (
        "SELECT s, ROW_NUMBER() OVER (ORDER BY s) FROM t WHERE id = (SELECT MAX(id) FROM t)",
        "SELECT s, ROW_NUMBER() OVER (ORDER BY s) FROM t ORDER BY id DESC LIMIT 1",
        "INSERT INTO t (m, s) VALUES (1, 'a'), (1, 'b')",
    ),
    "a collation deep inside an operand": (
        "SELECT id FROM t, u WHERE (s COLLATE NOCASE) || '' = (f COLLATE BINARY) || ''",
        "SELECT id FROM t, u WHERE (f COLLATE BINARY) || '' = (s COLLATE NOCASE) || ''",
        "INSERT INTO t (m, s) VALUES (1, 'a'); INSERT INTO u VALUES (1, 'A', 1)",
    ),
    "a query read twice, once as a condition": (
        "SELECT u.k, COUNT(t.m) FROM u LEFT JOIN t ON t.n = u.k GROUP BY u.k HAVING COUNT(t.m) > 0",
        "SELECT u.k, (SELECT COUNT(*) FROM t WHERE n IS NOT NULL) FROM t JOIN u ON u.k = t.n"
        " GROUP BY u.k",
        "INSERT INTO u (k) VALUES (1), (2); INSERT INTO t (m, n) VALUES (1, 1), (1, 1), (1, 2)",
    ),
    "NOT IN an empty list": (
        "SELECT id FROM t WHERE n NOT IN ()",
        "SELECT id FROM t WHERE n NOT IN () AND n IS NOT NULL",
        "INSERT INTO t (m) VALUES (1)",
    ),
    "a UNION of integers and reals inside": (
        "SELECT c / 2 FROM (SELECT m + 0 AS c FROM t UNION SELECT r + 0 FROM t)",
        "SELECT c / 2 FROM (SELECT r + 0 AS c FROM t UNION SELECT m + 0 FROM t)",
        "INSERT INTO t (m, r) VALUES (3, 3.0)",
    ),
    "an ordinal in parentheses": (
        "SELECT m, n FROM t ORDER BY (2) LIMIT 1",
        "SELECT m, n FROM t LIMIT 1",
        "INSERT INTO t (m, n) VALUES (1, 2), (2, 1)",
    ),
    "a text that a query makes ends at a NUL character for LIKE": (
        "SELECT id FROM (SELECT DISTINCT id, s || CAST(x'00' AS TEXT) AS z FROM t)"
        " WHERE z LIKE '1'",
        "SELECT id FROM (SELECT DISTINCT id, s || CAST(x'00' AS TEXT) AS z FROM t) WHERE z = '1'",
        "INSERT INTO t (m, s) VALUES (1, '1')",
    ),
    "a text of a NUL character is empty for LIKE": (
        "SELECT id FROM (SELECT DISTINCT id, s || CAST(x'00' AS TEXT) AS z FROM t)"
        " WHERE z LIKE '_%'",
        "SELECT id FROM (SELECT DISTINCT id, s || CAST(x'00' AS TEXT) AS z FROM t) WHERE z <> ''",
        "INSERT INTO t (m, s) VALUES (1, '')",
    ),
    "an alias in parentheses": (
        "SELECT -m AS m FROM t ORDER BY (m) LIMIT 1",
        "SELECT -m AS m FROM t ORDER BY t.m LIMIT 1",
        "INSERT INTO t (m) VALUES (1), (2)",
    ),
    "the only aggregate tested for NULL": (
        "SELECT COUNT(n) IS NULL FROM t",
        "SELECT 1 = 2 FROM t",
        "INSERT INTO t (m) VALUES (1), (2)",
    ),
    "the only aggregate overruled by a constant": (
        "SELECT COUNT(*) > 5 OR 1 FROM t",
        "SELECT 1 = 1 FROM t",
        "INSERT INTO t (m) VALUES (1), (2)",
    ),
    "the affinity of a column that several queries give": (
        "SELECT 1 WHERE 1 IN (SELECT s FROM (SELECT s, n FROM t UNION ALL SELECT n, s FROM t))",
        "SELECT 1 WHERE 1 IN (SELECT s FROM t UNION ALL SELECT n FROM t)",
        "INSERT INTO t (m, s) VALUES (1, ' 1')",
    ),
    "an aggregate in a row value": (
        "SELECT id FROM t GROUP BY id HAVING (MAX(s), 1) = (5, 1)",
        "SELECT id FROM t GROUP BY id HAVING (s, 1) = (5, 1)",
        "INSERT INTO t (m, s) VALUES (1, '5')",
    ),
}


def answers(rows: str, *queries: str) -> list[list[tuple[object, ...]]]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(TABLES)
        connection.executescript(rows)
        return [connection.execute(sql).fetchall() for sql in queries]
    finally:
        connection.close()


@pytest.mark.parametrize("query", INNER_ORDER)
def test_an_inner_order_that_shows_is_not_dropped(query: str) -> None:
    rising, falling = query.format(""), query.format(" DESC")
    one, other = answers(ORDERED, rising, falling)
    assert one != other
    assert not prove(rising, falling, SCHEMA).proved
    assert not prove(falling, rising, SCHEMA).proved
    assert not prove(rising, query.replace(" ORDER BY m{}", "", 1), SCHEMA).proved


@pytest.mark.parametrize("query", JOINED)
def test_an_inner_order_beside_a_join_is_not_dropped(query: str) -> None:
    assert not prove(query.format(""), query.format(" DESC"), SCHEMA).proved


@pytest.mark.parametrize("cause", OTHERS)
def test_pairs_that_differ_are_not_proved(cause: str) -> None:
    left, right, rows = OTHERS[cause]
    one, other = answers(rows, left, right)
    assert one != other, "the rows no longer tell the two queries apart"
    assert not prove(left, right, SCHEMA).proved
    assert not prove(right, left, SCHEMA).proved


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("SELECT m FROM (SELECT m FROM t ORDER BY m)", "SELECT m FROM t"),
        ("SELECT COUNT(*) FROM (SELECT m FROM t ORDER BY m)", "SELECT COUNT(*) FROM t"),
        (
            "SELECT m FROM (SELECT m FROM t ORDER BY m DESC) LIMIT 1",
            "SELECT m FROM t ORDER BY m DESC LIMIT 1",
        ),
        (
            "WITH d AS (SELECT m, n FROM t ORDER BY n DESC) SELECT m FROM d LIMIT 3",
            "SELECT m FROM t ORDER BY n DESC LIMIT 3",
        ),
        (
            "SELECT id FROM t WHERE s LIKE '%A!%' ESCAPE '!'",
            "SELECT id FROM t WHERE s LIKE '%a!%' ESCAPE '!'",
        ),
        ("SELECT m * 1.0 / n * 100 FROM t", "SELECT CAST(m AS REAL) * 100 / n FROM t"),
        ("SELECT (SELECT AVG(m) FROM t)", "SELECT (SELECT SUM(m) * 1.0 / COUNT(m) FROM t)"),
        ("SELECT id FROM t WHERE n > 2", "SELECT id FROM t WHERE n >= 3"),
    ],
)
def test_what_is_equal_is_proved_as_before(left: str, right: str) -> None:
    assert prove(left, right, SCHEMA).proved


def test_no_proof_where_the_case_compares_the_order_in_which_rows_come() -> None:
    contract = Contract(order="respect")
    assert not prove(
        "SELECT m FROM t", "SELECT m FROM t ORDER BY m", SCHEMA, contract=contract
    ).proved


def test_no_rounding_in_a_proof_where_the_case_asks_for_all_digits() -> None:
    pair = ("SELECT m * 1.0 / n * 100 FROM t", "SELECT m * 100.0 / n FROM t")
    assert prove(*pair, SCHEMA).proved
    assert not prove(*pair, SCHEMA, contract=Contract(float_rel=0.0, float_abs=0.0)).proved


@pytest.mark.parametrize(
    "declared",
    ["INT", "integer", "BIGINT(20)", "UNSIGNED BIG INT", "SMALLINT UNSIGNED", "INT8", "TINYINT"],
)
def test_names_of_integers_are_taken_at_their_word(declared: str) -> None:
    assert names_integers(declared)
    assert column_affinity(declared) == "INTEGER"


@pytest.mark.parametrize("declared", ["FLOATING POINT", "POINT", "INTERVAL", "PRINT", "CHARINT"])
def test_int_among_the_letters_of_a_type_promises_no_integers(declared: str) -> None:
    assert not names_integers(declared)
    assert column_affinity(declared) == "NUMERIC"


def test_a_bare_count_of_groups_is_beyond_the_rules() -> None:
    """Where each group is one row, version 0.1 rewrote the count to the constant 1.

    No pair makes that a wrong proof, because a query with the constant itself was refused. The
    form is wrong all the same: over no rows SQLite shows NULL for the count and 1 for the constant.
    """
    sql = "SELECT AVG(c), c FROM (SELECT id, COUNT(*) AS c FROM t GROUP BY id) AS d"
    form = "SELECT AVG(c), c FROM (SELECT 1 AS c FROM t) AS d"
    assert answers("", sql, form) == [[(None, None)], [(None, 1)]]
    query = parse(sql)
    assert isinstance(query, Query)
    with pytest.raises(Unsupported, match="beside an aggregate"):
        resolve_tree(query.tree, SCHEMA)
    assert not prove(sql, form, SCHEMA).proved


def test_a_collation_that_orders_what_has_no_order_says_nothing() -> None:
    proof = prove("SELECT id FROM t", "SELECT id FROM t ORDER BY s COLLATE NOCASE", SCHEMA)
    assert isinstance(proof, Proof)
    assert check_proof(proof, SCHEMA).holds
