"""Statements of ours on a server: their rows, and what becomes of a driver's errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlverdict.errors import DatabaseError


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
        raise DatabaseError(f"{problem}: {message(error)}{advice}") from error


@contextmanager
def undo_on_error(undo: Callable[[], object]) -> Iterator[None]:
    """Close or drop what was made where something is raised, Ctrl-C included."""
    try:
        yield
    except BaseException:
        undo()
        raise
