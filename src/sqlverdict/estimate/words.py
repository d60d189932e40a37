"""What an estimate says, in one sentence that can be quoted."""

from __future__ import annotations

from sqlverdict.estimate.accuracy import Accuracy
from sqlverdict.estimate.difference import AccuracyDifference
from sqlverdict.estimate.plan import LabelPlan
from sqlverdict.files.text import count

SAMPLING_ONLY = "sampling error only, on these cases, not on new questions"


def accuracy_sentence(outcome: Accuracy) -> str:
    """The accuracy with its interval, and what it rests on."""
    share = outcome.share
    value = "not known yet" if share.value is None else f"{100 * share.value:.1f}%"
    worth = f", worth {share.worth:,} random ones" if share.worth > share.labels else ""
    return (
        f"accuracy on these {count(share.cases, 'case')}: {value}, "
        f"{100 * share.confidence:.0f}%: {_ends(share.low, share.high)} "
        f"({count(share.labels, 'label')}{worth})"
    )


def accuracy_notes(outcome: Accuracy) -> list[str]:
    """What a reader must know beside the sentence."""
    share = outcome.share
    notes = [f"{share.method}: {SAMPLING_ONLY}"]
    if not share.certified:
        notes.append("not certified: the coverage was not shown for as many strata")
    if outcome.twice:
        same = outcome.twice - outcome.differ
        notes.append(f"two people labelled {count(outcome.twice, 'case')} and agree on {same}")
    if outcome.with_label_error is not None:
        low, high = outcome.with_label_error
        notes.append(
            f"with label errors: {_ends(low, high)}, if every label is wrong with the same "
            "probability, independently of the others"
        )
    else:
        notes.append("errors of the labels are not in it: too few cases have two labels")
    if share.pending:
        notes.append(
            f"{count(share.pending, 'drawn case')} without a label: wrong for the lower end, right "
            f"for the upper end"
        )
    if share.uncovered:
        notes.append(
            f"nothing is known of {count(share.uncovered, 'case')}: wrong for the lower end, right "
            f"for the upper end"
        )
    return [*notes, *outcome.notes]


def difference_sentence(outcome: AccuracyDifference, first: str, second: str) -> str:
    """The difference with its interval, and what it rests on."""
    ends = f"{100 * outcome.low:+.1f} to {100 * outcome.high:+.1f}"
    why = "too few labels of one run's own answers"
    if outcome.pending:
        why = f"{count(outcome.pending, 'drawn pair')} without a label"
    alike = f"{outcome.same:,} identical and {outcome.proved:,} proved equal need no label"
    return (
        f"{first} less {second} on {count(outcome.cases, 'question')}: {100 * outcome.value:+.1f} "
        f"points, {100 * outcome.confidence:.0f}%: {ends} "
        f"({count(outcome.labels, 'label')}; {alike})"
        + ("" if outcome.certified else f"; not certified: {why}")
    )


def plan_sentences(plan: LabelPlan) -> list[str]:
    """How many labels are needed, by strata and without them."""
    width = f"{100 * plan.width:.1f} points"
    return [
        f"an interval of {width} needs {count(plan.labels, 'label')} drawn by strata; "
        f"{plan.plain:,} drawn from all cases without strata",
        f"the expected width is {100 * plan.expected:.1f} points, at {100 * plan.confidence:.0f}%",
        *(
            [f"{count(plan.known, 'case')} need no label: no SQL, or no answer to the question"]
            if plan.known
            else []
        ),
    ]


def _ends(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f}"
