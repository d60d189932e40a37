"""Pairs that differ on a legal database of an engine with types, each of which was proved once.

Every pair is run on rows that tell its queries apart, on the engine itself: a pair which is no longer
different fails here and not somewhere else.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from engine_databases import scratch_of

from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer, Failure, Row

TABLES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, n NUMERIC(8, 2), r DOUBLE PRECISION);
CREATE TABLE u (id INTEGER PRIMARY KEY, f INTEGER, w INTEGER);
CREATE TABLE p (id INTEGER PRIMARY KEY, r DOUBLE PRECISION NOT NULL, s VARCHAR(20));
CREATE TABLE g (id INTEGER PRIMARY KEY, r REAL, b BIGINT, f DOUBLE PRECISION);
CREATE TABLE m (id INTEGER PRIMARY KEY, b BIGINT, n NUMERIC(22, 2))
"""
ROWS: dict[str, tuple[Row, ...]] = {
    "t": ((1, 1, 3, 0.5), (2, 10, 3, 0.5), (3, 9, 3, 0.5)),
    "u": ((1, 1, 1), (2, 1, 0), (3, 1, 0)),
    "p": ((1, 9007199254740992.0, "a"), (2, 9007199254740994.0, "b")),
    "g": (
        (1, 0.1, 9007199254740992, 9007199254740992.0),
        (2, 16777216, 5, 5.0),
        (3, 0, 9007199254740992, 1.0),
    ),
    "m": (
        (1, 9223372036854775806, "12345678901234567890.01"),
        (2, 9223372036854775807, "12345678901234567890.01"),
    ),
}

