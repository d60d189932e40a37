"""The checker accepts every proof of ours and rejects proofs that were tampered with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import DataError
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.certificate import (
    Certificate,
    certificate_from_json,
    certificate_to_json,
    check_certificate,
    load_certificate,
    make_certificate,
    save_certificate,
)
from sqlverdict.prove.check import InvalidProof, ValidProof, check_proof, replay_lines
from sqlverdict.prove.proof import Proof, Step
from sqlverdict.prove.prover import prove
from sqlverdict.prove.rule import RULES, Rule
from sqlverdict.testing.rule_suite.pairs import profile_of, schema_of, typed

DDL = """
CREATE TABLE band (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER,
  band INTEGER NOT NULL REFERENCES band(id));
"""
GOLD = "SELECT s.name, s.id FROM singer AS s JOIN band AS b ON s.band = b.id WHERE s.age >= 20"
PREDICTION = "SELECT DISTINCT id, name FROM singer WHERE NOT age < 20 ORDER BY name"


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(DDL, "music")


@pytest.fixture(scope="module")
def proof(schema: Schema) -> Proof:
    outcome = prove(GOLD, PREDICTION, schema)
    assert isinstance(outcome, Proof), outcome
    return outcome


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rule for _, rule in RULES.items()], ids=lambda rule: rule.name)
def test_every_proof_of_a_rules_pairs_holds(rule: Rule) -> None:
    for pair in rule.equal:
        facts = typed(rule) | frozenset(pair.facts)
        outcome = prove(
            pair.left, pair.right, schema_of(rule), facts=facts, profile=profile_of(rule)
        )
        if isinstance(outcome, Proof):
            verdict = check_proof(outcome, schema_of(rule), facts=facts)
            assert isinstance(verdict, ValidProof), verdict
            certificate = make_certificate(outcome, schema_of(rule), facts=facts)
            assert certificate_from_json(certificate_to_json(certificate)) == certificate


def test_every_step_is_said_with_the_query_after_it(proof: Proof, schema: Schema) -> None:
    verdict = check_proof(proof, schema)
    assert isinstance(verdict, ValidProof)
    sentences = [line.statement for line in verdict.lines]
    assert [text for text in sentences if text.startswith("equal by ")] == list(
        map(str, proof.steps)
    )
    assert [line for line in verdict.lines if line.side == "gold"][-1].sql == proof.form
    text = "\n".join(replay_lines(verdict))
    assert "  equal by distinct_over_key because singer(id) is unique where not NULL" in text
    assert text.index("gold:") < text.index("prediction:")


def test_the_order_of_the_prediction_is_dropped_first_and_it_is_said(
    proof: Proof, schema: Schema
) -> None:
    lines = [line for line in check_proof(proof, schema).lines if line.side == "prediction"]
    assert "ORDER BY" in lines[0].sql
    assert lines[1].statement.startswith("equal without ORDER BY")
    assert "ORDER BY" not in lines[1].sql


def test_the_order_stays_where_the_gold_orders(schema: Schema) -> None:
    outcome = prove(
        "SELECT name FROM singer WHERE NOT age < 3 ORDER BY name",
        "SELECT name FROM singer WHERE age >= 3 ORDER BY name",
        schema,
    )
    assert isinstance(outcome, Proof)
    verdict = check_proof(outcome, schema)
    assert verdict.holds
    assert not any("without ORDER BY" in line.statement for line in verdict.lines)


def test_equal_texts_need_no_steps(schema: Schema) -> None:
    outcome = prove("SELECT name FROM singer", "select  NAME from singer", schema)
    assert isinstance(outcome, Proof)
    assert check_proof(outcome, schema).holds


def rejected(proof: Proof, schema: Schema, **kwargs: object) -> InvalidProof:
    verdict = check_proof(proof, schema, **kwargs)  # type: ignore[arg-type]
    assert isinstance(verdict, InvalidProof), verdict
    return verdict


def test_a_dropped_step_is_noticed(proof: Proof, schema: Schema) -> None:
    for number in range(len(proof.steps)):
        steps = proof.steps[:number] + proof.steps[number + 1 :]
        assert not check_proof(replace(proof, steps=steps), schema).holds


def test_a_repeated_step_is_noticed(proof: Proof, schema: Schema) -> None:
    for number, step in enumerate(proof.steps):
        steps = (*proof.steps[:number], step, *proof.steps[number:])
        assert not check_proof(replace(proof, steps=steps), schema).holds


def changed(proof: Proof, number: int, **values: object) -> Proof:
    steps = list(proof.steps)
    steps[number] = replace(steps[number], **values)  # type: ignore[arg-type]
    return replace(proof, steps=tuple(steps))


def test_another_rule_or_place_is_noticed(proof: Proof, schema: Schema) -> None:
    assert rejected(changed(proof, 0, rule="no_such_rule"), schema).reason == "unknown_rule"
    other = rejected(changed(proof, 0, rule="paper_joins_commute"), schema)
    assert (other.step, other.reason) == (0, "rule_of_another_profile")
    nowhere = rejected(changed(proof, 0, path=(("where", -1), ("nothing", 3))), schema)
    assert nowhere.reason == "no_such_node"
    assert nowhere.why == "there is no node at where.nothing[3]"
    unlike = rejected(changed(proof, 0, rule="double_negation"), schema)
    assert unlike.reason == "rule_does_not_apply"


def test_facts_that_the_rule_does_not_use_are_noticed(proof: Proof, schema: Schema) -> None:
    verdict = rejected(changed(proof, 0, facts=("pigs fly",)), schema)
    assert (verdict.step, verdict.reason) == (0, "other_facts")


def test_facts_that_do_not_hold_are_noticed(proof: Proof, schema: Schema) -> None:
    for fact in sorted(facts_of(schema), key=repr):
        if any(str(fact) in step.facts for step in proof.steps):
            assert not check_proof(proof, schema, facts=facts_of(schema) - {fact}).holds, fact


def test_claims_about_the_whole_are_checked(proof: Proof, schema: Schema) -> None:
    assert rejected(replace(proof, trust="heuristic"), schema).reason == "wrong_trust"
    assert rejected(replace(proof, form="SELECT 1"), schema).reason == "wrong_form"
    assert proof.columns == (1, 0)
    for columns, words in (((0, 1), "not the same"), ((0, 0), "do not pair")):
        pairing = rejected(replace(proof, columns=columns), schema)
        assert (pairing.reason, words in pairing.why) == ("different_ends", True)
    assert rejected(replace(proof, profile="wishful"), schema).reason == "unknown_profile"
    assert rejected(proof, schema, fixed_columns=True).reason == "different_ends"


def test_other_queries_are_noticed(proof: Proof, schema: Schema) -> None:
    other = PREDICTION.replace("20", "21")
    assert rejected(replace(proof, prediction_sql=other), schema).reason == "different_ends"
    broken = replace(proof, gold_sql="SELECT name FROM nowhere")
    assert rejected(broken, schema).reason == "failing_query"
    assert rejected(replace(proof, gold_sql="SELECT FROM"), schema).reason == "unreadable_query"


def test_steps_of_the_gold_come_first(proof: Proof, schema: Schema) -> None:
    steps = sorted(proof.steps, key=lambda step: step.side, reverse=True)
    assert rejected(replace(proof, steps=tuple(steps)), schema).reason == "wrong_order"


STEPS = st.builds(
    Step,
    st.sampled_from(["gold", "prediction"]),
    st.sampled_from(RULES.names()),
    st.lists(
        st.tuples(
            st.sampled_from(["where", "this", "expressions", "joins", "on", "from_"]),
            st.integers(-1, 2),
        ),
        max_size=4,
    ).map(tuple),
    st.just(()),
)


@pytest.mark.slow
@given(st.data())
def test_no_proof_makes_the_checker_raise(data: st.DataObject) -> None:
    schema = read_ddl(DDL, "music")
    outcome = prove(GOLD, PREDICTION, schema)
    assert isinstance(outcome, Proof)
    steps = list(outcome.steps)
    for _ in range(data.draw(st.integers(1, 3))):
        position = data.draw(st.integers(0, len(steps)))
        steps[position : position + data.draw(st.integers(0, 1))] = [data.draw(STEPS)]
    verdict = check_proof(replace(outcome, steps=tuple(steps)), schema)
    # A step that is none of the prover's may hold as well; the last tree is what it claims then.
    assert isinstance(verdict, ValidProof | InvalidProof)


def test_a_certificate_outlives_the_session(proof: Proof, schema: Schema, tmp_path: Path) -> None:
    certificate = make_certificate(proof, schema)
    save_certificate(certificate, tmp_path / "deep" / "proof.json")
    again = load_certificate(tmp_path / "deep" / "proof.json")
    assert again == certificate
    assert check_certificate(again).holds
    assert certificate_to_json(again) == certificate_to_json(certificate)


def test_a_certificate_is_checked_against_other_tables(proof: Proof, schema: Schema) -> None:
    certificate = make_certificate(proof, schema)
    assert check_certificate(certificate, read_ddl(DDL + "CREATE TABLE more (x TEXT);", "m")).holds
    nullable = read_ddl(DDL.replace("band INTEGER NOT NULL", "band INTEGER"), "m")
    verdict = check_certificate(certificate, nullable)
    assert isinstance(verdict, InvalidProof)
    assert verdict.reason == "missing_fact"
    assert "singer.band is never NULL" in verdict.why


@pytest.mark.parametrize(
    ("content", "reason", "says"),
    [
        ("", "unreadable", ""),
        ("[]", "wrong_kind", ""),
        ("{}", "wrong_kind", ""),
        ('{"format": "sqlverdict proof", "version": 99}', "another_version", "version 99"),
        ('{"format": "sqlverdict proof", "version": 1}', "unreadable", "'proof'"),
    ],
)
def test_what_is_no_certificate_is_refused(content: str, reason: DataReason, says: str) -> None:
    with refuses_data(DataError, reason, says):
        certificate_from_json(content)


def test_broken_parts_of_a_certificate_are_refused(proof: Proof, schema: Schema) -> None:
    whole = json.loads(certificate_to_json(make_certificate(proof, schema)))
    for part in ("proof", "facts", "schema", "fixed_columns"):
        for wrong in (None, 7, "x", [7], {"fact": "Wish"}):
            with pytest.raises(DataError):
                certificate_from_json(json.dumps({**whole, part: wrong}))
    with refuses_data(DataError, "missing", "file.json"):
        load_certificate(Path("no") / "such" / "file.json")


def test_a_certificate_says_what_was_assumed(proof: Proof, schema: Schema) -> None:
    certificate = make_certificate(proof, schema, facts=frozenset())
    assert isinstance(certificate, Certificate)
    assert not check_certificate(certificate).holds
