"""Exact set match: what counts and what does not."""

from __future__ import annotations

from typing import TypeVar

import pytest
from exact_set_parts import SCHEMA, match, read
from hypothesis import settings

from sqlverdict.compare.exact_set.components import read_components
from sqlverdict.compare.exact_set.match import MAX_DEPTH, SetMatch, exact_set_match

T = TypeVar("T")
FEW = settings(max_examples=40)
JOINED = "FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id"


SAME = {
    "order of columns": ("SELECT name, age FROM singer", "SELECT age, name FROM singer"),
    "letter case, qualifiers": ("SELECT name FROM singer", "select SINGER.Name from Singer"),
    "aliases of columns": ("SELECT max(age) FROM singer", "SELECT max(age) AS oldest FROM singer"),
    "alias without AS": (f"SELECT T1.name {JOINED}", "SELECT s.name FROM singer s, concert c"),
    "order of tables, INNER": (
        f"SELECT T1.name {JOINED}",
        "SELECT b.name FROM concert a INNER JOIN singer b ON a.singer_id = b.id",
    ),
    "conditions of joins": (
        f"SELECT T1.name {JOINED}",
        "SELECT T1.name FROM singer AS T1 JOIN concert AS T2 ON T1.age = T2.year OR T1.id = T2.id",
    ),
    "USING and nothing": (
        f"SELECT T1.name {JOINED}",
        "SELECT singer.name FROM singer JOIN concert USING (id)",
    ),
    "order of conditions": (
        "SELECT name FROM singer WHERE age > 3 AND country = 'x'",
        "SELECT name FROM singer WHERE country = 'y' AND age > 9",
    ),
    "parentheses": (
        "SELECT name FROM singer WHERE age > 1 AND (id = 2 OR country = 'x')",
        "SELECT name FROM singer WHERE (age > 1 AND id = 2) OR country = 'x'",
    ),
    "!= and <>": (
        "SELECT name FROM singer WHERE age != 1",
        "SELECT name FROM singer WHERE age <> 1",
    ),
    "the value first": (
        "SELECT name FROM singer WHERE age > 1",
        "SELECT name FROM singer WHERE 1 < age",
    ),
    "NOT before or behind": (
        "SELECT name FROM singer WHERE country NOT LIKE 'x'",
        "SELECT name FROM singer WHERE NOT country LIKE 'x'",
    ),
    "a number in ORDER BY": (
        "SELECT country, count(*) FROM singer GROUP BY country ORDER BY count(*) DESC",
        "SELECT country, count(*) FROM singer GROUP BY 1 ORDER BY 2 DESC",
    ),
    "an alias in ORDER BY and HAVING": (
        "SELECT country, count(*) FROM singer GROUP BY country "
        "HAVING count(*) > 1 ORDER BY count(*)",
        "SELECT country, count(*) AS n FROM singer GROUP BY country HAVING n > 1 ORDER BY n ASC",
    ),
    "an alias behind a set operation": (
        "SELECT name AS a FROM singer UNION SELECT stadium FROM concert ORDER BY a",
        "SELECT name AS b FROM singer UNION SELECT stadium FROM concert ORDER BY b",
    ),
    "the number in LIMIT": (
        "SELECT name FROM singer ORDER BY age LIMIT 1",
        "SELECT name FROM singer ORDER BY age LIMIT 9 OFFSET 2",
    ),
    "SELECT DISTINCT": ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer"),
    "a foreign key": (f"SELECT T1.id {JOINED}", f"SELECT T2.singer_id {JOINED}"),
    "a chain of foreign keys": (
        "SELECT a.id FROM singer a JOIN ticket b JOIN concert c",
        "SELECT b.singer_id FROM singer a JOIN ticket b JOIN concert c",
    ),
    "a quoted column": (
        'SELECT "the hall" FROM concert',
        "SELECT [The Hall] FROM concert",
    ),
    "WITH for a query in FROM": (
        "SELECT t.n FROM (SELECT count(*) AS n FROM singer) AS t",
        "WITH c(m) AS (SELECT count(*) FROM singer) SELECT m FROM c",
    ),
    "names in a query inside": (
        "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert WHERE year > 1)",
        "SELECT s.name FROM singer s WHERE s.id IN "
        "(SELECT c.singer_id FROM concert AS c WHERE c.year > 1)",
    ),
    "names in a correlated query": (
        "SELECT name FROM singer AS a WHERE EXISTS "
        "(SELECT 1 FROM concert AS b WHERE b.singer_id = a.id)",
        "SELECT name FROM singer AS u WHERE EXISTS "
        "(SELECT 1 FROM concert AS v WHERE v.singer_id = u.id)",
    ),
}


@pytest.mark.parametrize("what", SAME)
def test_what_does_not_count(what: str) -> None:
    gold, prediction = SAME[what]
    assert match(gold, prediction) == SetMatch(True)


