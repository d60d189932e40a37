"""The accuracy of a run, by how its labelled cases were drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from error_parts import refuses_data
from sqlverdict.errors import DataError, UsageError
from sqlverdict.estimate.accuracy import (
    estimate_accuracy,
    join_neighbours,
    plan_accuracy,
    strata_after_draw,
)
from sqlverdict.estimate.difference import estimate_difference
from sqlverdict.estimate.gate import bound_confidence, gate_accuracy
from sqlverdict.estimate.matching import carried_labels
from sqlverdict.estimate.population import stratum_of
from sqlverdict.estimate.share import DrawnStratum, estimate_share
from sqlverdict.estimate.words import (
    accuracy_notes,
    accuracy_sentence,
    difference_sentence,
    plan_sentences,
)
from sqlverdict.load.people.labels import Label, Labels
from sqlverdict.load.people.sampling import STRATA
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.records import Result, Verdict
from sqlverdict.score.statistics.intervals import wilson

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
    with pytest.raises(UsageError, match="'q999'"):
        estimate_accuracy(run_of(), labels_of([label(result(999), 1.0)]))


def test_votes_of_two_draws_are_refused() -> None:
    run = run_of()
    items = [*draw(run).items]
    items[0] = label(run[0], 1.0, stratum="proved", size=7, probability=0.5)
    with refuses_data(DataError, "conflict", "several draws"):
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
    equal = {"SELECT 0 + 1", panel.items[0].prediction}
    carried = carried_labels(later, panel, lambda _case, *both: {*both} == equal)
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
    assert any("if people make mistakes" in note for note in notes)


@pytest.mark.parametrize(
    ("twice", "differ", "words"),
    [(19, 0, "takes 20 cases that two people labelled"), (40, 30, "differ too often")],
)
def test_why_mistakes_of_people_are_not_in_the_interval(
    twice: int, differ: int, words: str
) -> None:
    run = [result(number) for number in range(200)]
    items = [
        label(
            case, 1.0, stratum="proved", size=200, probability=0.3,
            votes=(1.0, float(number >= differ)) if number < twice else (1.0,),
        )
        for number, case in enumerate(run[:60])
    ]  # fmt: skip
    outcome = estimate_accuracy(run, labels_of(items))
    assert (outcome.twice, outcome.differ) == (twice, differ)
    assert outcome.with_label_error is None
    assert [words in note for note in accuracy_notes(outcome) if "mistakes" in note] == [True]


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


@pytest.mark.parametrize("rate", [0, 1])
def test_labels_that_all_say_the_same_get_wilsons_interval(rate: int) -> None:
    """Strata drawn unevenly tell nothing then: the interval is that of one stratum."""
    sizes, labels = (6_000_000, 3_000_000, 1_000_000), (18, 10, 12)
    strata = [
        DrawnStratum(name, size, n, n, n * rate)
        for name, size, n in zip(STRATA, sizes, labels, strict=False)
    ]
    (joined,) = strata_after_draw(strata)
    assert (joined.size, joined.labels, joined.right) == (10_000_000, 40, 40 * rate)
    share = estimate_share([joined])
    assert (share.low, share.high) == pytest.approx(wilson(40 * rate, 40), abs=1e-5)
    by_strata = estimate_share(strata)
    assert by_strata.high - by_strata.low > 1.05 * (share.high - share.low)


@pytest.mark.parametrize(
    ("sample", "right"), [((20, 20), (20, 19)), ((20, 20), (1, 0)), ((21, 20), (20, 20))]
)
def test_one_other_or_open_label_keeps_the_strata(
    sample: tuple[int, int], right: tuple[int, int]
) -> None:
    strata = [
        DrawnStratum(name, 500, number, 20, each)
        for name, number, each in zip(("proved", "rejected"), sample, right, strict=True)
    ]
    assert strata_after_draw(strata) == strata


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_sheet_of_labels_that_all_say_the_same_is_one_stratum(value: float) -> None:
    run = run_of()
    share = estimate_accuracy(run, labels_of(label(case, value) for case in run[:40])).share
    assert [each.size for each in share.strata] == [200]
    one = estimate_share([DrawnStratum("all", 200, 40, 40, int(40 * value))])
    assert (share.value, share.low, share.high) == (value, one.low, one.high)


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
    with pytest.raises(UsageError, match="no question"):
        estimate_difference(first, [result(900)], draw(first))


def test_the_words() -> None:
    run = run_of()
    outcome = estimate_accuracy(run, draw(run))
    sentence = accuracy_sentence(outcome)
    assert sentence.startswith("accuracy on these 200 cases: 50.0%, 95% interval ")
    assert "(40 labels, as good as " in sentence
    assert any("not about new questions" in note for note in accuracy_notes(outcome))
    assert "at most 15.0 points wide" in plan_sentences(plan_accuracy(run, 0.15))[0]


def sheet_of(run: list[Result], **cells: float | None) -> Labels:
    """A sheet with a row for each case: 1, or what is said of it by id."""
    return labels_of(label(case, cells.get(case.id, 1.0)) for case in run)


def test_a_row_without_a_label_is_a_drawn_case_without_a_vote() -> None:
    run = run_of()
    rows = run[:40]
    blank = {case.id: None for case in rows[30:]}
    outcome = estimate_accuracy(run, sheet_of(rows, **blank))
    assert (outcome.share.labels, outcome.share.pending) == (30, 10)
    assert outcome.needed == tuple(blank)
    wrong = estimate_accuracy(run, sheet_of(rows, **dict.fromkeys(blank, 0.0)))
    assert outcome.share.low <= wrong.share.low + 1e-9
    assert outcome.share.value == 1.0
    notes = accuracy_notes(outcome)
    assert any("10 drawn cases without a label" in note for note in notes)
    assert any("votes.jsonl: 10 rows without a label" in note for note in notes)
    gate = estimate_accuracy(run, sheet_of(rows, **blank), confidence=bound_confidence())
    assert gate_accuracy(gate.share, 0.5).answer == "too few labels"


def test_labels_of_cases_that_are_not_in_the_run_are_named() -> None:
    run = run_of()
    others = [result(number) for number in range(900, 907)]
    outcome = estimate_accuracy(run, sheet_of([*run[:40], *others]))
    assert outcome.share.labels == 40
    (note,) = (note for note in outcome.notes if "not in the run" in note)
    assert note.startswith("votes.jsonl: 7 cases not in the run, left out: 'q900', 'q901'")
    difference = estimate_difference(run, run, sheet_of([*run[:40], *others]))
    assert note in difference.notes


def test_labels_of_cases_that_need_none_are_counted() -> None:
    run = [*run_of(), result(800, "abstained_right", None)]
    outcome = estimate_accuracy(run, sheet_of(run[160:]))
    assert outcome.share.labels == 40
    assert "votes.jsonl: 1 case without two queries, for which no label counts: 'q800'" in (
        outcome.notes
    )


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([label(result(999), 1.0)], "ids such as 'q999', the run such as 'q0'"),
        ([label(result(800, prediction=None), 1.0)], "ids such as 'q800', whose cases have no two"),
        ([label(result(3), None)], "None of its 1 row about this run has a label"),
    ],
)
def test_why_no_label_is_about_a_run(items: list[Label], words: str) -> None:
    run = [*run_of(), result(800, "abstained_right", None)]
    with pytest.raises(UsageError) as error:
        estimate_accuracy(run, labels_of(replace(item, prediction=None) for item in items))
    assert words in str(error.value)


def test_a_vote_log_of_an_earlier_run_must_be_exported() -> None:
    """It keeps digests of the pairs, and no queries that could be compared."""
    earlier = draw(run_of())
    log = labels_of(replace(item, prediction=None) for item in earlier.items)
    later = [result(case.index, VERDICTS[0], f"SELECT {case.index} + 0") for case in run_of()]
    with pytest.raises(UsageError, match="--export-votes"):
        estimate_accuracy(later, log)
