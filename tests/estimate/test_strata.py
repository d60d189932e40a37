"""The strata of a run: every verdict and situation has one, and a proof has its own."""

from __future__ import annotations

import pytest

from sqlverdict.estimate.population import stratum_of, stratum_with_judge
from sqlverdict.load.people.sampling import JUDGE_STRATA, STRATA
from sqlverdict.records import Result, Verdict
from sqlverdict.situations import Situation


def result(verdict: str, situation: str = "", prediction: str | None = "SELECT 1") -> Result:
    abstained = verdict.startswith("abstained")
    return Result(
        0, "1", "shop", "How many?", ("SELECT 1",), prediction, abstained, Verdict(verdict),
        situation=situation,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("verdict", "situation", "prediction", "stratum"),
    [
        ("correct", "proved", "SELECT 1", "proved"),
        ("correct", "match", "SELECT 1", "accepted"),
        ("correct", "difference", "SELECT 1", "accepted"),
        ("abstained_right", "", None, "accepted"),
        ("needs_review", "harmless_difference", "SELECT 1", "review"),
        ("unscored", "fault", "SELECT 1", "review"),
        ("unscored", "contradiction", "SELECT 1", "review"),
        ("incorrect", "difference", "SELECT 1", "rejected"),
        ("incorrect", "", "SELECT 1", "rejected"),
        ("incorrect", "failed", "SELECT", "failed"),
        ("incorrect", "", None, "failed"),
        ("incorrect", "", " ", "failed"),
        ("abstained_wrong", "", None, "failed"),
    ],
)
def test_a_case_has_the_stratum_of_its_evidence(
    verdict: str, situation: str, prediction: str | None, stratum: str
) -> None:
    assert stratum_of(result(verdict, situation, prediction)) == stratum


def test_every_verdict_and_situation_has_a_stratum() -> None:
    for verdict in Verdict:
        for situation in ("", *(each.value for each in Situation)):
            each = result(verdict.value, situation)
            assert stratum_of(each) in STRATA
            for says in (True, False, None):
                assert stratum_with_judge(each, says) in JUDGE_STRATA


def test_a_judge_makes_three_strata() -> None:
    assert stratum_with_judge(result("correct", "match"), True) == "both_right"
    assert stratum_with_judge(result("correct", "match"), False) == "differ"
    assert stratum_with_judge(result("incorrect", "difference"), False) == "both_wrong"
    assert stratum_with_judge(result("needs_review", "minor_difference"), True) == "differ"
    assert stratum_with_judge(result("correct", "proved"), None) == "differ"


def test_a_verdict_that_is_the_judges_word_is_not_counted_twice() -> None:
    """The judge called a difference right: the evidence alone says wrong."""
    assert stratum_with_judge(result("correct", "difference"), True) == "differ"
