"""How evidence becomes a judgement. No other module makes a verdict.

Five things are settled before any policy is asked, first line that applies:

=============================================  ================================
unanswerable, abstained                        abstained_right
unanswerable, answered with SQL                incorrect (ANSWERED_UNANSWERABLE)
answerable, abstained                          abstained_wrong
a refusal in words, no SQL                     incorrect (REFUSED_IN_WORDS)
no SQL in the reply                            incorrect (NO_SQL_PRODUCED)
=============================================  ================================

Everything else is one of the situations below, first line that applies, and a policy is a
table that says what each of them amounts to:

===========================  =============  =============  =============
situation                    results        deterministic  judged
===========================  =============  =============  =============
contradiction                unscored       unscored       unscored
proved                       correct        correct        correct
ordinary_witness             incorrect      incorrect      ask
ungraded_witness             needs_review   incorrect      ask
null_in_aggregate            needs_review   incorrect      incorrect
tied_rows_lost               needs_review   incorrect      ask
undetermined_prediction      needs_review   incorrect      ask
unusual_witness              needs_review   correct        ask
unsearched_match             correct        needs_review   needs_review
match                        correct        correct        correct
failed                       incorrect      incorrect      incorrect
harmless_difference          incorrect      correct        correct
difference                   incorrect      incorrect      ask
fault                        unscored       unscored       unscored
fits_a_tie                   needs_review   correct        correct
unsearched_tie               needs_review   needs_review   ask
open                         needs_review   needs_review   needs_review
===========================  =============  =============  =============

``results`` goes by results alone and leaves the rest to a person; ``deterministic`` decides
what can be decided without a language model; ``judged`` asks one about what evidence leaves
open. A judge is asked nowhere else, so that it can overrule neither a proof, nor a match
without a witness. Where it gives no verdict the case needs review, with the reason.

Why each line of ``deterministic`` is as it is stands in :data:`BECAUSE`; which differences are
harmless, in :mod:`sqlverdict.harmless`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from sqlverdict.harmless import harmless
from sqlverdict.parse.refusal import is_refusal
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

Decision = Literal["correct", "incorrect", "needs_review", "unscored", "ask"]


class Situation(StrEnum):
    """What the evidence about an answered, answerable case amounts to."""

    CONTRADICTION = "contradiction"
    PROVED = "proved"
    ORDINARY_WITNESS = "ordinary_witness"
    UNGRADED_WITNESS = "ungraded_witness"
    NULL_IN_AGGREGATE = "null_in_aggregate"
    TIED_ROWS_LOST = "tied_rows_lost"
    UNDETERMINED_PREDICTION = "undetermined_prediction"
    UNUSUAL_WITNESS = "unusual_witness"
    UNSEARCHED_MATCH = "unsearched_match"
    MATCH = "match"
    FAILED = "failed"
    HARMLESS_DIFFERENCE = "harmless_difference"
    DIFFERENCE = "difference"
    FAULT = "fault"
    FITS_A_TIE = "fits_a_tie"
    UNSEARCHED_TIE = "unsearched_tie"
    OPEN = "open"


BECAUSE: Mapping[Situation, str] = {
    Situation.CONTRADICTION: "a proof and a witness cannot both be right: the bug is ours",
    Situation.PROVED: "the queries agree on every legal database",
    Situation.ORDINARY_WITNESS: "the answers differ on data like the real ones",
    Situation.UNGRADED_WITNESS: "the answers differ on data with nothing unusual in them",
    Situation.NULL_IN_AGGREGATE: "a NULL changes the number that is returned",
    Situation.TIED_ROWS_LOST: "of rows that tie, the prediction returns fewer than the gold",
    Situation.UNDETERMINED_PREDICTION: "the prediction leaves open what the gold decides",
    Situation.UNUSUAL_WITNESS: "the answers differ only on unusual data",
    Situation.UNSEARCHED_MATCH: "the answers agree, but the search for a database where they "
    "differ could not be made, or was cut by the clock",
    Situation.MATCH: "the answers agree, and no database was found where they differ",
    Situation.FAILED: "the prediction does not run",
    Situation.HARMLESS_DIFFERENCE: "the difference does not change the answer",
    Situation.DIFFERENCE: "the answers differ",
    Situation.FAULT: "nothing could be found out, and the model is not to blame",
    Situation.FITS_A_TIE: "the gold leaves the answer open, this one fits it, and no database "
    "was found where the two differ",
    Situation.UNSEARCHED_TIE: "the gold leaves the answer open and this one fits it, but no "
    "search was made: a wrong query may fit by luck",
    Situation.OPEN: "nothing decided it",
}
"""Each situation in words."""

QUESTIONS: Mapping[Situation, str] = {
    Situation.ORDINARY_WITNESS: "the results match, but not on a witness: does the question care?",
    Situation.UNGRADED_WITNESS: "the results match, but not on a witness: is its data possible "
    "here, and does the question care?",
    Situation.TIED_ROWS_LOST: "the results match, but rows that tie are lost: may there be ties?",
    Situation.UNDETERMINED_PREDICTION: "the results match, but the prediction leaves open what "
    "the gold decides: does the question care?",
    Situation.UNUSUAL_WITNESS: "the results match, but not on unusual data: is such data "
    "possible here, and does the question care?",
    Situation.UNSEARCHED_TIE: "the gold leaves the answer open and the prediction fits it: does "
    "it answer the question?",
    Situation.DIFFERENCE: "the results differ: is the prediction right all the same?",
}
"""What a judge is asked, or would be."""


@dataclass(frozen=True)
class Policy:
    """What each situation amounts to.

    Attributes:
        name: The policy's name in manifests.
        about: What it is for, in a sentence.
        table: The decision for every situation.
    """

    name: str
    about: str
    table: Mapping[Situation, Decision]


_SETTLED: Mapping[Situation, Decision] = {
    Situation.CONTRADICTION: "unscored",
    Situation.PROVED: "correct",
    Situation.MATCH: "correct",
    Situation.FAILED: "incorrect",
    Situation.FAULT: "unscored",
    Situation.OPEN: "needs_review",
}
"""What every policy agrees on."""

RESULTS = Policy(
    "results",
    "by results alone; what they leave open is for a person",
    {
        **_SETTLED,
        Situation.ORDINARY_WITNESS: "incorrect",
        Situation.UNGRADED_WITNESS: "needs_review",
        Situation.NULL_IN_AGGREGATE: "needs_review",
        Situation.TIED_ROWS_LOST: "needs_review",
        Situation.UNDETERMINED_PREDICTION: "needs_review",
        Situation.UNUSUAL_WITNESS: "needs_review",
        Situation.UNSEARCHED_MATCH: "correct",
        Situation.HARMLESS_DIFFERENCE: "incorrect",
        Situation.DIFFERENCE: "incorrect",
        Situation.FITS_A_TIE: "needs_review",
        Situation.UNSEARCHED_TIE: "needs_review",
    },
)

DETERMINISTIC = Policy(
    "deterministic",
    "by all evidence, without a language model",
    {
        **_SETTLED,
        Situation.ORDINARY_WITNESS: "incorrect",
        Situation.UNGRADED_WITNESS: "incorrect",
        Situation.NULL_IN_AGGREGATE: "incorrect",
        Situation.TIED_ROWS_LOST: "incorrect",
        Situation.UNDETERMINED_PREDICTION: "incorrect",
        Situation.UNUSUAL_WITNESS: "correct",
        Situation.UNSEARCHED_MATCH: "needs_review",
        Situation.HARMLESS_DIFFERENCE: "correct",
        Situation.DIFFERENCE: "incorrect",
        Situation.FITS_A_TIE: "correct",
        Situation.UNSEARCHED_TIE: "needs_review",
    },
)

JUDGED = Policy(
    "judged",
    "by all evidence; a judge is asked what it leaves open",
    {
        **_SETTLED,
        Situation.ORDINARY_WITNESS: "ask",
        Situation.UNGRADED_WITNESS: "ask",
        Situation.NULL_IN_AGGREGATE: "incorrect",
        Situation.TIED_ROWS_LOST: "ask",
        Situation.UNDETERMINED_PREDICTION: "ask",
        Situation.UNUSUAL_WITNESS: "ask",
        Situation.UNSEARCHED_MATCH: "needs_review",
        Situation.HARMLESS_DIFFERENCE: "correct",
        Situation.DIFFERENCE: "ask",
        Situation.FITS_A_TIE: "correct",
        Situation.UNSEARCHED_TIE: "ask",
    },
)

POLICIES: Mapping[str, Policy] = {p.name: p for p in (RESULTS, DETERMINISTIC, JUDGED)}
"""The policies by name."""

_BY_GRADE = {
    "ordinary": Situation.ORDINARY_WITNESS,
    "ungraded": Situation.UNGRADED_WITNESS,
}


def judge(
    case: Case, prediction: Prediction, evidence: Sequence[Evidence], policy: Policy = RESULTS
) -> Judgement:
    """The judgement that the evidence supports under a policy; see the tables above."""
    if not case.answerable:
        if prediction.abstained:
            return Judgement(Verdict.ABSTAINED_RIGHT)
        return Judgement(Verdict.INCORRECT, reasons=(_without_sql(prediction) or _ANSWERED,))
    if prediction.abstained:
        return Judgement(Verdict.ABSTAINED_WRONG)
    nothing = _without_sql(prediction)
    if nothing is not None:
        return Judgement(Verdict.INCORRECT, reasons=(nothing,))
    found, by = situation(case, evidence)
    reasons = by.reasons if by is not None else _all_reasons(evidence)
    decision = policy.table[found]
    if decision == "ask":
        return _by_opinion(evidence, reasons)
    if decision == "unscored":
        fault = by.fault if by is not None else None
        return Judgement(Verdict.UNSCORED, fault or Fault.TOOLKIT, reasons)
    if decision == "correct" and found is not Situation.PROVED:
        # What was weighed and found harmless is in the evidence; reasons say what is wrong.
        reasons = ()
    return Judgement(Verdict(decision), reasons=reasons)


def asks(case: Case, prediction: Prediction, evidence: Sequence[Evidence]) -> Situation | None:
    """The situation about which a judge is to be asked; ``None`` where there is no question."""
    answered = case.answerable and not prediction.abstained and (prediction.sql or "").strip()
    if not answered:
        return None
    found, _ = situation(case, evidence)
    return found if JUDGED.table[found] == "ask" else None


def situation(case: Case, evidence: Sequence[Evidence]) -> tuple[Situation, Evidence | None]:
    """What the evidence amounts to, and the piece of it that says so."""
    proof = witness = match = different = open_ = None
    for found in evidence:
        rung = found.rung
        if rung is Rung.JUDGED:
            continue
        if "contradiction" in found.detail:
            return Situation.CONTRADICTION, found
        if rung is Rung.REFUTED:
            witness = witness or found
        elif found.agrees is None:
            open_ = _weightier(open_, found)
        elif not found.agrees:
            different = different or found
        elif rung is Rung.PROVED:
            proof = proof or found
        else:
            match = match or found
    if proof is not None:
        return (Situation.PROVED, proof) if witness is None else (Situation.CONTRADICTION, _OUR_BUG)
    if witness is not None:
        return _with_witness(witness), witness
    tied = open_ is not None and open_.fault is None
    unsearched = _first(evidence, _is_unsearched)
    if match is not None and not tied:
        if unsearched is not None:
            return Situation.UNSEARCHED_MATCH, unsearched
        return Situation.MATCH, match
    if different is not None:
        return _with_difference(case, different, unsearched), different
    if open_ is None:
        return Situation.OPEN, None
    if open_.fault is not None:
        return Situation.FAULT, open_
    # Beside a tie a match is the search's: it looked where nothing ties, too.
    searched = match is not None and unsearched is None
    return (Situation.FITS_A_TIE if searched else Situation.UNSEARCHED_TIE), open_


def _is_unsearched(found: Evidence) -> bool:
    """Whether it says that a search was asked for and not made, or not to its end."""
    if found.by == "toolkit":
        return found.detail.get("stage") == "refute"
    if found.by != "refute":
        return False
    return bool(found.detail.get("cut_by_time")) or (found.agrees is None and bool(found.reasons))


def _weightier(before: Evidence | None, found: Evidence) -> Evidence | None:
    """Among what is open a fault counts most, then a tie; nothing else says anything."""
    if before is not None and before.fault is not None:
        return before
    if found.fault is not None:
        return found
    return before or (found if Reason.TIE_UNDETERMINED in found.reasons else None)


_ANSWERED = Reason.ANSWERED_UNANSWERABLE


def _without_sql(prediction: Prediction) -> Reason | None:
    """Why there is no SQL; ``None`` where there is some."""
    if (prediction.sql or "").strip():
        return None
    refused = is_refusal(prediction.raw or "")
    return Reason.REFUSED_IN_WORDS if refused else Reason.NO_SQL_PRODUCED


def toolkit_failure() -> Judgement:
    """The judgement where we ourselves failed."""
    return Judgement(Verdict.UNSCORED, Fault.TOOLKIT, (Reason.TOOLKIT_ERROR,))


def _with_witness(witness: Evidence) -> Situation:
    detail, grade = witness.detail, str(witness.detail.get("grade"))
    if detail.get("kind") == "undetermined_prediction" and grade in _BY_GRADE:
        return Situation.UNDETERMINED_PREDICTION
    if grade in _BY_GRADE:
        return _BY_GRADE[grade]
    if grade == "needs_null" and detail.get("null_in_aggregate"):
        return Situation.NULL_IN_AGGREGATE
    if detail.get("kind") == "undetermined_prediction":
        return Situation.UNUSUAL_WITNESS
    if grade == "needs_tie" and _count(detail.get("prediction")) < _count(detail.get("gold")):
        return Situation.TIED_ROWS_LOST
    return Situation.UNUSUAL_WITNESS


def _with_difference(case: Case, different: Evidence, unsearched: Evidence | None) -> Situation:
    if different.detail.get("failed") or different.by == "execute":
        return Situation.FAILED
    if harmless(case, different) is None:
        return Situation.DIFFERENCE
    # What is equal but for a formality is searched as a match is, and counts as one without.
    if unsearched is not None or different.detail.get("unsearched"):
        return Situation.UNSEARCHED_MATCH
    return Situation.HARMLESS_DIFFERENCE


def _by_opinion(evidence: Sequence[Evidence], reasons: tuple[Reason, ...]) -> Judgement:
    opinion = _first(
        evidence,
        lambda e: e.rung is Rung.JUDGED and "verdict" in e.detail.get("metrics", ("verdict",)),
    )
    if opinion is None:
        return Judgement(Verdict.NEEDS_REVIEW, reasons=(Reason.JUDGE_UNAVAILABLE, *reasons))
    if opinion.agrees is None:
        return Judgement(Verdict.NEEDS_REVIEW, reasons=(*opinion.reasons, *reasons))
    if opinion.agrees:
        return Judgement(Verdict.CORRECT)
    return Judgement(Verdict.INCORRECT, reasons=reasons)


def _count(side: Any) -> int:
    return int(side.get("count", 0)) if isinstance(side, Mapping) else 0


def _first(evidence: Sequence[Evidence], holds: Callable[[Evidence], object]) -> Evidence | None:
    return next((found for found in evidence if holds(found)), None)


def _all_reasons(evidence: Sequence[Evidence]) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(reason for found in evidence for reason in found.reasons))


_OUR_BUG = Evidence(Rung.UNKNOWN, "toolkit", None, (Reason.TOOLKIT_ERROR,), Fault.TOOLKIT)
