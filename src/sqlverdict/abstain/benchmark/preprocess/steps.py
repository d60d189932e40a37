"""The steps of TrustSQL's preprocessing by name, one after another, and what each did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from sqlverdict.abstain.benchmark.preprocess.duplicates import drop_duplicates
from sqlverdict.abstain.benchmark.preprocess.null_results import with_results
from sqlverdict.abstain.benchmark.preprocess.paraphrases import paraphrase
from sqlverdict.abstain.benchmark.preprocess.relative_time import with_dates
from sqlverdict.abstain.method import Tools
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import count
from sqlverdict.records import Case

Step = Literal["duplicates", "null_results", "relative_time", "paraphrases"]
STEPS: tuple[Step, ...] = get_args(Step)
"""In the order in which they are done: values and dates first, then their other wordings."""


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
