"""What weakens a case's score: a search not made, a limit that cut, an answer without rows."""

from __future__ import annotations

from sqlverdict.evidence import Evidence, Failed, Recorded, Related, Tested, Undecided
from sqlverdict.evidence_parts import StageFailure
from sqlverdict.records import Reason, Result

UNSEARCHED = "unsearched"
CUT_BY_TIME = "cut_by_time"
CUT_BY_WORK = "cut_by_work"
READS_CLOCK = "gold_reads_clock"
STOPPED = "stopped"
EMPTY_MATCH = "empty_match"
RECORD_DIFFERS = "record_differs"
RECORD_UNUSED = "record_unused"
REFUSED_UNANSWERABLE = "refused_unanswerable"

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
    ``refused_unanswerable``: the reply refuses in words what has no answer; no metric scores it.
    """
    names = {name for piece in result.evidence for name in _cuts(piece)}
    if any(piece.both_empty for piece in result.evidence) and _has_ex(result):
        names.add(EMPTY_MATCH)
    if not result.answerable and Reason.REFUSED_IN_WORDS in result.reasons:
        names.add(REFUSED_UNANSWERABLE)
    may_change = any(piece.may_change for piece in result.evidence)
    if not result.final and result.fault is None and not may_change:
        reasons = {reason for piece in result.evidence for reason in piece.reasons}
        if reasons.isdisjoint(_NOT_THE_CLOCK):
            # A query on another database of a test suite, or a proof: no evidence is left of it.
            names.add(CUT_BY_TIME)
    return names


def _has_ex(result: Result) -> bool:
    """Whether the answers match under any preset of this run."""
    return any(
        value == 1.0 and label.partition("[")[0] == "ex" for label, value in result.scores.items()
    )


def _cuts(evidence: Evidence) -> set[str]:
    by_clock = evidence.cut_by_time and _NOT_THE_CLOCK.isdisjoint(evidence.reasons)
    names = {CUT_BY_TIME} if by_clock else set()
    if evidence.gold_reads_clock:
        names.add(READS_CLOCK)
    match evidence:
        case Undecided(by="refute") if evidence.reasons:
            names.add(UNSEARCHED)
        case Tested(by="refute") if not evidence.cut_by_time:
            if Reason.BUDGET_EXHAUSTED in evidence.reasons:
                names.add(CUT_BY_WORK)
        case Related(unsearched=True):
            names.add(UNSEARCHED)
        case Undecided(failure=StageFailure(storage=True)):
            names.add(STOPPED)
        case Failed(failure=StageFailure(storage=True)):
            names.add(STOPPED)
        case Recorded():
            names |= {RECORD_DIFFERS} if evidence.differs else set()
            names |= {RECORD_UNUSED} if evidence.unused else set()
    return names
