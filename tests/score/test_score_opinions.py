"""Metrics of opinion and proof, and the counts of what judges were asked."""

from __future__ import annotations

from typing import Any

import pytest

from sqlverdict.evidence import Evidence, Judged, OpenQuestion, Tested
from sqlverdict.prove.proof import NotProved
from sqlverdict.records import Failure, Reason, Result, Score, Verdict
from sqlverdict.score.metric import parse_metric
from sqlverdict.score.summary import JudgeCounts
from sqlverdict.testing.fakes import FakeItem

ROWS = [("Ada", 36)]


def score(name: str, item: FakeItem) -> Score:
    spec = parse_metric(name)
    return spec.metric.score(item, spec.parameter)


def judged(correct: bool | None, reason: Reason | None = None, **fields: Any) -> Judged:
    reasons = () if reason is None else (reason,)
    return Judged("fake", reasons, correct=correct, **fields)


def item_with(opinion: Judged) -> FakeItem:
    item = FakeItem.of([ROWS], [("Bob", 1)])
    return FakeItem(item.case, item.prediction, item.gold_outcomes, item.outcome, opinion=opinion)


@pytest.mark.parametrize(
    ("opinion", "expected"),
    [
        (judged(True, metrics=("flex",)), Score(1.0)),
        (judged(False, metrics=("flex", "verdict")), Score(0.0)),
        (
            judged(None, Reason.JUDGE_UNPARSEABLE, metrics=("flex",)),
            Score(None, (Reason.JUDGE_UNPARSEABLE,)),
        ),
        (judged(True, metrics=("verdict",)), Score(None, (Reason.JUDGE_UNAVAILABLE,))),
    ],
    ids=["right", "wrong", "unreadable", "asked for another metric"],
)
def test_flex_is_the_judges_word(opinion: Judged, expected: Score) -> None:
    assert score("flex", item_with(opinion)) == expected


def test_flex_scores_a_failed_prediction_without_a_judge() -> None:
    failed = FakeItem.of([ROWS], Failure(Reason.EXECUTION_ERROR, "no such column"))
    assert score("flex", failed) == Score(0.0, (Reason.EXECUTION_ERROR,))


def test_flex_leaves_a_failed_gold_unscored() -> None:
    failed = FakeItem.of([Failure(Reason.EXECUTION_ERROR, "no such table")], ROWS)
    assert score("flex", failed) == Score(None, (Reason.GOLD_EXECUTION_ERROR,))


def test_verdict_is_one_zero_or_nothing() -> None:
    assert score("verdict", FakeItem.of([ROWS], ROWS)) == Score(1.0)
    wrong = score("verdict", FakeItem.of([ROWS], [("Bob", 1)]))
    assert wrong == Score(0.0, (Reason.VALUE_MISMATCH,))
    missing = FakeItem.of([Failure(Reason.EXECUTION_ERROR, "no such table")], ROWS)
    assert score("verdict", missing).value is None


@pytest.mark.parametrize("name", ["proved", "etm"])
def test_a_proof_is_one_and_none_is_zero(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = FakeItem.of([ROWS], ROWS).case.golds[0]
    assert score(name, FakeItem.of([ROWS], ROWS, sql=gold)) == Score(1.0)
    other = FakeItem.of([ROWS], ROWS, sql="SELECT name, 1 FROM person")
    assert score(name, other) == Score(0.0)
    bad = FakeItem.of([ROWS], ROWS, sql="SELECT FROM WHERE")
    unread = NotProved("cannot be read", Reason.PARSE_ERROR)
    monkeypatch.setattr(FakeItem, "prove", lambda *_: unread)
    assert score(name, bad) == Score(0.0, (Reason.PARSE_ERROR,))
    monkeypatch.setattr(FakeItem, "schema", lambda _: None)
    assert score(name, other) == Score(None, (Reason.DATABASE_UNAVAILABLE,))


def test_each_profile_is_asked_for_its_own_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def prove(_: FakeItem, profile: str) -> NotProved:
        seen.append(profile)
        return NotProved("no")

    monkeypatch.setattr(FakeItem, "prove", prove)
    for name in ("proved", "etm"):
        score(name, FakeItem.of([ROWS], ROWS))
    assert seen == ["sound", "etm_paper"]


def result(*evidence: Evidence) -> Result:
    return Result(
        0, "1", "db", "?", ("SELECT 1",), "SELECT 1", False, Verdict.CORRECT, evidence=evidence
    )


def test_what_judges_took_is_added_up() -> None:
    counts = JudgeCounts()
    counts.add(
        result(judged(True, calls=2, cached=1, tokens=(100, 10), cost=0.5, repeats=(True, True)))
    )
    counts.add(
        result(judged(False, calls=1, tokens=(50, 5), cost=None, repeats=(False, True, None)))
    )
    counts.add(result(judged(None, Reason.JUDGE_UNPARSEABLE, calls=3, tokens=(9, 9), cost=0.25)))
    counts.add(result(judged(None, Reason.JUDGE_UNAVAILABLE), Tested("compare")))
    counts.add(result(OpenQuestion("policy", question="?")))
    assert counts.totals() == {
        "questions": 4,
        "calls": 6,
        "cached": 1,
        "prompt_tokens": 159,
        "completion_tokens": 24,
        "unparseable": 1,
        "unavailable": 1,
        "repeated": 2,
        "flipped": 1,
        "would_ask": 1,
    }


def test_a_run_without_judges_counts_nothing() -> None:
    counts = JudgeCounts()
    counts.add(result(Tested("compare")))
    assert counts.totals() == {}
