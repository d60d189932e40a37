"""What an estimate says, in one sentence that can be quoted."""

from __future__ import annotations

from sqlverdict.estimate.accuracy import Accuracy
from sqlverdict.estimate.difference import AccuracyDifference
from sqlverdict.estimate.label_error import FEWEST_TWICE
from sqlverdict.estimate.plan import LabelPlan
from sqlverdict.files.text import count


def accuracy_sentence(outcome: Accuracy) -> str:
    """The accuracy with its interval, and what it rests on."""
    share = outcome.share
    value = "not known yet" if share.value is None else f"{100 * share.value:.1f}%"
    worth = f", as good as {share.worth:,} drawn at random" if share.worth > share.labels else ""
    return (
        f"accuracy on these {count(share.cases, 'case')}: {value}, "
        f"{100 * share.confidence:.0f}% interval {_ends(share.low, share.high)} "
        f"({count(share.labels, 'label')}{worth})"
    )


def accuracy_notes(outcome: Accuracy) -> list[str]:
    """What a reader must know beside the sentence."""
    share = outcome.share
    notes = [
        "the interval is about these cases, not about new questions, and allows for the chance of "
        f"the draw alone ({share.method})"
    ]
    if not share.certified:
        notes.append(
            "not certified: it was not shown how often an interval over "
            f"{len(share.strata)} strata holds the accuracy"
        )
    if outcome.twice:
        same = outcome.twice - outcome.differ
        notes.append(f"two people labelled {count(outcome.twice, 'case')} and agree on {same}")
    if outcome.with_label_error is not None:
        low, high = outcome.with_label_error
        notes.append(
            f"{_ends(low, high)} if people make mistakes: each label wrong with the same "
            "probability, independently of the others"
        )
    elif outcome.twice < FEWEST_TWICE:
        notes.append(
            "mistakes of people are not in the interval: to allow for them takes "
            f"{FEWEST_TWICE} cases that two people labelled"
        )
    else:
        notes.append(
            "mistakes of people are not in the interval: two people differ too often to say how "
            "many there are"
        )
    ends = "the lower end takes them as wrong, the upper end as right"
    # The drawn cases of a stratum without any label are among those of which nothing is known.
    pending = sum(each.pending for each in share.strata if each.labels)
    if pending:
        notes.append(f"{count(pending, 'drawn case')} without a label: {ends}")
    if share.uncovered:
        notes.append(f"nothing is known of {count(share.uncovered, 'case')}: {ends}")
    return [*notes, *outcome.notes]


def difference_sentence(outcome: AccuracyDifference, first: str, second: str) -> str:
    """The difference with its interval, and what it rests on."""
    ends = f"{100 * outcome.low:+.1f} to {100 * outcome.high:+.1f}"
    why = "too few labels of one run's own answers"
    if outcome.pending:
        why = f"{count(outcome.pending, 'drawn pair')} without a label"
    alike = f"{outcome.same:,} identical and {outcome.proved:,} proved equal need no label"
    return (
        f"{first} minus {second} on {count(outcome.cases, 'question')}: {100 * outcome.value:+.1f} "
        f"points, {100 * outcome.confidence:.0f}% interval {ends} "
        f"({count(outcome.labels, 'label')}; {alike})"
        + ("" if outcome.certified else f"; not certified: {why}")
    )


def plan_sentences(plan: LabelPlan) -> list[str]:
    """How many labels are needed, drawn by the evidence and drawn without regard to it."""
    return [
        f"label {count(plan.labels, 'case')} for a {100 * plan.confidence:.0f}% interval at most "
        f"{100 * plan.width:.1f} points wide, from end to end ({100 * plan.expected:.1f} expected)",
        f"drawn without regard to the evidence, it takes {count(plan.plain, 'label')}",
        *(
            [f"{count(plan.known, 'case')} need no label: no SQL, or no answer to the question"]
            if plan.known
            else []
        ),
    ]


def difference_plan_sentences(plan: LabelPlan, same: int, proved: int) -> list[str]:
    """The same for the difference of two runs.

    Args:
        plan: How many labels are needed.
        same: Questions with one query in both runs.
        proved: Questions with two queries that are proved equal.
    """
    first, second, *_ = plan_sentences(plan)
    return [
        f"for the difference: {first}",
        second,
        f"{count(same, 'question')} with identical and {proved:,} with proved equal queries need "
        "no label",
    ]


def _ends(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f}"
