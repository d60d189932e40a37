"""No function that proofs take for total fails: each is run with odd values, in strict mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import product
from typing import Any
from urllib.parse import urlsplit

import pytest

from small_databases import database_of
from sqlverdict.execute.common_text import is_plain_pattern
from sqlverdict.execute.engines.mysql.common.pure_functions import (
    KINDS,
    is_total_cast,
)
from sqlverdict.execute.engines.mysql.common_text import write_common_text
from sqlverdict.parse.schemas.ddl import read_ddl

SCHEMA = read_ddl("CREATE TABLE t (id INTEGER, a INTEGER, s VARCHAR(9))", "mysql")
NO_TEXT = (1064, 1582)
"""Another number of arguments: the text is none, whatever the rows."""
COLUMNS = {
    "t": "VARCHAR(99)",
    "i": "BIGINT",
    "u": "BIGINT UNSIGNED",
    "n": "DECIMAL(40, 5)",
    "f": "DOUBLE",
    "d": "DATE",
    "at": "DATETIME(6)",
    "h": "TIME(6)",
    "b": "BLOB",
}
FEW = ("t", "i", "f", "at")
TEXTS = (
    *(None, "", "-1", "0", "1", "abc", "%", "(", "é", "1.5", "200001", "x" * 99),
    *("99999999999999999999999", "-99999999999999999999999", "1e400"),
    *("0000-00-00", "2020-02-29", "2020-02-30", "9999-12-31 23:59:59.999999", "-838:59:59"),
)
OTHERS: tuple[Sequence[Any], ...] = (
    (None, 0, 1, -1, 2**63 - 1, -(2**63), 2_147_483_648),
    (None, 0, 1, 2**63, 2**64 - 1),
    (None, 0, "-1.5", "9" * 35, "-" + "9" * 35),
    (None, 0, -0.5, 1.7e308, -1.7e308, 1e-300, 1e20),
    (None, "1000-01-01", "9999-12-31", "2020-02-29"),
    (None, "1000-01-01 00:00:00", "9999-12-31 23:59:59.999999"),
    (None, "838:59:59", "-838:59:59", "00:00:00"),
    (None, b"", b"\xff\x00", b"a"),
)
UNITS = ("microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year")
CASTS = ("signed", "unsigned", "decimal", "decimal(5, 2)", "double", "float", "integer", "char")
CASTS += ("char(1)", "date", "datetime", "datetime(6)", "time", "binary")
PATTERNS = ("a", "^a.*b$", "[a-z]+|[0-9]", "^[^A-Z]$", "x?y+z*", "a, b: c", "it's")


@pytest.fixture(scope="module")
def cursor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cursor in strict mode, on a table with odd values."""
    columns = ", ".join(f"{name} {declared}" for name, declared in COLUMNS.items())
    with database_of("mysql", tmp_path_factory.mktemp("db"), f"CREATE TABLE odd ({columns})") as db:
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
            cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'")
            marks = ", ".join(["%s"] * len(COLUMNS))
            for number, text in enumerate(TEXTS):
                others = (values[number % len(values)] for values in OTHERS)
                cursor.execute(f"INSERT INTO odd VALUES ({marks})", (text, *others))
            connection.commit()
            yield cursor


def calls(name: str) -> Iterator[str]:
    """Calls of a function with each number of arguments."""
    one, two, three = ([f"{table}.{column}" for column in COLUMNS] for table in "abc")
    few, fewer = ([f"{table}.{column}" for column in FEW] for table in "bc")
    if name == "cast":
        yield from (f"cast({x} AS {declared})" for x in one for declared in CASTS)
    elif name == "extract":
        yield from (f"extract({unit} FROM {x})" for x in one for unit in UNITS)
    elif name in ("timestampdiff", "timestampadd"):
        yield from (f"{name}({unit}, {x}, {y})" for unit, x, y in product(UNITS, one, few))
    elif name in ("curdate", "current_date", "now", "current_timestamp"):
        yield f"{name}()"
    else:
        if name in ("date_add", "date_sub", "adddate", "subdate"):
            counts = ("0", "1", "1.5", "99999999999")
            ways = product(one, counts, UNITS)
            yield from (f"{name}({x}, INTERVAL {n} {unit})" for x, n, unit in ways)
        yield from (f"{name}({x})" for x in one)
        # A time as a length makes texts of eight million characters, for every row.
        pads = name in ("lpad", "rpad")
        others = [y for y in two if not (pads and y == "b.h")]
        yield from (f"{name}({x}, {y})" for x, y in product(one, others))
        yield from (f"{name}({x}, {y}, {z})" for x, y, z in product(one[:2], few, fewer))
        yield f"{name}({one[0]}, {two[0]}, {three[0]}, {one[1]})"


def failure(cursor: Any, call: str) -> tuple[int, str] | None:
    """How a call fails for some row, if it does."""
    import pymysql

    tables = [f"odd {table}" for table in "ab" if f"{table}." in call]
    few = ["(SELECT * FROM odd LIMIT 6) c"] if "c." in call else []
    sources = ", ".join([*tables, *few]) or "DUAL"
    try:
        # No server finds the sum without a value for each row.
        cursor.execute(f"SELECT SUM(LENGTH({call})) FROM {sources}")
    except pymysql.Error as error:
        return error.args[0], str(error)
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS))
def test_no_function_of_the_list_fails(cursor: Any, name: str) -> None:
    failures = {call: failure(cursor, call) for call in calls(name)}
    wrong = {call: how for call, how in failures.items() if how and how[0] not in NO_TEXT}
    assert not wrong
    assert not all(failures.values()), "the server has no such function"


@pytest.mark.slow
def test_the_server_shows_a_failure(cursor: Any) -> None:
    assert failure(cursor, "a.t REGEXP '('")
    assert failure(cursor, "exp(a.i)")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_plain_pattern_fails(cursor: Any, pattern: str) -> None:
    assert is_plain_pattern(pattern)
    quoted = pattern.replace("'", "''")
    assert failure(cursor, f"a.t REGEXP '{quoted}'") is None


@pytest.mark.parametrize(
    "pattern",
    ["", "(", "[", "*", "a**", "a?*", "^*", "$+", "[z-a]", "a{2", "a|", "|a", "(?", "[[:foo:]]"],
)
def test_a_pattern_that_may_fail_is_none_of_them(pattern: str) -> None:
    assert not is_plain_pattern(pattern)


@pytest.mark.parametrize("declared", CASTS)
def test_each_cast_that_is_run_is_total(declared: str) -> None:
    assert is_total_cast(declared)


@pytest.mark.parametrize(
    "expression",
    [
        "s REGEXP e",
        "s REGEXP '('",
        "s REGEXP 'a' + a",
        "NOT s RLIKE '*'",
        "year(cast(s AS json)) = 1",
        "cast(s AS json) = 1",
        "cast(s AS point) = 1",
        "period_diff(a, b) = 1",
    ],
)
def test_what_may_fail_is_no_total_function(expression: str) -> None:
    for arithmetic in (True, False):
        sql = f"SELECT id FROM t WHERE a = 1 AND {expression}"
        text = write_common_text(sql, arithmetic, SCHEMA)
        assert text is None
