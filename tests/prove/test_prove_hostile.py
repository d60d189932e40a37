"""Texts that nobody should write: the prover comes to an end and never raises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.differing_clauses import differing_clauses
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.reasoning import copies
from sqlverdict.testing.hostile import Hostile, hostile_predictions, make_database
from tiers import sampled

PLAIN = "SELECT name FROM person WHERE id > 1"


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    path: Path = make_database(tmp_path_factory.mktemp("hostile") / "hostile.sqlite")
    (result,) = load_schemas(path).values()
    return result


def ends(schema: Schema, profile: str, hostile: Hostile) -> None:
    proof = prove(PLAIN, hostile.sql, schema, profile=profile)
    assert isinstance(proof, NotProved), (hostile.name, proof)
    assert proof.message


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["sound", "etm_paper"])
def test_hostile_predictions_end_in_a_word(schema: Schema, profile: str) -> None:
    for hostile in hostile_predictions():
        ends(schema, profile, hostile)


def deep() -> Iterator[str]:
    """Those with normal forms that end."""
    yield PLAIN.replace("id > 1", "(" * 30 + "id > 1" + ")" * 30)
    yield PLAIN.replace("id > 1", "NOT " * 31 + "id > 1")
    yield PLAIN.replace("id > 1", " AND ".join(f"id <> {n}" for n in range(300)))
    yield PLAIN.replace("id > 1", " OR ".join(f"(id = {n} AND age = {n})" for n in range(200)))
    yield PLAIN.replace("id > 1", f"id IN ({', '.join(map(str, range(600)))})")
    yield " UNION ".join([PLAIN] * 25)
    yield " UNION ALL ".join(f"{PLAIN} AND age = {n}" for n in range(60))
    nested = "SELECT id, name FROM person"
    for level in range(12):
        nested = f"SELECT d{level}.id, d{level}.name FROM ({nested}) AS d{level}"
    yield nested
    tested = "SELECT id FROM person"
    for level in range(8):
        tested = f"SELECT id FROM person AS p{level} WHERE p{level}.id IN ({tested})"
    yield tested
    doubled = "WITH c0 AS (SELECT id, name FROM person)"
    for level in range(1, 14):
        doubled += f", c{level} AS (SELECT a.id, b.name FROM c{level - 1} AS a, c{level - 1} AS b)"
    yield f"{doubled} SELECT name FROM c13"
    cut = "WITH c0 AS (SELECT name FROM person LIMIT 1)"
    for level in range(1, 50):
        cut += f", c{level} AS (SELECT name FROM c{level - 1} LIMIT 1)"
    yield f"{cut} SELECT name FROM c49"
    yield "SELECT " + " + ".join(["p.id"] * 150) + " FROM person AS p"
    copies = ", ".join(f"person AS p{n}" for n in range(9))
    equal = " AND ".join(f"p{n}.age = p{n + 1}.age" for n in range(8))
    yield f"SELECT p0.name FROM {copies} WHERE {equal}"
    yield "SELECT " + "CASE WHEN id = 1 THEN 1 ELSE " * 12 + "0" + " END" * 12 + " FROM person"


def doubled_at_each_level() -> Iterator[str]:
    """Short texts with normal forms without end: a rule writes the operand once for each value."""
    yield "SELECT " + "CASE " * 20 + "id" + " WHEN 1 THEN 2 WHEN 3 THEN 4 END" * 20 + " FROM person"
    yield "SELECT " + "(" * 20 + "id" + " BETWEEN 1 AND 2)" * 20 + " FROM person"
    yield "SELECT " + "(" * 20 + "id" + " IN (1, 2, 3))" * 20 + " FROM person"
    yield "SELECT id + id AS id FROM (" * 14 + "SELECT id FROM person" + ")" * 14
    summed = "WITH c0 AS (SELECT id FROM person)"
    for level in range(1, 16):
        summed += f", c{level} AS (SELECT id + id AS id FROM c{level - 1})"
    yield f"{summed} SELECT id FROM c15"


NESTED = {
    "sums": lambda n: "a" + " + a" * n,
    "signs": lambda n: "- " * n + "a",
    "parentheses": lambda n: "(" * n + "a" + ")" * n,
    "texts": lambda n: "s" + " || s" * n,
    "choices": lambda n: "CASE WHEN a = 1 THEN " * n + "1" + " END" * n,
    "calls": lambda n: "abs(" * n + "a" + ")" * n,
    "casts": lambda n: "CAST(" * n + "a" + " AS BIGINT)" * n,
    "queries": lambda n: "(SELECT " * n + "1" + ")" * n,
}


@pytest.mark.parametrize("levels", [60, 260, 600])
@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql"])
def test_what_is_nested_deeply_ends_in_every_dialect(
    dialect: str, nested: str, levels: int
) -> None:
    schema = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, s VARCHAR(9))", dialect)
    deep = f"SELECT {NESTED[nested](levels)} FROM t"
    answer = prove(deep, f"{deep} AS x", schema, dialect=dialect)
    assert isinstance(answer, Proof) or answer.message


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", "SELECT id FROM t WHERE s ->> 'a*'"),
        ("sqlite", "SELECT 100.0 * SUM(a > 1) / COUNT() FROM t"),
        ("postgres", "SELECT COUNT() FILTER (WHERE a > 1) FROM t"),
        ("postgres", "SELECT COALESCE((SELECT), 0) FROM t"),
        ("mysql", "SELECT AVG(DISTINCT) FROM t"),
        ("duckdb", "SELECT SUM(DISTINCT) FROM t"),
        ("duckdb", f"SELECT {'9' * 400} FROM t"),
    ],
)
def test_parts_that_are_missing_and_endless_numbers_end(dialect: str, sql: str) -> None:
    schema = read_ddl("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, s VARCHAR(9))", dialect)
    for gold in (sql, "SELECT id FROM t"):
        answer = prove(gold, sql.replace("FROM t", "FROM t AS t"), schema, dialect=dialect)
        assert isinstance(answer, Proof) or answer.message


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["sound", "etm_paper"])
@pytest.mark.parametrize("number", range(len(list(deep()))))
def test_deep_and_wide_queries_end(schema: Schema, number: int, profile: str) -> None:
    check_end(list(deep())[number], schema, profile)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("profile", ["sound", "etm_paper"])
@pytest.mark.parametrize("number", range(len(list(doubled_at_each_level()))))
def test_queries_that_double_end_by_their_budget(
    schema: Schema, number: int, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The time grows with the square of the budget: seconds for each text with all of it.
    monkeypatch.setattr(copies, "MOST_COPIED", sampled(copies.MOST_COPIED // 4, copies.MOST_COPIED))
    check_end(list(doubled_at_each_level())[number], schema, profile)


def test_many_branches_are_put_in_order_by_few_steps(schema: Schema) -> None:
    branches = [f"WHEN age = {number} THEN 'x{number}'" for number in range(60)]
    one, other = (
        f"SELECT CASE {' '.join(each)} END FROM person" for each in (branches, branches[::-1])
    )
    proof = prove(one, other, schema)
    assert isinstance(proof, Proof)
    assert check_proof(proof, schema).holds


@pytest.mark.slow
def test_conditions_that_double_end_by_the_budget_of_tables(schema: Schema) -> None:
    nested = "id"
    for _ in range(10):
        nested = f"({nested}) NOT BETWEEN 1 AND 2"
    sql = f"SELECT name FROM person WHERE {nested}"
    proof = prove(sql, f"{sql} AND 1 = 1", schema)
    assert isinstance(proof, NotProved)
    assert proof.message == "given up after 10000 nodes of conditions in tables of truths"
    wide = PLAIN.replace("id > 1", " OR ".join(f"(id = {n} AND age = {n})" for n in range(40)))
    assert isinstance(prove(wide, f"{wide} AND 1 = 1", schema), Proof)


def check_end(sql: str, schema: Schema, profile: str) -> None:
    proof = prove(sql, PLAIN, schema, profile=profile)
    assert isinstance(proof, Proof | NotProved)
    same = prove(sql, f"{sql} ", schema, profile=profile)
    assert isinstance(same, Proof)
    assert check_proof(same, schema).holds
    other = prove(sql, sql.replace("person", "main.person", 1), schema, profile=profile)
    if isinstance(other, Proof):
        assert check_proof(other, schema).holds


def test_a_form_that_cannot_be_written_is_one_difference() -> None:
    form = "(nested too deeply to be written)"
    differences = differing_clauses("SELECT a FROM t", form)
    assert differences["prediction"] == (form,)
    assert differences["gold"] == ("SELECT a", "FROM t")
