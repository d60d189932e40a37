"""The accuracy of a run, by how its labelled cases were drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

import pytest

from sqlverdict.errors import DataError, UsageError
from sqlverdict.estimate.accuracy import estimate_accuracy, join_neighbours, plan_accuracy
from sqlverdict.estimate.carry import carried_labels
from sqlverdict.estimate.difference import estimate_difference
from sqlverdict.estimate.share import DrawnStratum
from sqlverdict.estimate.strata import stratum_of
from sqlverdict.estimate.words import (
    accuracy_notes,
    accuracy_sentence,
    difference_sentence,
    plan_sentences,
)
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.records import Result, Verdict

VERDICTS = ("correct proved", "correct match", "incorrect difference", "needs_review odd_witness")


def result(number: int, kind: str = VERDICTS[0], prediction: str | None = "") -> Result:
    verdict, _, situation = kind.partition(" ")
    query = f"SELECT {number}" if prediction == "" else prediction
    return Result(
        number, f"q{number}", "shop", "How many?", ("SELECT 1",), query, query is None,
        Verdict(verdict), situation=situation,
    )  # fmt: skip


def run_of(cases: int = 200) -> list[Result]:
    return [result(number, VERDICTS[number % 4]) for number in range(cases)]


def label(
    case: Result,
    value: float | None,
    *,
    stratum: str = "",
    size: int = 0,
    probability: float | None = None,
    votes: tuple[float | None, ...] = (),
    with_pair: bool = False,
) -> Label:
    pair = vote_digest(case.id, case.gold, case.prediction) if stratum or with_pair else ""
    binary = None if value in (None, 0.5) else int(value or 0)
    return Label(
        case.id, binary, value, votes, pair=pair, prediction=case.prediction, stratum=stratum,
        stratum_size=size, sampling_probability=probability,
    )  # fmt: skip


def labels_of(items: Iterable[Label]) -> Labels:
    return Labels(Path("votes.jsonl"), "votes", tuple(items))


def draw(run: list[Result], each: int = 10, values: Mapping[str, float] | None = None) -> Labels:
    """So many labels of each stratum: right for proofs and matches."""
    strata: dict[str, list[Result]] = {}
    for case in run:
        strata.setdefault(stratum_of(case), []).append(case)
    good = {"proved": 1.0, "accepted": 1.0, **(values or {})}
    return labels_of(
        label(
            case, good.get(name, 0.0), stratum=name, size=len(cases),
            probability=each / len(cases),
        )
        for name, cases in strata.items()
        for case in Random(1).sample(cases, each)
    )  # fmt: skip


def test_labels_count_for_their_strata() -> None:
    run = run_of()
    outcome = estimate_accuracy(run, draw(run))
    assert outcome.share.value == 0.5
    assert 0.4 < outcome.share.low < 0.5 < outcome.share.high < 0.6
    assert outcome.share.labels == 40
    assert [each.name for each in outcome.share.strata] == [
        "proved", "accepted", "review", "rejected",
    ]  # fmt: skip
    assert not outcome.needed


def test_a_sheet_is_taken_as_drawn_at_random_and_says_so() -> None:
    run = run_of()
    sample = Random(2).sample(run, 60)
    outcome = estimate_accuracy(run, labels_of(label(case, case.index % 4 < 2) for case in sample))
    assert outcome.share.low < 0.5 < outcome.share.high
    assert any("at random" in note for note in outcome.notes)


def test_votes_of_another_queue_are_refused() -> None:
    run = run_of()
    by_kind = [label(case, 1.0, stratum="match, proved", size=50) for case in run[:30]]
    with pytest.raises(UsageError, match="raw share"):
        estimate_accuracy(run, labels_of(by_kind))
    unknown = [label(case, 1.0, with_pair=True) for case in run[:30]]
    with pytest.raises(UsageError, match="raw share"):
        estimate_accuracy(run, labels_of(unknown))
    with pytest.raises(UsageError, match="raw share"):
        estimate_difference(run, run, labels_of(by_kind))


def test_labels_of_another_run_are_refused() -> None:
    with pytest.raises(UsageError, match="no label"):
        estimate_accuracy(run_of(), labels_of([label(result(999), 1.0)]))


def test_votes_of_two_draws_are_refused() -> None:
    run = run_of()
    items = [*draw(run).items]
    items[0] = label(run[0], 1.0, stratum="proved", size=7, probability=0.5)
    with pytest.raises(DataError, match="several draws"):
        estimate_accuracy(run, labels_of(items))


def test_cannot_tell_stays_in_the_denominator() -> None:
    run = run_of()
    labels = draw(run, values={"review": 0.5})
    outcome = estimate_accuracy(run, labels)
    assert outcome.share.value == 0.5
    assert outcome.share.undecided == 10
    assert any("10 labels cannot tell" in note for note in outcome.notes)


def test_a_drawn_case_without_a_label_is_needed() -> None:
    run = run_of()
    whole = draw(run)
    items = [*whole.items[:-1], label(run[3], None, stratum="review", size=50, probability=0.2)]
    outcome = estimate_accuracy(run, labels_of(items))
    assert outcome.share.pending == 1
    assert outcome.share.high > estimate_accuracy(run, whole).share.high


def test_cases_without_sql_need_no_label() -> None:
    run = run_of()
    silent = [result(200 + n, "abstained_wrong", None) for n in range(100)]
    right = [result(300 + n, "abstained_right", None) for n in range(100)]
    outcome = estimate_accuracy([*run, *silent, *right], draw(run))
    assert outcome.share.cases == 400
    assert outcome.share.known == 200
    assert outcome.share.value == pytest.approx((0.5 * 200 + 100) / 400)
    assert plan_accuracy([*run, *silent], 0.2).known == 100


def test_cases_without_a_gold_are_left_out() -> None:
    run = run_of()
    without = Result(0, "x", "shop", "?", (), "SELECT 1", False, Verdict.UNSCORED)
    outcome = estimate_accuracy([*run, without], draw(run))
    assert (outcome.share.cases, outcome.without_gold) == (200, 1)


def test_a_panel_serves_a_later_run() -> None:
    """The draw of an earlier run holds; a new prediction needs a label, unless it is proved equal."""
    run = run_of()
    panel = draw(run)
    sample = [item.id for item in panel.items]
    changed = {sample[0]: "SELECT 0 + 1", sample[1]: "SELECT 'other'", sample[2]: None}
    later = [
        result(case.index, VERDICTS[0], changed[case.id]) if case.id in changed else case
        for case in run
    ]
    equal = {("SELECT 0 + 1", panel.items[0].prediction)}
    carried = carried_labels(later, panel, lambda _case, one, other: (one, other) in equal)
    assert [*carried] == [sample[0]]
    outcome = estimate_accuracy(later, panel, carried=carried)
    assert outcome.needed == (sample[1],)
    assert outcome.share.labels == 39
    assert outcome.share.pending == 1


def test_agreement_of_two_people() -> None:
    run = run_of()
    items = [
        label(
            case, 1.0, stratum="proved", size=200, probability=0.5,
            votes=(1.0, 1.0 if number % 10 else 0.0),
        )
        for number, case in enumerate([result(number) for number in range(100)])
    ]  # fmt: skip
    run = [result(number) for number in range(200)]
    outcome = estimate_accuracy(run, labels_of(items))
    assert (outcome.twice, outcome.differ) == (100, 10)
    assert outcome.with_label_error is not None
    notes = accuracy_notes(outcome)
    assert any("agree on 90" in note for note in notes)
    assert any("with label errors" in note for note in notes)


def test_few_labels_join_a_neighbour() -> None:
    strata = [
        DrawnStratum("proved", 90, 9, 9, 9),
        DrawnStratum("accepted", 10, 1, 1, 0),
        DrawnStratum("rejected", 50, 5, 5, 1),
    ]
    joined = join_neighbours(strata)
    assert [(each.name, each.size, each.labels) for each in joined] == [
        ("proved", 90, 9),
        ("accepted, rejected", 60, 6),
    ]


def test_the_difference_needs_no_label_for_equal_queries() -> None:
    first = run_of()
    second = [
        result(case.index, VERDICTS[2], f"SELECT {case.index} + 1000")
        if case.index < 80
        else result(case.index, VERDICTS[case.index % 4], f"SELECT {case.index} + 0")
        if case.index < 90
        else case
        for case in first
    ]
    labels = labels_of(
        [
            *(label(case, 1.0, stratum="proved", size=200) for case in first[:80:2]),
            *(label(case, 0.0, stratum="rejected", size=80) for case in second[:80:2]),
        ]
    )
    outcome = estimate_difference(
        first, second, labels, lambda case, _one, _other: 80 <= int(case[1:]) < 90
    )
    assert (outcome.cases, outcome.same, outcome.proved) == (200, 110, 10)
    assert outcome.value == pytest.approx(0.4)
    assert 0.3 < outcome.low < outcome.value <= outcome.high <= 0.4 + 1e-9
    assert outcome.certified
    assert "+40.0 points" in difference_sentence(outcome, "a", "b")


def test_a_run_against_itself() -> None:
    run = run_of()
    outcome = estimate_difference(run, run, draw(run))
    assert (outcome.value, outcome.low, outcome.high, outcome.same) == (0, 0, 0, 200)


def test_a_difference_needs_labels_of_both() -> None:
    first, second = run_of(), [result(n, VERDICTS[2], f"SELECT {n}0") for n in range(200)]
    with pytest.raises(UsageError, match="both runs"):
        estimate_difference(first, second, draw(first))
    with pytest.raises(UsageError, match="share no question"):
        estimate_difference(first, [result(900)], draw(first))


def test_the_words() -> None:
    run = run_of()
    outcome = estimate_accuracy(run, draw(run))
    sentence = accuracy_sentence(outcome)
    assert sentence.startswith("accuracy on these 200 cases: 50.0%, 95%: ")
    assert "(40 labels, worth " in sentence
    assert any("not on new questions" in note for note in accuracy_notes(outcome))
    assert "drawn by strata" in plan_sentences(plan_accuracy(run, 0.15))[0]