DIFFERENT = {
    "a column more": ("select", "SELECT name FROM singer", "SELECT name, age FROM singer"),
    "a column twice": ("select", "SELECT name FROM singer", "SELECT name, name FROM singer"),
    "an aggregate": ("select", "SELECT max(age) FROM singer", "SELECT min(age) FROM singer"),
    "of what there are two": (
        "select",
        "SELECT T1.id FROM singer AS T1 JOIN concert AS T2",
        "SELECT T2.id FROM singer AS T1 JOIN concert AS T2",
    ),
    "arithmetic": ("select", "SELECT age - id FROM singer", "SELECT id - age FROM singer"),
    "a table more": ("from", "SELECT name FROM singer", "SELECT name FROM singer, ticket"),
    "a table twice": (
        "from",
        "SELECT a.name FROM singer a",
        "SELECT a.name FROM singer a JOIN singer b",
    ),
    "an outer join": (
        "from",
        f"SELECT T1.name {JOINED}",
        "SELECT T1.name FROM singer AS T1 LEFT JOIN concert AS T2 ON T1.id = T2.singer_id",
    ),
    "an operator": (
        "where",
        "SELECT name FROM singer WHERE age > 1",
        "SELECT name FROM singer WHERE age >= 1",
    ),
    "a side": (
        "where",
        "SELECT name FROM singer WHERE age > 1",
        "SELECT name FROM singer WHERE id > 1",
    ),
    "a query, not a value": (
        "where",
        "SELECT name FROM singer WHERE age > 1",
        "SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer)",
    ),
    "AND, OR": (
        "and/or",
        "SELECT name FROM singer WHERE age > 1 AND id = 2",
        "SELECT name FROM singer WHERE age > 1 OR id = 2",
    ),
    "groups": (
        "group",
        "SELECT count(*) FROM singer GROUP BY country",
        "SELECT count(*) FROM singer GROUP BY age",
    ),
    "order of groups": (
        "group",
        "SELECT count(*) FROM singer GROUP BY country, age",
        "SELECT count(*) FROM singer GROUP BY age, country",
    ),
    "having": (
        "group",
        "SELECT country FROM singer GROUP BY country HAVING count(*) > 1",
        "SELECT country FROM singer GROUP BY country HAVING max(age) > 1",
    ),
    "direction": (
        "order",
        "SELECT name FROM singer ORDER BY age",
        "SELECT name FROM singer ORDER BY age DESC",
    ),
    "LIMIT": (
        "order",
        "SELECT name FROM singer ORDER BY age",
        "SELECT name FROM singer ORDER BY age LIMIT 1",
    ),
    "LIMIT alone": ("keywords", "SELECT name FROM singer", "SELECT name FROM singer LIMIT 1"),
    "a set operation": (
        "set operations",
        "SELECT name FROM singer UNION SELECT stadium FROM concert",
        "SELECT name FROM singer UNION ALL SELECT stadium FROM concert",
    ),
    "inside a set operation": (
        "select 2",
        "SELECT name FROM singer EXCEPT SELECT stadium FROM concert",
        "SELECT name FROM singer EXCEPT SELECT year FROM concert",
    ),
    "which side of EXCEPT": (
        "from 1",
        "SELECT name FROM singer EXCEPT SELECT stadium FROM concert",
        "SELECT stadium FROM concert EXCEPT SELECT name FROM singer",
    ),
    "a foreign key outside the first FROM": (
        "from 2",
        "SELECT name FROM singer UNION SELECT c.singer_id FROM concert c",
        "SELECT name FROM singer UNION SELECT t.singer_id FROM ticket t",
    ),
    "DISTINCT in a query inside": (
        "where",
        "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert)",
        "SELECT name FROM singer WHERE id IN (SELECT DISTINCT singer_id FROM concert)",
    ),
    "CASE": (
        "select",
        "SELECT CASE WHEN age > 1 THEN 'a' END FROM singer",
        "SELECT CASE WHEN age > 1 THEN 'b' END FROM singer",
    ),
    "a condition under NOT": (
        "where",
        "SELECT name FROM singer WHERE NOT (age > 1 AND id = 2)",
        "SELECT name FROM singer WHERE NOT (age > 1 OR id = 2)",
    ),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_what_counts(what: str) -> None:
    clause, gold, prediction = DIFFERENT[what]
    result = match(gold, prediction)
    assert result.equal is False
    assert clause in result.differs
    assert match(gold, prediction, counts=True).equal is False


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT name FROM singer WHERE age > 1", "SELECT name FROM singer WHERE age > 2"),
        (
            "SELECT name FROM singer WHERE age BETWEEN 1 AND 2",
            "SELECT name FROM singer WHERE age BETWEEN 1 AND 3",
        ),
        (
            "SELECT name FROM singer WHERE country IN ('a', 'b')",
            "SELECT name FROM singer WHERE country IN ('a', 'c')",
        ),
        (
            "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert WHERE year = 1)",
            "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert WHERE year = 2)",
        ),
        (
            "SELECT name FROM singer GROUP BY name HAVING count(*) > 1",
            "SELECT name FROM singer GROUP BY name HAVING count(*) > 2",
        ),
        ("SELECT count(DISTINCT name) FROM singer", "SELECT count(name) FROM singer"),
        ("SELECT name FROM singer WHERE age = 1", "SELECT name FROM singer WHERE age = '1'"),
        ("SELECT name FROM singer WHERE age = id", "SELECT name FROM singer WHERE age = 1"),
    ],
)
def test_values_and_distinct_count_when_asked(gold: str, prediction: str) -> None:
    assert match(gold, prediction).equal is True
    assert match(gold, prediction, counts=True).equal is False


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT id FROM singer WHERE name = 'a'", 'SELECT id FROM singer WHERE name = "a"'),
        ("SELECT id FROM singer WHERE age = 1", "SELECT id FROM singer WHERE age = 1.0"),
        ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer"),
        (
            "SELECT id FROM singer WHERE name IN ('a', 'b')",
            "SELECT id FROM singer WHERE name IN ('b', 'a')",
        ),
        (
            "SELECT name FROM singer ORDER BY age LIMIT 1",
            "SELECT name FROM singer ORDER BY age LIMIT 2",
        ),
    ],
)
def test_what_does_not_count_even_then(gold: str, prediction: str) -> None:
    assert match(gold, prediction, counts=True) == SetMatch(True)


