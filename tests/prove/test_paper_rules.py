"""The rules of the ETM paper, one by one: their pairs, and the corners that Limits name."""

from __future__ import annotations

from typing import Any

import pytest

from sqlverdict.parse.facts import Fact, HasAffinity, facts_of
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.etm_paper.etm_paper import NUMBERED, PREPARING
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.rule import RULES, SECTIONS, Pair, Rule
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import Witness

PAPER = {name: rule for name, rule in RULES.items() if "etm_paper" in rule.profiles}


def facts_for(rule: Rule, pair: Pair) -> tuple[Schema, frozenset[Fact]]:
    schema = read_ddl(rule.schema, rule.name)
    typed = {fact for fact in facts_of(schema) if isinstance(fact, HasAffinity)}
    return schema, frozenset({*typed, *pair.facts})


def pairs_of(kind: str) -> list[Any]:
    return [
        pytest.param(rule, pair, id=f"{name}-{number}")
        for name, rule in PAPER.items()
        for number, pair in enumerate(getattr(rule, kind))
    ]


def test_every_number_of_the_paper_is_a_rule() -> None:
    numbers = sorted(number for rule in PAPER.values() for number in rule.paper)
    assert numbers == sorted((*PREPARING, *NUMBERED))


@pytest.mark.parametrize("name", PAPER)
def test_a_rule_is_documented_and_says_that_it_is_heuristic(name: str) -> None:
    rule = PAPER[name]
    assert name.startswith("paper_")
    assert rule.trust == "heuristic"
    assert rule.profiles == ("etm_paper",)
    assert tuple(rule.sections) == SECTIONS
    assert all(rule.sections.values())
    assert rule.equal
    assert all(pair.because for pair in rule.different)


@pytest.mark.parametrize(("rule", "pair"), pairs_of("equal"))
def test_a_rule_joins_its_pairs_and_is_needed_for_it(rule: Rule, pair: Pair) -> None:
    schema, facts = facts_for(rule, pair)
    proof = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper")
    assert isinstance(proof, Proof), proof
    assert rule.name in proof.rules
    assert proof.trust == "heuristic"
    off = frozenset({rule.name})
    without = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper", without=off)
    assert not without.proved


@pytest.mark.parametrize(("rule", "pair"), pairs_of("different"))
def test_different_pairs_stay_apart(rule: Rule, pair: Pair) -> None:
    schema, facts = facts_for(rule, pair)
    proof = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper")
    assert isinstance(proof, NotProved), proof
    assert proof.reason is None


NO_CORNER = frozenset({"P7", "P8", "22", "23", "24", "26"})
"""The paper's rules of which no executable pair is known that they join wrongly.

22 and 26 differ only by chance, under RANDOM().
"""


def test_every_unsound_rule_shows_a_corner() -> None:
    with_corner = {number for rule in PAPER.values() if rule.corners for number in rule.paper}
    assert with_corner == {*PREPARING, *NUMBERED} - NO_CORNER
    assert PAPER["paper_equal_to_itself_is_true"].corners


@pytest.mark.parametrize(("rule", "pair"), pairs_of("corners"))
def test_a_corner_is_joined_by_its_rule_and_refuted(rule: Rule, pair: Pair) -> None:
    schema, facts = facts_for(rule, pair)
    proof = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper")
    assert isinstance(proof, Proof), proof
    assert rule.name in proof.rules
    off = frozenset({rule.name})
    without = prove(pair.left, pair.right, schema, facts=facts, profile="etm_paper", without=off)
    assert not without.proved
    witness = find_witness(pair.left, pair.right, schema, facts=facts)
    assert isinstance(witness, Witness), witness
    assert pair.because


@pytest.mark.parametrize(("rule", "pair"), pairs_of("corners"))
def test_the_sound_profile_does_not_join_a_corner(rule: Rule, pair: Pair) -> None:
    schema, facts = facts_for(rule, pair)
    assert not prove(pair.left, pair.right, schema, facts=facts, profile="sound").proved
