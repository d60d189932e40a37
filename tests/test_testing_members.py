"""What the conformance suites may be called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sqlverdict import testing
from sqlverdict.compare.relation import RELATIONS
from sqlverdict.errors import UnknownMember, UsageError
from sqlverdict.prove.rule import RULES
from sqlverdict.prove.rules.double_negation import double_negation
from sqlverdict.score.metric import METRICS
from sqlverdict.score.metrics import text_match
from sqlverdict.signs.sign import SIGNS
from sqlverdict.testing.members import member_of

SUITES = [getattr(testing, name) for name in testing.__all__ if name.startswith("check_")]


class Nothing:
    """No member of any kind."""


def function() -> None: ...


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.__name__)
@pytest.mark.parametrize(
    "value",
    [function, Nothing, Nothing(), 3, None],
    ids=["function", "class", "object", "number", "none"],
)
def test_what_is_no_member_is_refused_in_words(suite: Callable[[Any], None], value: Any) -> None:
    with pytest.raises(UsageError, match="Give its name, such as"):
        suite(value)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.__name__)
def test_an_unknown_name_is_said(suite: Callable[[Any], None]) -> None:
    with pytest.raises(UnknownMember) as unknown:
        suite("no_such_member")
    assert unknown.value.name == "no_such_member"


def test_the_function_or_class_of_a_file_is_its_member() -> None:
    assert member_of(RULES, double_negation) is RULES.get("double_negation")
    (cls,) = (
        each
        for each in vars(text_match).values()
        if isinstance(each, type) and each.__module__ == text_match.__name__
    )
    assert member_of(METRICS, cls) is METRICS.get("text_match")
    assert member_of(SIGNS, "constant_condition") is SIGNS.get("constant_condition")
    assert member_of(RELATIONS, "scale", "kind") is RELATIONS.get("scale")
