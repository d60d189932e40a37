"""Texts that are equal and differ: capitals, accents and spaces, where a collation ignores them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers import database_name, mysql_server
from sqlverdict.execute.engine import ENGINES, ServerEngine
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.parse.schemas.column_types import LOOSE, alike, collation
from sqlverdict.refute.target.lite import lite_schema, with_collations
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import SearchBudget, Witness

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
