"""Clock words are replaced wherever the engine would read them, and nowhere else."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.execute.frozen_text import ClockUse, clock_use, freeze_text
from sqlverdict.execute.lexemes import Lex, lexemes, solid_lexemes, string_value

NOW = datetime(2024, 2, 29, 13, 14, 15)
STAMP = "CAST('2024-02-29 13:14:15+00:00' AS TIMESTAMP WITH TIME ZONE)"
DAY = "CAST('2024-02-29' AS DATE)"


@pytest.mark.parametrize(
    ("sql", "frozen"),
    [
        ("SELECT CURRENT_DATE", f"SELECT {DAY}"),
        ("SELECT now ( )", f"SELECT {STAMP}"),
        ('SELECT "now"(), pg_catalog . now()', f"SELECT {STAMP}, {STAMP}"),
        (
            "SELECT current_timestamp(2)",
            "SELECT CAST('2024-02-29 13:14:15+00:00' AS TIMESTAMP(2) WITH TIME ZONE)",
        ),
        ("SELECT LOCALTIME", "SELECT CAST('13:14:15' AS TIME)"),
        ("SELECT age(born)", "SELECT age(CAST('2024-02-29' AS TIMESTAMP), born)"),
        ("SELECT DATE 'today'", "SELECT DATE '2024-02-29'"),
        ("SELECT ' Tomorrow '::date", "SELECT '2024-03-01'::date"),
        ("SELECT CAST('yesterday' AS date)", "SELECT CAST('2024-02-28' AS date)"),
        (
            "SELECT TIMESTAMP WITH TIME ZONE 'now'",
            "SELECT TIMESTAMP WITH TIME ZONE '2024-02-29 13:14:15+00:00'",
        ),
        ("SELECT ARRAY[now()]", f"SELECT ARRAY[{STAMP}]"),
    ],
)
def test_postgres_text_shows_the_frozen_time(sql: str, frozen: str) -> None:
    assert freeze_text(sql, NOW, "postgres") == frozen
    assert clock_use(sql, "postgres") == ClockUse(True, True, False)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'now()', 'CURRENT_DATE' -- now()",
        "SELECT $$ now() $$, $x$ CURRENT_DATE $x$, E'\\' now()'",
        'SELECT "current_date" FROM t /* now() /* nested */ CURRENT_DATE */',
        "SELECT 1 AS current_date, t.current_date, other.now() FROM t",
        "SELECT now FROM t",
        "SELECT age(a, b), age() FROM t",
        "SELECT 'today'",
    ],
)
def test_postgres_text_without_a_clock_stays(sql: str) -> None:
    assert freeze_text(sql, NOW, "postgres") == sql
    assert not clock_use(sql, "postgres").reads


def test_a_plain_day_word_stays_open() -> None:
    assert clock_use("SELECT * FROM t WHERE d > 'today'", "postgres").may_read
    assert not clock_use("SELECT * FROM t WHERE d > 'snow'", "postgres").may_read
    assert not clock_use("SELECT * FROM t WHERE d > 'today'", "mysql").may_read


def test_chance_is_told() -> None:
    assert clock_use("SELECT random()", "postgres").chance
    assert clock_use("SELECT RAND()", "mysql").chance
    assert not clock_use("SELECT random FROM t, 'random()'", "postgres").chance


def test_mysql_and_duckdb_have_their_own_words() -> None:
    sql = 'SELECT NOW(3), CURDATE(), UNIX_TIMESTAMP(), UNIX_TIMESTAMP(x), "NOW()" # NOW()'
    assert freeze_text(sql, NOW, "mysql") == (
        "SELECT CAST('2024-02-29 13:14:15' AS DATETIME(3)), CAST('2024-02-29' AS DATE), "
        '1709212455, UNIX_TIMESTAMP(x), "NOW()" # NOW()'
    )
    assert freeze_text("SELECT today(), now()", NOW, "duckdb") == f"SELECT {DAY}, {STAMP}"


def test_a_time_with_a_zone_is_converted() -> None:
    east = NOW.replace(tzinfo=timezone(timedelta(hours=14)))
    assert (
        freeze_text("SELECT CURRENT_DATE", east, "postgres") == "SELECT CAST('2024-02-28' AS DATE)"
    )


@pytest.mark.parametrize(
    ("dialect", "sql", "code"),
    [
        ("postgres", "E'a\\' b' c", ["c"]),
        ("postgres", "'a\\' b ' c'", ["b"]),
        ("postgres", "$q$ a $$ b $q$ c", ["c"]),
        ("postgres", "a$b$c", ["a$b$c"]),
        ("postgres", "/* /* a */ b */ c -- d", ["c"]),
        ("postgres", "a\u00a0b", ["a\u00a0b"]),
        ("duckdb", "a\u00a0b", ["a", "b"]),
        ("mysql", "/*!50000 a */ b # c", ["a", "b"]),
        ("mysql", "/*M! a */ /* b */ c", ["a", "c"]),
        ("mysql", '"a\\" b" c -- d\n--e', ["c", "e"]),
        ("mysql", "/* open a", []),
    ],
)
def test_code_is_told_from_strings_and_comments(dialect: str, sql: str, code: list[str]) -> None:
    assert "".join(part.text for part in lexemes(sql, dialect)) == sql
    assert [part.text for part in lexemes(sql, dialect) if part.kind is Lex.WORD] == code


def test_names_and_strings_lose_their_quotes() -> None:
    name, string, dollar = solid_lexemes("\"a\"\"b\" 'it''s' $x$y$x$", "postgres")
    assert (name.name, string_value(string), string_value(dollar)) == ('a"b', "it's", "y")


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(UsageError, match=r"cobol.*duckdb, mysql, postgres"):
        lexemes("SELECT 1", "cobol")
