"""Signs of the gold and of the prediction, as evidence that no verdict rests on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sqlverdict.records import Answer, Evidence, Outcome, Query, Rung
from sqlverdict.run.isolate import attempt
from sqlverdict.run.item import DeskItem

if TYPE_CHECKING:
    from sqlverdict.signs.sign import Subject

SIGNS = "signs"
"""Who wrote the evidence."""


def look_for_signs(item: DeskItem, errors: list[Evidence]) -> list[Evidence]:
    """One piece of evidence where a query has signs; none where neither has.

    Queries that fail are left out: that they fail is evidence already. A sign that fails by a
    bug of ours is named in ``errors`` and takes no other with it.
    """
    golds = zip(item.case.golds, item.golds(), strict=True)
    gold = next(((sql, found) for sql, found in golds if isinstance(found, Answer)), None)
    sides: list[tuple[str, str, Outcome]] = [("gold", *gold)] if gold is not None else []
    sides.append(("prediction", item.prediction.sql or "", item.answer()))
    detail = {name: _records(item, sql, outcome, errors) for name, sql, outcome in sides}
    shown = {name: records for name, records in detail.items() if records}
    return [Evidence(Rung.UNKNOWN, SIGNS, detail=shown)] if shown else []


def _records(
    item: DeskItem, sql: str, outcome: Outcome, errors: list[Evidence]
) -> list[dict[str, Any]]:
    if not isinstance(outcome, Answer):
        return []
    subject = attempt(SIGNS, partial(_subject, item, sql, outcome), errors)
    if subject is None:
        return []
    # Signs load the parser, which is slow; runs without them need not wait.
    from sqlverdict.signs.look import chosen, notices

    found: list[dict[str, Any]] = []
    for sign in chosen():
        noticed = attempt(SIGNS, partial(notices, sign, subject), errors) or []
        found += [{"strength": sign.strength, **notice.as_record()} for notice in noticed]
    return found


def _subject(item: DeskItem, sql: str, outcome: Outcome) -> Subject | None:
    from sqlverdict.signs.look import LONGEST
    from sqlverdict.signs.sign import Subject

    schema = item.schema() if len(sql) <= LONGEST else None
    query = item.query(sql) if schema is not None else None
    if schema is None or not isinstance(query, Query):
        return None
    case = item.case
    return Subject(query, schema, item.run, case.question, case.knowledge, outcome)