PAIRS = {
    "an average of long integers has fewer digits than its sum with a point": (
        "postgres",
        "SELECT AVG(b) FROM m",
        "SELECT SUM(b) * 1.0 / COUNT(b) FROM m",
    ),
    "a product of a long decimal has more digits than a quotient": (
        "postgres",
        "SELECT n * 0.5 FROM m",
        "SELECT n / 2 FROM m",
    ),
    "an IN makes its members REAL, an array stays one of integers": (
        "postgres",
        "SELECT id FROM g WHERE r IN (16777217, 5)",
        "SELECT id FROM g WHERE r = ANY('{16777217,5}'::int[])",
    ),
    "an IN of several members beside a REAL": (
        "postgres",
        "SELECT id FROM g WHERE r IN (0.1, 5)",
        "SELECT id FROM g WHERE r = 0.1 OR r = 5",
    ),
    "a BETWEEN with a float (DuckDB)": (
        "duckdb",
        "SELECT id FROM g WHERE b BETWEEN 9007199254740993 AND f",
        "SELECT id FROM g WHERE b >= 9007199254740993 AND b <= f",
    ),
    "a BETWEEN with a float (MySQL)": (
        "mysql",
        "SELECT id FROM g WHERE b BETWEEN 9007199254740993 AND f",
        "SELECT id FROM g WHERE b >= 9007199254740993 AND b <= f",
    ),
    "an IN with a float": (
        "duckdb",
        "SELECT id FROM g WHERE b IN (9007199254740993, f)",
        "SELECT id FROM g WHERE b = 9007199254740993 OR b = f",
    ),
    "NULLIF gives a decimal": (
        "postgres",
        "SELECT NULLIF(v, 2.5) / 2 FROM t",
        "SELECT CASE WHEN v = 2.5 THEN NULL ELSE v END / 2 FROM t",
    ),
    "NULLIF gives a double": (
        "postgres",
        "SELECT NULLIF(v, r) / 2 FROM t",
        "SELECT CASE WHEN v = r THEN NULL ELSE v END / 2 FROM t",
    ),
    "NULLIF as the argument of a function": (
        "postgres",
        "SELECT d.x / d.y FROM (SELECT NULLIF(v, n) AS x, v + 1 AS y FROM t) AS d",
        "SELECT d.x / d.y FROM"
        " (SELECT CASE WHEN v = n THEN NULL ELSE v END AS x, v + 1 AS y FROM t) AS d",
    ),
    "a CASE gives a decimal": (
        "postgres",
        "SELECT CASE WHEN TRUE THEN v ELSE n END / 2 FROM t",
        "SELECT v / 2 FROM t",
    ),
    "a CASE with a branch that is never taken": (
        "postgres",
        "SELECT CASE WHEN v IS NULL AND v IS NOT NULL THEN 0.5 WHEN v > 0 THEN v ELSE 7 END / 2"
        " FROM t",
        "SELECT CASE WHEN v > 0 THEN v ELSE 7 END / 2 FROM t",
    ),
    "a CASE of NULL": (
        "postgres",
        "SELECT COALESCE(CASE WHEN TRUE THEN NULL ELSE 0.5 END, v) / 2 FROM t",
        "SELECT COALESCE(NULL, v) / 2 FROM t",
    ),
    "a CASE has the digits of all its branches": (
        "mysql",
        "SELECT CASE WHEN TRUE THEN v ELSE n END / 3 FROM t",
        "SELECT v / 3 FROM t",
    ),
    "an average from a derived table is cut": (
        "mysql",
        "SELECT d.m * 3 FROM (SELECT f, AVG(w) AS m FROM u GROUP BY f) AS d",
        "SELECT AVG(w) * 3 FROM u GROUP BY f",
    ),
    "a quotient from a derived table is cut, and compared": (
        "mysql",
        "SELECT d.f FROM (SELECT f, SUM(w) / 3 AS m FROM u GROUP BY f) AS d WHERE d.m * 3 = 1",
        "SELECT f FROM u GROUP BY f HAVING SUM(w) / 3 * 3 = 1",
    ),
    "a quotient from a table of one row is cut": (
        "mysql",
        "SELECT t.id FROM t, (SELECT SUM(w) / 3 AS m FROM u) AS d WHERE t.v = d.m * 3",
        "SELECT t.id FROM t WHERE t.v = (SELECT SUM(w) / 3 FROM u) * 3",
    ),
    "an average of joined groups is cut": (
        "mysql",
        "SELECT t.id, d.m * 3 FROM t JOIN (SELECT f, AVG(w) AS m FROM u GROUP BY f) AS d"
        " ON d.f = t.v",
        "SELECT t.id, AVG(u.w) * 3 FROM t JOIN u ON u.f = t.v GROUP BY t.id",
    ),
    "the greatest quotient of groups is cut": (
        "mysql",
        "SELECT MAX(m) * 3 FROM (SELECT f, MAX(w / 3) AS m FROM u GROUP BY f) AS d",
        "SELECT MAX(w / 3) * 3 FROM u",
    ),
    "a CAST is called as its column, and sorted by": (
        "postgres",
        "SELECT CAST(v AS TEXT) FROM t ORDER BY v DESC LIMIT 1",
        "SELECT CAST(v AS TEXT) FROM t ORDER BY t.v DESC LIMIT 1",
    ),
    "a CASE is called as its ELSE, and sorted by": (
        "postgres",
        "SELECT CASE WHEN v > 5 THEN 0 ELSE v END FROM t ORDER BY v DESC LIMIT 1",
        "SELECT CASE WHEN v > 5 THEN 0 ELSE v END FROM t ORDER BY t.v DESC LIMIT 1",
    ),
    "a query for one value is called as its column, and sorted by": (
        "postgres",
        "SELECT (SELECT u.w AS v FROM u WHERE u.id = t.id) FROM t ORDER BY v DESC LIMIT 1",
        "SELECT (SELECT u.w FROM u WHERE u.id = t.id) FROM t ORDER BY t.v DESC LIMIT 1",
    ),
    "an unknown function with a query inside is called as its column": (
        "postgres",
        "SELECT CASE WHEN v / id > 90 THEN 5 ELSE (SELECT u.w AS v FROM u WHERE u.id = t.id) END"
        " FROM t ORDER BY v DESC LIMIT 1",
        "SELECT CASE WHEN v / id > 90 THEN 5 ELSE (SELECT u.w FROM u WHERE u.id = t.id) END"
        " FROM t ORDER BY t.v DESC LIMIT 1",
    ),
    "an average of a window from a derived table is cut": (
        "mysql",
        "SELECT d.m * 3 FROM (SELECT AVG(w) OVER (PARTITION BY f) AS m FROM u) AS d",
        "SELECT AVG(w) OVER (PARTITION BY f) * 3 FROM u",
    ),
    "a quotient beside a window is cut": (
        "mysql",
        "SELECT d.m * 3 FROM (SELECT w / 7 AS m, COUNT(*) OVER () AS c FROM u) AS d",
        "SELECT w / 7 * 3 FROM u",
    ),
    "a quotient beside the first rank is cut, and compared": (
        "mysql",
        "SELECT d.id FROM (SELECT id, w / 7 AS m, RANK() OVER (ORDER BY id) AS r FROM u) AS d"
        " WHERE d.r = 1 AND d.m * 7 = 1",
        "SELECT id FROM u WHERE id = (SELECT MIN(id) FROM u) AND w / 7 * 7 = 1",
    ),
    "an alias goes before a column behind OVER": (
        "mysql",
        "SELECT id, -v AS v, RANK() OVER (ORDER BY v) FROM t",
        "SELECT id, -v AS m, RANK() OVER (ORDER BY v) FROM t",
    ),
    "the first rank is by an alias": (
        "mysql",
        "SELECT d.id FROM (SELECT id, -v AS v, ROW_NUMBER() OVER (ORDER BY v, id) AS r FROM t"
        " WHERE v IS NOT NULL) AS d WHERE d.r = 1",
        "SELECT d.id FROM (SELECT id, -v AS m, ROW_NUMBER() OVER (ORDER BY v, id) AS r FROM t"
        " WHERE v IS NOT NULL) AS d WHERE d.r = 1",
    ),
    "a product has more digits than a quotient": (
        "mysql",
        "SELECT v * 0.03125 FROM t",
        "SELECT v / 32 FROM t",
    ),
    **{
        f"{name}, {dialect}": (dialect, gold, other)
        for dialect in ("postgres", "duckdb")
        for name, (gold, other) in {
            "a plus before an alias in ORDER BY": (
                "SELECT -id AS id FROM t ORDER BY id LIMIT 2",
                "SELECT -id AS id FROM t ORDER BY +id LIMIT 2",
            ),
            "a plus before an ordinal": (
                "SELECT v FROM t ORDER BY 1 DESC LIMIT 1",
                "SELECT v FROM t ORDER BY +1 DESC LIMIT 1",
            ),
        }.items()
    },
    **{
        f"{name}, {dialect}": (dialect, gold, other)
        for dialect in ("postgres", "duckdb", "mysql")
        for name, (gold, other) in {
            "an alias in parentheses in ORDER BY": (
                "SELECT -id AS id FROM t ORDER BY (id) LIMIT 2",
                "SELECT -id AS id FROM t ORDER BY t.id LIMIT 2",
            ),
            "an alias in two pairs of parentheses": (
                "SELECT -id AS id FROM t ORDER BY ((id)) LIMIT 2",
                "SELECT -id AS id FROM t ORDER BY t.id LIMIT 2",
            ),
            "bounds that are one double": (
                "SELECT id FROM p WHERE r > 9007199254740992 AND r >= 9007199254740993",
                "SELECT id FROM p WHERE r >= 9007199254740993",
            ),
            "a value and a bound that are one double": (
                "SELECT id FROM p WHERE r = 9007199254740992 AND r < 9007199254740993",
                "SELECT id FROM p WHERE r = 9007199254740992",
            ),
        }.items()
    },
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_that_differs_is_not_proved(name: str) -> None:
    dialect, gold, other = PAIRS[name]
    schema = read_ddl(TABLES, dialect)
    assert not isinstance(prove(gold, other, schema, dialect=dialect), Proof)
    with scratch_of(dialect, schema) as scratch:
        assert scratch.load(ROWS)
        answers = [scratch.run(sql) for sql in (gold, other)]
    one, two = (_numbers(answer) for answer in answers if isinstance(answer, Answer))
    assert one != two


def _numbers(answer: Answer) -> list[list[Decimal]]:
    """Rows of numbers, whatever types the drivers give them."""
    return sorted([Decimal(str(cell)) for cell in row] for row in answer.rows)


OWN_TABLES = {
    f"an endless {kind} beside {operator} {year}": (
        "duckdb",
        f"CREATE TABLE t (id INTEGER PRIMARY KEY, d {kind})",
        ((1, "infinity"), (2, "-infinity"), (3, "2021-05-01")),
        f"SELECT id FROM t WHERE EXTRACT(YEAR FROM d) {operator} {year}",
        f"SELECT id FROM t WHERE d {day}",
    )
    for kind in ("DATE", "TIMESTAMP")
    for operator, year, day in (
        (">=", 2020, ">= '2020-01-01'"),
        (">", 2020, ">= '2021-01-01'"),
        ("<", 2020, "< '2020-01-01'"),
        ("<=", 2020, "< '2021-01-01'"),
    )
} | {
    "the least CIDR is an INET": (
        "postgres",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, c CIDR)",
        ((1, "::1/128"),),
        "SELECT MIN(c) FROM t GROUP BY c",
        "SELECT DISTINCT c FROM t",
    ),
    "a CHAR loses its spaces in starts_with": (
        "postgres",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, c CHAR(3))",
        ((1, "a"),),
        "SELECT id FROM t WHERE starts_with(c, 'a ')",
        "SELECT id FROM t WHERE c LIKE 'a %'",
    ),
    **{
        f"a float of four bytes becomes a double, times {factor}": (
            "postgres",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, f REAL)",
            ((1, 0.1),),
            f"SELECT f * {factor} FROM t",
            "SELECT f FROM t",
        )
        for factor in ("1", "1.0")
    },
    **{
        f"bits become a number in {choice}": (
            "mysql",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, b BIT(3))",
            ((1, 2),),
            f"SELECT {choice} FROM t",
            "SELECT b FROM t",
        )
        for choice in (
            "COALESCE(b, NULL)",
            "CASE WHEN 1 = 1 THEN b END",
            "(SELECT x.b FROM t AS x WHERE x.id = t.id)",
        )
    },
}


