"""PostgreSQL's arrays and intervals: read from the catalogue, generated, proved and refuted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlverdict.execute.engine import ENGINES, Limits, ServerEngine
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.prover import prove
from sqlverdict.records import Answer
from sqlverdict.refute.target.fit import fit_rows
from sqlverdict.refute.target.script import replay_script, write_script
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import Refutation, SearchBudget, Witness

pytestmark = pytest.mark.slow  # a server

STATEMENTS = [
    "CREATE TABLE item (id INTEGER PRIMARY KEY, tags INTEGER[], words TEXT[], days DATE[], "
    "grid INTEGER[][], lasts INTERVAL)",
    "INSERT INTO item VALUES (1, '{1,2}', '{a,\"b, c\"}', '{2020-01-01}', '{{1,2}}', '1 day')",
    "INSERT INTO item VALUES (2, '{1,NULL}', NULL, '{}', NULL, '24 hours')",
]
DIFFERENT = [
    ("tags[1] = 1", "1 = ANY(tags)"),
    ("tags = ARRAY[1, 2]", "tags @> ARRAY[1, 2]"),
    ("cardinality(tags) >= 2", "array_length(tags, 1) = 2"),
    ("'a' = ANY(words)", "words[1] = 'a'"),
    ("days = '{2020-01-02}'", "days <> '{}'"),
    ("lasts > INTERVAL '12 hours'", "lasts >= INTERVAL '1 day'"),
]
EQUAL = [
    (
        "SELECT tags, COUNT(*) FROM item GROUP BY tags",
        "SELECT i.tags, COUNT(i.id) FROM item AS i GROUP BY i.tags",
    ),
    ("SELECT DISTINCT days FROM item", "SELECT days FROM item GROUP BY days"),
    (
        "SELECT id FROM item WHERE 2 = ANY(tags) AND id > 1",
        "SELECT id FROM item WHERE id > 1 AND 2 = ANY(tags)",
    ),
]
OPEN = [
    # Equal and shown as two texts: a day and 24 hours.
    ("SELECT DISTINCT lasts FROM item", "SELECT lasts FROM item GROUP BY lasts"),
]


@pytest.fixture(scope="module")
def url(postgres: str) -> Iterator[str]:
    engine = ENGINES.get("postgres")
    assert isinstance(engine, ServerEngine)
    with engine.own_database(postgres, f"sqlverdict_arrays_{os.getpid()}", STATEMENTS) as url:
        yield url


@pytest.fixture(scope="module")
def schema(url: str) -> Schema:
    return ENGINES.get("postgres").schema(url)


@pytest.fixture(scope="module")
def search(url: str, schema: Schema) -> Iterator[EngineSearch]:
    search = EngineSearch(ENGINES.get("postgres"), url, schema)
    yield search
    search.close()


def refute(search: EngineSearch, one: str, other: str) -> Refutation:
    queries = (parse(f"SELECT id FROM item WHERE {each}", "postgres") for each in (one, other))
    return search.refute(*queries, budget=SearchBudget(instances=60))


def test_the_catalogue_and_answers_have_them(url: str) -> None:
    engine = ENGINES.get("postgres")
    (table,) = engine.schema(url).tables
    types = [column.type for column in table.columns]
    assert types == ["integer", "integer[]", "text[]", "date[]", "integer[]", "interval"]
    session = engine.open(url, Limits())
    answer = session.run("SELECT tags, words, days, grid FROM item ORDER BY id")
    session.close()
    assert isinstance(answer, Answer)
    assert answer.rows == [
        ("[1,2]", '["a","b, c"]', '["2020-01-01"]', "[[1,2]]"),
        ("[1,null]", None, "[]", None),
    ]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_a_search_tells_them_apart(
    search: EngineSearch, url: str, tmp_path: Path, one: str, other: str
) -> None:
    witness = refute(search, one, other)
    assert isinstance(witness, Witness), witness
    assert witness.gold.rows != witness.prediction.rows  # type: ignore[union-attr]
    assert replay_script(write_script(witness, tmp_path, "one"), near=url).differ


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_what_is_proved_is_not_refuted(
    search: EngineSearch, schema: Schema, one: str, other: str
) -> None:
    assert prove(one, other, schema, dialect="postgres").proved
    queries = (parse(each, "postgres") for each in (one, other))
    assert not isinstance(search.refute(*queries, budget=SearchBudget(instances=60)), Witness)


@pytest.mark.parametrize(("one", "other"), OPEN)
def test_equal_intervals_are_not_folded(schema: Schema, one: str, other: str) -> None:
    assert not prove(one, other, schema, dialect="postgres").proved


def test_cells_that_are_often_made_give_several_lists(schema: Schema) -> None:
    cells = {"item": [(number, *(5 * (cell,))) for number, cell in enumerate("abcd")]}
    rows = fit_rows(cells, schema, "postgres")["item"]
    for column in (1, 2, 3, 5):
        assert len({row[column] for row in rows}) >= 3
