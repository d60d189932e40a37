"""What weakens a case's score: a search not made, a limit that cut, an answer without rows."""

from __future__ import annotations

from sqlverdict.records import RECORD_DIFFERS, RECORD_UNUSED, Evidence, Reason, Result

UNSEARCHED = "unsearched"
CUT_BY_TIME = "cut_by_time"
CUT_BY_WORK = "cut_by_work"
READS_CLOCK = "gold_reads_clock"
STOPPED = "stopped"
BOTH_EMPTY = "both_empty"
EMPTY_MATCH = "empty_match"

_MARKS = (READS_CLOCK, RECORD_DIFFERS, RECORD_UNUSED, UNSEARCHED)
_NOT_THE_CLOCK = frozenset(
    {Reason.JUDGE_UNAVAILABLE, Reason.DATABASE_UNAVAILABLE, Reason.TOOLKIT_ERROR}
)


def cuts_of(result: Result) -> set[str]:
    """What a case did not get in full, and what its score rests on.

    ``unsearched``: a search for a witness was asked for and could not be made.
    ``cut_by_time``: the clock cut a query, a proof or a search; another run may differ.
    ``gold_reads_clock``: the gold's answer, and with it the score, holds for the day of the run.
    ``stopped``: a file could not be written; another run may go better.
    ``record_differs``: the queries were run, and the case's record says otherwise.
    ``record_unused``: the case's record is about another prediction.
    ``cut_by_work``: a search spent its budget of work before its last instance, as it always
    will.
    ``empty_match``: neither query returns a value (no row, or NULLs alone), and ``ex`` under some
    preset says that they match.
    """
    names = {name for found in result.evidence if found.detail for name in _cuts(found)}
    if any(found.detail.get(BOTH_EMPTY) for found in result.evidence) and _has_ex(result):
        names.add(EMPTY_MATCH)
    if not result.final and result.fault is None:
        reasons = {reason for found in result.evidence for reason in found.reasons}
        if reasons.isdisjoint(_NOT_THE_CLOCK):
            # A query on another database of a test suite, or a proof: no evidence is left of it.
            names.add(CUT_BY_TIME)
    return names


def _has_ex(result: Result) -> bool:
    """Whether the answers match under any preset of this run."""
    return any(
        value == 1.0 and label.partition("[")[0] == "ex" for label, value in result.scores.items()
    )


def _cuts(found: Evidence) -> set[str]:
    names = {CUT_BY_TIME} if found.detail.get(CUT_BY_TIME) else set()
    if found.by == "refute" and found.reasons and found.detail.get("databases") is not None:
        if found.agrees is None:
            names.add(UNSEARCHED)
        elif Reason.BUDGET_EXHAUSTED in found.reasons and not names:
            names.add(CUT_BY_WORK)
    if found.detail.get("storage"):
        names.add(STOPPED)
    names |= {name for name in _MARKS if found.detail.get(name)}
    return names
