"""What may fail keeps its place: each pair was proved once, and one of its queries fails on legal rows."""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import scratch_of

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer, Failure

TABLES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, m INTEGER NOT NULL, n INTEGER, s TEXT, r REAL, x);
CREATE TABLE u (k INTEGER PRIMARY KEY, f TEXT, w INTEGER);
"""


@pytest.mark.parametrize(
    "term",
    [
        *("json_extract(s, '$.a')", "s -> '$.a'", "json_type(s)", "(SELECT MAX(json(f)) FROM u)"),
        *("ntile(n) OVER (ORDER BY id)", "nth_value(s, n) OVER (ORDER BY id)"),
        *("SUM(m) OVER (ORDER BY id ROWS n PRECEDING)", "s MATCH 'a'", "zeroblob(m)"),
        "s LIKE 'a' ESCAPE 'xx'",
    ],
)
def test_what_may_fail_is_not_dropped(term: str) -> None:
    plain, ordered = "SELECT id FROM t", f"SELECT id FROM t ORDER BY {term}"
    derived = f"SELECT id FROM (SELECT id, {term} AS z FROM t) AS d"
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    connection.executescript("INSERT INTO t VALUES (1, 9e15, -1, 'x', 0, 0)")
    connection.executescript("INSERT INTO u VALUES (1, 'x', 0)")
    schema = read_ddl(TABLES, "shop")
    for other in (ordered, derived):
        assert not isinstance(prove(plain, other, schema), Proof)
    with pytest.raises(sqlite3.Error):
        connection.execute(ordered).fetchall()
    other = ordered.replace("FROM t", "FROM t AS x")
    assert isinstance(prove(ordered, other, schema), Proof)


@pytest.mark.parametrize(
    ("dialect", "term"),
    [("postgres", "1 / v"), ("postgres", "CAST(s AS INTEGER)"), ("duckdb", "CAST(s AS INTEGER)")],
)
def test_an_order_that_may_fail_is_not_dropped(dialect: str, term: str) -> None:
    ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER NOT NULL, s VARCHAR(9))"
    schema = read_ddl(ddl, dialect)
    plain, ordered = "SELECT id FROM t", f"SELECT id FROM t ORDER BY {term}"
    assert not isinstance(prove(plain, ordered, schema, dialect=dialect), Proof)
    proof = prove(plain, "SELECT id FROM t ORDER BY v", schema, dialect=dialect)
    assert isinstance(proof, Proof)
    # The checker, too, looks at the order before it is dropped.
    forged = replace(proof, prediction_sql=ordered, reading=2)
    assert not check_proof(forged, schema).holds
    with scratch_of(dialect, schema) as scratch:
        assert scratch.load({"t": ((1, 0, "x"), (2, 1, "y"))})
        assert isinstance(scratch.run(plain), Answer)
        assert isinstance(scratch.run(ordered), Failure)


ROWS_THAT_FAIL: dict[str, tuple[str, tuple[object, ...]]] = {
    "postgres": (
        "d DATE, e DATE, m TIMESTAMP, n NUMERIC(8, 2), r DOUBLE PRECISION, s TEXT, k INTEGER,"
        " g INT4RANGE, h INT4RANGE, v INTERVAL, l INTEGER[], a INET, p MONEY",
        (
            *("infinity", "2020-01-01", "-infinity", 5, "NaN", "a\\", 99999),
            *("[1,2)", "[5,6)", "1 day", "{{1,2}}", "255.255.255.255", "1"),
        ),
    ),
    "duckdb": (
        "m TIMESTAMP, d DATE, b BIGINT, k INTEGER, s VARCHAR, l INTEGER[], u UINTEGER, r DOUBLE,"
        " v INTERVAL, z INTEGER",
        ("infinity", "2020-01-01", 2**53, -300, "ab", "[1, 2]", 3, "nan", "1 day", 0),
    ),
    "mysql": ("a INTEGER UNSIGNED, b INTEGER UNSIGNED, c INTEGER", (3, 5, -1)),
}
"""Columns and a row of them, on which these terms fail:"""
TERMS_THAT_FAIL = {
    "postgres": (
        *("d - e", "m - e", "CURRENT_DATE - d", "NOW() - m", "ROUND(d - e)"),
        *("EXTRACT(DAY FROM m - e)", "AGE(m)", "AGE(m, e)", "EXTRACT(DAY FROM AGE(m, e))"),
        *("TO_CHAR(n, '9V9.9')", "TO_CHAR(n, '9.9.9')", "TO_TIMESTAMP(r)", "CAST(k AS SMALLINT)"),
        *("CAST(r AS INTEGER)", "CAST(r AS BIGINT)", "ROUND(r)::int", "EXTRACT(YEAR FROM d)::int"),
        *("s LIKE s", "s LIKE 'a\\'", "s ~ '('", "s ~* '[a'", "CONCAT(s, s) LIKE s"),
        *("CAST(e AS TIMESTAMP) AT TIME ZONE 'Nowhere/X'", "TIMEZONE('Nowhere', NOW())"),
        *("g + h", "v * r", "p * r", "INTERVAL '1 day' * r", "e + INTERVAL '1 day' * r / 2"),
        *(
            "a + 1",
            "v / NULLIF(r, 0)",
            "e - v / NULLIF(r, 0)",
            "l || k",
            "l || l || ARRAY[1, 2, 3]",
        ),
    ),
    "duckdb": (
        *("m - TIMESTAMP '2020-01-01 00:00:00'", "m - d", "now() - m", "month(m - m)"),
        *("left(s, b)", "substring(s, b, 1)", "s[b]", "list_extract(s, b)", "CAST(b AS TINYINT)"),
        *("CAST(k AS UINTEGER)", "CAST(k AS UBIGINT)", "list_slice(l, 1, 2, 0)", "u - 5", "-u"),
        *("list_transform(l, lambda y: 1 // (y - 1))", "[y // (y - 2) FOR y IN l]"),
        *("list_transform(l, lambda y: CAST(y - 300 AS UTINYINT))", "k + 1 // 0"),
        *("list_filter(l, lambda y: CAST(concat('x', y) AS INTEGER) > 1)", "round(u - 5)"),
        *("CASE WHEN round(k) < 1 THEN 1 // 0 END", "CAST(r AS INTEGER)", "round(r)::BIGINT"),
        *("v * r", "INTERVAL '1 day' * r", "v / z", "d + INTERVAL '1 day' / z"),
    ),
    "mysql": ("a - b", "a - 5", "a * c", "a + c - 9", "CAST(b AS UNSIGNED) - 6", "ROUND(a - b)"),
}
TERMS_THAT_NEVER_FAIL = {
    "postgres": (
        *("d - 3", "ROUND(n - k, 1)", "d - INTERVAL '1 day'", "k - EXTRACT(YEAR FROM d)"),
        *("TO_CHAR(d, 'YYYY-MM-DD')", "TO_CHAR(n, 'FM999,990.00')", "s LIKE 'a%'"),
        *("s || s", "s || k", "k || s || 'x'", "k * INTERVAL '1 day'", "d + k", "n * 2.0 + r"),
        *("m + INTERVAL '1 day' / 2", "CURRENT_DATE + k", "d + 7"),
        *("n / NULLIF(r, 0)", "v / 2", "r * 2 / NULLIF(k, 0)"),
        *(
            "s ~ '^[A-Z]+'",
            "m AT TIME ZONE 'UTC'",
            "CAST(k AS BIGINT)",
            "ABS(k)::bigint",
            "DATE_TRUNC('day', m)",
        ),
    ),
    "duckdb": (
        *("m - INTERVAL 1 DAY", "m - INTERVAL '1 day'", "d - d", "round(k - b, 1)", "s[k]"),
        *(
            "date_trunc('month', m) = DATE '2020-01-01'",
            "left(s, k)",
            "s[1:2]",
            "u + 1",
            "k::BIGINT",
        ),
        *("list_transform(l, lambda y: y + 1)", "list_slice(l, 1, 2)", "INTERVAL '1 day' * k"),
    ),
    "mysql": ("c - 1", "a + 1", "ABS(c - 1)", "a DIV 2"),
}


@pytest.mark.parametrize("dialect", ROWS_THAT_FAIL)
def test_a_term_that_fails_for_some_values_is_not_dropped(dialect: str) -> None:
    columns, row = ROWS_THAT_FAIL[dialect]
    schema = read_ddl(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns})", dialect)
    plain, ordered = "SELECT id FROM t", "SELECT id FROM t ORDER BY {}".format
    with scratch_of(dialect, schema) as scratch:
        assert scratch.load({"t": ((1, *row),)})
        for term in TERMS_THAT_FAIL[dialect]:
            proof = prove(plain, ordered(term), schema, dialect=dialect)
            assert not isinstance(proof, Proof), term
            assert isinstance(scratch.run(ordered(term)), Failure), term
        for term in TERMS_THAT_NEVER_FAIL[dialect]:
            proof = prove(plain, ordered(term), schema, dialect=dialect)
            assert isinstance(proof, Proof), (term, proof.message)
            assert isinstance(scratch.run(ordered(term)), Answer), term


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_an_order_of_first_rows_that_may_fail_is_not_dropped(dialect: str) -> None:
    schema = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, s VARCHAR(9))", dialect)
    plain = "SELECT DISTINCT s FROM t ORDER BY s"
    ordered = "SELECT DISTINCT ON (s) s FROM t ORDER BY s, CAST(s AS INTEGER)"
    assert not isinstance(prove(plain, ordered, schema, dialect=dialect), Proof)
    assert not isinstance(prove(ordered, plain, schema, dialect=dialect), Proof)


CUT_ROWS = {
    "a LIMIT": (
        "SELECT CAST(s AS INTEGER) FROM t ORDER BY v LIMIT 1",
        "SELECT CAST(s AS INTEGER) FROM (SELECT s, v FROM t ORDER BY v LIMIT 1) AS d",
    ),
    "a HAVING": (
        "SELECT CAST(s AS INTEGER) FROM t GROUP BY CAST(s AS INTEGER) HAVING MIN(v) < 1",
        "SELECT DISTINCT CAST(s AS INTEGER) FROM t WHERE v < 1",
    ),
}


@pytest.mark.parametrize("cut", CUT_ROWS)
def test_a_list_that_may_fail_is_computed_before_rows_are_cut_off(cut: str) -> None:
    schema = read_ddl("CREATE TABLE t (v INTEGER NOT NULL, s VARCHAR(9))", "postgres")
    before, behind = CUT_ROWS[cut]
    assert not isinstance(prove(before, behind, schema, dialect="postgres"), Proof)
    other = before.replace("t ", "t AS x ", 1)
    assert isinstance(prove(before, other, schema, dialect="postgres"), Proof)
    with scratch_of("postgres", schema) as scratch:
        assert scratch.load({"t": ((0, "7"), (1, "x"))})
        assert isinstance(scratch.run(before), Failure)
        assert isinstance(scratch.run(behind), Answer)


@pytest.mark.parametrize(
    "other",
    [
        "SELECT MIN(CAST(s AS INTEGER)) FROM t WHERE v = 1",
        "SELECT MIN(CASE WHEN v = 1 THEN CAST(s AS INTEGER) END) FROM t",
    ],
)
def test_duckdb_computes_a_value_of_rows_that_filter_leaves_out(other: str) -> None:
    schema = read_ddl("CREATE TABLE t (v INTEGER NOT NULL, s VARCHAR(9))", "duckdb")
    gold = "SELECT MIN(CAST(s AS INTEGER)) FILTER (WHERE v = 1) FROM t"
    assert not isinstance(prove(gold, other, schema, dialect="duckdb"), Proof)
    same = gold.replace("v = 1", "1 = v")
    assert isinstance(prove(gold, same, schema, dialect="duckdb"), Proof)
    with scratch_of("duckdb", schema) as scratch:
        assert scratch.load({"t": ((1, "7"), (2, "x"))})
        assert isinstance(scratch.run(gold), Failure)
        assert isinstance(scratch.run(other), Answer)


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_a_difference_from_the_end_of_64_bits_may_fail(dialect: str) -> None:
    schema = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, b BIGINT)", dialect)
    less = "SELECT id FROM t WHERE b - 9223372036854775807 < 0"
    plain = "SELECT id FROM t WHERE b < 9223372036854775807"
    assert not isinstance(prove(less, plain, schema, dialect=dialect), Proof)
    with scratch_of(dialect, schema) as scratch:
        assert scratch.load({"t": ((1, -5),)})
        assert isinstance(scratch.run(less), Failure)
        assert isinstance(scratch.run(plain), Answer)
