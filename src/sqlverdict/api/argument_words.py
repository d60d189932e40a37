"""Messages about options of the command line, in the words of a Python call.

What reads files and does runs serves the command line and Python, and its messages name options:
``--databases DIR``. A function of the Python API passes them on with arguments of its own instead:
``databases=DIR``, or ``options=Options(overwrite=True)`` where it is one of the options.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection
from dataclasses import fields
from functools import cache, wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from sqlverdict.errors import SqlverdictError
from sqlverdict.run.options import Options

_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")

_OPTION = re.compile(r"(?<![\w`'-])--([a-z][a-z-]*[a-z])(?: ((?:'[^']*'|[^\s'])+))?")
_PLACEHOLDER = re.compile(r"[A-Z_]{2,}\Z")
_VALUE = re.compile(r".*[:/.=,{\d]")
"""What is a value after an option, and no word of the sentence."""
_FLAGS = frozenset(("allow_missing", "copy_databases", "force", "overwrite"))
_WORDS = frozenset(("engine", "on"))
"""Options whose value is a plain word."""
_OTHERS = frozenset(("cases", "column", "databases", "db", "metric", "name", "out", "predictions"))
"""Options of commands that no field of ``Options`` stands for."""


def python_words(text: str, arguments: Collection[str]) -> str:
    """A message whose options of the command line are arguments.

    Args:
        text: The message.
        arguments: The names of the arguments of the function that was called.
    """

    def replaced(match: re.Match[str]) -> str:
        name, word = match[1].replace("-", "_"), match[2] or ""
        if name not in _known():
            return match[0]
        value = word.rstrip(".,;:)")
        if not _is_value(name, value):
            return f"{_argument(name, None, arguments)} {word}".rstrip()
        return f"{_argument(name, value, arguments)}{word[len(value) :]}"

    text = text.replace("run the same command", "make the same call")
    return _OPTION.sub(replaced, text.replace("the same command", "the same call"))


def in_python_words(
    function: Callable[_Arguments, _Returned],
) -> Callable[_Arguments, _Returned]:
    """A function of the Python API whose errors name its arguments, never options of commands."""
    arguments = frozenset(signature(function).parameters)

    @wraps(function)
    def call(*args: _Arguments.args, **keywords: _Arguments.kwargs) -> _Returned:
        try:
            return function(*args, **keywords)
        except SqlverdictError as error:
            error.args = tuple(
                python_words(part, arguments) if isinstance(part, str) else part
                for part in error.args
            )
            raise

    return call


@cache
def _known() -> frozenset[str]:
    return _OTHERS | _FLAGS | {each.name for each in fields(Options)}


def _is_value(name: str, word: str) -> bool:
    if name in _FLAGS or not word:
        return False
    if name == "column":
        return "=" in word
    return name in _WORDS or bool(_PLACEHOLDER.match(word) or _VALUE.match(word))


def _argument(name: str, value: str | None, arguments: Collection[str]) -> str:
    """An argument as a caller writes it."""
    if name == "allow_missing" and "strict_ids" in arguments:
        return "strict_ids=False"
    if name == "column":
        return f"columns={_column(value)}"
    text = f"{name}=True" if name in _FLAGS else f"{name}={_literal(value)}"
    is_option = name not in arguments and name in {each.name for each in fields(Options)}
    return f"options=Options({text})" if is_option and "options" in arguments else text


def _column(value: str | None) -> str:
    """A column map as a caller writes it."""
    if value is None:
        return ""
    name, _, target = _unquoted(value).rpartition("=")
    return f"{{{name!r}: {target!r}}}"


def _literal(value: str | None) -> str:
    """A value as a caller writes it; a word that stands for one as it is."""
    if value is None or _PLACEHOLDER.match(value):
        return value or ""
    return repr(_unquoted(value))


def _unquoted(value: str) -> str:
    """A value without the quotes of a shell; as it stands where they do not close.

    A message may quote what a model wrote.
    """
    try:
        return "".join(shlex.split(value))
    except ValueError:
        return value
