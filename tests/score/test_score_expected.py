"""What people would say of a run: bounds that err together, and nothing without labels."""

from __future__ import annotations

from math import hypot, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.records import LabelBasis, Result, Verdict
from sqlverdict.report.one_run.case import because
from sqlverdict.report.one_run.people import labelled_words, people_words
from sqlverdict.score.expected import Expectation, ExpectedScore


def result(
    p: float | None = None,
    low: float = 0.0,
    high: float = 1.0,
    verdict: Verdict = Verdict.CORRECT,
    situation: str = "difference",
    labels: tuple[int, int, int] = (23, 100, 2),
    own: bool = False,
) -> Result:
    basis = None if p is None else LabelBasis(low, high, *labels, own)
    return Result(
        index=0, id="1", db_id="db", question="?", gold=("SELECT 1",), prediction="SELECT 1",
        abstained=False, verdict=verdict, situation=situation, p_right=p, p_basis=basis,
    )  # fmt: skip


def expected(*results: Result) -> ExpectedScore | None:
    expectation = Expectation()
    for one in results:
        expectation.add(one)
    return expectation.expected()


def test_the_bounds_can_be_redone_by_hand() -> None:
    score = expected(*[result(0.9, 0.7, 0.95)] * 30, *[result(0.3, 0.1, 0.8)] * 10)
    assert score is not None
    value, low, high = 0.75, 0.55, 0.9125
    by_case = 1.96 * sqrt(30 * 0.09 + 10 * 0.21) / 40
    assert score.value == pytest.approx(value)
    assert score.low == pytest.approx(value - hypot(value - low, by_case), abs=1e-4)
    assert score.high == pytest.approx(value + hypot(high - value, by_case), abs=1e-4)


def test_what_people_differ_in_does_not_average_out() -> None:
    few, many = (expected(*[result(0.5, 0.2, 0.8)] * n) for n in (10, 100_000))
    assert few is not None
    assert many is not None
    assert (few.low, few.high) < (many.low, few.high)
    assert (many.low, many.high) == (pytest.approx(0.2, abs=0.001), pytest.approx(0.8, abs=0.001))


PARTS = st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).map(sorted)


@given(st.lists(PARTS, min_size=1, max_size=20))
def test_the_estimate_lies_within_bounds_in_any_order(parts: list[list[float]]) -> None:
    results = [result(p, low, high) for low, p, high in parts]
    score = expected(*results)
    assert score is not None
    assert 0 <= score.low <= score.value <= score.high <= 1
    assert expected(*reversed(results)) == score


def test_what_has_no_labels_is_counted_and_has_no_share() -> None:
    unlabelled = result(situation="barred_match", verdict=Verdict.NEEDS_REVIEW)
    wrong_without = result(situation="tie_witness", verdict=Verdict.INCORRECT)
    assert expected(unlabelled, wrong_without) is None
    score = expected(unlabelled, wrong_without, result(0.5, 0.5, 0.5))
    assert score is not None
    assert (score.cases, score.unlabelled, score.value) == (1, 2, 0.5)
    assert "; no labels for 2 more answers" in people_words(score)


def test_text_without_sql_is_wrong_whatever_people_say() -> None:
    no_sql = result(situation="", verdict=Verdict.INCORRECT)
    score = expected(no_sql, result(1.0, 1.0, 1.0))
    assert score is not None
    assert (score.cases, score.value, score.high) == (2, 0.5, 0.5)
    assert expected(no_sql) is None, "an engine without labels has no share"


def test_unscored_cases_and_abstentions_are_no_answers() -> None:
    unscored = result(verdict=Verdict.UNSCORED, situation="fault")
    score = expected(unscored, result(0.5))
    assert score is not None
    assert (score.cases, score.unlabelled) == (1, 0)


def test_the_line_says_whose_people_it_means() -> None:
    score = expected(*[result(0.5, 0.3, 0.7)] * 10)
    assert score is not None
    assert people_words(score) == (
        "on benchmarks like ROSE, BIRD and FLEX people would call between 13% and 87% of 10 answers "
        "right (estimate 50%)"
    )
    own = expected(result(0.5, 0.3, 0.7, verdict=Verdict.NEEDS_REVIEW, own=True))
    assert own is not None
    assert "right (estimate 50%); 1 of them to review" in people_words(own)
    assert people_words(own).startswith("by your labels people would call")


@pytest.mark.parametrize(
    ("labels", "own", "words"),
    [
        (
            (27, 119, 2),
            False,
            "in labelled data 23% of such answers were right (119 labels, 2 sets); "
            "p_right on other data 0.29 (0.03 to 0.86)",
        ),
        (
            (1, 1, 1),
            False,
            "in labelled data 1 of 1 such answers were right (1 set); "
            "p_right on other data 0.29 (0.03 to 0.86)",
        ),
        (
            (5, 10, 3),
            True,
            "in labelled data, yours included, 50% of such answers were right (10 labels, 3 sets); "
            "p_right on other data 0.29 (0.03 to 0.86)",
        ),
    ],
)
def test_a_case_says_what_its_probability_rests_on(
    labels: tuple[int, int, int], own: bool, words: str
) -> None:
    case = result(0.29, 0.03, 0.86, labels=labels, own=own)
    assert labelled_words(case) == words
    assert because(case) == f"the answers differ (difference); {words}"
    assert because(result()) == "the answers differ (difference)"
