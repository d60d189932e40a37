"""The share of right cases: what is not labelled is not guessed."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.estimate.accuracy import Accuracy
from sqlverdict.estimate.gate import bound_confidence, gate_accuracy
from sqlverdict.estimate.label_error import (
    half_risk,
    interval_with_label_error,
    share_with_label_error,
)
from sqlverdict.estimate.plan import cautious, plain_labels, plan_labels
from sqlverdict.estimate.population import allocate
from sqlverdict.estimate.share import DrawnStratum, estimate_share
from sqlverdict.estimate.words import accuracy_sentence
from sqlverdict.score.statistics.intervals import wilson

STRATA = (
    DrawnStratum("proved", 600, 30, 30, 29),
    DrawnStratum("accepted", 250, 12, 12, 8),
    DrawnStratum("rejected", 150, 8, 8, 1),
)


def test_strata_save_labels() -> None:
    outcome = estimate_share(STRATA)
    assert outcome.value == pytest.approx((600 * 29 / 30 + 250 * 8 / 12 + 150 / 8) / 1000)
    assert outcome.low < outcome.value < outcome.high
    assert (outcome.cases, outcome.labels, outcome.pending) == (1000, 50, 0)
    assert outcome.worth > 60
    assert outcome.certified


def test_few_labels_get_wilsons_interval() -> None:
    outcome = estimate_share([DrawnStratum("all", 10**9, 10, 10, 7)])
    assert outcome.method == "Wilson's interval"
    assert (outcome.low, outcome.high) == pytest.approx(wilson(7, 10))


def test_cases_without_a_label_widen_both_ends() -> None:
    whole = estimate_share(STRATA)
    pending = estimate_share([*STRATA[:2], DrawnStratum("rejected", 150, 8, 5, 1)])
    assert pending.pending == 3
    assert pending.low <= whole.low
    assert pending.high > whole.high


def test_cases_that_no_stratum_covers_widen_both_ends() -> None:
    whole, open_ = estimate_share(STRATA), estimate_share(STRATA, uncovered=100)
    assert open_.low == pytest.approx(whole.low * 1000 / 1100, abs=0.02)
    assert open_.high - open_.low >= whole.high - whole.low
    unlabelled = estimate_share([*STRATA, DrawnStratum("failed", 100, 0, 0, 0)])
    assert (unlabelled.low, unlabelled.high) == (open_.low, open_.high)


def test_known_cases_need_no_label() -> None:
    outcome = estimate_share(STRATA, known=1000, known_right=0)
    assert outcome.value == pytest.approx((estimate_share(STRATA).value or 0) / 2)


def test_no_labels_at_all() -> None:
    outcome = estimate_share([DrawnStratum("proved", 10, 5, 0, 0)])
    assert (outcome.value, outcome.low, outcome.high) == (None, 0.0, 1.0)


def test_labels_of_all_cases_leave_no_doubt() -> None:
    outcome = estimate_share([DrawnStratum("all", 30, 30, 30, 12)])
    assert (outcome.low, outcome.high) == pytest.approx((0.4, 0.4))


def test_no_cases() -> None:
    with pytest.raises(UsageError):
        estimate_share([])


@pytest.mark.parametrize(
    ("sizes", "labels", "sample"),
    [
        ({"a": 50, "b": 50}, 10, {"a": 5, "b": 5}),
        ({"a": 98, "b": 1, "c": 1}, 10, {"a": 8, "b": 1, "c": 1}),
        ({"a": 3, "b": 4}, 100, {"a": 3, "b": 4}),
        ({"a": 1, "b": 2, "c": 3}, 3, {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_allocation(sizes: dict[str, int], labels: int, sample: dict[str, int]) -> None:
    assert allocate(sizes, labels) == sample


def test_a_plan_reaches_its_width() -> None:
    sizes, rates = {"proved": 600, "accepted": 250, "rejected": 150}, {}
    rates = {"proved": cautious(0.97), "accepted": cautious(0.7), "rejected": cautious(0.1)}
    plan = plan_labels(sizes, rates, 0.15)
    assert plan.expected <= 0.15
    assert plan.labels < plan.plain
    assert sum(each.labels for each in plan.strata.values()) == plan.labels
    sample = [
        DrawnStratum(name, each.size, each.labels, each.labels, round(each.labels * each.rate))
        for name, each in plan.strata.items()
    ]
    outcome = estimate_share(sample)
    assert outcome.high - outcome.low == pytest.approx(0.15, abs=0.02)


@pytest.mark.parametrize("width", [0, 1, -1, 2])
def test_a_width_that_is_none(width: float) -> None:
    with pytest.raises(UsageError, match="width"):
        plan_labels({"a": 10}, {"a": 0.5}, width)


def test_a_plan_for_nothing() -> None:
    with pytest.raises(UsageError, match="no case"):
        plan_labels({}, {}, 0.1)


def test_few_cases_are_all_labelled() -> None:
    assert plan_labels({"a": 12}, {"a": 0.5}, 0.01).labels == 12


def test_plain_labels_are_those_of_wilson() -> None:
    low, high = wilson(50, 100)
    assert plain_labels(10**7, 0.5, high - low + 1e-9) == 100


@pytest.mark.parametrize(
    ("size", "known", "known_right"), [(1000, 0, 0), (60, 0, 0), (60, 140, 0), (500, 300, 120)]
)
@pytest.mark.parametrize("labels", [12, 20, 33, 60])
@pytest.mark.parametrize("rate", [0.0, 0.3, 0.85, 1.0])
def test_labels_of_one_plain_stratum_gain_nothing(
    size: int, known: int, known_right: int, labels: int, rate: float
) -> None:
    stratum = DrawnStratum("all", size, labels, labels, round(rate * labels))
    outcome = estimate_share([stratum], known=known, known_right=known_right)
    assert outcome.worth == labels
    assert "as good as" not in accuracy_sentence(Accuracy(outcome, 0, 0, None, (), 0, ()))


def test_a_plan_for_one_stratum_saves_nothing() -> None:
    for known in (0, 200):
        plan = plan_labels({"a": 400}, {"a": 0.7}, 0.1, known=known)
        assert plan.labels == plan.plain
        stratum = DrawnStratum("a", 400, plan.labels, plan.labels, round(0.7 * plan.labels))
        assert estimate_share([stratum], known=known).worth == plan.labels


def test_plans_and_estimates_have_one_baseline() -> None:
    """A plan and an estimate of the same rates and width name the same number of plain labels."""
    sizes, rates = {"a": 600, "b": 400}, {"a": 0.9, "b": 0.2}
    for known, known_right in ((0, 0), (500, 100)):
        plan = plan_labels(sizes, rates, 0.12, known=known, known_right=known_right)
        assert plan.labels < plan.plain
        rate = (600 * 0.9 + 400 * 0.2) / 1000
        worth = plain_labels(1000, rate, 0.12, known=known, known_right=known_right)
        assert worth == plan.plain


def test_a_gate_has_three_answers() -> None:
    outcome = estimate_share(STRATA, confidence=bound_confidence())
    assert gate_accuracy(outcome, 0.6).answer == "shown"
    assert gate_accuracy(outcome, 0.9).answer == "not shown"
    few = estimate_share([DrawnStratum("all", 1000, 19, 19, 19)], confidence=0.9)
    assert gate_accuracy(few, 0.6).answer == "too few labels"
    pending = estimate_share([*STRATA[:2], DrawnStratum("rejected", 150, 8, 7, 1)])
    assert gate_accuracy(pending, 0.6).answer == "too few labels"


def test_more_looks_ask_for_more() -> None:
    bounds = [estimate_share(STRATA, confidence=bound_confidence(n)).low for n in (1, 2, 3, 4)]
    assert bounds == sorted(bounds, reverse=True)
    for looks in (0, 5):
        with pytest.raises(UsageError, match="looks"):
            bound_confidence(looks)


def test_label_errors_widen_the_interval() -> None:
    assert interval_with_label_error(0.6, 0.8, 19, 1) is None
    assert interval_with_label_error(0.6, 0.8, 40, 20) is None
    ends = interval_with_label_error(0.6, 0.8, 40, 2)
    assert ends is not None
    assert ends[0] <= 0.61
    assert ends[1] > 0.8
    assert half_risk(0.95) == pytest.approx(0.975)


def test_label_errors_are_turned_back() -> None:
    """A share of 0.8 that is seen through 10% errors is 0.74; the interval turns it back."""
    seen, twice = 0.8 * 0.8 + 0.1, 10**6
    ends = interval_with_label_error(seen, seen, twice, round(2 * 0.1 * 0.9 * twice))
    assert ends == pytest.approx((0.8, 0.8), abs=0.01)


def test_only_labels_err() -> None:
    """Three of four cases are known to be wrong: mistakes of people are in the fourth alone."""
    stratum = DrawnStratum("proved", 50, 50, 50, 40)
    alone = share_with_label_error([stratum], 50, 9)
    assert alone is not None
    assert alone[0] < 0.8 < alone[1]
    for known, known_right in ((150, 0), (150, 150), (150, 60)):
        ends = share_with_label_error([stratum], 50, 9, known=known, known_right=known_right)
        expected = [(known_right + 50 * end) / 200 for end in alone]
        assert ends == pytest.approx(expected, abs=1e-6)


def test_cases_of_which_nothing_is_known_have_no_label_that_errs() -> None:
    alone = share_with_label_error([STRATA[0]], 40, 2)
    open_ = share_with_label_error([STRATA[0]], 40, 2, uncovered=200)
    unlabelled = share_with_label_error([STRATA[0], DrawnStratum("x", 200, 0, 0, 0)], 40, 2)
    assert alone is not None
    expected = (600 * alone[0] / 800, (600 * alone[1] + 200) / 800)
    assert open_ == unlabelled == pytest.approx(expected, abs=1e-6)


def test_drawn_cases_that_need_no_label_do_not_err() -> None:
    """Half of a panel abstains now: the mistakes of people are in the other half."""
    half = DrawnStratum("all", 10**9, 2000, 2000, 800, known=1000)
    ends = share_with_label_error([half], 10**6, round(2 * 0.1 * 0.9 * 10**6))
    # The other half is seen as 80% right, which is (0.8 - 0.1) / 0.8 through 10% errors.
    assert ends is not None
    assert sum(ends) / 2 == pytest.approx(0.5 * 0.7 / 0.8, abs=0.005)


def test_errors_are_by_chance_even_where_every_case_has_a_label() -> None:
    few, many = (
        share_with_label_error([DrawnStratum("all", n, n, n, n * 4 // 5)], 10**6, 180_000)
        for n in (50, 5000)
    )
    assert few is not None
    assert many is not None
    assert few[1] - few[0] > 5 * (many[1] - many[0])


def test_intervals_with_label_errors_hold_where_most_cases_need_no_label() -> None:
    """60 cases have a query, all are labelled; 140 abstain, 100 of them rightly."""
    hits = hits_apart = 0
    truth = (100 + 45) / 200
    for seed in range(300):
        random = Random(seed)
        votes = [[(n < 45) ^ (random.random() < 0.07) for _ in range(2)] for n in range(60)]
        differ = sum(one != other for one, other in votes[:40])
        right = sum(one for one, _ in votes)
        strata = [DrawnStratum("proved", 60, 60, 60, right)]
        ends = share_with_label_error(strata, 40, differ, known=140, known_right=100)
        if ends is None:
            continue
        hits_apart += 1
        hits += ends[0] <= truth <= ends[1]
    assert hits_apart > 200
    assert hits >= 0.95 * hits_apart


def test_the_example_of_the_docs_is_possible() -> None:
    """The sentence on the page comes from these strata, drawn in proportion."""
    sizes = {"proved": 392, "accepted": 531, "review": 118, "rejected": 431, "failed": 62}
    right = {"proved": 26, "accepted": 31, "review": 4, "rejected": 8, "failed": 0}
    sample = allocate(sizes, 105)
    share = estimate_share(
        [DrawnStratum(name, sizes[name], sample[name], sample[name], right[name]) for name in sizes]
    )
    sentence = accuracy_sentence(Accuracy(share, 0, 0, None, (), 0, ()))
    page = Path(__file__).parents[2] / "docs" / "estimate.md"
    assert f"\n{sentence}\n" in page.read_text(encoding="utf-8")
