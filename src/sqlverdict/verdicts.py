"""How evidence becomes a judgement. No other module makes a verdict.

The policy, first line that applies:

=============================================  ================================
unanswerable, abstained                        abstained_right
unanswerable, answered                         incorrect (ANSWERED_UNANSWERABLE)
answerable, abstained                          abstained_wrong
no SQL in the reply                            incorrect (NO_SQL_PRODUCED)
a proof                                        correct
answers match, and an ordinary witness         incorrect, with its reasons
answers match, and another witness             needs_review
an agreement on n databases                    correct
a difference, or a failed prediction           incorrect, with its reasons
a gold, engine or toolkit that failed          unscored, with whose fault it is
nothing decided                                needs_review
=============================================  ================================

A witness is ordinary if it respects all that the real data show beyond the schema. One that
needs a NULL, a missing partner, a tie or an empty table, or that breaks a regularity of the
real data, shows a difference that may not matter: a person or a judge decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlverdict.records import (
    Case,
    Evidence,
    Fault,
    Judgement,
    Prediction,
    Reason,
    Rung,
    Verdict,
)

_DECIDING = (Rung.PROVED, Rung.TESTED, Rung.RELATED)


def judge(case: Case, prediction: Prediction, evidence: Sequence[Evidence]) -> Judgement:
    """The judgement that the evidence supports; see the table above."""
    if not case.answerable:
        if prediction.abstained:
            return Judgement(Verdict.ABSTAINED_RIGHT)
        return Judgement(Verdict.INCORRECT, reasons=(Reason.ANSWERED_UNANSWERABLE,))
    if prediction.abstained:
        return Judgement(Verdict.ABSTAINED_WRONG)
    if prediction.sql is None or not prediction.sql.strip():
        return Judgement(Verdict.INCORRECT, reasons=(Reason.NO_SQL_PRODUCED,))
    if not any(found.rung is Rung.PROVED and found.agrees for found in evidence):
        for found in evidence:
            if found.rung is Rung.REFUTED:
                ordinary = found.detail.get("grade") == "ordinary"
                verdict = Verdict.INCORRECT if ordinary else Verdict.NEEDS_REVIEW
                return Judgement(verdict, reasons=found.reasons)
    for rung in _DECIDING:
        for found in evidence:
            if found.rung is rung and found.agrees is not None:
                verdict = Verdict.CORRECT if found.agrees else Verdict.INCORRECT
                return Judgement(verdict, reasons=found.reasons)
    for found in evidence:
        if found.fault is not None:
            return Judgement(Verdict.UNSCORED, found.fault, found.reasons)
    open_reasons = tuple(dict.fromkeys(r for found in evidence for r in found.reasons))
    return Judgement(Verdict.NEEDS_REVIEW, reasons=open_reasons)


def toolkit_failure() -> Judgement:
    """The judgement where we ourselves failed."""
    return Judgement(Verdict.UNSCORED, Fault.TOOLKIT, (Reason.TOOLKIT_ERROR,))