def test_an_alias_means_a_table_in_its_own_query_only() -> None:
    """The published script lets the second query's T1 change the first one's."""
    gold = "SELECT T1.id FROM singer AS T1 EXCEPT SELECT T1.id FROM concert AS T1"
    aliased = "SELECT a.id FROM singer AS a EXCEPT SELECT b.id FROM concert AS b"
    assert match(gold, aliased).equal is True
    first, second = read_components(read(gold).tree, SCHEMA, values=True, distinct=True)
    # singer.id under the name of its class: concert.singer_id comes first among equals.
    assert (first.select, second.select) == (("concert.singer_id",), ("concert.id",))


def test_columns_of_unknown_tables_are_compared_by_name() -> None:
    assert match("SELECT x.a FROM nowhere AS x", "SELECT a FROM nowhere").equal is True
    assert match("SELECT a FROM nowhere", "SELECT b FROM nowhere").equal is False


@pytest.mark.parametrize(
    "sql",
    [
        "VALUES (1, 2)",
        "SELECT 1",
        "SELECT * FROM (singer JOIN concert ON singer.id = singer_id)",
        "SELECT * FROM (VALUES (1)) AS v NATURAL JOIN singer",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "SELECT sum(age) OVER (PARTITION BY country ORDER BY id) FROM singer",
        "SELECT group_concat(DISTINCT name), count(*) FILTER (WHERE age > 1) FROM singer",
        "SELECT name FROM singer WHERE (id, age) IN (SELECT id, year FROM concert)",
        "SELECT name FROM singer WHERE id IN concert",
        "SELECT value FROM singer, json_each(singer.name)",
        "SELECT name FROM singer WHERE name LIKE 'a' ESCAPE 'b' AND age IS NOT NULL AND NOT age",
        "SELECT rowid, singer.*, -age, CAST(age AS TEXT) || x'00' FROM singer",
        "SELECT name FROM singer ORDER BY 0, 99, age COLLATE NOCASE DESC NULLS LAST LIMIT 1, 2",
        "SELECT (SELECT max(year) FROM concert WHERE singer_id = s.id) AS y FROM singer s ORDER BY y",
    ],
)
def test_anything_that_parses_matches_itself(sql: str) -> None:
    for counts in (False, True):
        assert match(sql, sql, counts=counts) == SetMatch(True)
        assert match(sql, "SELECT stadium FROM concert", counts=counts).equal is False


def test_chains_that_would_double_at_every_step_end() -> None:
    # Chains of one name each: SQLite's own parser multiplies out chains of two.
    steps = [f", c{n} AS (SELECT x || x AS x FROM c{n - 1})" for n in range(1, 60)]
    text = f"WITH c0 AS (SELECT name AS x FROM singer){''.join(steps)} SELECT x, x FROM c59"
    assert match(text, text).equal is True
    assert match(text, text.replace("SELECT name", "SELECT country")).equal is False


@pytest.mark.slow
def test_depth_beyond_reach_is_open_and_long_chains_are_not() -> None:
    deep = f"SELECT {'+'.join(['age'] * (MAX_DEPTH + 5))} FROM singer"
    assert match(deep, deep) == SetMatch(None)
    wide = f"SELECT name FROM singer WHERE {' AND '.join(['age = 1'] * 500)}"
    assert match(wide, wide) == SetMatch(True)
    parts = " UNION ".join(["SELECT name FROM singer"] * 400)
    assert match(parts, parts) == SetMatch(True)


def test_trees_are_left_as_they_were() -> None:
    query = read(f"SELECT T1.name AS n {JOINED} WHERE T1.age IN (SELECT 1) ORDER BY n")
    before = query.tree.sql()
    exact_set_match(query, query, SCHEMA)
    assert query.tree.sql() == before
