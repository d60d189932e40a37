"""The SQL that steps change: readable, bounded, and of every step of a proof that holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlverdict.evidence_parts import StepChange
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.changes import LONGEST, MOST_CHANGES, step_changes
from sqlverdict.prove.check import RejectedProof
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.resolve.readable import readable_sql
from sqlverdict.prove.rule import RULES, Rule
from sqlverdict.testing.rule_suite.pairs import schema_of

DDL = """
CREATE TABLE band (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER,
  band INTEGER NOT NULL REFERENCES band(id), "group" TEXT);
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "music")


def proof_of(gold: str, prediction: str, schema: Schema) -> Proof:
    proof = prove(gold, prediction, schema)
    assert isinstance(proof, Proof), proof
    return proof


def test_a_step_shows_what_it_changes(schema: Schema) -> None:
    proof = proof_of("SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", schema)
    assert [step.rule for step in proof.steps] == ["count_of_never_null"]
    assert step_changes(proof, schema) == (StepChange("COUNT(singer.id)", "COUNT(*)"),)


def test_of_a_select_only_the_clauses_that_change_are_shown(schema: Schema) -> None:
    gold = "SELECT s.name FROM singer s JOIN band b ON s.band = b.id WHERE b.name = 'x' LIMIT 3"
    comma = "SELECT s.name FROM singer s, band b WHERE s.band = b.id AND b.name = 'x' LIMIT 3"
    changes = step_changes(proof_of(gold, comma, schema), schema)
    assert changes[0] == StepChange(
        "FROM singer JOIN band ON singer.band = band.id WHERE band.name = 'x'",
        "FROM singer, band WHERE singer.band = band.id AND band.name = 'x'",
    )


def test_long_parts_are_cut_around_what_changes(schema: Schema) -> None:
    others = " AND ".join(f"singer.name <> 'a long name {number}'" for number in range(40))
    gold = f"SELECT singer.name FROM singer JOIN band ON band = band.id WHERE {others}"
    prediction = f"SELECT singer.name FROM singer WHERE {others}"
    changes = step_changes(proof_of(gold, prediction, schema), schema)
    assert changes[0] == StepChange(
        "FROM singer JOIN band ON singer.band = band.id WHERE singer.name <> 'a long name 0' AND …",
        "FROM singer, band WHERE singer.band = band.id AND singer.name <> 'a long name 0' AND …",
    )
    for change in changes:
        assert max(map(len, (change.before, change.after))) < LONGEST + 100
        assert change.before != change.after


def test_a_proof_of_many_steps_shows_the_first(schema: Schema) -> None:
    tests = " AND ".join(f"NOT age < {number}" for number in range(MOST_CHANGES + 5))
    proof = proof_of(
        f"SELECT name FROM singer WHERE {tests}",
        f"SELECT name FROM singer WHERE {tests.replace('NOT age <', 'age >=')}",
        schema,
    )
    assert len(proof.steps) > MOST_CHANGES
    assert len(step_changes(proof, schema)) == MOST_CHANGES


def test_equal_texts_change_nothing(schema: Schema) -> None:
    proof = proof_of("SELECT name FROM singer", "select name from singer", schema)
    assert step_changes(proof, schema) == ()


def test_a_proof_that_does_not_hold_is_refused(schema: Schema) -> None:
    proof = proof_of("SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", schema)
    with pytest.raises(RejectedProof) as rejection:
        step_changes(replace(proof, prediction_sql="SELECT COUNT(name) FROM singer"), schema)
    assert rejection.value.proof.reason == "rule_does_not_apply"


SOUND = [rule for _, rule in RULES.items() if "sound" in rule.profiles]


@pytest.mark.slow
@pytest.mark.parametrize("rule", SOUND, ids=lambda rule: rule.name)
def test_every_rule_changes_what_is_shown(rule: Rule) -> None:
    for pair in rule.equal:
        tables = schema_of(rule)
        proof = prove(pair.left, pair.right, tables)
        if isinstance(proof, Proof):
            changes = step_changes(proof, tables)
            assert len(changes) == min(len(proof.steps), MOST_CHANGES)
            assert all(change.before != change.after for change in changes), changes


@pytest.mark.parametrize(
    ("sql", "plain"),
    [
        ('SELECT "t.1"."name" FROM "T" AS "t.1"', "SELECT t.name FROM T"),
        (
            'SELECT "t.1"."a" FROM "t" AS "t.1", "t" AS "t.2"',
            'SELECT "t.1".a FROM t AS "t.1", t AS "t.2"',
        ),
        ('SELECT "t.1"."group", "t.1"."two words"', 'SELECT t."group", t."two words"'),
        ('SELECT "t.1"."a""b", \'"t.1"\'', 'SELECT t."a""b", \'"t.1"\''),
        ('SELECT "t.1"."a" AS "a", "t.1"."b" AS "c"', "SELECT t.a, t.b AS c"),
    ],
)
def test_names_are_plain_where_numbers_and_quotes_say_nothing(sql: str, plain: str) -> None:
    assert readable_sql(sql) == plain


def test_a_number_stays_where_another_part_of_the_query_has_the_table_too() -> None:
    assert readable_sql('"t.1"."a"', ["t.1", "t.2"]) == '"t.1".a'
