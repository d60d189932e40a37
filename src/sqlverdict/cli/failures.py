"""How a command fails: a plain message and a documented exit code.

Our own errors say what to do. A file that cannot be read or written is 6. Anything else is a bug
of sqlverdict: 70, with its traceback in a file. Python's own code for an uncaught error, 1, means
that a threshold was missed, and is never used for these.
"""

from __future__ import annotations

import os
import platform
import shlex
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from sqlverdict import __version__
from sqlverdict.errors import (
    Choice,
    FileFailure,
    Interrupted,
    SqlverdictError,
    UnclearColumns,
    UnclearFields,
)
from sqlverdict.files.command_words import take_option
from sqlverdict.files.secrets import without_secrets

BUG = 70
_CONTINUE = "un the same command again to continue"
_STORAGE = ("disk is full", "disk i/o", "readonly database", "unable to open database file")


def exit_code_of(error: BaseException) -> int:
    """The exit code of an error."""
    if isinstance(error, SqlverdictError):
        return error.exit_code
    if isinstance(error, click.ClickException):
        return 2
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        return Interrupted.exit_code
    return FileFailure.exit_code if is_storage(error) else BUG


def is_storage(error: BaseException) -> bool:
    """Whether a file could not be read or written."""
    if isinstance(error, sqlite3.OperationalError):
        return any(words in str(error).lower() for words in _STORAGE)
    return isinstance(error, OSError)


def message_of(error: BaseException, args: Sequence[str], *, terminated: bool = False) -> str:
    """The message for the user; ``terminated``: SIGTERM ended the command."""
    if terminated:
        return termination_text(str(error) if isinstance(error, SqlverdictError) else "")
    if isinstance(error, UnclearColumns):
        return f"error: {error.problem}{column_commands(error, args)}"
    if isinstance(error, UnclearFields):
        lines = [
            shlex.join(["sqlverdict", *args, *(word for each in choice for word in each.words)])
            for choice in error.options
        ]
        which = "Copy the line that is right" if len(lines) > 1 else "Give the whole command"
        return "\n  ".join([f"error: {error.problem} {which}:", *lines])
    if isinstance(error, SqlverdictError):
        return f"error: {error}"
    if isinstance(error, click.ClickException):
        return f"error: {error.format_message()}{_help_hint(error)}"
    if isinstance(error, (click.Abort, KeyboardInterrupt)):
        return "interrupted"
    if is_storage(error):
        return f"error: {storage_text(error)}. Check the path, its permissions and the free space."
    return _bug_text(error, args)


def json_of(error: BaseException, args: Sequence[str]) -> str:
    """The error as JSON, where a command asked for JSON and the error has details; else empty."""
    if "--json" not in args or not isinstance(error, SqlverdictError) or not error.details:
        return ""
    # Imported here: few errors need it.
    from sqlverdict.cli.options.shared import json_text

    return json_text({"error": str(error), **error.details})


def termination_text(message: str = "") -> str:
    """What is said after SIGTERM; ``message``: what the command itself says of its end."""
    text = f"ended by SIGTERM: {message}" if message else "ended by SIGTERM"
    text = text.rstrip(".")
    return text if _CONTINUE in text else f"{text}. R{_CONTINUE}."


def storage_text(error: BaseException) -> str:
    """Which file could not be read or written, and why."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    file = error.filename2 or error.filename
    return (
        f"{os.fsdecode(file)}: {error.strerror}"
        if isinstance(file, (str, bytes))
        else (error.strerror)
    )


def _bug_text(error: BaseException, args: Sequence[str]) -> str:
    name = type(error).__name__
    text = f": {error}" if str(error) and len(str(error)) < 300 else ""
    try:
        file = _save(error, args)
    except (OSError, MemoryError):
        file = ""
        traceback.print_exception(error, file=sys.stderr)
    where = f" The traceback is in {file}." if file else ""
    return (
        f"error: a bug of sqlverdict ({name}{text}).{where} Please report it. The results so far "
        f"are saved; run the same command again to continue."
    )


def _save(error: BaseException, args: Sequence[str]) -> str:
    """Write the traceback, without secrets, and return the file."""
    lines = [
        f"sqlverdict {__version__}, Python {platform.python_version()}, {platform.platform()}\n",
        f"arguments: {list(args)}\n\n",
        *traceback.format_exception(error),
    ]
    handle, file = tempfile.mkstemp(prefix="sqlverdict-error-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(without_secrets("".join(lines)))
    return file


def _help_hint(error: click.ClickException) -> str:
    """Which help to read after a wrong call."""
    ctx = getattr(error, "ctx", None)
    return f"\nTry '{ctx.command_path} --help'." if ctx is not None else ""


_NAME, _OUT, _SYSTEM = "--name", "--out", "--system"
_ANSWER = "prediction"


def column_commands(error: UnclearColumns, args: Sequence[str]) -> str:
    """A sentence and the whole commands, to copy, where columns are unclear; one on each line.

    Where the lines of ``evaluate`` would differ in the prediction alone, each column is a system:
    one line evaluates all of them, and the user leaves out those that are none. Where the gold is
    unclear too, each line names its system after the column, and has a folder of its own.

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
    # Imported here: few errors need it.
    from sqlverdict.cli.options.predictions import run_folder

    words = list(args)
    out = take_option(words, _OUT)
    take_option(words, _NAME)
    folder = [] if out is None else [_OUT, str(run_folder(system, Path(out), 2))]
    return [*words, _NAME, system, *folder]
