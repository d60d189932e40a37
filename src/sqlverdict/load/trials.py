"""Several answers to one question: trials of one system in one file of predictions.

A record has a list as its ``prediction``, ``sql`` or ``raw``, with a text, null or an object for
each answer; ``cost`` and the like are lists of the same length then. Or an id stands in several
records that a field ``trial`` tells apart. Every question has the same trials, or it is an error:
figures over k answers would rest on other questions for each k.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlverdict.errors import PredictionError
from sqlverdict.files.text import few_of
from sqlverdict.load.fields import PREDICTION_FIELDS, SQL_KEYS, TRIAL

MOST_TRIALS = 200
"""Each trial is a run with open files of its own."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_LISTS = ("sql", "prediction", "raw")
_SEPARATE = tuple(name for name in (*PREDICTION_FIELDS, *SQL_KEYS) if name != "samples")


def answers_of(
    record: Mapping[str, Any], where: str
) -> Iterator[tuple[str | None, Mapping[str, Any], str]]:
    """Each answer of a record: its trial, its own record, and its place for messages.

    Raises:
        PredictionError: lists have different lengths, or are mixed with single values.
    """
    key = next((key for key in _LISTS if isinstance(record.get(key), list)), None)
    trial = _trial(record.get(TRIAL), where)
    if key is None:
        yield trial, record, where
        return
    answers = record[key]
    if trial is not None:
        raise PredictionError(
            f"{where}: found both a list of answers and a {TRIAL!r}. Expected one of them.",
            reason="conflict",
        )
    if not 1 <= len(answers) <= MOST_TRIALS:
        raise PredictionError(
            f"{where}: {key!r} is a list of {len(answers):,} answers. Expected 1 to {MOST_TRIALS}.",
            reason="wrong_value",
        )
    separate = {name: record[name] for name in _SEPARATE if record.get(name) is not None}
    for name, values in separate.items():
        if not isinstance(values, list) or len(values) != len(answers):
            raise PredictionError(
                f"{where}: {key!r} is a list of {len(answers)} answers, and {name!r} is not a list "
                f"of {len(answers)}. Expected one value for each answer.",
                reason="mismatch",
            )
    for number, answer in enumerate(answers):
        own = {**record, **{name: values[number] for name, values in separate.items()}}
        if isinstance(answer, Mapping):
            own = {name: value for name, value in own.items() if name != key} | dict(answer)
        yield str(number + 1), own, f"{where}, answer {number + 1}"


def trials_in_order(trials: Iterable[str]) -> list[str]:
    """The names of trials, each once: by number, or in the order of the file."""
    names = list(dict.fromkeys(trials))
    return sorted(names, key=int) if all(_is_number(name) for name in names) else names


def check_trials(trials: Mapping[str, set[str]], path: object) -> None:
    """Check that all trials have the same cases.

    Raises:
        PredictionError: one lacks a case that another has, or there are too many trials.
    """
    if len(trials) > MOST_TRIALS:
        raise PredictionError(
            f"{path}: {len(trials):,} trials. Expected up to {MOST_TRIALS}.", reason="wrong_value"
        )
    every = set().union(*trials.values())
    for trial, ids in trials.items():
        if ids != every:
            raise PredictionError(
                f"{path}: trial {trial} has no answer for {len(every - ids)} cases that another "
                f"trial has (id {few_of(sorted(every - ids))}). Expected as many answers for "
                f"every case (null for an abstention).",
                reason="incomplete",
            )


def _trial(value: object, where: str) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str | int) and not isinstance(value, bool) and _NAME.fullmatch(str(value)):
        return str(value)
    raise PredictionError(
        f"{where}: the {TRIAL} is {value!r}. Expected a number, or a name of up to 40 letters, "
        f"digits, - and _ (it names a folder). If the column is something else, map it to off "
        f"({TRIAL}=off).",
        reason="wrong_value",
    )


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()
