"""Templates: what is a value, what is structure, and which templates are one query."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.abstain.benchmark.meaning import FilledTemplates, find_meanings, same_query
from sqlverdict.abstain.benchmark.templates import filled, template_of
from sqlverdict.parse.schemas.ddl import read_ddl

DDL = """
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, born TEXT);
CREATE TABLE song (song_id INTEGER PRIMARY KEY, title TEXT,
    singer_id INTEGER NOT NULL REFERENCES singer (id));
"""
SCHEMA = read_ddl(DDL, "music")


def text(sql: str) -> str:
    return template_of(sql, "music", SCHEMA).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT name FROM singer WHERE age > 20", "select NAME from Singer where AGE>31 ;"),
        ("SELECT name FROM singer WHERE name = 'a'", "SELECT name FROM singer WHERE name = \"b\""),
        ("SELECT name FROM singer WHERE age > -3", "SELECT name FROM singer WHERE age > -7"),
        ("SELECT name FROM singer LIMIT 3", "SELECT name FROM singer LIMIT 8"),
        ("SELECT name FROM singer WHERE name LIKE '%a%'", "SELECT name FROM singer WHERE name LIKE '%bcd%'"),
        ("SELECT name FROM singer WHERE age IN (1, 2)", "SELECT name FROM singer WHERE age IN (4, 9)"),
        ("SELECT age FROM singer WHERE born < date('2020-01-02')", "SELECT age FROM singer WHERE born < date('1999-12-31')"),
        ("SELECT age FROM singer GROUP BY age HAVING count(*) > 2", "SELECT age FROM singer GROUP BY age HAVING count(*) > 5"),
        ("SELECT sum(CASE WHEN name = 'x' THEN 1 ELSE 0 END) FROM singer", "SELECT sum(CASE WHEN name = 'y' THEN 1 ELSE 0 END) FROM singer"),
    ],
)  # fmt: skip
def test_values_are_masked(one, other) -> None:
    assert text(one) == text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT name FROM singer ORDER BY age LIMIT 1", "SELECT name FROM singer ORDER BY age LIMIT 3"),
        ("SELECT name FROM singer ORDER BY 1", "SELECT name FROM singer ORDER BY 2"),
        ("SELECT name FROM singer WHERE name LIKE 'a%'", "SELECT name FROM singer WHERE name LIKE '%a'"),
        ("SELECT name FROM singer WHERE age > 2", "SELECT name FROM singer WHERE age > '2'"),
        ("SELECT name FROM singer WHERE age > 2", "SELECT name FROM singer WHERE age < 2"),
        ("SELECT name FROM singer WHERE age IN (1, 2)", "SELECT name FROM singer WHERE age IN (1, 2, 3)"),
        ("SELECT count(*) > 0 FROM singer", "SELECT count(*) > 1 FROM singer"),
        ("SELECT strftime('%Y', born) FROM singer", "SELECT strftime('%m', born) FROM singer"),
        ("SELECT name FROM singer WHERE age = 3 OR age = 3", "SELECT name FROM singer WHERE age = 3 OR age = 4"),
        ('SELECT "name" FROM singer', "SELECT 'name' FROM singer"),
    ],
)  # fmt: skip
def test_structure_stays(one, other) -> None:
    assert text(one) != text(other)


def test_masks_are_named_after_their_columns() -> None:
    result = template_of(
        "SELECT 1 FROM singer WHERE age BETWEEN 2 AND 5 AND name = 'x'", "d", SCHEMA
    )
    assert result.text == (
        "SELECT 1 FROM singer WHERE age BETWEEN {age_1} AND {age_2} AND name = '{name_1}'"
    )
    assert [value.label for value in result.values] == ["age.from", "age.to", "name.is"]


def test_another_database_is_another_template() -> None:
    sql = "SELECT name FROM singer"
    assert template_of(sql, "a").id != template_of(sql, "b").id
    assert template_of(sql, "a").text == template_of(sql, "b").text


def test_what_cannot_be_parsed_is_masked_token_by_token() -> None:
    one, other = (template_of(f"SELECT 'x{n}' FROM WHERE {n}", "d") for n in (1, 2))
    assert not one.readable
    assert one.values == ()
    assert one.text == other.text
    assert one.id == other.id
    assert template_of("SELECT 'x' FROM WHERE name", "d").id != one.id


AGES = st.integers(1001, 9999)


@given(age=AGES, limit=st.integers(2, 9), name=st.text("xyz '%", min_size=1))
def test_any_values_give_the_same_template(age, limit, name) -> None:
    quoted = name.replace("'", "''")
    sql = f"SELECT name FROM singer WHERE age > {age} AND name = '{quoted}' LIMIT {limit}"
    assert text(sql) == (
        "SELECT name FROM singer WHERE age > {age_1} AND name = '{name_1}' LIMIT {limit_1}"
    )


@pytest.mark.parametrize("turn", [0, 1])
def test_a_filled_template_is_a_query_of_its_template(turn) -> None:
    sql = "SELECT name FROM singer WHERE age > 2 AND age < 9 AND name LIKE '%a%' LIMIT 4"
    template = template_of(sql, "music", SCHEMA)
    fillings = filled(template, SCHEMA, turn)
    assert template_of(fillings, "music", SCHEMA).text == template.text
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(DDL)
        database.execute(fillings)


def proved(one: str, other: str) -> bool:
    first, second = (template_of(sql, "music", SCHEMA) for sql in (one, other))
    assert first.id != second.id
    result = same_query(first, second, FilledTemplates(SCHEMA)) is not None
    joined = find_meanings([first, second], {"music": SCHEMA})
    assert len(set(joined.classes.values())) == (1 if result else 2)
    return result


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT name FROM singer WHERE age > 3", "SELECT s.name FROM singer AS s WHERE 8 < s.age"),
        ("SELECT name FROM singer WHERE age BETWEEN 1 AND 5", "SELECT name FROM singer WHERE age <= 3 AND age >= 2"),
        ("SELECT title FROM song JOIN singer ON id = singer_id WHERE name = 'a'", "SELECT a.title FROM singer b, song a WHERE a.singer_id = b.id AND b.name = 'z'"),
    ],
)  # fmt: skip
def test_templates_that_are_one_query_are_joined(one, other) -> None:
    assert proved(one, other)


@pytest.mark.parametrize(
    ("one", "other", "because"),
    [
        ("SELECT name FROM singer WHERE age > 3", "SELECT name FROM singer WHERE age >= 3", "a border"),
        ("SELECT name FROM singer WHERE age > 3 AND age > 5", "SELECT name FROM singer WHERE age > 5 AND id > 0", "values compared otherwise"),
        ("SELECT name FROM singer", "SELECT name FROM singer ORDER BY name", "one orders its rows"),
        ("SELECT name FROM singer WHERE age = 3 OR age = 4", "SELECT name FROM singer WHERE age = 3", "a value less"),
        ("SELECT count(*) FROM singer", "SELECT count(age) FROM singer", "age may be NULL"),
    ],
)  # fmt: skip
def test_templates_that_differ_stay_apart(one, other, because) -> None:
    assert not proved(one, other), because


def test_nothing_rests_on_which_of_two_numbers_is_larger() -> None:
    """With 3 and 5 one condition is idle and the queries agree; as templates they do not."""
    one = template_of("SELECT name FROM singer WHERE age > 3 AND age > 5", "music", SCHEMA)
    other = template_of("SELECT name FROM singer WHERE age > 5 AND age > 5", "music", SCHEMA)
    from sqlverdict.prove.prover import prove

    assert prove(one.sql, "SELECT name FROM singer WHERE age > 5", SCHEMA).proved
    assert same_query(one, other, FilledTemplates(SCHEMA)) is None


def test_a_class_is_joined_through_its_members_and_the_order_does_not_matter() -> None:
    texts = [
        "SELECT name FROM singer WHERE age > 3",
        "SELECT s.name FROM singer AS s WHERE s.age > 4",
        "SELECT t.name FROM singer AS t WHERE 5 < t.age",
        "SELECT name FROM singer WHERE age < 3",
    ]
    templates = [template_of(sql, "music", SCHEMA) for sql in texts]
    result = find_meanings(templates, {"music": SCHEMA})
    assert len(set(result.classes.values())) == 2
    assert len(result.same) == 2
    again = find_meanings(templates[::-1], {"music": SCHEMA})
    assert again.classes == result.classes
    assert find_meanings(templates, {}).unreadable == 4, "without a schema nothing is proved"
