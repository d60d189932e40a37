"""Statements of ours on a server: their rows, and what becomes of a driver's errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlverdict.error_reasons import DatabaseReason
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.servers.patience import is_passing

_NO_DATABASE: Final = 1049
_NO_DATABASE_WORDS: Final = re.compile(r'FATAL:\s+database ".*" does not exist', re.DOTALL)
_DENIED: Final = frozenset({1044, 1045, 1130, 1142, 1143, 1227, 1698})
"""MySQL's numbers of a user that may not log in, or may not do something."""
_DENIED_STATES: Final = ("28", "42501")
"""The same as SQL states of PostgreSQL."""


def rows_of(connection: Any, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """The rows of a statement of ours; none where it has no result.

    Args:
        connection: A connection of any driver.
        sql: The statement.
        values: What stands for its placeholders.
    """
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)
        return list(cursor.fetchall()) if cursor.description else []


@contextmanager
def database_errors(
    errors: type[Exception] | tuple[type[Exception], ...],
    message: Callable[[Exception], str],
    problem: str,
    advice: str = "",
) -> Iterator[None]:
    """Raise a driver's errors as ours.

    Args:
        errors: Those of the driver.
        message: What one of them says.
        problem: What could not be done, and the beginning of the message.
        advice: The end of the message.

    Raises:
        DatabaseError: the driver raised one.
    """
    try:
        yield
    except errors as error:
        raise DatabaseError(
            f"{problem}: {message(error)}{advice}", reason=server_reason(error)
        ) from error


def server_reason(error: Exception) -> DatabaseReason:
    """Why a server's database cannot be used, by what a driver raised."""
    if is_passing(error):
        return "unreachable"
    state = str(getattr(error, "sqlstate", None) or "")
    number = error.args[0] if error.args else None
    text = str(error)
    # PostgreSQL gives no state to somebody who logs in, only words after FATAL.
    if state == "3D000" or number == _NO_DATABASE or _NO_DATABASE_WORDS.search(text):
        return "missing"
    if state.startswith(_DENIED_STATES) or number in _DENIED or (not state and "FATAL" in text):
        return "refused"
    return "failed"


@contextmanager
def undo_on_error(undo: Callable[[], object]) -> Iterator[None]:
    """Close or drop what was made where something is raised, Ctrl-C included."""
    try:
        yield
    except BaseException:
        # Whatever it was, Ctrl-C included, it is raised on; nothing that was made stays behind.
        undo()
        raise
