"""A day that a question names by its distance from the present becomes the day that is meant.

"today" says nothing without a clock. Where the question has one such word and its gold one date
that the question does not name, the word means that date, and the date is put in its place. A
question whose word means a span of time ("last year"), or whose gold reads the clock, stays as
it is: the lint ``relative_time`` names it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqlverdict.abstain.benchmark.lints.relative_time import RELATIVE, assumed_times
from sqlverdict.records import Case

_DAY = re.compile(r"\b(?:(on|for|of|by) )?(?:today|tonight|tomorrow|yesterday)\b", re.IGNORECASE)
_WHOLE_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def with_dates(cases: Sequence[Case]) -> tuple[list[Case], int]:
    """The cases with dates for words, and how many questions changed."""
    dated = [_with_date(case) for case in cases]
    changed = sum(new is not old for new, old in zip(dated, cases, strict=True))
    return dated, changed


def _with_date(case: Case) -> Case:
    words = list(RELATIVE.finditer(case.question))
    day = _DAY.search(case.question)
    if len(words) != 1 or day is None:
        return case
    reads, dates = assumed_times(case)
    if reads or len(dates) != 1 or not _WHOLE_DAY.fullmatch(dates[0]):
        return case
    text = f"{day[1] or 'on'} {dates[0]}"
    if day.start() == 0:
        text = text[:1].upper() + text[1:]
    question = f"{case.question[: day.start()]}{text}{case.question[day.end() :]}"
    return replace(case, question=question, tags={**case.tags, "source_question": case.question})
