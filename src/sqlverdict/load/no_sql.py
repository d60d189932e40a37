"""What becomes of a reply that holds text but no SQL."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sqlverdict.errors import UsageError
from sqlverdict.load.fenced import extract_sql, text_prediction
from sqlverdict.records import Prediction

NoSql = Literal["wrong", "abstain"]
TREATMENTS: tuple[NoSql, ...] = ("wrong", "abstain")
"""How plain text counts: as a wrong answer, or as an abstention."""


def read_prediction(case_id: str, prediction: Prediction | str | None) -> Prediction:
    """A prediction as a record: ``None`` abstains, a text is a reply from which SQL is taken."""
    if prediction is None:
        return Prediction(case_id, abstained=True)
    if isinstance(prediction, str):
        return text_prediction(case_id, prediction)
    nothing_read = prediction.sql is None and prediction.answer is None
    if nothing_read and not prediction.abstained and prediction.raw:
        return replace(prediction, sql=extract_sql(prediction.raw))
    return prediction


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
