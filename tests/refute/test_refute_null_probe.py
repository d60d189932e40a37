"""NULLs in returned numbers: recognised in a witness, and found where chance seldom leads."""

from __future__ import annotations

import pytest

from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.trial.null_probe import null_in_aggregate, probe_nulls
from sqlverdict.refute.witness import Instance, SearchBudget, Witness

DDL = """
CREATE TABLE school (id INTEGER PRIMARY KEY, name TEXT, county TEXT NOT NULL, kind INTEGER);
CREATE TABLE meal (id INTEGER PRIMARY KEY REFERENCES school (id), free REAL, enrolled REAL);
"""
FILTER = (
    "FROM meal JOIN school ON meal.id = school.id WHERE school.county = 'X' AND school.kind = 0 "
    "AND meal.free * 100 / meal.enrolled < 0.18"
)


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "schools")


def probe(
    schema: Schema, gold: str, prediction: str, **rows: tuple[tuple[object, ...], ...]
) -> Witness:
    from sqlverdict.records import Answer

    instance = Instance(schema, rows)  # type: ignore[arg-type]
    nothing = Answer((), [])
    return Witness(gold, prediction, instance, nothing, nothing, (), grade="needs_null")


@pytest.mark.parametrize(
    ("gold", "prediction", "expected"),
    [
        ("SELECT count(*) FROM school", "SELECT count(name) FROM school", True),
        ("SELECT avg(kind) FROM school", "SELECT sum(kind) * 1.0 / count(*) FROM school", True),
        ("SELECT count(*) FROM school", "SELECT count(id) FROM school", False),
        ("SELECT max(name) FROM school", "SELECT name FROM school LIMIT 1", False),
        (
            "SELECT county FROM school GROUP BY county ORDER BY count(name)",
            "SELECT county FROM school GROUP BY county ORDER BY count(*)",
            False,
        ),
        (
            "SELECT iif(count(name) > 1, 'many', 'few') FROM school",
            "SELECT iif(count(*) > 1, 'many', 'few') FROM school",
            False,
        ),
        ("SELECT iif(1 > 0, count(name), 0) FROM school", "SELECT count(*) FROM school", True),
        ("not SQL", "SELECT count(*) FROM school", False),
    ],
    ids=[
        "count",
        "average",
        "key",
        "maximum",
        "only ordered by",
        "only compared",
        "beside a condition",
        "not SQL",
    ],
)
def test_only_numbers_that_are_returned_count(
    schema: Schema, gold: str, prediction: str, expected: bool
) -> None:
    witness = probe(schema, gold, prediction, school=((1, None, "X", None),))
    assert null_in_aggregate(witness) is expected


def test_a_null_elsewhere_does_not_count(schema: Schema) -> None:
    gold, prediction = "SELECT count(*) FROM school", "SELECT count(name) FROM school"
    assert not null_in_aggregate(probe(schema, gold, prediction, school=((1, "a", "X", None),)))


def test_the_probe_finds_what_many_conditions_hide(schema: Schema) -> None:
    more = f"{FILTER} AND school.county <> 'Y' AND meal.enrolled > 50 AND meal.free < 9"
    gold, prediction = f"SELECT count(school.name) {more}", f"SELECT count(*) {more}"
    budget = SearchBudget(instances=30)
    assert not find_witness(gold, prediction, schema, budget=budget).refuted, "chance misses it"
    result = probe_nulls(parse(gold), parse(prediction), schema, budget=budget)
    assert result is not None
    assert (result.grade, null_in_aggregate(result)) == ("needs_null", True)
    assert legal(result.instance, facts_of(schema)) == []
    again = probe_nulls(parse(gold), parse(prediction), schema, budget=budget)
    assert again == result, "same inputs, same witness"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT count(county) FROM school", "SELECT count(*) FROM school"),
        ("SELECT count(*) FROM school", "SELECT count(1) FROM school"),
        ("SELECT name FROM school", "SELECT name FROM school WHERE kind = 1"),
        (
            "SELECT count(name) FROM school WHERE name = 'a'",
            "SELECT count(*) FROM school WHERE name = 'a'",
        ),
        ("SELECT count(name) FROM nowhere", "SELECT count(*) FROM school"),
    ],
    ids=["never NULL", "no column", "no aggregate", "filtered", "does not run"],
)
def test_where_no_null_can_matter_none_is_found(schema: Schema, gold: str, prediction: str) -> None:
    budget = SearchBudget(instances=60)
    assert probe_nulls(parse(gold), parse(prediction), schema, budget=budget) is None
