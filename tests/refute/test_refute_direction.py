"""Differences that chance seldom meets: the values and groups are chosen by the queries."""

from __future__ import annotations

from statistics import median

import pytest

from sqlverdict.execute.in_memory import warm_scratch
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Query
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import Instance, SearchBudget, Witness

SCHEMA = read_ddl(
    """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, born DATE, height REAL, weight REAL);
    CREATE TABLE visit (person INTEGER REFERENCES person (id), place TEXT, day DATE,
      PRIMARY KEY (person, place));
    """,
    "visits",
)
JOIN = "SELECT p.name FROM person p JOIN visit v ON v.person = p.id"


def assert_refuted(gold: str, prediction: str, schema: Schema) -> None:
    """A legal witness is found within the ordinary budget."""
    witness = find_witness(gold, prediction, schema)
    assert isinstance(witness, Witness)
    assert legal(witness.instance, facts_of(schema)) == []


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT name FROM person WHERE substr(born, 1, 7) = '1970-10'",
            "SELECT name FROM person"
            " WHERE substr(born, 1, 4) = '1970' AND substr(born, 6, 2) = '10'",
        ),
        (
            "SELECT count(*) FROM person WHERE weight * 100 / height < 0.18",
            "SELECT count(name) FROM person WHERE weight * 100 / height < 0.18",
        ),
        (
            f"{JOIN} WHERE strftime('%Y', v.day) - strftime('%Y', p.born) < 18"
            " AND strftime('%Y', v.day) BETWEEN '1990' AND '1993'",
            f"{JOIN} WHERE v.day BETWEEN '1990-01-01' AND '1993-12-31'",
        ),
        (
            "SELECT name FROM person WHERE height NOT BETWEEN 40 AND 400 AND weight > 5",
            "SELECT name FROM person WHERE NOT (height >= 40 AND height < 400) AND weight > 5",
        ),
        (
            f"{JOIN} GROUP BY p.id HAVING count(v.place) > 20",
            f"{JOIN} GROUP BY p.id HAVING count(v.place) > 21",
        ),
        (
            f"{JOIN} GROUP BY p.id HAVING count(v.place) > 7",
            f"{JOIN} GROUP BY p.name HAVING count(v.place) > 7",
        ),
    ],
    ids=["parts of a text", "a quotient", "years apart", "outside", "a group", "two groups"],
)
def test_it_is_found(gold: str, prediction: str) -> None:
    assert_refuted(gold, prediction, SCHEMA)


