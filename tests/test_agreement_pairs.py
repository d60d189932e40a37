"""Opinions are compared on the same pairs, with intervals over questions."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parent.parent / "bench"


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    import agreement_pairs

    yield agreement_pairs
    for name in ("agreement_pairs", "agreement_sets"):
        sys.modules.pop(name, None)


def items(*rows: tuple[str, bool, bool | None, bool]) -> list[Any]:
    """Pairs: the question, the label, what we say and what the other says."""
    return [SimpleNamespace(question=q, label=y, ours=a, other=b) for q, y, a, b in rows]


def ours(item: Any) -> bool | None:
    return item.ours  # type: ignore[no-any-return]


def other(item: Any) -> bool | None:
    return item.other  # type: ignore[no-any-return]


ROWS = items(
    ("a", True, True, True),
    ("a", False, False, True),
    ("b", True, None, False),
    ("b", False, False, False),
    ("c", True, True, False),
    ("c", False, False, False),
)


def test_a_pair_that_one_of_them_leaves_open_counts_for_neither(pairs: Any) -> None:
    both = pairs.decided(ROWS, ours, other)
    assert [item.question for item in both] == ["a", "a", "b", "c", "c"]
    # Without the open pair we have kappa 1; the other has 3 of 5 right, by chance 0.52.
    assert pairs.difference(ROWS, ours, other).startswith("+0.833 (")


def test_the_same_opinion_twice_differs_by_nothing(pairs: Any) -> None:
    assert pairs.difference(ROWS, other, other) == "0.000 (0.000 to 0.000)"


def test_an_interval_takes_questions_whole_and_is_the_same_each_time(pairs: Any) -> None:
    samples = list(pairs.samples(ROWS, 20))
    for sample in samples:
        by_question = {item.question: sample.count(item) for item in sample}
        assert all(by_question[item.question] == sample.count(item) for item in sample)
    assert samples == list(pairs.samples(ROWS, 20))


def test_nothing_decided_by_both_is_no_difference(pairs: Any) -> None:
    assert pairs.difference(items(("a", True, None, True)), ours, other) == pairs.NONE
