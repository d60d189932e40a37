"""What use a run makes of the record of a case."""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.execute.fold_sql import fold_sql
from sqlverdict.files.references import is_at_hand
from sqlverdict.records import Case, Prediction
from sqlverdict.run.options import RUN


def with_record_use(case: Case, prediction: Prediction, answers: str = RUN) -> Case:
    """The case, its record set to the use that is made of it.

    What was run here counts more than what was run elsewhere, so that by default a record stands
    in only where the database is not at hand. A record about another prediction is never used.
    """
    record = case.recorded
    if record is None:
        return case
    if record.about is not None and fold_sql(record.about) != fold_sql(prediction.sql or ""):
        return replace(case, recorded=replace(record, use="other_prediction"))
    if answers == RUN and is_at_hand(case.database):
        return replace(case, recorded=replace(record, use="beside"))
    return case