WIDE = read_ddl(
    """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, nick TEXT, height REAL, score TEXT);
    CREATE TABLE stay (person INTEGER REFERENCES person (id), year INTEGER PRIMARY KEY, cost INT);
    CREATE TABLE region (id INTEGER PRIMARY KEY, label TEXT);
    CREATE TABLE shop (id INTEGER PRIMARY KEY, region VARCHAR(9) NOT NULL REFERENCES region (id));
    CREATE TABLE bill (id INTEGER PRIMARY KEY, shop INTEGER NOT NULL REFERENCES shop (id),
      kind TEXT, amount INTEGER);
    CREATE TABLE term (season TEXT CHECK (season IN ('Fall', 'Spring')),
      year INTEGER CHECK (year > 1701 AND year < 2100), PRIMARY KEY (season, year));
    CREATE TABLE course (id INTEGER PRIMARY KEY, season TEXT, year INTEGER, title TEXT,
      FOREIGN KEY (season, year) REFERENCES term (season, year));
    """,
    "wide",
)
RANKED = "SELECT name FROM person WHERE nick IS NOT NULL AND score IS NOT NULL GROUP BY name"
STAYED = "p.name FROM person p JOIN stay s ON s.person = p.id WHERE s.year > 2010"
BILLS = "SELECT kind FROM bill GROUP BY kind ORDER BY"
TITLED = "WHERE b.kind = 'x' AND c.title = 'Y'"
GROUPED = "SELECT name FROM person GROUP BY name"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            f"{RANKED} ORDER BY count(name) DESC LIMIT 1",
            f"{RANKED} ORDER BY count(*) DESC LIMIT 1",
        ),
        (
            "SELECT avg(score) FROM person WHERE height < 2",
            "SELECT sum(score) FROM person WHERE height < 2",
        ),
        (
            f"{GROUPED} ORDER BY count(*) DESC LIMIT 5",
            f"{GROUPED} ORDER BY count(*) DESC LIMIT 6",
        ),
        (f"{GROUPED} HAVING count(*) > 50", f"{GROUPED} HAVING count(*) > 51"),
        pytest.param(
            "SELECT name FROM person ORDER BY height LIMIT 1 OFFSET 120",
            "SELECT nick FROM person ORDER BY height LIMIT 1 OFFSET 120",
            marks=pytest.mark.slow,
        ),
        (f"SELECT {STAYED}", f"SELECT DISTINCT {STAYED}"),
        (f"{BILLS} count(*) DESC LIMIT 1", f"{BILLS} sum(amount) DESC LIMIT 1"),
        (
            f"SELECT c.title FROM course c JOIN bill b ON b.id = c.id {TITLED}",
            f"SELECT c.title FROM course c JOIN bill b ON b.kind = c.id {TITLED}",
        ),
        (
            "SELECT avg(cost) FROM stay WHERE cost > 4000",
            "SELECT max(cost) FROM stay WHERE cost > 4000",
        ),
        (
            "SELECT title FROM course WHERE season = 'Fall' AND year = 2009",
            "SELECT title FROM course WHERE season = 'Fall' AND year = 2008",
        ),
    ],
    ids=[
        "not NULL",
        "numbers as texts",
        "more groups than a LIMIT",
        "a large group",
        "far down",
        "keys that pass a filter",
        "texts that refer to numbers",
        "joins of one query",
        "several values that pass",
        "what a CHECK takes",
    ],
)
def test_rows_pass_what_the_queries_ask_for(gold: str, prediction: str) -> None:
    assert_refuted(gold, prediction, WIDE)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(CASE WHEN name = 'A' THEN height ELSE 0 END)"
        " / sum(CASE WHEN name = 'B' THEN height ELSE 0 END) FROM person",
        "SELECT ifnull(height, 0) FROM person WHERE round(height, 2) > 0",
        "SELECT name FROM person WHERE NOT (height <= 40) AND name NOT LIKE 'A%'",
        "SELECT times FROM (SELECT count(*) AS times FROM bill GROUP BY kind) WHERE times > 5",
        "SELECT name FROM person WHERE nick = 'x' EXCEPT SELECT name FROM person WHERE score = 'y'",
        "SELECT name FROM person WHERE height > (SELECT max(height) FROM person WHERE nick = 'x')",
    ],
)
def test_many_instances_give_the_query_something_to_say(sql: str) -> None:
    query = parse(sql)
    assert isinstance(query, Query)
    scratch = warm_scratch(WIDE, None, False)
    generator = InstanceGenerator(WIDE, facts_of(WIDE), read_query(query, WIDE))
    different = 0
    for number in range(100):
        scratch.load(generator.instance(number))
        answer = scratch.run(sql)
        assert isinstance(answer, Answer)
        different += any(cell not in (None, 0) for row in answer.rows for cell in row)
    assert different >= 8


