"""Texts that are equal and differ: capitals, accents and spaces, where a collation ignores them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from servers import database_name, mysql_server
from small_databases import database_of
from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.execute.engine import ENGINES, Limits, ServerEngine
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.column_types import LOOSE, alike, collation
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Query, Row
from sqlverdict.refute.target.chosen_texts import Places, chosen_places, equal_but_for_texts
from sqlverdict.refute.target.lite import lite_schema, with_collations
from sqlverdict.refute.target.script import replay_script, write_script
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.target.trial import EngineTrial
from sqlverdict.refute.witness import NotRefuted, SearchBudget, Witness

TABLE = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(20) COLLATE utf8mb4_general_ci,
                   code VARCHAR(20) COLLATE utf8mb4_general_ci UNIQUE,
                   tag VARCHAR(20) COLLATE utf8mb4_nopad_bin)
"""
PAIRS = [
    ("SELECT COUNT(DISTINCT name) FROM item", "SELECT COUNT(DISTINCT BINARY name) FROM item"),
    (
        "SELECT a.name FROM item a JOIN item b ON a.name = b.name WHERE b.id = 1",
        "SELECT b.name FROM item a JOIN item b ON a.name = b.name WHERE b.id = 1",
    ),
    (
        "SELECT COUNT(*) FROM item GROUP BY name",
        "SELECT COUNT(*) FROM item GROUP BY CHAR_LENGTH(name), name",
    ),
]


OPEN_PAIRS = [
    ("SELECT DISTINCT name FROM item", "SELECT name FROM item GROUP BY name"),
    (
        "SELECT name, MAX(id) FROM item GROUP BY name HAVING MAX(id) > 2",
        "SELECT name, MAX(id) FROM item WHERE id > 2 GROUP BY name",
    ),
    (
        "SELECT name, COUNT(*) FROM item GROUP BY name ORDER BY name LIMIT 2",
        "SELECT x.n, COUNT(id) FROM (SELECT name AS n, id FROM item) x GROUP BY x.n"
        " ORDER BY x.n LIMIT 2",
    ),
]


def test_two_texts_are_alike_where_only_case_accents_and_padding_differ() -> None:
    assert {alike(text, LOOSE) for text in ("a", "A", "a ", "á")} == {"a"}
    assert alike(" a", LOOSE) != alike("a", LOOSE)
    assert alike(3, LOOSE) == 3


def test_columns_say_whether_their_equal_texts_may_differ() -> None:
    columns = (
        Column("id", "int"),
        Column("name", "varchar(20)"),
        Column("code", "varchar(20)"),
        Column("tag", "varchar(20) COLLATE utf8mb4_nopad_bin"),
    )
    table = Table("item", columns, primary_key=("id",), uniques=(("code",),))
    schema = Schema("shop", (table,), "ddl")
    marked = with_collations(lite_schema(schema, "mysql"), schema, "mysql").tables[0]
    assert {c.name: collation(marked.sql, c.name) for c in marked.columns} == {
        "id": "BINARY",
        "name": LOOSE,
        "code": "BINARY",
        "tag": "BINARY",
    }


@pytest.fixture(scope="module")
def search() -> Iterator[EngineSearch]:
    engine = ENGINES.get("mysql")
    assert isinstance(engine, ServerEngine)
    with engine.own_database(mysql_server(), database_name("collations"), [TABLE]) as url:
        search = EngineSearch(engine, url, engine.schema(url))
        yield search
        search.close()


@pytest.mark.slow
@pytest.mark.parametrize(("gold", "prediction"), PAIRS)
def test_queries_that_see_equal_texts_differ_are_separated(
    gold: str, prediction: str, search: EngineSearch
) -> None:
    budget = SearchBudget(100, seed=0)
    refutation = search.refute(parse(gold, "mysql"), parse(prediction, "mysql"), budget=budget)
    assert isinstance(refutation, Witness)


