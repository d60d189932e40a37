"""The steps of TrustSQL's preprocessing by name, one after another, and what each did.

The steps that need neither an engine nor a model are here: duplicates and relative times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, get_args

from sqlverdict.abstain.benchmark.lints.relative_time import RELATIVE, assumed_times
from sqlverdict.abstain.benchmark.preprocess.null_results import with_results
from sqlverdict.abstain.benchmark.preprocess.paraphrases import paraphrase
from sqlverdict.abstain.benchmark.words import same_wording
from sqlverdict.abstain.method import Tools
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import count
from sqlverdict.parse.tokens import normalised
from sqlverdict.records import Case

Step = Literal["duplicates", "null_results", "relative_time", "paraphrases"]
STEPS: tuple[Step, ...] = get_args(Step)
"""In the order in which they are done: values and dates first, then their other wordings."""

_DAY = re.compile(r"\b(?:(on|for|of|by) )?(?:today|tonight|tomorrow|yesterday)\b", re.IGNORECASE)
_WHOLE_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def check_steps(names: Iterable[str]) -> tuple[Step, ...]:
    """The steps of these names, in order.

    Raises:
        UsageError: there is no such step.
    """
    names_of_steps = {name.strip().replace("-", "_") for name in names}
    unknown = sorted(names_of_steps - set(STEPS))
    if unknown:
        raise UsageError(
            f"preprocess={unknown[0]}: there is no such step. Expected {', '.join(STEPS)}"
        )
    return tuple(step for step in STEPS if step in names_of_steps)


def preprocess(
    cases: Sequence[Case], steps: Sequence[Step], tools: Tools, paraphrases: int = 10
) -> tuple[list[Case], list[str]]:
    """Do steps, and say what each did.

    Raises:
        UsageError: paraphrases take a language model, and none is named.
        Interrupted: the model's cost limit is reached.
    """
    rest, notes = list(cases), []
    for step in steps:
        if step == "duplicates":
            rest, left_out = drop_duplicates(rest)
            notes.append(f"duplicates: {count(left_out, 'question')} left out")
        elif step == "null_results":
            assert tools.runner is not None, "golds are run"
            rest, changed, left_out = with_results(rest, tools.runner, tools.seed)
            notes.append(
                f"null_results: {count(changed, 'question')} with new values, {left_out:,} left out"
            )
        elif step == "relative_time":
            rest, changed = with_dates(rest)
            notes.append(f"relative_time: {count(changed, 'question')} with a date")
        else:
            if tools.answerer is None:
                raise UsageError(
                    "preprocess=paraphrases asks a language model; give ", OptionName("model")
                )
            wordings = paraphrase(rest, paraphrases, tools)
            rest += wordings.cases
            notes.append(f"paraphrases: {wordings.sentence}")
    return rest, notes


def drop_duplicates(cases: Sequence[Case]) -> tuple[list[Case], int]:
    """The cases without repetitions, and how many those were.

    Of cases with the same database, question, knowledge and golds the one with the smallest id
    stays. Where golds differ all stay: which of them is right cannot be told here, and the lint
    ``duplicate_questions`` names them.
    """
    first: dict[tuple[object, ...], str] = {}
    for case in sorted(cases, key=lambda case: case.id):
        first.setdefault(_key(case), case.id)
    rest = [case for case in cases if first[_key(case)] == case.id]
    return rest, len(cases) - len(rest)


def _key(case: Case) -> tuple[object, ...]:
    wording = same_wording(case.question) or case.id
    golds = frozenset(map(normalised, case.golds))
    return case.db_id, wording, same_wording(case.knowledge), case.answerable, golds


def with_dates(cases: Sequence[Case]) -> tuple[list[Case], int]:
    """The cases with dates for words such as "today", and how many questions changed.

    "today" says nothing without a clock. Where the question has one such word and its gold one date
    that the question does not name, the word means that date, and the date is put in its place. A
    question whose word means a span of time ("last year"), or whose gold reads the clock, stays as
    it is: the lint ``relative_time`` names it.
    """
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
