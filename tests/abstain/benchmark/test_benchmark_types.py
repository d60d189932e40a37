"""Unanswerable questions: what they ask for does not exist, and they read like the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.abstain.benchmark.columns.entities import entity_kind
from sqlverdict.abstain.benchmark.columns.hypothetical import Hypothetical
from sqlverdict.abstain.benchmark.columns.ideas import in_style
from sqlverdict.abstain.benchmark.columns.mentions import mentions
from sqlverdict.abstain.benchmark.question_pool import PoolQuestion
from sqlverdict.abstain.benchmark.question_sources import QuestionSources, SchemaWords
from sqlverdict.abstain.benchmark.types.non_sql import about
from sqlverdict.abstain.benchmark.unanswerable import TYPES, Idea, apportion, case_of, choose
from sqlverdict.abstain.benchmark.words import GENERIC, meanings, same_wording
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case

KENNEL = """
CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, name TEXT, age INTEGER, weight REAL);
CREATE TABLE vet (vet_id INTEGER PRIMARY KEY, full_name TEXT, start_date TEXT, room_count INTEGER);
CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, licence TEXT);
CREATE TABLE visit (dog_id INTEGER REFERENCES dog (dog_id), vet_id INTEGER REFERENCES vet (vet_id),
    cost REAL);