MIXED = read_ddl(
    """
    CREATE TABLE ware (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER,
      made DATE CHECK (made >= '1900-01-01'), state STRING NOT NULL CHECK (state IN ('new', 'old')));
    CREATE TABLE lot (ware VARCHAR(9) REFERENCES ware (id), opened DATE, closed DATE, who TEXT);
    CREATE TABLE grade (code TEXT PRIMARY KEY CHECK (length(code) = 2));
    CREATE TABLE mark (grade TEXT NOT NULL REFERENCES grade (code), points INTEGER);
    CREATE VIEW dear AS SELECT id, name FROM ware WHERE price > 3;
    """,
    "mixed",
)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("price * 0.9 > 50", "price * 0.8 > 50"),
        ("stock / 12 > 100", "stock / 12 >= 100"),
        ("stock + 100 > 150", "stock + 100 >= 150"),
        ("stock - 100 > 150", "stock - 100 >= 150"),
        ("made > '2015-05-05'", "made >= '2015-05-05'"),
        ("state = 'new'", "state = 'old'"),
        ("trim(name) = 'A'", "name = 'A'"),
        ("length(name) = 5", "length(name) = 6"),
        ("name LIKE '%red%' AND name LIKE '%blue%'", "name LIKE '%red%'"),
        ("strftime('%w', made) = '0'", "strftime('%w', made) = '7'"),
    ],
)
def test_a_condition_is_solved_for_its_column(gold: str, prediction: str) -> None:
    query = "SELECT id FROM ware WHERE"
    assert_refuted(f"{query} {gold}", f"{query} {prediction}", MIXED)


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT who FROM lot WHERE julianday(closed) - julianday(opened) > 100",
            "SELECT who FROM lot WHERE julianday(closed) - julianday(opened) >= 100",
        ),
        ("SELECT who FROM lot WHERE ware = '7'", "SELECT closed FROM lot WHERE ware = '7'"),
        (
            "SELECT ware FROM lot GROUP BY ware HAVING count(DISTINCT who) >= 15",
            "SELECT ware FROM lot GROUP BY ware HAVING count(DISTINCT who) > 15",
        ),
        pytest.param(
            "SELECT who FROM lot GROUP BY who ORDER BY count(*) DESC LIMIT 10",
            "SELECT who FROM lot GROUP BY who ORDER BY count(*) DESC LIMIT 11",
            marks=pytest.mark.slow,
        ),
        ("SELECT name FROM dear WHERE id > 1", "SELECT id FROM dear WHERE id > 1"),
        ("SELECT points FROM mark WHERE points > 3", "SELECT points FROM mark WHERE points > 4"),
    ],
    ids=["days apart", "a text for a number", "distinct", "ten groups", "a view", "a CHECK above"],
)
def test_odd_schemas_are_no_obstacle(gold: str, prediction: str) -> None:
    assert_refuted(gold, prediction, MIXED)


@pytest.mark.parametrize(
    "condition",
    [
        "stock > 9223372036854775806",
        "stock = 99999999999999999999",
        "stock > 1e19",
        "price * stock > 1e308",
        "price > " + "9" * 400,
        "price * 1000000000000000000 > 1000000000000000000",
        "made > '99999999999999999999'",
        "made > '9999-12-31'",
        "julianday(made) - julianday('2020-01-01') > 1e12",
        "upper(name) = '²'",
        "stock / 0 > 1",
        "stock * 0 > 1",
        "name LIKE '' AND name LIKE '%'",
    ],
)
def test_no_number_is_too_large(condition: str) -> None:
    gold, prediction = (f"SELECT {c} FROM ware WHERE {condition}" for c in ("id", "name"))
    find_witness(gold, prediction, MIXED)
    find_witness(f"{gold} LIMIT 3 OFFSET 99999999999", prediction, MIXED)


@pytest.mark.parametrize("sql", ["SELECT points FROM mark", "SELECT who FROM lot WHERE ware = '7'"])
def test_no_row_is_made_that_its_parents_forbid(sql: str) -> None:
    query = parse(sql)
    assert isinstance(query, Query)
    scratch = warm_scratch(MIXED, None, False)
    generator = InstanceGenerator(MIXED, facts_of(MIXED), read_query(query, MIXED), 0, scratch)
    for number in range(100):
        rows = generator.instance(number)
        scratch.load(rows)
        assert legal(Instance(MIXED, scratch.stored(rows)), facts_of(MIXED)) == []


@pytest.mark.slow
def test_rows_that_join_as_one_query_does_come_early() -> None:
    joined = "SELECT c.title FROM course c JOIN bill b ON"
    gold, prediction = f"{joined} b.id = c.id {TITLED}", f"{joined} b.kind = c.id {TITLED}"
    instances = []
    for seed in range(9):
        witness = find_witness(gold, prediction, WIDE, budget=SearchBudget(seed=seed))
        assert isinstance(witness, Witness)
        instances.append(witness.instances_tried)
    assert median(instances) <= 8
