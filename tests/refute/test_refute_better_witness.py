"""Of several witnesses the search keeps the one that says most, with real data or without."""

from __future__ import annotations

import pytest

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Reason
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import Instance, SearchBudget, Witness

DDL = """
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE shop (
  id INTEGER PRIMARY KEY, town_id INTEGER NOT NULL REFERENCES town (id), name TEXT NOT NULL,
  size INTEGER NOT NULL, stock INTEGER NOT NULL);
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "towns")


def witness(schema: Schema, gold: str, prediction: str, *first: Instance) -> Witness:
    search = find_witness(gold, prediction, schema, first=first, budget=SearchBudget(seed=3))
    assert isinstance(search, Witness)
    return search


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT sum(size) FROM shop", "SELECT count(*) FROM town"),
        (
            "SELECT name FROM town",
            "SELECT t.name FROM town AS t JOIN shop AS s ON s.town_id = t.id WHERE s.size > 2",
        ),
    ],
    ids=["two tables counted", "a condition on a child"],
)
def test_without_real_data_no_table_is_emptied_for_the_sake_of_few_rows(
    schema: Schema, gold: str, prediction: str
) -> None:
    outcome = witness(schema, gold, prediction)
    assert outcome.grade == "ungraded"
    assert set(outcome.instance.rows) == {"town", "shop"}


def test_an_empty_database_does_not_end_the_search(schema: Schema) -> None:
    """No rows against one row of 0; rows with the same difference come later."""
    gold = "SELECT count(*) FROM shop WHERE size > 3"
    prediction = "SELECT count(*) FROM shop WHERE size > 3 GROUP BY town_id"
    outcome = witness(schema, gold, prediction, Instance(schema, {}))
    assert outcome.grade == "ungraded"


REPEATED = Instance(
    # The names of a town's two shops: the same row twice, for one query only.
    read_ddl(DDL, "towns"),
    {"town": ((1, "a"),), "shop": ((1, 1, "b", 5, 1), (2, 1, "b", 5, 2))},
)


def test_repeated_rows_do_not_end_the_search(schema: Schema) -> None:
    gold = "SELECT DISTINCT name FROM shop WHERE size > 3"
    outcome = witness(schema, gold, "SELECT name FROM shop WHERE stock > 0 AND size > 3", REPEATED)
    assert outcome.reasons != (Reason.DUPLICATES_MISMATCH,)
    assert outcome.grade == "ungraded"


def test_where_rows_are_only_repeated_that_is_the_witness(schema: Schema) -> None:
    gold = "SELECT DISTINCT name FROM shop WHERE size > 3"
    outcome = witness(schema, gold, "SELECT name FROM shop WHERE size > 3", REPEATED)
    assert outcome.reasons == (Reason.DUPLICATES_MISMATCH,)
    assert outcome.grade == "ungraded"


def test_no_row_against_null_does_not_end_the_search(schema: Schema) -> None:
    gold = "SELECT size FROM shop WHERE stock > 3 ORDER BY size DESC LIMIT 1"
    none = Instance(schema, {"town": ((1, "a"),), "shop": ((1, 1, "b", 5, 1),)})
    same = witness(schema, gold, "SELECT max(size) FROM shop WHERE stock > 3", none)
    assert (same.gold.rows, same.prediction.rows) == ([], [(None,)])  # type: ignore[union-attr]
    other = witness(schema, gold, "SELECT max(size) FROM shop WHERE stock >= 3", none)
    assert any(cell is not None for row in other.prediction.rows for cell in row)  # type: ignore[union-attr]


def test_two_totals_that_are_equal_are_a_tie(schema: Schema) -> None:
    gold = "SELECT iif(sum(size) > sum(stock), 'size', 'stock') FROM shop"
    prediction = "SELECT iif(sum(stock) > sum(size), 'stock', 'size') FROM shop"
    assert witness(schema, gold, prediction).grade == "needs_tie"