@pytest.mark.slow
@pytest.mark.parametrize(("gold", "prediction"), OPEN_PAIRS)
def test_another_one_of_equal_texts_is_no_witness(
    gold: str, prediction: str, search: EngineSearch
) -> None:
    budget = SearchBudget(100, seed=0)
    refutation = search.refute(parse(gold, "mysql"), parse(prediction, "mysql"), budget=budget)
    assert isinstance(refutation, NotRefuted)
    assert refutation.instances > 30
    other = prediction.replace("item", "item x", 1).replace("name", "tag", 1)
    refutation = search.refute(parse(gold, "mysql"), parse(other, "mysql"), budget=budget)
    assert isinstance(refutation, Witness)


@pytest.mark.slow
def test_a_trial_sees_no_difference_in_the_text_of_a_group() -> None:
    gold, prediction = (parse(sql, "mysql") for sql in OPEN_PAIRS[1])
    assert isinstance(gold, Query)
    assert isinstance(prediction, Query)
    engine = ENGINES.get("mysql")
    assert isinstance(engine, ServerEngine)
    with engine.own_database(mysql_server(), database_name("collations"), [TABLE]) as url:
        schema = engine.schema(url)
        scratch = engine.scratch(schema, Limits(), url)
        try:
            preset = PRESETS.get(DEFAULT_PRESET)
            places = chosen_places(gold, prediction, schema)
            assert places == (PLACES, PLACES)
            rows = {"item": [(1, "Ann", "a", "x"), (3, "ann", "b", "x"), (4, "bob", "c", "x")]}
            strict = EngineTrial(scratch, gold, prediction, preset, None)
            assert strict.difference(rows) is not None
            assert (
                EngineTrial(scratch, gold, prediction, preset, None, places).difference(rows)
                is None
            )
        finally:
            scratch.close()


PLACES = frozenset({0})


def are_equal(gold: Sequence[Row], prediction: Sequence[Row], places: Places = PLACES) -> bool:
    """Whether two answers are the same but for equal texts of their first columns."""
    answers = tuple(Answer(("name", "n"), list(rows)) for rows in (gold, prediction))
    preset, pair = PRESETS.get(DEFAULT_PRESET), QueryPair("SELECT 1", "SELECT 1", "mysql")
    return equal_but_for_texts(preset, (answers[0], answers[1]), pair, (places, places)) is True


def test_answers_are_compared_with_one_text_a_group() -> None:
    assert are_equal([("Ann", 1)], [("ann ", 1)])
    assert not are_equal([("Ann", 1)], [("bob", 1)])
    assert not are_equal([("Ann", 1)], [("ann", 2)])
    assert not are_equal([("Ann", 1)], [(None, 1)])
    assert not are_equal([("Ann", "x")], [("Ann", "X")])
    assert not are_equal([("Ann", 1)], [("ann", 1)], frozenset())


def test_what_some_collation_takes_for_one_is_one_text() -> None:
    assert are_equal([("ß", 1)], [("ss", 1)])
    assert are_equal([("\U0001f600", 1)], [("\U0001f601", 1)])
    assert are_equal([("Vera", 1)], [("wera", 1)])


@pytest.mark.slow
@pytest.mark.parametrize("has_database", [True, False])
def test_a_search_on_duckdb_compares_as_its_columns_are_declared(
    has_database: bool, tmp_path: Path
) -> None:
    by = "NOACCENT.NOCASE" if has_database else "NOCASE"
    declaration = f"CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR COLLATE {by})"
    with database_of("duckdb", tmp_path, declaration) as url:
        engine = ENGINES.get("duckdb")
        schema = engine.schema(url) if has_database else read_ddl(declaration, "item")
        search = EngineSearch(engine, url if has_database else None, schema)
    prefix = "SELECT id FROM item WHERE name = "
    same, other = (
        search.refute(parse(f"{prefix}'abc'", "duckdb"), parse(f"{prefix}{text}", "duckdb"))
        for text in ("'ABC'", "'abd'")
    )
    search.close()
    assert isinstance(same, NotRefuted)
    assert isinstance(other, Witness)
    assert f"COLLATE {by}" in write_script(other, tmp_path, "one").read_text("utf-8")
    assert replay_script(tmp_path / "one.sql", near=None).differ
