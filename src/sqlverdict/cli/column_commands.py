"""The whole commands, to copy, where a file does not say which of its columns is which.

Where the lines of ``evaluate`` would differ in the prediction alone, each column is a system: one
line evaluates all of them, and the user leaves out those that are none. Where the gold is unclear
too, each line names its system after the column, and has a folder of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from sqlverdict.cli.options.predictions import run_folder
from sqlverdict.errors import Choice, UnclearColumns
from sqlverdict.files.command_words import take_option

_NAME, _OUT, _SYSTEM = "--name", "--out", "--system"
_ANSWER = "prediction"


def column_commands(error: UnclearColumns, args: Sequence[str]) -> str:
    """A sentence and the commands, one on each line.

    Args:
        error: What is unclear, with the column maps that may be meant.
        args: The words of the command.
    """
    if _SYSTEM in args:
        # The answers are named already: what is left to say is the rest.
        rest = [tuple(pair for pair in choice if pair[1] != _ANSWER) for choice in error.choices]
        return _lines(list(dict.fromkeys(rest)), [args] * len(rest))
    systems = [_prediction(choice) for choice in error.choices]
    rests = {frozenset(pair for pair in choice if pair[1] != _ANSWER) for choice in error.choices}
    columns = {name for choice in error.choices for name, _ in choice}
    # Of two columns one is the gold, and there is one system.
    has_names = args[:1] == ["evaluate"] and None not in systems and len({*systems}) > 1
    has_names = has_names and (len(rests) == 1 or len(columns) > 2)
    if has_names and len(rests) == 1:
        return _all_systems(args, error.choices[0], [name for name in systems if name])
    starts = [_for_system(args, name) if has_names and name else args for name in systems]
    return _lines(error.choices, starts)


def _lines(choices: Sequence[Choice], starts: Sequence[Sequence[str]]) -> str:
    """A sentence and a command for each choice, with the words that it starts with."""
    which = "Copy the line that is right" if len(choices) > 1 else "Say which column it is"
    lines = [
        shlex.join(["sqlverdict", *start, *_columns(choice)])
        for choice, start in zip(choices, starts, strict=False)
    ]
    return "\n  ".join([f" {which}:", *lines])


def _columns(choice: Choice) -> list[str]:
    return [word for name, target in choice for word in ("--column", f"{name}={target}")]


def _all_systems(args: Sequence[str], choice: Choice, systems: Sequence[str]) -> str:
    """A sentence and the command that evaluates all systems."""
    words = list(args)
    take_option(words, _NAME)
    words += _columns(tuple(pair for pair in choice if pair[1] != _ANSWER))
    words += [word for name in systems for word in (_SYSTEM, name)]
    line = shlex.join(["sqlverdict", *words])
    return f" This line evaluates each column as a system; leave out those that are none:\n  {line}"


def _prediction(choice: Choice) -> str | None:
    """The column of the predictions in a column map."""
    return next((name for name, target in choice if target == _ANSWER), None)


def _for_system(args: Sequence[str], system: str) -> list[str]:
    """The words of a command for one of several systems."""
    words = list(args)
    out = take_option(words, _OUT)
    take_option(words, _NAME)
    folder = [] if out is None else [_OUT, str(run_folder(system, Path(out), 2))]
    return [*words, _NAME, system, *folder]