"""
OTHERS = {
    "zoo": "CREATE TABLE dog (id INTEGER, coat_colour TEXT, jump_height REAL, vaccine TEXT);",
    "staff": "CREATE TABLE nurse (id INTEGER, licence TEXT);",
    "crew": "CREATE TABLE pilot (id INTEGER, licence TEXT, email TEXT);",
    "club": "CREATE TABLE coach (id INTEGER, licence TEXT, email TEXT);",
    "court": "CREATE TABLE lawyer (id INTEGER, licence TEXT);",
    "pets": "CREATE TABLE dogs (id INTEGER, coat_colour TEXT, jump_height REAL, vaccine TEXT);",
    "sea": "CREATE TABLE vessel (vessel_id INTEGER PRIMARY KEY, tonnage INTEGER, sail TEXT);",
}
QUESTIONS = (
    ("What is the average age of all dogs?", "SELECT avg(age) FROM dog"),
    ("Show the weight of each dog.", "SELECT weight FROM dog"),
    ("List the name and age of the dogs.", "SELECT name, age FROM dog"),
    ("Which dog has the highest weight?", "SELECT name FROM dog ORDER BY weight DESC LIMIT 1"),
    ("Give the start dates of the vets.", "SELECT start_date FROM vet"),
    ("How many dogs are there?", "SELECT count(*) FROM dog"),
    ("Who is called Rex?", "SELECT dog_id FROM dog WHERE name = 'Rex'"),
    ("Show dogs with an age above 3.", "SELECT name FROM dog WHERE age > 3"),
)
CASES = tuple(
    Case(str(number), "kennel", question, (sql,))
    for number, (question, sql) in enumerate(QUESTIONS)
)
CHATTER = (
    "What is the coat colour?",
    "Which vaccine and jump height?",
    "Tonnage and sail?",
    "Room counts?",
    "Which licence?",
)
POOL = tuple(PoolQuestion(f"who wrote the song number {n} of the film", f"p{n}") for n in range(40))


@cache
def known(db_id: str, ddl: str) -> SchemaWords:
    return SchemaWords.of(read_ddl(ddl, db_id))


def sources(seed: int = 0, pool: tuple[PoolQuestion, ...] = POOL, cases=CASES) -> QuestionSources:
    others = {db_id: known(db_id, ddl) for db_id, ddl in OTHERS.items()}
    return QuestionSources(cases, {"kennel": known("kennel", KENNEL)}, others, pool, CHATTER, seed)


def ideas(name: str, seed: int = 0, most: int = 200) -> list[Idea]:
    return list(islice(TYPES.get(name).ideas(sources(seed), "kennel"), most))


def test_the_types_of_the_paper_and_two_more() -> None:
    assert [kind.label for _, kind in TYPES.items()] == [
        "ambiguous",
        "chit-chat",
        "column-related",
        "column-surface",
        "column-unrelated",
        "non-sql",
        "out-of-domain",
    ]


@pytest.mark.parametrize("name", ["column_related", "column_unrelated"])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_such_column_is_in_the_database_in_any_spelling(name, seed) -> None:
    result = ideas(name, seed)
    assert {idea.wording for idea in result} == {"changed", "form"}
    for idea in result:
        assert not sources().known["kennel"].holds(idea.column), idea


def test_surface_columns_are_elsewhere_or_beside_an_existing_one() -> None:
    results = {(idea.table, idea.column) for idea in ideas("column_surface")}
    assert ("vet", "licence") in results, "owners have one, and no key leads from vets to owners"
    assert ("dog", "licence") not in results, "what persons have is not asked of dogs"
    assert not any("vaccine" in column for _, column in results), "of another database"
    assert ("dog", "birth weight") in results
    assert not any(column == "cost" for _, column in results), "a visit's cost is the dog's too"
    assert not any(table == "dog" and column in ("age", "weight") for table, column in results)


def test_what_other_databases_say_of_the_same_thing_is_related() -> None:
    columns = {idea.column for idea in ideas("column_related") if idea.table == "dog"}
    assert {"coat colour", "jump height", "vaccine"} <= columns


def test_unrelated_columns_share_no_word_with_the_schema() -> None:
    result = ideas("column_unrelated")
    assert "hobby" in {idea.column for idea in result if idea.table == "vet"}
    assert "hobby" not in {idea.column for idea in result if idea.table == "dog"}
    for idea in result:
        assert not (meanings(idea.column) - GENERIC) & sources().known["kennel"].vocabulary
        assert "coat" not in idea.column, "the dogs of this database"


def test_a_changed_question_is_its_source_but_for_the_column() -> None:
    questions = {case.id: case.question for case in CASES}
    changed = [i for n in ("column_related", "column_surface") for i in ideas(n) if i.source]
    assert changed
    for idea in changed:
        before, after = questions[idea.source].split(), idea.question.split()
        common = sum((Counter(before) & Counter(after)).values())
        assert common >= len(before) - 2, (before, after)
        assert before[0] == after[0]
        assert before[-1][-1] == after[-1][-1]


@pytest.mark.parametrize(
    ("ddl", "kind"),
    [
        ("CREATE TABLE singers (id INTEGER)", "person"),
        ("CREATE TABLE Highschooler (id INTEGER, first_name TEXT, last_name TEXT)", "person"),
        ("CREATE TABLE staff (id INTEGER, gender TEXT)", "person"),
        ("CREATE TABLE stadium (id INTEGER)", "building"),
        ("CREATE TABLE country (id INTEGER)", "place"),
        ("CREATE TABLE team (id INTEGER)", "organization"),
        ("CREATE TABLE song (id INTEGER)", "work"),
        ("CREATE TABLE concert (id INTEGER)", "event"),
        ("CREATE TABLE browser (id INTEGER, market_share REAL)", None),
        ("CREATE TABLE ref_person_types (id INTEGER)", None),
        ("CREATE TABLE xyzzy (id INTEGER)", None),
        ("CREATE TABLE party (id INTEGER, first_year INTEGER, last_year INTEGER)", "organization"),
    ],
)
def test_what_the_rows_of_a_table_are(ddl, kind) -> None:
    (table,) = read_ddl(ddl, "x").tables
    assert entity_kind(table) == kind


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ("eventtype", "event type"),
        ("course_name", "title"),
        ("hometown", "city"),
        ("wages", "salary"),
    ],
)
def test_compounds_and_synonyms_are_known_in_both_directions(column, word) -> None:
    for there, name in ((column, word), (word.replace(" ", "_"), column)):
        here = SchemaWords.of(read_ddl(f"CREATE TABLE course (id INTEGER, {there} TEXT)", "x"))
        assert here.holds(name), (there, name)


def test_a_count_of_what_is_there_can_be_answered() -> None:
    assert sources().known["kennel"].holds("number of visits")
    assert not sources().known["kennel"].holds("number of siblings")


def mention_of(question: str, sql: str):
    return mentions(Case("1", "kennel", question, (sql,)), sources().known["kennel"])


def test_mentions_are_where_the_question_names_what_the_query_reads() -> None:
    (result,) = mention_of("What are the AGES of dogs?", "SELECT T1.age FROM dog AS T1")
    assert result.table == "dog"
    assert result.kind == "number"
    assert result.many
    shoe = Hypothetical("shoe size", "number")
    assert result.replaced(shoe) == "What are the shoe sizes of dogs?", "capitals are no beginning"
    (result,) = mention_of("What are the Ages of dogs?", "SELECT T1.age FROM dog AS T1")
    assert result.replaced(shoe) == "What are the Shoe sizes of dogs?"


@pytest.mark.parametrize(
    ("question", "sql", "because"),
    [
        ("Whose name is Rex?", "SELECT dog_id FROM dog WHERE name = 'Rex'", "compared"),
        ("Show dogs with an age above 3.", "SELECT name FROM dog WHERE age > 3", "compared"),
        ("What age is each dog at?", "SELECT age FROM dog", "part of a verb's phrase"),
        ("Show the age difference of the dogs.", "SELECT age FROM dog", "part of a compound"),
        ("List the age of all vets.", "SELECT age FROM dog", "not of the table's rows"),
        (
            "Sort the dogs by age from old to young.",
            "SELECT name FROM dog ORDER BY age DESC",
            "other words speak of its values",
        ),
        ("What are the first and full name?", "SELECT full_name FROM vet", "a shared noun"),
        ("Which age, what age?", "SELECT age FROM dog", "named twice"),
        ("Which dog id?", "SELECT dog_id FROM dog", "a key"),
        ("How old are the dogs?", "SELECT age FROM dog", "not named"),
        ("What age?", "SELECT age FROM", "not a query"),
        ("What is the age?", "SELECT weight FROM dog", "not read"),
    ],
)
def test_other_mentions_are_passed_over(question, sql, because) -> None:
    assert mention_of(question, sql) == [], because


def test_articles_follow_the_new_word() -> None:
    (result,) = mention_of("Show an age of each dog.", "SELECT age FROM dog")
    assert (
        result.replaced(Hypothetical("tail length", "number")) == "Show a tail length of each dog."
    )


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("What are the names of all singers?", "the names of all singers"),
        ("please show me all dogs.", "all dogs"),
        ("How many dogs are there?", "the number of dogs"),
        ("Find the age of the youngest dog", "the age of the youngest dog"),
        ("How many dogs bark?", None),
        ("Who barks?", None),
        ("List the dogs. Give ids.", None),
    ],
)
def test_what_a_request_is_about(question, rest) -> None:
    assert about(question) == rest


def test_requests_name_a_task_and_keep_what_they_are_about() -> None:
    result = ideas("non_sql")
    assert len({idea.task for idea in result}) >= 8
    for idea in result:
        if idea.wording == "changed":
            source = next(case for case in CASES if case.id == idea.source)
            assert about(source.question) in idea.question


def test_a_pool_question_that_shares_a_word_with_the_schema_is_passed_over() -> None:
    pool = (*POOL, PoolQuestion("how old is the oldest dog in the sources", "x"))
    items = list(TYPES.get("out_of_domain").ideas(sources(pool=pool), "kennel"))
    assert len(items) == len(POOL)
    assert all("dog" not in idea.question for idea in items)
    assert items[0].question[0].isupper(), "in the manner of the answerable questions"
    assert {idea.source for idea in items} == {question.origin for question in POOL}


def test_without_a_pool_other_databases_stand_in() -> None:
    sea = Case("s", "sea", "What tonnage is sunk in the bay?", ("SELECT tonnage FROM vessel",))
    here = sources(pool=(), cases=(*CASES, sea))
    items = list(TYPES.get("out_of_domain").ideas(here, "kennel"))
    assert [idea.source for idea in items] == ["sea s"]


def test_style_is_the_models() -> None:
    assert in_style("What is it?", "show me that") == "what is it"
    assert in_style("what is it?", "Show me that!") == "What is it?"


def test_a_database_without_a_schema_gets_only_what_needs_none() -> None:
    bare = QuestionSources(CASES, {}, pool=POOL)
    counts = {name: len(list(kind.ideas(bare, "kennel"))) for name, kind in TYPES.items()}
    assert counts["non_sql"] > 0
    assert sum(counts.values()) == counts["non_sql"]


ALL = [kind for name, kind in TYPES.items() if name not in ("ambiguous", "chit_chat")]


@pytest.mark.parametrize("seed", [0, 3])
def test_types_are_balanced_and_nothing_stands_twice(seed) -> None:
    here = sources(seed)
    choice = choose(here, {"kennel": 25}, ALL)
    assert Counter(c.kind.label for c in choice.ideas) == dict.fromkeys((k.label for k in ALL), 5)
    assert choice.short == {}
    wordings = [same_wording(idea.idea.question) for idea in choice.ideas]
    assert len(set(wordings)) == 25
    assert not set(wordings) & {same_wording(case.question) for case in CASES}
    cases = [case_of(idea, here, None) for idea in choice.ideas]
    assert len({case.id for case in cases}) == 25
    assert all(not case.answerable and not case.golds for case in cases)
    assert all(case.tags["unanswerable_type"] in case.id for case in cases)


def test_the_order_of_the_cases_does_not_matter() -> None:
    one = choose(sources(2), {"kennel": 20}, ALL)
    other = choose(sources(2, cases=CASES[::-1]), {"kennel": 20}, ALL)
    assert one == other
    assert one != choose(sources(4), {"kennel": 20}, ALL)


HAVE = {("kennel", "non-sql"): 4, ("kennel", "out-of-domain"): 4}


def test_types_that_are_there_already_count() -> None:
    choice = choose(sources(), {"kennel": 10}, ALL, HAVE)
    counts = Counter(idea.kind.label for idea in choice.ideas)
    assert counts["non-sql"] + counts["out-of-domain"] <= 1


class Silent:
    """A type that has one thing to say, over and over."""

    label, version, prompt = "silent", 1, ""

    def ideas(self, sources: QuestionSources, db_id: str) -> Iterator[Idea]:
        while True:
            yield Idea(db_id, "Always the same?", "form")


def test_a_type_that_repeats_itself_is_given_up() -> None:
    choice = choose(sources(), {"kennel": 3}, [Silent()])
    assert len(choice.ideas) == 1
    assert choice.short == {"kennel": 2}


@given(
    total=st.integers(0, 500),
    weights=st.dictionaries(st.text(max_size=3), st.integers(1, 50), min_size=1, max_size=9),
)
def test_shares_add_up_and_are_as_near_as_can_be(total, weights) -> None:
    result = apportion(total, weights)
    assert sum(result.values()) == total
    whole = sum(weights.values())
    for name, weight in weights.items():
        assert abs(result[name] - total * weight / whole) < 1
    assert apportion(total, dict(reversed(weights.items()))) == result


def test_no_weight_no_share() -> None:
    assert apportion(5, {"a": 0}) == {"a": 0}


WEATHER = """
CREATE TABLE region (region_id INTEGER PRIMARY KEY, name TEXT, rainfall REAL, temperature REAL);
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, net_worth REAL);
"""
WEATHER_QUESTIONS = (
    ("What is the average temperature of all regions?", "SELECT avg(temperature) FROM region"),
    ("Show the highest rainfall of all regions.", "SELECT max(rainfall) FROM region"),
    ("List the name and temperature of each region.", "SELECT name, temperature FROM region"),
    ("What is the name of each singer?", "SELECT name FROM singer"),
    ("List the net worth of each singer.", "SELECT net_worth FROM singer"),
)


def weather(name: str) -> list[Idea]:
    words_of = {"weather": known("weather", WEATHER)}
    cases = [
        Case(str(n), "weather", question, (sql,))
        for n, (question, sql) in enumerate(WEATHER_QUESTIONS)
    ]
    return list(TYPES.get(name).ideas(QuestionSources(cases, words_of), "weather"))


AMOUNTS = {"average", "highest", "lowest", "maximum", "minimum", "largest", "smallest", "total"}


@pytest.mark.parametrize("name", ["column_related", "column_surface", "column_unrelated"])
def test_nobody_asks_for_the_average_of_an_average(name) -> None:
    results = weather(name)
    assert results
    for idea in results:
        if AMOUNTS & set(idea.column.split()):
            assert sum(word in AMOUNTS for word in idea.question.split()) == 1, idea


def test_an_average_is_asked_for_where_no_other_stands() -> None:
    columns = {idea.column: idea.question for idea in weather("column_unrelated")}
    assert "average humidity" in columns


@pytest.mark.parametrize(
    "name", ["preferred name", "full name", "current name", "real net worth", "actual temperature"]
)
def test_a_word_that_changes_nothing_makes_no_new_column(name) -> None:
    assert known("weather", WEATHER).holds(name, near=False)


def test_a_modifier_that_changes_the_column_does() -> None:
    for name in ("former name", "target temperature"):
        assert not known("weather", WEATHER).holds(name, near=False)


def test_no_invented_column_is_another_word_for_one_that_is_there() -> None:
    results = {idea.column for idea in weather("column_surface") if idea.table == "singer"}
    assert results
    assert not results & {"preferred name", "name", "title", "full name", "wealth"}
