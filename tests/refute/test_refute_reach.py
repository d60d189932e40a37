"""Pairs that part only on values that the queries do not name; each was missed once."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.read.derived_values import is_like
from sqlverdict.refute.read.json_paths import documents
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import Witness

PARTIAL = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind {}, n INT NOT NULL);"
JSON = "CREATE TABLE d (id INTEGER PRIMARY KEY, doc TEXT NOT NULL)"
NUMBERS = "CREATE TABLE m (id INTEGER PRIMARY KEY, x REAL NOT NULL, n INTEGER NOT NULL)"
NOCASE = """CREATE TABLE u (email TEXT COLLATE NOCASE PRIMARY KEY, n INT NOT NULL);
CREATE TABLE o (id INTEGER PRIMARY KEY, email TEXT NOT NULL REFERENCES u (email));"""
AFFINITY = """CREATE TABLE a (id INTEGER PRIMARY KEY, code TEXT NOT NULL);
CREATE TABLE c (n INTEGER NOT NULL)"""
WINDOW = "CREATE TABLE w (id INTEGER PRIMARY KEY, day INT NOT NULL, x INT NOT NULL)"
SUMS = "CREATE TABLE s (id INTEGER PRIMARY KEY, g INT NOT NULL, x INT NOT NULL)"
GROUPS = "CREATE TABLE q (id INTEGER PRIMARY KEY, g INT, x INT, y INT)"
HAVING = "SELECT g FROM q GROUP BY g HAVING {{}} {}"
COMMA = """CREATE TABLE a (id INTEGER PRIMARY KEY, k INT NOT NULL);
CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INT NOT NULL REFERENCES a (id), v TEXT NOT NULL)"""
TEXTS = "CREATE TABLE e (id INTEGER PRIMARY KEY, s TEXT NOT NULL, code INT NOT NULL)"
REPEATED = "CREATE TABLE r (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INT, d INT, e INT)"
KINDS = ("ALL", "DISTINCT")
FLIGHTS = """CREATE TABLE flight (id INTEGER PRIMARY KEY, departs INT NOT NULL);
CREATE TABLE month (number INT NOT NULL, name TEXT NOT NULL)"""
IN_MONTH = """SELECT m.name FROM flight f
JOIN month m ON CAST(strftime('%m', datetime(f.departs, 'unixepoch')) AS INTEGER) = m.number"""
COURSES = """CREATE TABLE course (id INTEGER PRIMARY KEY, begun DATE NOT NULL);
CREATE TABLE dose (id INTEGER PRIMARY KEY, course_id INT NOT NULL REFERENCES course (id),
                   given TEXT NOT NULL, unit TEXT NOT NULL)"""
IN_TIME = """SELECT {} FROM course c JOIN dose d ON d.course_id = c.id
WHERE date(d.given) BETWEEN c.begun AND date(c.begun, '+14 days')"""
CODES = """CREATE TABLE a (id INTEGER PRIMARY KEY, n INT NOT NULL);
CREATE TABLE b (code TEXT NOT NULL, note TEXT NOT NULL)"""
BY_CODE = "SELECT {} FROM a JOIN b ON b.code = 'item-' || (a.n * 2)"
DATES = "CREATE TABLE e (id INTEGER PRIMARY KEY, day DATE NOT NULL)"
WEEKS = (
    "date('2025-06-18', -((CAST(strftime('%w', '2025-06-18') AS INTEGER) + {}) % 700) || ' day')"
)
IN_WEEK = f"SELECT {{}} day FROM e WHERE day < {WEEKS.format(330)} AND day >= {WEEKS.format(337)}"

PAIRS = [
    (
        PARTIAL.format("INT NOT NULL") + "CREATE UNIQUE INDEX one ON t (name) WHERE kind = 1",
        "SELECT name FROM t",
        "SELECT DISTINCT name FROM t",
    ),
    (
        PARTIAL.format("TEXT") + "CREATE UNIQUE INDEX one ON t (name) WHERE kind IS NULL",
        "SELECT name, n FROM t",
        "SELECT name, max(n) FROM t GROUP BY name",
    ),
    (
        PARTIAL.format("TEXT NOT NULL") + "CREATE UNIQUE INDEX one ON t (name) WHERE kind <> 'old'",
        "SELECT name FROM t",
        "SELECT DISTINCT name FROM t",
    ),
    (
        JSON,
        "SELECT id FROM d WHERE json_extract(doc, '$.age') > 18",
        "SELECT id FROM d WHERE json_extract(doc, '$.age') >= 18",
    ),
    (
        JSON,
        "SELECT id FROM d WHERE doc ->> 'name' = 'Ann'",
        "SELECT id FROM d WHERE doc ->> 'title' = 'Ann'",
    ),
    (JSON, "SELECT doc ->> '$.a.b' FROM d", "SELECT doc ->> '$.a' FROM d"),
    (JSON, "SELECT doc -> '$.a' FROM d", "SELECT doc ->> '$.a' FROM d"),
    (
        JSON,
        "SELECT count(*) FROM d, json_each(d.doc, '$.tags')",
        "SELECT count(DISTINCT d.id) FROM d, json_each(d.doc, '$.tags')",
    ),
    (
        JSON,
        "SELECT d.id FROM d, json_each(d.doc, '$.tags') AS j WHERE j.value = 'x'",
        "SELECT d.id FROM d, json_each(d.doc) AS j WHERE j.value = 'x'",
    ),
    (NUMBERS, "SELECT id FROM m WHERE x < 9e999", "SELECT id FROM m"),
    (NUMBERS, "SELECT id FROM m WHERE x - x = 0", "SELECT id FROM m"),
    (NUMBERS, "SELECT id FROM m WHERE x * 0 = 0", "SELECT id FROM m"),
    (NUMBERS, "SELECT n FROM m", "SELECT CAST(CAST(n AS REAL) AS INTEGER) FROM m"),
    (
        NUMBERS,
        "SELECT id FROM m WHERE n = 9007199254740993",
        "SELECT id FROM m WHERE n = 9007199254740992",
    ),
    (
        NOCASE,
        "SELECT count(*) FROM o JOIN u ON u.email = o.email",
        "SELECT count(*) FROM o JOIN u ON o.email = u.email",
    ),
    (
        NOCASE,
        "SELECT n FROM u WHERE email = 'ann'",
        "SELECT n FROM u WHERE email = 'ann' COLLATE BINARY",
    ),
    (
        "CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE NOT NULL)",
        "SELECT count(*) FROM u GROUP BY name",
        "SELECT count(*) FROM u GROUP BY name COLLATE BINARY",
    ),
    (
        AFFINITY,
        "SELECT id FROM a WHERE code IN (SELECT n + 0 FROM c)",
        "SELECT id FROM a WHERE code IN (SELECT n FROM c)",
    ),
    (
        AFFINITY,
        "SELECT a.id FROM a, c WHERE a.code IN (c.n)",
        "SELECT a.id FROM a, c WHERE a.code = c.n",
    ),
    (
        WINDOW,
        "SELECT id, sum(x) OVER (ORDER BY day) FROM w",
        "SELECT id, sum(x) OVER (ORDER BY day ROWS UNBOUNDED PRECEDING) FROM w",
    ),
    (
        WINDOW,
        "SELECT day, sum(x) OVER (ORDER BY day ROWS UNBOUNDED PRECEDING) FROM w",
        "SELECT day, sum(x) OVER (ORDER BY day) FROM w",
    ),
    (
        WINDOW,
        "SELECT id, avg(x) OVER (ORDER BY id ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) FROM w",
        "SELECT id, avg(x) OVER (ORDER BY id ROWS BETWEEN 7 PRECEDING AND CURRENT ROW) FROM w",
    ),
    (
        WINDOW,
        "SELECT id, sum(x) OVER (ORDER BY day RANGE BETWEEN 30 PRECEDING AND CURRENT ROW) FROM w",
        "SELECT id, sum(x) OVER (ORDER BY day RANGE BETWEEN 31 PRECEDING AND CURRENT ROW) FROM w",
    ),
    (
        WINDOW,
        "SELECT id, lag(x, 12) OVER (ORDER BY id) FROM w",
        "SELECT id, lag(x, 11) OVER (ORDER BY id) FROM w",
    ),
    (
        SUMS,
        "SELECT g FROM s GROUP BY g HAVING sum(x) = 100 AND max(x) < 75",
        "SELECT g FROM s GROUP BY g HAVING sum(x) = 100 AND max(x) <= 75",
    ),
    *(
        (GROUPS, query.format(gold), query.format(prediction))
        for query, gold, prediction in (
            (HAVING.format("< 10"), "avg(x)", "min(x)"),
            (HAVING.format("<= 100"), "avg(x)", "min(x)"),
            (HAVING.format("> 0"), "avg(x)", "max(x)"),
            (HAVING.format("> 0"), "max(x)", "sum(x)"),
            (HAVING.format("> 10"), "total(CASE WHEN y > 5 THEN 1 ELSE 0 END)", "max(y)"),
            ("SELECT max(y) FROM q GROUP BY g ORDER BY {} LIMIT 1", "avg(x)", "max(x)"),
            ("SELECT g FROM q GROUP BY g ORDER BY {} DESC LIMIT 1", "sum(x)", "total(x)"),
            ("SELECT count(*) FROM q HAVING {} < 50", "avg(x)", "min(x)"),
        )
    ),
    (
        COMMA,
        "SELECT a.k FROM a, b ON a.id = b.a_id WHERE b.v = 'x'",
        "SELECT a.k FROM a, b ON a.id = b.id WHERE b.v = 'x'",
    ),
    (COMMA, "SELECT a.k FROM a, b ON a.id = b.a_id", "SELECT a.k FROM a, b"),
    (
        DATES,
        "SELECT id FROM e WHERE date(day, '+1 month') > '2020-03-01'",
        "SELECT id FROM e WHERE date(day, '+1 month') >= '2020-03-01'",
    ),
    (
        DATES,
        "SELECT id FROM e WHERE day >= '2020-03-01' AND day < '2020-04-01'",
        "SELECT id FROM e WHERE day BETWEEN '2020-03-01' AND '2020-03-31 23:59:59'",
    ),
    *(
        (NUMBERS, f"SELECT id FROM m WHERE x > {low}", f"SELECT id FROM m WHERE x >= {high}")
        for low, high in (("1", "1.1"), ("1.5", "1.6"), ("10", "10.01"), ("-0.2", "-0.1"))
    ),
    (
        TEXTS,
        "SELECT id FROM e WHERE s LIKE 'a%' AND length(s) = 5",
        "SELECT id FROM e WHERE s LIKE 'a%' AND length(s) >= 5",
    ),
    (
        TEXTS,
        "SELECT id FROM e WHERE s LIKE '%ab%' AND s LIKE '%cd'",
        "SELECT id FROM e WHERE s LIKE '%ab%' AND s LIKE '%cd%'",
    ),
    (REPEATED, *(f"SELECT {kind} a, b, c, d, e FROM r WHERE a NOT LIKE '%M%'" for kind in KINDS)),
    (
        TEXTS,
        "SELECT id FROM e WHERE code = 'abc'",
        "SELECT id FROM e WHERE code = 'ABC'",
    ),
    (FLIGHTS, IN_MONTH, f"{IN_MONTH} WHERE m.number < 3"),
    (COURSES, IN_TIME.format("d.unit"), IN_TIME.format("UPPER(d.unit)")),
    (DATES, IN_WEEK.format(""), IN_WEEK.format("DISTINCT")),
    (CODES, BY_CODE.format("b.note"), BY_CODE.format("UPPER(b.note)")),
]


@pytest.mark.parametrize(("ddl", "gold", "prediction"), PAIRS)
def test_a_pair_that_parts_is_refuted(ddl: str, gold: str, prediction: str) -> None:
    schema = read_ddl(ddl, "made")
    witness = find_witness(gold, prediction, schema)
    assert isinstance(witness, Witness), witness
    assert legal(witness.instance, facts_of(schema)) == []


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM m WHERE x - x = 0", "SELECT id FROM m"),
        ("SELECT n FROM m", "SELECT CAST(CAST(n AS REAL) AS INTEGER) FROM m"),
    ],
)
def test_a_difference_on_extreme_numbers_alone_is_unusual(gold: str, prediction: str) -> None:
    witness = find_witness(gold, prediction, read_ddl(NUMBERS, "made"))
    assert isinstance(witness, Witness)
    assert witness.grade == "breaks_regularity"


@pytest.mark.parametrize("number", ["1e30", "9e999", "1" + "0" * 400, "-9223372036854775808"])
def test_a_number_that_no_column_holds_does_not_end_the_search(number: str) -> None:
    gold, prediction = (HAVING.format(f"< {number}").format(f"{f}(x)") for f in ("avg", "min"))
    assert find_witness(gold, prediction, read_ddl(GROUPS, "made")).instances == 100


def test_an_extreme_number_that_a_query_names_is_not_unusual() -> None:
    gold, prediction = (f"SELECT id FROM m WHERE n = {2**53 + n}" for n in (1, 0))
    witness = find_witness(gold, prediction, read_ddl(NUMBERS, "made"))
    assert isinstance(witness, Witness)
    assert witness.grade == "ungraded"


@pytest.mark.parametrize(
    "pattern", ["%M%", "m%", "%m", "_", "a_c", "%", "", "%a%b%", "a%c_", "%%a", "_%_", "%ab%ab"]
)
def test_a_pattern_matches_as_in_sqlite(pattern: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for text in ("", "a", "M", "am", "abc", "ABcd", "xaab", "aabab", "a%c", "ab\nab"):
            (expected,) = connection.execute("SELECT ? LIKE ?", (text, pattern)).fetchone()
            assert is_like(text, pattern) == bool(expected), text


def test_a_path_may_lead_to_a_value_and_through_it() -> None:
    result = documents({("a",): (7,), ("a", "b"): ("x",), ("tags", "[]"): ()})
    assert '{"a": {"b": "x"}' in "".join(
        text.replace('"tags": [1, 1, "z"], ', "") for text in result
    )
    assert any('"a": 7' in text for text in result)
    assert any('"tags": [1, 1, "z"]' in text for text in result)
    assert {"{}", "[]"} & set(result)
