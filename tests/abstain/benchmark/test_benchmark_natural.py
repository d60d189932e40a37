"""What blind readers disliked in built questions is not built: roles, superlatives, odd tasks."""

from __future__ import annotations

import pytest

from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.unanswerable import TYPES
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case

PETS = """
CREATE TABLE student (student_id INTEGER PRIMARY KEY, first_name TEXT, age INTEGER);
CREATE TABLE pet (pet_id INTEGER PRIMARY KEY, breed TEXT);
"""
HAS_PET = """
CREATE TABLE has_pet (student_id INTEGER REFERENCES student (student_id),
    pet_id INTEGER REFERENCES pet (pet_id));
"""


@pytest.mark.parametrize(("ddl", "expected"), [(PETS, True), (PETS + HAS_PET, False)])
def test_a_role_that_a_link_to_persons_may_tell_is_not_asked_for(ddl, expected) -> None:
    """Who owns a pet stands in a table of links: such a question has an answer."""
    case = Case("1", "home", "What are the breeds of all pets?", ("SELECT breed FROM pet",))
    here = QuestionSources((case,), {"home": SchemaWords.of(read_ddl(ddl, "home"))})
    columns = {idea.column for idea in TYPES.get("column_related").ideas(here, "home")}
    assert "diet" in columns
    assert ("owner" in columns) is expected


def test_what_each_row_has_one_of_is_not_asked_for_as_different_ones() -> None:
    ddl = "CREATE TABLE city (city_id INTEGER PRIMARY KEY, name TEXT, mascot TEXT, area REAL);"
    words = {"town": SchemaWords.of(read_ddl(ddl, "town"))}
    for question, expected in (
        ("Show the mascot of each city.", True),
        ("Show the different mascots of the cities.", False),
    ):
        here = QuestionSources((Case("1", "town", question, ("SELECT mascot FROM city",)),), words)
        changed = [
            idea.column
            for idea in TYPES.get("column_unrelated").ideas(here, "town")
            if idea.wording == "changed"
        ]
        assert "main religion" in changed
        assert ("oldest museum" in changed) is expected
    surface = {idea.column for idea in TYPES.get("column_surface").ideas(here, "town")}
    assert "forest area" in surface
    assert "planned area" not in surface


def test_no_poem_of_numbers_no_cause_of_two_amounts_and_no_forecast_of_a_past_year() -> None:
    questions = (
        ("Show the id and weight of each dog.", "SELECT dog_id, weight FROM dog"),
        ("What is the average age and total weight of dogs?", "SELECT avg(age) FROM dog"),
        ("What is the average age of dogs born in 1974?", "SELECT avg(age) FROM dog"),
    )
    cases = tuple(Case(str(n), "kennel", *pair) for n, pair in enumerate(questions))
    ideas = list(TYPES.get("non_sql").ideas(QuestionSources(cases, {}), "kennel"))
    changed = [(idea.source, idea.task) for idea in ideas if idea.wording == "changed"]
    assert ("0", "a message") in changed
    assert not {("0", "a poem"), ("0", "a letter"), ("2", "a forecast")} & set(changed)
    assert ("1", "a forecast") in changed
    assert ("1", "a chart") in changed
    assert ("1", "a cause") not in changed
