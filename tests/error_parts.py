"""What an error names beside its words: options, and the call to make again."""

from __future__ import annotations

from sqlverdict.errors import OptionName, SameCall, SqlverdictError


def options_of(error: SqlverdictError) -> list[OptionName]:
    """The options that a message names, in their order."""
    return [part for part in error.args if isinstance(part, OptionName)]


def continues(error: SqlverdictError) -> bool:
    """Whether a message says that the same call goes on."""
    return SameCall.AGAIN in error.args
