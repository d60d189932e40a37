"""The evidence bar: every case of a run is in one part, by what was shown about it.

A part says what the evidence is. Whether such a case counts as right is the verdict's, by the
run's metric and policy.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlverdict.evidence import Failed, Judged
from sqlverdict.files.text import count
from sqlverdict.reasons import WITHOUT_SQL
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.situations import Situation
from sqlverdict.verdicts import POLICIES

PARTS: Mapping[str, tuple[str, str]] = {
    "proved": ("proved", "the queries agree on every legal database"),
    "equal": ("equal on the data", "the answers agree on the data, and nothing refutes them"),
    "judged_right": ("right by a judge", "evidence left it open, and a judge called it right"),
    "harmless": ("harmless difference", "the answers differ in form alone"),
    "unusual": (
        "differs on unusual data",
        "the answers agree here, and differ only where the data are unusual or a NULL is counted",
    ),
    "duplicates": (
        "differs in repeated rows",
        "the answers agree here; on other data some rows are repeated",
    ),
    "ties": (
        "differs in ties",
        "the answers agree here, and differ where rows tie or an order is left open",
    ),
    "refuted": (
        "differs on other data",
        "the answers agree here: they are empty, the prediction reads no data, or the data that "
        "tell them apart could not be graded",
    ),
    "lucky": (
        "lucky match",
        "the answers agree here, and differ on a small database of ordinary data",
    ),
    "open": ("open difference", "the answers differ, and evidence alone does not settle it"),
    "judged_wrong": ("wrong by a judge", "evidence left it open, and a judge called it wrong"),
    "wrong": ("wrong", "the answers differ, or the question has no answer"),
    "failed": ("failed", "the prediction gives no answer: it does not run, or there is no SQL"),
    "blocked": ("blocked", "the prediction would write, or touch what is not the database"),
    "abstained_right": ("abstained correctly", "the question has no answer"),
    "abstained_wrong": ("abstained wrongly", "the question has an answer"),
    "unscored": ("unscored", "could not be evaluated, and it is not the system's fault"),
}
"""The parts in their order: the label, and what it means."""


def bar_part(result: Result, policy: str) -> str:
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
    return situation.row.part


def luck_sentence(lucky: int, lucky_right: int) -> str:
    """How many matches are luck, in words; empty where none is.

    Args:
        lucky: The matches that a witness on ordinary data refutes.
        lucky_right: How many of them the run's metric counts as right.
    """
    if not lucky:
        return ""
    matches = count(lucky, "answer matches", "answers match")
    every = "counted as right" if lucky == 1 else "all counted as right"
    right = every if lucky == lucky_right else f"{lucky_right:,} counted as right"
    return f"{matches} by luck, {right}: the queries differ on a small database of ordinary data."
