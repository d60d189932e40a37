"""What an error names beside its words: options, and the call to make again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sqlverdict.error_reasons import DatabaseReason, DataReason, RunLogReason
from sqlverdict.errors import (
    DatabaseError,
    DataError,
    MissingExtra,
    OptionName,
    RunLogError,
    SameCall,
    SqlverdictError,
    UsageError,
)


@contextmanager
def refuses_database(
    reason: DatabaseReason, match: str | None = None
) -> Iterator[pytest.ExceptionInfo[DatabaseError]]:
    """The block raises a ``DatabaseError`` for this reason."""
    with pytest.raises(DatabaseError, match=match) as refusal:
        yield refusal
    assert refusal.value.reason == reason


@contextmanager
def refuses_data(
    kind: type[DataError],
    reason: DataReason | DatabaseReason,
    *names: str,
    match: str | None = None,
) -> Iterator[pytest.ExceptionInfo[DataError]]:
    """The block raises a ``DataError`` of this kind for this reason.

    Args:
        kind: The kind.
        reason: The reason.
        names: What its message must contain: the file, the record, the remedy.
        match: The same as a regular expression.
    """
    with pytest.raises(kind, match=match) as refusal:
        yield refusal
    assert refusal.value.reason == reason
    assert [name for name in names if name not in str(refusal.value)] == []


@contextmanager
def refuses_run(
    reason: RunLogReason, match: str | None = None
) -> Iterator[pytest.ExceptionInfo[RunLogError]]:
    """The block raises a ``RunLogError`` for this reason."""
    with pytest.raises(RunLogError, match=match) as refusal:
        yield refusal
    assert refusal.value.reason == reason


@contextmanager
def needs_extra(extra: str) -> Iterator[pytest.ExceptionInfo[MissingExtra]]:
    """The block raises a ``MissingExtra`` for this extra."""
    with pytest.raises(MissingExtra) as refusal:
        yield refusal
    assert refusal.value.extra == extra


@contextmanager
def asks_for(*options: str | OptionName) -> Iterator[pytest.ExceptionInfo[UsageError]]:
    """The block raises a ``UsageError`` that names these options, in this order.

    Args:
        options: Each by its name, or with what is to be given for it.
    """
    with pytest.raises(UsageError) as refusal:
        yield refusal
    parts = options_of(refusal.value)
    assert len(parts) == len(options), parts
    for part, option in zip(parts, options, strict=True):
        assert option in (part, part.name)


def options_of(error: SqlverdictError) -> list[OptionName]:
    """The options that a message names, in their order."""
    return [part for part in error.args if isinstance(part, OptionName)]


def continues(error: SqlverdictError) -> bool:
    """Whether a message says that the same call goes on."""
    return SameCall.AGAIN in error.args
