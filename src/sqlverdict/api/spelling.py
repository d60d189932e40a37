"""Errors as a caller of the Python API reads them: options are arguments of the function called.

An error carries options by name (:class:`~sqlverdict.errors.OptionName`). A function of the API
spells them as its own arguments: ``databases=DIR``, or ``options=Options(overwrite=True)`` where it
is one of the options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import fields
from functools import partial, wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from sqlverdict.errors import OptionName, SameCall, SqlverdictError
from sqlverdict.run.options import Options

_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")
_FIELDS = frozenset(each.name for each in fields(Options))


def names_arguments(
    function: Callable[_Arguments, _Returned],
) -> Callable[_Arguments, _Returned]:
    """A function of the Python API whose errors name its arguments, never options of commands."""
    spelling = partial(argument_text, arguments=frozenset(signature(function).parameters))

    @wraps(function)
    def call(*args: _Arguments.args, **keywords: _Arguments.kwargs) -> _Returned:
        try:
            return function(*args, **keywords)
        except SqlverdictError as error:
            error.spelling = spelling
            raise

    return call


def argument_text(part: OptionName | SameCall, arguments: Collection[str]) -> str:
    """An option as a caller of a function writes it.

    Args:
        part: The option, or the call as such.
        arguments: The names of the function's arguments.
    """
    if isinstance(part, SameCall):
        return "make the same call again"
    name, value = part.name, part.value
    if name == "allow_missing" and "strict_ids" in arguments:
        return "strict_ids=False"
    if name == "column":
        return f"columns={dict(value)}" if isinstance(value, tuple) else "columns="
    # A word in capitals stands for a value, and is no text itself.
    literal = value if isinstance(value, str) and (not value or value.isupper()) else repr(value)
    is_field = name in _FIELDS and name not in arguments and "options" in arguments
    return f"options=Options({name}={literal})" if is_field else f"{name}={literal}"