@pytest.mark.parametrize("name", OWN_TABLES)
def test_a_pair_over_its_own_table_is_not_proved(name: str) -> None:
    dialect, ddl, rows, gold, other = OWN_TABLES[name]
    schema = read_ddl(ddl, dialect)
    assert not isinstance(prove(gold, other, schema, dialect=dialect), Proof)
    with scratch_of(dialect, schema) as scratch:
        assert scratch.load({"t": rows})
        answers = [scratch.run(sql) for sql in (gold, other)]
    one, two = (sorted(answer.rows) for answer in answers if isinstance(answer, Answer))
    assert one != two


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "number", "other"),
    [
        ("HUGEINT", "170141183460469231731687303715884105727", "1.5"),
        ("DECIMAL(38, 0)", "12345678901234567890123456789012345678", "1.5"),
        ("BIGINT", "9223372036854775807", "1.00000000000000000000000000001"),
    ],
)
def test_numbers_without_room_in_one_decimal_are_not_proved(
    kind: str, number: str, other: str
) -> None:
    """DuckDB brings all operands of IN to one DECIMAL, and those of an equality."""
    schema = read_ddl(f"CREATE TABLE t (id INTEGER PRIMARY KEY, x {kind})", "duckdb")
    select = "SELECT id FROM t WHERE {}".format
    first = select(f"x = {number} OR x = {other}")
    pairs = [select(f"x IN ({number}, {other})"), select(f"x = {other} OR x = {number}")]
    with scratch_of("duckdb", schema) as scratch:
        assert scratch.load({"t": ((1, number),)})
        assert isinstance(scratch.run(first), Answer)
        assert isinstance(scratch.run(pairs[0]), Failure)
    for second in pairs:
        assert not isinstance(prove(first, second, schema, dialect="duckdb"), Proof)
    few = (select("x IN (5, 1.5)"), select("x = 1.5 OR x = 5"))
    small = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER)", "duckdb")
    assert isinstance(prove(*few, small, dialect="duckdb"), Proof)


def test_postgres_has_no_function_year() -> None:
    schema = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, d DATE)", "postgres")
    by_year = "SELECT id FROM t WHERE {} = 2020".format
    by_days = "SELECT id FROM t WHERE d >= '2020-01-01' AND d < '2021-01-01'"
    assert not isinstance(prove(by_year("YEAR(d)"), by_days, schema, dialect="postgres"), Proof)
    right = by_year("EXTRACT(YEAR FROM d)")
    assert isinstance(prove(right, by_days, schema, dialect="postgres"), Proof)
