"""What labels say of how their cases were drawn, and what is done with the others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from test_accuracy import VERDICTS, draw, label, labels_of, result, run_of

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import DataError, UsageError
from sqlverdict.estimate.accuracy import HALF_WAY, RANDOM_NOTE, estimate_accuracy
from sqlverdict.estimate.difference import estimate_difference
from sqlverdict.estimate.gate import gate_accuracy
from sqlverdict.estimate.matching import carried_labels
from sqlverdict.estimate.words import accuracy_notes, accuracy_sentence, difference_sentence
from sqlverdict.load.people.labels import Label, Labels, read_labels
from sqlverdict.records import Result


def queue_of_all(run: list[Result], number: int) -> Labels:
    """Labels of the queue ``random``: right for proofs and matches."""
    return labels_of(
        label(
            case, float(case.index % 4 < 2), stratum="all", size=len(run),
            probability=number / len(run),
        )
        for case in run[:number]
    )  # fmt: skip


def test_an_answer_to_a_question_without_an_answer_is_wrong() -> None:
    """People may say so of a drawn pair: that is a label, and no later vote is waited for."""
    run = run_of()
    whole = draw(run)
    first = replace(whole.items[0], value=None, original=None, unanswerable=True)
    outcome = estimate_accuracy(run, labels_of([first, *whole.items[1:]]))
    assert (outcome.needed, outcome.share.pending, outcome.share.labels) == ((), 0, 40)
    assert outcome.share.value == pytest.approx(0.5 - 0.25 / 10)
    later = [replace_prediction(case) if case.id == first.id else case for case in run]
    carried = carried_labels(later, labels_of([first]), lambda *_: True)
    assert [*carried] == [first.id]


def replace_prediction(case: Result) -> Result:
    return result(case.index, VERDICTS[0], f"SELECT {case.index} + 0")


@pytest.mark.parametrize(
    ("votes", "unanswerable", "value"),
    [
        ({"ann": "unanswerable"}, True, None),
        ({"ann": "skip"}, False, None),
        ({"ann": "unanswerable", "bob": "right"}, False, 0.5),
        ({"ann": "unanswerable", "bob": "wrong"}, False, 0.0),
        ({"ann": "unanswerable", "bob": "right", "cy": "right"}, False, 1.0),
    ],
)
def test_unanswerable_is_told_from_a_skip(
    tmp_path: Path, votes: dict[str, str], unanswerable: bool, value: float | None
) -> None:
    rows = [
        {"id": "q1", "annotator": name, "label": word, "pair": "p"} for name, word in votes.items()
    ]
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (item,) = read_labels(path).items
    assert (item.unanswerable, item.original) == (unanswerable, value)


def test_an_own_label_comes_before_a_carried_one() -> None:
    run = run_of()
    items = list(draw(run).items)
    items[0] = replace(items[0], value=None, original=0.5)
    carried = {items[0].id: replace(items[0], value=1, original=1.0)}
    outcome = estimate_accuracy(run, labels_of(items), carried=carried)
    assert outcome.share.undecided == 1


def test_votes_beside_the_draw_label_drawn_cases_and_draw_nothing() -> None:
    run = run_of()
    whole = draw(run)
    sample = {item.id for item in whole.items}
    other = next(case for case in run if case.id not in sample)
    extra = [
        label(other, 0.0, stratum="match, proved", size=9),
        label(result(199, prediction="SELECT 'x'"), 1.0),
    ]
    plain = estimate_accuracy(run, whole).share
    assert estimate_accuracy(run, labels_of([*whole.items, *extra])).share == plain
    later = [replace_prediction(case) if case.id == whole.items[0].id else case for case in run]
    new = label(next(c for c in later if c.id == whole.items[0].id), 1.0, with_pair=True)
    outcome = estimate_accuracy(later, labels_of([*whole.items, new]))
    assert (outcome.needed, outcome.share.labels, outcome.share.value) == ((), 40, 0.5)


def with_change(items: tuple[Label, ...], **fields: object) -> Labels:
    return labels_of([replace(items[0], **fields), *items[1:]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "reason", "says"),
    [
        ({"sampling_probability": 0.6}, "conflict", "'proved'"),
        ({"stratum": "both_right"}, "conflict", "both_right"),
        ({"stratum": "all", "stratum_size": 200}, "conflict", "all, proved"),
        ({"stratum_size": 0}, "missing_field", "stratum_size"),
    ],
)
def test_votes_that_cannot_be_of_one_draw(
    change: dict[str, object], reason: DataReason, says: str
) -> None:
    run = run_of()
    with refuses_data(DataError, reason, says):
        estimate_accuracy(run, with_change(draw(run).items, **change))


def test_more_votes_than_were_drawn_are_of_two_draws() -> None:
    run = run_of()
    whole = draw(run)
    sample = {item.id for item in whole.items}
    proved = next(case for case in run if case.index % 4 == 0 and case.id not in sample)
    second = label(proved, 1.0, stratum="proved", size=50, probability=0.2)
    with refuses_data(DataError, "conflict", "several draws"):
        estimate_accuracy(run, labels_of([*whole.items, second]))


def test_a_draw_from_other_cases_is_refused() -> None:
    """A run on fewer cases, or one of several that were drawn from: no part of it is a sample."""
    run = run_of()
    whole = draw(run)
    sample = {item.id for item in whole.items}
    with pytest.raises(UsageError, match="other cases"):
        estimate_accuracy(run[:100], whole)
    undrawn = next(case for case in run if case.id not in sample)
    with pytest.raises(UsageError, match="199 cases"):
        estimate_accuracy([case for case in run if case is not undrawn], whole)
    twice = result(0, VERDICTS[2], "SELECT 'other'")
    both = [
        label(each, 1.0, stratum=name, size=50, probability=0.02)
        for each, name in ((run[0], "proved"), (twice, "rejected"))
    ]
    with pytest.raises(UsageError, match="several runs"):
        estimate_accuracy(run, labels_of(both))


def test_predictions_that_changed_wait_for_a_label_however_they_were_drawn() -> None:
    """Those that did not change are no sample: nothing is said of the middle."""
    run = run_of()
    later = [replace_prediction(case) if case.index % 2 else case for case in run]
    sheet = labels_of(label(case, 1.0) for case in run[:60])
    for labels in (draw(run), queue_of_all(run, 60), sheet):
        outcome = estimate_accuracy(later, labels)
        assert outcome.needed
        assert outcome.share.value is None
        assert "not known yet" in accuracy_sentence(outcome)
        assert outcome.share.low < 0.5 < outcome.share.high
        assert gate_accuracy(outcome.share, 0.1).answer == "too few labels"


def test_the_queue_of_all_pairs_forms_strata_when_all_is_labelled() -> None:
    run = run_of()
    whole = estimate_accuracy(run, queue_of_all(run, 60))
    assert len(whole.share.strata) == 4
    assert RANDOM_NOTE not in whole.notes
    half = estimate_accuracy(run, labels_of(queue_of_all(run, 60).items[:30]))
    assert [(each.name, each.sample, each.labels) for each in half.share.strata] == [
        ("all", 60, 30)
    ]


def test_a_stratum_without_a_vote_is_open() -> None:
    run = run_of()
    some = labels_of(item for item in draw(run).items if item.stratum != "review")
    outcome = estimate_accuracy(run, some)
    assert (outcome.share.uncovered, outcome.share.pending) == (50, 1)
    assert gate_accuracy(outcome.share, 0.9).answer == "too few labels"


def test_a_stratum_without_a_vote_is_counted_once_in_words() -> None:
    """Its drawn case is one of those of which nothing is known."""
    run = run_of()
    items = draw(run).items
    some = labels_of(item for item in items[1:] if item.stratum != "review")
    words = " ".join(accuracy_notes(estimate_accuracy(run, some)))
    assert "1 drawn case without a label" in words
    assert "nothing is known of 50 cases" in words


def test_no_estimate_is_given_before_every_drawn_case_has_a_vote() -> None:
    """A skip is a vote: nobody waits for another one. The interval allows for what is open."""
    run = run_of()
    items = draw(run).items
    half = estimate_accuracy(run, labels_of(items[::2]))
    assert (half.share.value, half.notes[0]) == (None, HALF_WAY)
    assert half.share.low <= 0.5 <= half.share.high
    assert "not known yet" in accuracy_sentence(half)
    skipped = replace(items[0], value=None, original=None)
    whole = estimate_accuracy(run, labels_of([skipped, *items[1:]]))
    assert whole.share.value is not None
    assert whole.share.pending == 1


@pytest.mark.parametrize(
    ("queues", "stratum"),
    [
        (("estimate, seed 0, n 40", "estimate, seed 1, n 40"), ""),
        (("random, seed 0, n 40", "random, seed 1, n 60"), "all"),
    ],
)
def test_two_draws_of_one_size_are_told_apart_by_their_queues(
    queues: tuple[str, str], stratum: str
) -> None:
    run = run_of()
    whole = queue_of_all(run, 60) if stratum else draw(run)
    items = [replace(item, queue=queues[n % 2]) for n, item in enumerate(whole.items[::2])]
    with refuses_data(DataError, "conflict", "seed 1"):
        estimate_accuracy(run, labels_of(items))
    one = [replace(item, queue=queues[0]) for item in items]
    longer = replace(one[0], queue=queues[0][:-2] + "90")
    other = replace(one[0], queue="stratified, seed 7, n 9")
    for first in (other, longer) if stratum else (other,):
        assert estimate_accuracy(run, labels_of([first, *one[1:]])).share.pending


def test_a_question_without_an_answer_is_in_no_draw() -> None:
    """What a later run makes of it is known, whatever the earlier run did."""
    run = run_of()
    whole = draw(run)
    silent = [
        Result(300 + n, f"x{n}", "shop", "?", (), None, True, VERDICT_OF_SILENCE)
        for n in range(20)
    ]  # fmt: skip
    changed = whole.items[0].id
    later = [replace_prediction(case) if case.id == changed else case for case in run]
    outcome = estimate_accuracy([*later, *silent], whole)
    assert (outcome.share.known, outcome.share.uncovered) == (20, 0)


VERDICT_OF_SILENCE = result(0, "abstained_right", None).verdict


def test_labels_of_all_cases_are_enough_however_few() -> None:
    run = run_of(8)
    outcome = estimate_accuracy(run, draw(run, each=2))
    assert gate_accuracy(outcome.share, 0.4).answer == "shown"
    assert gate_accuracy(outcome.share, 0.6).answer == "not shown"


def other_run() -> list[Result]:
    return [result(n, VERDICTS[2], f"SELECT {n} + 1000") for n in range(200)]


def test_a_difference_from_a_draw_of_other_runs_is_refused() -> None:
    first, second = run_of(), other_run()
    third = [result(n, VERDICTS[0], f"SELECT 'third {n}'") for n in range(200)]
    with pytest.raises(UsageError, match="neither run"):
        estimate_difference(first, second, draw(third))


def test_a_skip_opens_both_ends_of_a_difference() -> None:
    first, second = run_of(), other_run()
    ours = [label(case, 1.0, stratum="proved", size=200, probability=0.2) for case in first[:160:4]]
    theirs = [
        label(case, 0.0, stratum="rejected", size=200, probability=0.2) for case in second[:40]
    ]
    same = [result(case.index, VERDICTS[0], case.prediction) for case in first]
    whole = estimate_difference(same, second, labels_of([*ours, *theirs]))
    assert (whole.pending, whole.certified, whole.value) == (0, True, 1.0)
    skipped = replace(theirs[0], value=None, original=None)
    some = estimate_difference(same, second, labels_of([*ours, skipped, *theirs[1:]]))
    assert (some.pending, some.certified) == (1, False)
    assert some.low < whole.low
    assert "1 drawn pair without a label" in difference_sentence(some, "a", "b")
    unseen = estimate_difference(same, second, labels_of([*ours, *theirs[1:]]))
    assert (unseen.pending, unseen.certified) == (1, False)
