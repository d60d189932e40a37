"""The evidence bar: every case of a run is in one part, by what was shown about it.

A part says what the evidence is. Whether such a case counts as right is the verdict's, by the
run's metric and policy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sqlverdict.evidence import Failed, Judged
from sqlverdict.files.text import count
from sqlverdict.policies import POLICIES
from sqlverdict.reasons import WITHOUT_SQL
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.terminal.tables import interval, percent
from sqlverdict.runlog.run import Run
from sqlverdict.situations import Situation

PARTS: Mapping[str, tuple[str, str]] = {
    "proved": ("proved", "the queries agree on every legal database"),
    "equal": ("equal on the data", "the answers agree on the data, and nothing refutes them"),
    "judged_right": ("right by a judge", "evidence left it open, and a judge called it right"),
    "harmless": ("harmless difference", "the answers differ in form alone"),
    "lucky": ("lucky match", "the answers agree here, and a small database tells them apart"),
    "open": ("open difference", "the answers differ, and evidence alone does not settle it"),
    "judged_wrong": ("wrong by a judge", "evidence left it open, and a judge called it wrong"),
    "wrong": ("wrong", "the answers differ, or the question has no answer"),
    "failed": ("failed", "the prediction gives no answer: it does not run, or there is no SQL"),
    "blocked": ("blocked", "the prediction would write, or touch what is not the database"),
    "abstained_right": ("abstained rightly", "the question has no answer"),
    "abstained_wrong": ("abstained wrongly", "the question has an answer"),
    "unscored": ("unscored", "could not be evaluated, and it is not the system's fault"),
}
"""The parts in their order: the label, and what it means."""

_BY_SITUATION: Mapping[Situation, str] = {
    Situation.CONTRADICTION: "unscored",
    Situation.FAULT: "unscored",
    Situation.PROVED: "proved",
    Situation.MATCH: "equal",
    Situation.BARRED_MATCH: "open",
    Situation.UNSEARCHED_EMPTY: "open",
    Situation.UNSEARCHED_MATCH: "equal",
    Situation.FITS_A_TIE: "equal",
    Situation.UNSEARCHED_TIE: "open",
    Situation.DUPLICATES_WITNESS: "lucky",
    Situation.TIE_WITNESS: "lucky",
    Situation.CONSTANT_MATCH: "lucky",
    Situation.EMPTY_MATCH_WITNESS: "lucky",
    Situation.ORDINARY_WITNESS: "lucky",
    Situation.UNGRADED_WITNESS: "lucky",
    Situation.NULL_IN_AGGREGATE: "lucky",
    Situation.TIED_ROWS_LOST: "lucky",
    Situation.UNDETERMINED_PREDICTION: "lucky",
    Situation.UNUSUAL_WITNESS: "lucky",
    Situation.TRIVIAL_DIFFERENCE: "harmless",
    Situation.HARMLESS_DIFFERENCE: "harmless",
    Situation.TIED_DIFFERENCE: "open",
    Situation.UNSEARCHED_DIFFERENCE: "open",
    Situation.FEWER_COLUMNS: "open",
    Situation.NULL_ROWS_DIFFERENCE: "open",
    Situation.GENERATED_SAME: "open",
    Situation.GENERATED_FORM: "open",
    Situation.GENERATED_NEAR: "open",
    Situation.GENERATED_COLUMNS: "open",
    Situation.GOLD_SUSPECT: "open",
    Situation.DIFFERENCE: "wrong",
    Situation.FAILED: "failed",
    Situation.OPEN: "open",
}


def part_of(result: Result, policy: str) -> str:
    """The part of the bar that a case belongs to.

    Args:
        result: The case.
        policy: The run's policy; it says where a judge is asked.
    """
    if result.verdict is Verdict.UNSCORED:
        return "unscored"
    if result.abstained:
        return str(result.verdict)
    if not result.situation:
        return "failed" if WITHOUT_SQL.intersection(result.reasons) else "wrong"
    situation = Situation(result.situation)
    if policy in POLICIES and situation in POLICIES[policy].asks:
        for piece in result.evidence:
            if isinstance(piece, Judged) and "verdict" in piece.metrics:
                if piece.correct is not None:
                    return "judged_right" if piece.correct else "judged_wrong"
                break
    if situation is Situation.FAILED and any(
        isinstance(piece, Failed) and Reason.WRITE_BLOCKED in piece.reasons
        for piece in result.evidence
    ):
        return "blocked"
    return _BY_SITUATION[situation]


def sentence(run: Run, parts: Counter[str], lucky_right: int) -> str:
    """The result of a run for somebody who reads one sentence.

    Args:
        run: The run.
        parts: How many cases each part of the bar has.
        lucky_right: How many lucky matches the run's metric counts as right.
    """
    deciding = run.deciding
    estimate = next((e for e in run.summary.estimates if e.metric == deciding), None)
    if estimate is None or estimate.value is None:
        right = run.summary.verdicts.get(Verdict.CORRECT, 0)
        text = f"{right:,} of {count(run.summary.cases, 'question')} are answered rightly"
    else:
        between = interval(estimate.low, estimate.high)
        text = (
            f"{round(estimate.total):,} of {count(estimate.scored, 'question')} are answered "
            f"rightly: {percent(estimate.value)}, 95% interval {between}"
        )
    lucky = parts["lucky"]
    if lucky_right:
        text += f"; {lucky_right:,} of these match by luck"
    if lucky > lucky_right:
        text += f"; {lucky - lucky_right:,} more match by luck"
    unanswered = parts["abstained_right"] + parts["abstained_wrong"]
    if unanswered:
        text += (
            f"; {unanswered:,} were left unanswered, {parts['abstained_right']:,} of them rightly"
        )
    if parts["unscored"]:
        text += f"; {parts['unscored']:,} could not be evaluated"
    return text + "."
