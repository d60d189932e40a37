"""check_metric passes every metric there is and fails every kind of broken one."""

from __future__ import annotations

import sys
from itertools import count
from types import ModuleType
from typing import Any

import pytest

from sqlverdict.records import Score
from sqlverdict.score.metric import METRICS, Item, metric_document
from sqlverdict.testing.metrics import check_metric

DOCUMENT = """Good: one for the gold's rows.

Definition:
    value = 1 if the rows are equal.

Range:
    {0, 1}

Direction:
    Higher is better.

Unscored cases:
    The gold fails.

Source:
    This test.
"""


NUMBERS = count()


class Good:
    name = "good"
    version = 1
    needs = frozenset({"answers"})
    parameters: tuple[str, ...] = ()
    binary = True

    def score(self, item: Item, parameter: str) -> Score:
        comparison = item.compare("strict")
        value = None if comparison.equal is None else float(comparison.equal)
        return Score(value, comparison.reasons)


def broken(doc: str = DOCUMENT, **changes: Any) -> Any:
    """A metric that differs from the good one in some attributes, in a module of its own."""
    name = f"metric_under_test_{next(NUMBERS)}"
    sys.modules[name] = ModuleType(name, doc)
    return type("Broken", (Good,), {"__module__": name, **changes})()


@pytest.mark.parametrize("name", METRICS.names())
def test_every_metric_conforms(name: str) -> None:
    check_metric(name)


def test_a_good_metric_of_ones_own_conforms() -> None:
    check_metric(broken())


def flaky() -> Any:
    calls = iter(range(10**6))

    def score(self: Good, item: Item, parameter: str) -> Score:
        good = Good.score(self, item, parameter)
        return good if good.value is None else Score(float(next(calls) % 2))

    return score


def altered(change: Any) -> Any:
    def score(self: Good, item: Item, parameter: str) -> Score:
        good = Good.score(self, item, parameter)
        return Score(change(good.value, item), good.reasons)

    return score


def always(value: float | None) -> Any:
    return lambda self, item, parameter: Score(value)


@pytest.mark.parametrize(
    ("metric", "complaint"),
    [
        (broken(doc=DOCUMENT.replace("Source:", "Sources:")), "nothing under 'Source'"),
        (broken(doc=DOCUMENT.replace("    The gold fails.\n", "")), "nothing under 'Unscored"),
        (broken(doc=DOCUMENT.replace("{0, 1}", "between 0 and 1")), "begin it with its bounds"),
        (broken(doc=DOCUMENT.replace("Higher", "More")), "no direction"),
        (broken(doc=""), "no summary line"),
        (broken(version=0), "whole number from 1"),
        (broken(version=True), "whole number from 1"),
        (broken(version="1"), "whole number from 1"),
        (broken(needs=frozenset({"luck"})), "needs ..luck"),
        (broken(parameters=("a", "a")), "parameter twice"),
        (broken(parameters=("a b",)), "must be a word"),
        (broken(binary=1), "say a bool"),
        (broken(score=always(None)), "unscored for .* without a reason"),
        (broken(score=always(1.0)), "it must be unscored"),
        (broken(score=always(2.0)), "its range says"),
        (broken(score=always(float("nan"))), "its range says"),
        (broken(score=lambda *_: 1.0), "return a Score"),
        (broken(score=flaky()), "may depend on nothing but"),
        (broken(score=altered(lambda v, _: None if v is None else v / 2)), "binary"),
        (broken(score=altered(lambda v, _: None if v is None else 1 - v)), "better than the gold"),
        (
            broken(
                score=altered(lambda v, item: None if not hasattr(item.answer(), "rows") else v)
            ),
            "is unscored for a prediction that fails",
        ),
        (broken(score=altered(lambda v, _: v or None)), "unscored for"),
    ],
)
def test_a_broken_metric_is_named_for_what_it_breaks(metric: Any, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_metric(metric)


def test_a_metric_under_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS._members, "other", broken())
    with pytest.raises(AssertionError, match="calls itself 'good'"):
        check_metric("other")


def test_the_document_is_read_by_heading() -> None:
    result = metric_document(broken())
    assert result["Range"] == "{0, 1}"
    assert result[""] == "Good: one for the gold's rows."
