"""Replies that hold no SQL: what they count as, and which of them refuse in words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from sqlverdict.errors import UsageError
from sqlverdict.patterns import late_pattern
from sqlverdict.records import Prediction

NoSql = Literal["wrong", "abstain"]
TREATMENTS: tuple[NoSql, ...] = ("wrong", "abstain")
"""How plain text counts: as a wrong answer, or as an abstention."""


def check_no_sql(treatment: str) -> None:
    """Refuse an unknown treatment.

    Raises:
        UsageError: it is neither ``wrong`` nor ``abstain``.
    """
    if treatment not in TREATMENTS:
        raise UsageError(f"no_sql is {treatment!r}; expected one of {', '.join(TREATMENTS)}")


def without_sql(prediction: Prediction) -> Prediction:
    """The prediction; plain text counts as an abstention.

    An empty reply never does: nothing was said.
    """
    responds = prediction.sql is not None or prediction.answer is not None
    if responds or prediction.abstained or not (prediction.raw or "").strip():
        return prediction
    return replace(prediction, abstained=True)


_LONGEST = 4_000
"""How much of a reply is read; a refusal comes early."""

_REFUSAL = late_pattern(
    r"\b(?:can(?:no|')?t|can not|could not|couldn't|unable|not able|impossible|not possible|"
    r"not answerable|unanswerable|no answer|not enough|insufficient|lacks?|unfortunately|sorry|"
    r"apologi[sz]e|decline|abstain|(?:do|does|did|is|are)(?: not|n't) "
    r"(?:contain|include|have|hold|provide|available|present|stored|store|record|exist|know)|"
    r"(?:is|are) (?:not|no) in the (?:data|database|schema|table)|no (?:such )?"
    r"(?:information|data|column|columns|table|tables|field)|"
    r"no \w+(?: \w+){0,5} in (?:this|the|our|your) (?:data\w*|schema|tables?)|"
    # German, French, Spanish.
    r"leider|(?:kann|können|lässt|lassen)\b[^.!?]{0,80}\bnicht|nicht (?:möglich|beantwort\w*|"
    r"enthalten|vorhanden)|keine (?:daten|angaben?|informationen?|spalten?|tabellen?)|"
    r"désolée?|ne (?:peux|peut|contient|contiennent) pas|impossible de|"
    r"lo siento|no (?:puedo|es posible|contienen?|hay (?:datos|información)))\b",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether a text that holds no SQL says that there is no answer, in plain words.

    Systems that were not told how to abstain say it in prose: "I cannot answer this question from
    the database." That is neither SQL nor a marked abstention.
    """
    # What a model thought before is no part of its reply, and may be long.
    plain = text.rpartition("</think>")[2][:_LONGEST].replace("\u2019", "'")
    return _REFUSAL.search(plain) is not None
