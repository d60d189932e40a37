"""Random queries: what the prover makes of them answers alike on every database that is tried.

A long run by hand: ``python tests/prove/test_prove_soundness.py 5000``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

sys.path.insert(0, str(Path(__file__).parent))
from query_mutations import mutate
from query_strategies import DDL, RANDOMS, make_query

from sqlverdict.parse.facts import Fact, HasAffinity, References, facts_of
from sqlverdict.parse.grammar import complaint
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.normalise import normalise
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.reasoning.copies import TooManySteps
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import resolved_sql
from sqlverdict.prove.resolve.tree import resolve_tree
from sqlverdict.prove.tree_key import tree_key
from sqlverdict.records import Query
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.witness import SearchBudget, Witness
from sqlverdict.testing.rule_suite.contexts import (
    TYPES,
    HostileQuery,
    declared_types,
    difference,
    rewriting,
)
from sqlverdict.testing.rule_suite.rows import data_for, retyped

SCHEMA = read_ddl(DDL, "random")
FACTS = facts_of(SCHEMA)
TYPED = frozenset(fact for fact in FACTS if isinstance(fact, HasAffinity))
OTHERS = sorted(FACTS - TYPED, key=repr)
INSTANCES = 30
UNSOUND = ("other answer", "proved and refuted", "rejected")
"""Kinds of trouble that no query may get into; the others only cost proofs."""

quick = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass(frozen=True)
class Trouble:
    """What went wrong with a query."""

    kind: str
    sql: str
    text: str


def some_facts(rng: Random) -> frozenset[Fact]:
    """All facts of the schema, or some; the types always hold."""
    if rng.randrange(2):
        return FACTS
    return TYPED | frozenset(fact for fact in OTHERS if rng.randrange(10) < 6)


def examine(sql: str, facts: frozenset[Fact], instances: int = INSTANCES) -> Trouble | None:
    """Rewrite a query to the end, and run both."""
    query = parse(sql)
    assert isinstance(query, Query), query
    assert complaint(sql, SCHEMA) is None, sql
    try:
        start = resolve_tree(query.tree, SCHEMA)
        tree, steps = normalise(start.tree, Facts(SCHEMA, facts, start.bases), rules_of("sound"))
    except Unsupported:
        return None
    except TooManySteps as spent:
        return Trouble("no end", sql, str(spent))
    form = resolved_sql(tree)
    by = f"{form!r} by {[step.rule for step in steps]} given {sorted(map(str, facts - TYPED))}"
    problem = complaint(form, SCHEMA)
    if problem is not None:
        return Trouble("does not run", sql, f"{problem}: {by}")
    outcome = search(sql, form, facts, instances)
    if isinstance(outcome, Witness):
        return Trouble("other answer", sql, f"{by}; on {dict(outcome.instance.rows)}")
    again = parse(form)
    assert isinstance(again, Query), again
    try:
        start = resolve_tree(again.tree, SCHEMA)
    except Unsupported as beyond:
        return Trouble("cannot be read again", sql, f"{beyond}: {by}")
    twice, more = normalise(start.tree, Facts(SCHEMA, facts, start.bases), rules_of("sound"))
    if tree_key(twice) != tree_key(tree):
        sentence = f"{by}, and then {resolved_sql(twice)!r} by {[step.rule for step in more]}"
        return Trouble("not stable", sql, sentence)
    return None


def search(gold: str, prediction: str, facts: frozenset[Fact], instances: int) -> object:
    budget = SearchBudget(instances=instances, alike=1, seconds=60.0, shrink=100)
    return find_witness(gold, prediction, SCHEMA, facts=facts, budget=budget)


def compare(sql: str, other: str, instances: int = INSTANCES) -> Trouble | None:
    """Where the prover says that two queries are equal, no database may say otherwise."""
    proof = prove(sql, other, SCHEMA)
    if not isinstance(proof, Proof):
        return None
    witness = search(sql, other, FACTS, instances)
    if isinstance(witness, Witness):
        text = f"{other!r} by {proof.rules}; on {dict(witness.instance.rows)}"
        return Trouble("proved and refuted", sql, text)
    verdict = check_proof(proof, SCHEMA)
    return None if verdict.holds else Trouble("rejected", sql, f"{other!r}: {verdict}")


@pytest.mark.slow
@quick
@given(RANDOMS)
def test_the_normal_form_of_a_query_answers_as_the_query(rng: Random) -> None:
    trouble = examine(make_query(rng), some_facts(rng))
    assert trouble is None or trouble.kind not in UNSOUND, trouble


@pytest.mark.slow
def test_nearly_all_normal_forms_run_and_are_stable() -> None:
    """What costs proofs and shows nothing false may happen, but rarely."""
    troubles = []
    for seed in range(120):
        rng = Random(seed)
        trouble = examine(make_query(rng), some_facts(rng), instances=1)
        if trouble is not None:
            troubles.append(trouble)
    assert len(troubles) <= 2, troubles


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_random_queries_under_other_types_answer_alike_on_extreme_rows(block: int) -> None:
    """As above, with the columns declared anew and rows of the kind that breaks affinity."""
    keys = [fact for fact in OTHERS if not isinstance(fact, References)]
    for seed in range(block * 20, block * 20 + 20):
        rng = Random(seed)
        schema = retyped(DDL, rng, *TYPES[:6])
        facts = declared_types(schema) | frozenset(fact for fact in keys if rng.randrange(10) < 6)
        query = HostileQuery(make_query(rng), schema, facts)
        form = rewriting(query, rules_of("sound"))
        for _ in range(3 if form is not None else 0):
            assert difference(query, form, data_for(schema, facts, rng)) is None


@pytest.mark.slow
@quick
@given(RANDOMS)
def test_what_is_proved_about_a_changed_query_is_never_refuted(rng: Random) -> None:
    sql = make_query(rng)
    query = parse(sql)
    assert isinstance(query, Query)
    assert compare(sql, mutate(query.tree, rng, 1 + rng.randrange(2))) is None


@pytest.mark.parametrize("seed", range(5))
def test_the_makers_queries_run(seed: int) -> None:
    for number in range(40):
        sql = make_query(Random(seed * 1_000 + number))
        assert complaint(sql, SCHEMA) is None, sql


def by_hand(start: int, count: int) -> None:
    """Print every trouble among so many random queries."""
    for seed in range(start, start + count):
        rng = Random(seed)
        sql = make_query(rng)
        trouble = examine(sql, some_facts(rng))
        query = parse(sql)
        assert isinstance(query, Query)
        for _ in range(2):
            trouble = trouble or compare(sql, mutate(query.tree, rng, 1 + rng.randrange(2)))
        if trouble is not None:
            sys.stdout.write(f"{seed} {trouble.kind}\n  {trouble.sql}\n  {trouble.text}\n")


if __name__ == "__main__":
    by_hand(int(sys.argv[2]) if len(sys.argv) > 2 else 0, int(sys.argv[1]))
