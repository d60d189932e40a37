"""Names as words: a column exists or not whatever its spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.abstain.benchmark.question_sources import SchemaWords
from sqlverdict.abstain.benchmark.words import (
    meanings,
    plural,
    question_words,
    same_wording,
    sayable,
    singular,
    words,
)
from sqlverdict.parse.schemas.ddl import read_ddl

DDL = """
CREATE TABLE country (country_id INTEGER PRIMARY KEY, continentName TEXT, pop INTEGER);
CREATE TABLE city (city_id INTEGER PRIMARY KEY, cityName TEXT,
    country_id INTEGER REFERENCES country (country_id));
CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, DogAge INTEGER, phone TEXT);
CREATE TABLE vet (vet_id INTEGER PRIMARY KEY, full_name TEXT, row_no INTEGER);
CREATE TABLE visit (dog_id INTEGER REFERENCES dog (dog_id), vet_id INTEGER REFERENCES vet (vet_id),
    visitDate TEXT);
"""


@pytest.fixture(scope="module")
def known() -> SchemaWords:
    """Not at the top of the file: it reads WordNet, and every worker collects every file."""
    return SchemaWords.of(read_ddl(DDL, "town"))


@pytest.mark.parametrize("name", ["Song_release_year", "songReleaseYr", "SONG_RELEASE_YEAR"])
def test_one_name_in_many_spellings(name) -> None:
    assert words(name) == ("song", "release", "year")


@pytest.mark.parametrize(
    "name", ["continent_name", "ContinentNames", "name continent", "population", "CITY NAME"]
)
def test_a_column_is_known_in_any_spelling(name, known: SchemaWords) -> None:
    assert known.holds(name)


def test_words_that_mean_the_same_about_a_row_are_one(known: SchemaWords) -> None:
    assert meanings("monthly_wages") == meanings("Monthly salary")
    assert known.holds("telephone"), "phone is there"
    assert known.holds("birthdate"), "age is there: near enough to be answered"
    assert not known.holds("shoe_size")


def test_a_column_near_the_name_counts_unless_it_is_not_asked_for(known: SchemaWords) -> None:
    assert known.holds("work_phone")
    assert not known.holds("work_phone", near=False)
    assert not known.holds("departure_date"), "a date alone says too little"


def test_only_the_named_tables_are_looked_at(known: SchemaWords) -> None:
    assert known.holds("age")
    assert not known.holds("age", ["vet"])


def test_what_a_foreign_key_leads_to_may_be_called_its_own(known: SchemaWords) -> None:
    assert known.reach("city") == {"city", "country"}
    assert known.reach("country") == {"city", "country"}
    assert known.reach("dog") == {"dog", "visit"}, "not the vet's: that needs the way down again"
    assert known.connected("dog") == {"dog", "visit", "vet"}


def test_keys_named_alike_lead_somewhere_even_undeclared() -> None:
    ddl = "CREATE TABLE a (a_id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER, a_id INTEGER);"
    assert SchemaWords.of(read_ddl(ddl, "d")).reach("b") == {"a", "b"}
    both = (
        "CREATE TABLE a (row_id INTEGER PRIMARY KEY); CREATE TABLE b (row_id INTEGER PRIMARY KEY);"
    )
    assert SchemaWords.of(read_ddl(both, "d")).reach("b") == {"b"}, (
        "a key of every table is no link"
    )


@pytest.mark.parametrize(
    ("one", "many"),
    [("city", "cities"), ("box", "boxes"), ("person", "people"), ("age", "ages"), ("day", "days")],
)
def test_plurals(one, many) -> None:
    assert plural(one) == many
    assert singular(many) == one
    assert plural(many) == many
    assert singular(one) == one


def test_names_nobody_would_say_are_passed_over() -> None:
    assert sayable("home_phone") == "home phone"
    for name in ("apt_ft_1", "id", "name", "x", "hdfst", "a_very_long_name_of_a_column", ""):
        assert sayable(name) is None


@given(st.text())
def test_any_text_has_words_and_a_wording(text) -> None:
    assert same_wording(same_wording(text)) == same_wording(text)
    assert same_wording(f" {text.upper()} ?") == same_wording(text.upper())
    for word, start, end in question_words(text):
        assert text[start:end].lower() == word
    assert all(word.isalnum() for word in words(text))
