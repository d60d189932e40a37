"""How evidence becomes a judgement. No other module makes a verdict.

Six things are settled before any policy is asked, first line that applies:

=============================================  ================================
unanswerable, abstained                        abstained_right
unanswerable, answered with SQL                incorrect (ANSWERED_UNANSWERABLE)
no SQL, and no gold or no database to compare  unscored, as for any prediction
answerable, abstained                          abstained_wrong
a refusal in words, no SQL                     incorrect (REFUSED_IN_WORDS)
no SQL in the reply                            incorrect (NO_SQL_PRODUCED)
=============================================  ================================

Everything else is a situation (:mod:`sqlverdict.situations`), and a policy says what each of them
amounts to: it is a column of that table. How probable it is that people call an answer right
follows from its situation (:mod:`sqlverdict.confidence`), whatever the policy. Where there is a
judge, it is asked what the policy leaves to it and nothing else, so that it can overrule neither a
proof, nor a match without a witness. Where it gives no verdict the case needs review, with the
reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import structs

from sqlverdict.confidence.model import NO_LABELS, Model
from sqlverdict.evidence import Evidence, Judged, fault_of
from sqlverdict.find_situation import find_situation, was_searched
from sqlverdict.load.replies.no_sql import is_refusal
from sqlverdict.records import (
    Case,
    Fault,
    Judgement,
    Prediction,
    Reason,
    Result,
    Verdict,
)
from sqlverdict.situations import Decision, Situation


@dataclass(frozen=True)
class Policy:
    """What each situation amounts to.

    Attributes:
        name: The policy's name in options and manifests.
        about: What it is for, in a sentence.
        table: The decision for every situation, without a judge.
        asks: The situations about which a judge is asked, where there is one.
    """

    name: str
    about: str
    table: Mapping[Situation, Decision]
    asks: frozenset[Situation]

    def decide(self, situation: Situation, *, judged: bool = False) -> Decision:
        """What a situation amounts to; ``judged``: there is a judge to ask."""
        return "ask" if judged and situation in self.asks else self.table[situation]


RESULTS, STRICT, INTENT = (
    Policy(
        name,
        about,
        {situation: situation.row.decisions[column] for situation in Situation},
        frozenset(situation for situation in Situation if name in situation.row.asks),
    )
    for column, (name, about) in enumerate(
        {
            "results": "the benchmark's own comparison: results alone",
            "strict": "as FLEX's experts judge: a match by luck is wrong",
            "intent": "whether the answer serves the question",
        }.items()
    )
)

POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in (RESULTS, STRICT, INTENT)}
"""The policies by name."""


def decide(
    case: Case,
    prediction: Prediction,
    evidence: Sequence[Evidence],
    policy: Policy = RESULTS,
    *,
    judged: bool = False,
    model: Model = NO_LABELS,
) -> Judgement:
    """The judgement that the evidence supports under a policy.

    Args:
        case: The case.
        prediction: What was said.
        evidence: All that was found out.
        policy: What each situation amounts to.
        judged: Whether there is a judge; it is asked where the policy leaves a case to it.
        model: How often people call a prediction right in each situation.
    """
    if not case.answerable:
        if prediction.abstained:
            return Judgement(Verdict.ABSTAINED_RIGHT)
        return Judgement(Verdict.INCORRECT, reasons=(_without_sql(prediction) or _ANSWERED,))
    situation, by = find_situation(case, evidence)
    nothing = _without_sql(prediction)
    if nothing is not None and situation is not Situation.FAULT:
        verdict = Verdict.ABSTAINED_WRONG if prediction.abstained else Verdict.INCORRECT
        return Judgement(verdict, reasons=() if prediction.abstained else (nothing,))
    reasons = by.reasons if by is not None else _all_reasons(evidence)
    decision = policy.decide(situation, judged=judged)
    if decision == "ask":
        opinion = _opinion(evidence)
        judgement = _by_opinion(opinion, reasons)
        correct = None if opinion is None else opinion.correct
        p_right, basis = model.expect(situation, correct)
        return structs.replace(judgement, situation=situation.value, p_right=p_right, p_basis=basis)
    if decision == "unscored":
        fault = fault_of(by) if by is not None else None
        return Judgement(Verdict.UNSCORED, fault or Fault.TOOLKIT, reasons, situation.value)
    if decision == "correct" and situation not in (Situation.PROVED, Situation.UNSEARCHED_MATCH):
        # What was weighed and found harmless is in the evidence; reasons say what is wrong, and
        # why a match was not searched.
        reasons = ()
    if situation is Situation.GOLD_SUSPECT and decision == "needs_review":
        reasons = (Reason.GOLD_SUSPECT, *reasons)
    alone = situation is Situation.MATCH and not was_searched(evidence)
    p_right, basis = model.expect(Situation.UNSEARCHED_MATCH if alone else situation)
    return Judgement(Verdict(decision), None, reasons, situation.value, p_right, basis)


def decide_again(result: Result, policy: Policy, *, judged: bool = False) -> Verdict:
    """The verdict on a case of a run log under another policy, by the evidence that is there.

    Args:
        result: A case of a run that looked for proofs and witnesses.
        policy: The policy.
        judged: Whether the run had a judge. What it was not asked needs review.
    """
    if not result.situation:
        # Nothing was compared with a gold: every policy says the same.
        return result.verdict
    decision = policy.decide(Situation(result.situation), judged=judged)
    if decision == "ask":
        return _by_opinion(_opinion(result.evidence), ()).verdict
    return Verdict.UNSCORED if decision == "unscored" else Verdict(decision)


def situation_to_judge(
    case: Case, prediction: Prediction, evidence: Sequence[Evidence], policy: Policy
) -> Situation | None:
    """The situation about which a judge is to be asked; ``None`` where there is no question."""
    if not case.answerable or prediction.abstained or not prediction.responds:
        return None
    situation, _ = find_situation(case, evidence)
    return situation if situation in policy.asks else None


_ANSWERED = Reason.ANSWERED_UNANSWERABLE


def _without_sql(prediction: Prediction) -> Reason | None:
    """Why there is neither SQL nor an answer; ``None`` where there is."""
    if prediction.responds:
        return None
    is_in_words = is_refusal(prediction.raw or "")
    return Reason.REFUSED_IN_WORDS if is_in_words else Reason.NO_SQL_PRODUCED


def toolkit_failure() -> Judgement:
    """The judgement where we ourselves failed."""
    return Judgement(Verdict.UNSCORED, Fault.TOOLKIT, (Reason.TOOLKIT_ERROR,))


def _opinion(evidence: Sequence[Evidence]) -> Judged | None:
    """The first opinion that was asked for the verdict."""
    for piece in evidence:
        if isinstance(piece, Judged) and "verdict" in piece.metrics:
            return piece
    return None


def _by_opinion(opinion: Judged | None, reasons: tuple[Reason, ...]) -> Judgement:
    match opinion:
        case None:
            return Judgement(Verdict.NEEDS_REVIEW, reasons=(Reason.JUDGE_UNAVAILABLE, *reasons))
        case Judged(correct=None):
            return Judgement(Verdict.NEEDS_REVIEW, reasons=(*opinion.reasons, *reasons))
        case Judged(correct=True):
            return Judgement(Verdict.CORRECT)
    return Judgement(Verdict.INCORRECT, reasons=reasons)


def _all_reasons(evidence: Sequence[Evidence]) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(reason for piece in evidence for reason in piece.reasons))
