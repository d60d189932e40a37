"""Every rule file faces every check; adding a rule needs no new test."""

from __future__ import annotations

import pytest

from sqlverdict.prove.rule import RULES, Rule
from sqlverdict.testing.rule_suite.contexts import check_hostile_contexts
from sqlverdict.testing.rules import RULE_CHECKS, check_ends_on_deep_trees
from tiers import sampled

SAMPLED = {
    "hostile_contexts": check_hostile_contexts,
    "ends_on_deep_trees": check_ends_on_deep_trees,
}
every_rule = pytest.mark.parametrize(
    "rule", [rule for _, rule in RULES.items()], ids=lambda rule: rule.name
)


@pytest.mark.slow
@every_rule
def test_rule(rule: Rule) -> None:
    for name, check in RULE_CHECKS.items():
        if name not in SAMPLED:
            check(rule)


@pytest.mark.slow
@pytest.mark.sampled
@every_rule
def test_rule_in_hostile_contexts_and_on_deep_trees(rule: Rule) -> None:
    assert RULE_CHECKS.items() >= SAMPLED.items()
    check_hostile_contexts(rule, queries=sampled(2, 24))
    check_ends_on_deep_trees(rule, pairs=sampled(1, 1_000))
