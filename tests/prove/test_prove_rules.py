"""Every rule file faces every check; adding a rule needs no new test."""

from __future__ import annotations

import pytest

from sqlverdict.prove.rule import RULES, Rule
from sqlverdict.testing.rules import RULE_CHECKS


@pytest.mark.parametrize("check", RULE_CHECKS)
@pytest.mark.parametrize("rule", [rule for _, rule in RULES.items()], ids=lambda rule: rule.name)
def test_rule(rule: Rule, check: str) -> None:
    RULE_CHECKS[check](rule)
