"""What a rule says that it needs saves time alone: without it, the same steps are done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlverdict.parse.facts import HasAffinity, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.normalise import RuleSet, normalise
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.proof import Step
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.resolve.query import resolve_query
from sqlverdict.prove.rule import Pair, Rule
from sqlverdict.records import Query

SOUND = rules_of("sound")
ALL_TRIED = RuleSet(tuple(replace(rule, needs=()) for rule in SOUND.rules))


def steps(sql: str, rule: Rule, pair: Pair, rules: RuleSet) -> list[Step]:
    """What rules do to a query of a pair."""
    query, schema = parse(sql), read_ddl(rule.schema, rule.name)
    assert isinstance(query, Query)
    types = {fact for fact in facts_of(schema) if isinstance(fact, HasAffinity)}
    start = resolve_query(query, schema)
    facts = Facts(schema, frozenset({*types, *pair.facts}), start.bases, query.dialect)
    return normalise(start.tree, facts, rules)[1]


@pytest.mark.parametrize("rule", SOUND.rules, ids=lambda rule: rule.name)
def test_a_rule_applies_nowhere_without_the_nodes_that_it_needs(rule: Rule) -> None:
    for pair in (*rule.equal, *rule.different):
        for sql in (pair.left, pair.right):
            assert steps(sql, rule, pair, SOUND) == steps(sql, rule, pair, ALL_TRIED)


def test_a_rule_that_needs_what_is_not_there_is_not_tried() -> None:
    rule = next(rule for rule in SOUND.rules if rule.name == "exists_is_join")
    (needed,) = rule.needs
    pair = next(pair for pair in rule.equal if "EXISTS" in pair.left)
    node_types: list[str] = []

    def rewrite(node: object, _: Facts) -> None:
        node_types.append(type(node).__name__)

    watched = RuleSet((replace(rule, rewrite=rewrite),))
    steps("SELECT 1", rule, pair, watched)
    assert node_types == []
    steps(pair.left, rule, pair, watched)
    assert node_types
    assert needed.__name__ == "Exists"
