"""What matters about a case, in one sentence: what a page and ``show`` say first."""

from __future__ import annotations

from sqlverdict.compare.relation import relation_words
from sqlverdict.evidence import Failed, Refuted, Related
from sqlverdict.reasons import Reason, reason_words
from sqlverdict.records import Result, Verdict
from sqlverdict.report.one_run.case import VERDICTS, evidence_words
from sqlverdict.situations import Situation

_NOT_BY_DIFFERENCE = frozenset(
    {Situation.CONTRADICTION, Situation.FAULT, Situation.GOLD_SUSPECT, Situation.BARRED_MATCH}
)
"""Situations in which the difference between the queries is not what matters."""

_IS_RIGHT = "; this counts as right"

_LONGEST = 300
"""A message of an engine may repeat a whole query."""


def first_sentence(result: Result, because: str = "") -> str:
    """What matters about a case.

    Args:
        result: The case.
        because: What the reader is told anyway; a sentence that says just that is left out.
    """
    sentence = _sentence(result)
    return "" if because.lower().startswith(sentence.lower().rstrip(".")) else sentence


def _sentence(result: Result) -> str:
    if not result.situation:
        return _without_answer(result)
    situation = Situation(result.situation)
    for piece in result.evidence if situation not in _NOT_BY_DIFFERENCE else ():
        match piece:
            case Failed(query="prediction"):
                return _failed(piece)
            case Related():
                if sentence := _different(piece):
                    is_right = result.verdict is Verdict.CORRECT
                    return f"{sentence}{_IS_RIGHT if is_right else ''}."
            case Refuted(in_words=words) if words:
                return f"The results match, but the prediction {words}."
    words = evidence_words(result)
    return f"{words[0].upper()}{words[1:]}."


def _without_answer(result: Result) -> str:
    """Of a case in which no answer is compared with a gold."""
    if result.abstained:
        return f"The system {VERDICTS[result.verdict]}."
    if Reason.REFUSED_IN_WORDS in result.reasons:
        has = "has an answer" if result.answerable else "has no answer"
        return f"The system abstained in words, and the question {has}; it counts as wrong."
    reasons = [reason_words(reason) for reason in result.reasons]
    text = reasons[0] if reasons else result.message or VERDICTS[result.verdict]
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _failed(failed: Failed) -> str:
    if failed.in_words:
        return f"The prediction {failed.in_words}."
    message = " ".join(failed.message.split())
    if not message:
        return "The prediction does not run."
    if len(message) > _LONGEST:
        message = message[:_LONGEST] + "…"
    return f"The prediction fails: {message.rstrip('.')}."


def _different(difference: Related) -> str:
    """How answers differ: by what the query does otherwise, else by the answers themselves."""
    if difference.in_words:
        return f"The prediction {difference.in_words}"
    for relation in difference.relations:
        if not relation.proof.weak and relation.broken is None:
            return f"The results differ: {relation_words(relation)}"
    return ""
