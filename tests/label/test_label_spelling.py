"""Both queries of a pair are spelled alike, and say what they said."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.label.spelling.pair import spell_columns, spell_pair
from sqlverdict.label.spelling.tokens import SpelledQuery, spell_tokens
from sqlverdict.label.spelling.tree import spell_query
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Answer, Failure
from tiers import sampled

SCRIPT = """
CREATE TABLE Singer (Singer_ID INTEGER PRIMARY KEY, Name TEXT, Country TEXT, Age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER, "Year (AD)" INTEGER, "order" TEXT);
INSERT INTO Singer VALUES (1, 'Ann', 'FR', 30), (2, 'Bob', 'US', 20), (3, 'bob', NULL, 41);
INSERT INTO concert VALUES (1, 1, 2014, 'x'), (2, 1, 2015, 'y'), (3, 2, 2014, NULL);
"""
SAME = [
    # case, spaces, semicolon, comments
    ("SELECT NAME FROM SINGER", "select name  from singer ; -- the gold"),
    ("SELECT count(*) FROM singer", "SELECT COUNT( * ) FROM Singer /* two */"),
    # quotes
    (
        'SELECT name FROM singer WHERE country = "FR"',
        "SELECT Name FROM Singer WHERE Country = 'FR'",
    ),
    ("SELECT `Name` FROM [singer]", 'SELECT "NAME" FROM "Singer"'),
    ('SELECT "Year (AD)" FROM concert', "SELECT `year (ad)` FROM Concert"),
    # aliases, qualifiers, AS
    ("SELECT T1.name FROM singer AS T1", "SELECT name FROM singer"),
    ("SELECT name AS n FROM singer s ORDER BY n", "SELECT name FROM singer ORDER BY name ASC"),
    (
        "SELECT T2.id FROM singer AS T1 JOIN concert AS T2 ON T1.singer_id = T2.singer_id",
        "SELECT id FROM Singer INNER JOIN concert ON concert.Singer_ID = Singer.Singer_ID",
    ),
    (
        "SELECT a.name FROM singer a JOIN singer b ON a.age < b.age",
        "SELECT x.name FROM singer AS x INNER JOIN singer AS y ON y.age > x.age",
    ),
    (
        "SELECT count(*) AS c, country FROM singer GROUP BY country HAVING c > 1 ORDER BY c DESC",
        "SELECT COUNT(*), country FROM singer GROUP BY country HAVING COUNT(*) > 1 "
        "ORDER BY COUNT(*) DESC",
    ),
    (
        "SELECT x FROM (SELECT age + 1 AS x FROM singer) WHERE x > 21",
        "SELECT t.next FROM (SELECT age + 1 AS next FROM singer AS z) AS t WHERE t.next > 21",
    ),
    (
        "WITH old AS (SELECT name AS n FROM singer WHERE age > 25) SELECT n FROM old",
        "WITH a AS (SELECT Name FROM Singer s WHERE 25 < s.Age) SELECT a.name FROM a",
    ),
    (
        "SELECT name FROM singer WHERE singer_id IN (SELECT singer_id FROM concert)",
        "SELECT s.name FROM singer s WHERE s.singer_id IN (SELECT c.singer_id FROM concert c)",
    ),
    (
        "SELECT name FROM singer s WHERE EXISTS (SELECT 1 FROM concert WHERE singer_id = s.singer_id)",
        "SELECT t.name FROM singer t WHERE EXISTS "
        "(SELECT 1 FROM concert c WHERE t.singer_id = c.singer_id)",
    ),
    # order of equal conditions, their sides, lists
    (
        "SELECT name FROM singer WHERE age > 20 AND country = 'FR' AND name != 'x'",
        "SELECT name FROM singer WHERE (name <> 'x') AND ('FR' = country) AND (20 < age)",
    ),
    (
        "SELECT name FROM singer WHERE country IN ('US', 'FR') OR age == 3",
        "SELECT name FROM singer WHERE 3 = age OR country IN ('FR','US')",
    ),
    ("SELECT 1 FROM singer GROUP BY age, name", "SELECT 1 FROM singer GROUP BY name, age"),
    # words and parentheses that say nothing
    ("SELECT DISTINCT(name) FROM singer LIMIT 3", "SELECT DISTINCT name FROM singer LIMIT 0, 3"),
    (
        "SELECT * FROM singer LEFT OUTER JOIN concert USING (singer_id)",
        "SELECT * FROM singer LEFT JOIN concert USING (SINGER_ID)",
    ),
    (
        "SELECT name FROM singer WHERE NOT country IS NULL AND NOT age IN (1)",
        "SELECT name FROM singer WHERE ((age NOT IN (1)) AND country IS NOT NULL)",
    ),
    (
        "SELECT name FROM singer UNION SELECT country FROM singer ORDER BY name",
        "SELECT s.name AS x FROM singer AS s UNION SELECT t.country FROM singer AS t ORDER BY x ASC",
    ),
]
APART = [
    ("SELECT name FROM singer", "SELECT DISTINCT name FROM singer"),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age >= 20"),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE 20 > age"),
    ("SELECT name FROM singer WHERE name = 'Bob'", "SELECT name FROM singer WHERE name = 'bob'"),
    ("SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age DESC"),
    ("SELECT -age AS age FROM singer ORDER BY age", "SELECT -age FROM singer ORDER BY singer.age"),
    (
        "SELECT name FROM singer WHERE age = 1 OR (age = 2 AND country = 'FR')",
        "SELECT name FROM singer WHERE (age = 1 OR age = 2) AND country = 'FR'",
    ),
    ("SELECT (age + 1) * 2 FROM singer", "SELECT age + 1 * 2 FROM singer"),
    (
        "SELECT * FROM singer LEFT JOIN concert USING (singer_id)",
        "SELECT * FROM singer JOIN concert USING (singer_id)",
    ),
    (
        "SELECT a.name FROM singer a JOIN singer b ON a.age < b.age",
        "SELECT b.name FROM singer a JOIN singer b ON a.age < b.age",
    ),
    ("SELECT name FROM singer WHERE NOT (age = 1)", "SELECT name FROM singer WHERE age <> 1"),
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spelling") / "music.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT)
    return path


@pytest.fixture(scope="module")
def schema(database: Path) -> Schema:
    return read_sqlite(database)


def spell(sql: str, schema: Schema) -> str:
    spelled = spell_query(sql, "sqlite", schema)
    assert spelled is not None, sql
    return spelled.text


def rows(database: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return sorted(connection.execute(sql), key=repr)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_a_query_look_alike(one: str, other: str, schema: Schema) -> None:
    assert spell(one, schema) == spell(other, schema)


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_queries_stay_apart(one: str, other: str, schema: Schema) -> None:
    assert spell(one, schema) != spell(other, schema)


@pytest.mark.parametrize("sql", sorted({sql for pair in [*SAME, *APART] for sql in pair}))
def test_a_spelling_returns_what_the_query_returns(
    sql: str, schema: Schema, database: Path
) -> None:
    text = spell(sql, schema)
    assert rows(database, text) == rows(database, sql)
    assert spell(text, schema) == text


def test_names_are_the_schemas(schema: Schema) -> None:
    sql = "select t2.id, T1.NAME from SINGER t1 join CONCERT t2 on t1.singer_id=t2.singer_id"
    assert spell(sql, schema) == (
        "SELECT concert.id, Singer.Name FROM Singer JOIN concert "
        "ON Singer.Singer_ID = concert.singer_id"
    )
    assert spell('SELECT "order" FROM concert', schema) == 'SELECT "order" FROM concert'


def test_the_copies_of_a_table_have_numbers(schema: Schema) -> None:
    text = spell("SELECT b.name FROM singer a, singer b WHERE a.age = b.age", schema)
    assert text.startswith("SELECT Singer_2.Name FROM Singer AS Singer_1 ")
    assert " Singer AS Singer_2 " in text


def test_where_one_query_cannot_be_read_both_are_spelled_by_tokens(schema: Schema) -> None:
    one, other = 'select  T1.NAME from SINGER as T1 where "AGE"!=3;', "SELEC name FRM singer WHERE"
    pair = spell_pair((one, other), ("sqlite", "sqlite"), schema)
    assert not pair.by_tree
    assert pair.queries[0].text == "SELECT t1.Name FROM Singer AS t1 WHERE Age <> 3"
    assert pair.queries[1].text == "selec Name frm Singer WHERE"
    assert spell_tokens("SELECT count ( * ),a FROM t", None) == "SELECT count(*), a FROM t"


def test_without_a_schema_names_are_in_small_letters() -> None:
    pair = spell_pair(
        ("SELECT T1.NAME FROM STUDENT AS T1 WHERE T1.AGE = 3", "select name from student"),
        ("sqlite", "sqlite"),
        None,
    )
    assert [query.text for query in pair.queries] == [
        "SELECT name FROM student WHERE age = 3",
        "SELECT name FROM student",
    ]


_WORDS = sorted(
    word_set(
        """
        SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT JOIN LEFT ON USING AS WITH UNION ALL IN NOT
        LIKE BETWEEN AND OR IS NULL CASE WHEN THEN END EXISTS DISTINCT COUNT CAST singer concert
        name age q1 t1 value_1 x * ( ) , . = != < 1 'a' "b" `c` [d] ; -- /* */ || + - OVER
        PARTITION VALUES
        """
    )
)


@given(st.lists(st.sampled_from(_WORDS), max_size=25), st.sampled_from(["sqlite", "mysql"]))
def test_no_text_breaks_the_spelling(words: list[str], dialect: str) -> None:
    schema = Schema("x", (Table("Singer", (Column("Name"), Column("Age"))),), "ddl")
    texts = (" ".join(["SELECT", *words]), " ".join(words))
    for known in (schema, None):
        pair = spell_pair(texts, (dialect, dialect), known)
        assert all(isinstance(query.text, str) for query in pair.queries)


def test_a_text_longer_than_the_page_shows_is_not_read(schema: Schema) -> None:
    long = f"SELECT name FROM singer WHERE age IN ({', '.join(map(str, range(5000)))})"
    assert not spell_pair((long, "SELECT 1"), ("sqlite", "sqlite"), schema).by_tree


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "duckdb"])
def test_other_dialects_are_spelled_too(dialect: str, schema: Schema) -> None:
    one = spell_query("SELECT s.NAME FROM SINGER AS s WHERE s.AGE=3", dialect, schema)
    other = spell_query("select name from singer where 3 = age;", dialect, schema)
    assert one is not None
    assert one == other


@pytest.mark.parametrize(
    ("known", "columns", "names"),
    [
        (("COUNT(*)", "Name"), ("count( * )", "NAME"), ("COUNT(*)", "Name")),
        ((None,), ("Id", "NAME"), ("id", "name")),
        ((None, "COUNT(*)"), ("Id", "NAME", "count(*)"), ("id", "name", "COUNT(*)")),
        ((None, None), ("A", "b c"), ("a", "bc")),
        ((), ("COUNT ( * )",), ("count(*)",)),
        (("a",), ("A", "B"), ("a", "b")),
    ],
)
def test_the_heads_of_a_result_do_not_quote_the_query(known, columns, names) -> None:
    assert spell_columns(SpelledQuery("", known), columns) == names


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("benchmark", ["spider", "bird"])
def test_published_queries_return_the_same_in_the_one_spelling(
    data_root: Path, benchmark: str
) -> None:
    cases = list(BENCHMARKS.get(benchmark).read(data_root / benchmark).cases)
    files = sorted((data_root / benchmark / "predictions" / "dev").glob("*.txt"))
    texts = [[case.golds[0] for case in cases], *(file.read_text().splitlines() for file in files)]
    runner = QueryRunner("sqlite", Limits())
    different, unread, count = [], 0, 0
    for number in range(0, len(cases), sampled(61 if benchmark == "spider" else 31, 1)):
        database = cases[number].database
        if database is None or not Path(database).is_file():
            continue
        schema = runner.engine_for(database).schema(database)
        for sql in {lines[number].split("\t")[0] for lines in texts}:
            outcome = runner.run(database, sql)
            spelled = spell_query(sql, "sqlite", schema)
            count += 1
            if spelled is None:
                unread += not isinstance(outcome, Failure)
                continue
            again = runner.run(database, spelled.text)
            if isinstance(outcome, Answer):
                same = isinstance(again, Answer) and again.bag == outcome.bag
            else:
                same = isinstance(again, Failure)
            if not same:
                different.append((sql, spelled.text))
    runner.close()
    assert count > 20
    assert len(different) <= count // 100, different
    assert unread <= count // 100
