"""How long a process waits for a server that has answered before and does not answer now.

A restart takes seconds. Whoever needs the server then tries again, at growing intervals, for a
bounded time. A server that did not come back in that time is down: from then on nobody waits, and
only now and then does somebody try, until it answers again. So a stopped server costs the time
once a process, and not once a case. What was never reached is not waited for: the address may be
wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import monotonic, sleep
from typing import Final, TypeVar
from urllib.parse import urlsplit

from sqlverdict.errors import DatabaseError, SchemaError, SqlverdictError
from sqlverdict.files.references import Reference

T = TypeVar("T")

SECONDS: Final = 30.0
"""How long a process waits for a server."""
_FIRST, _LONGEST = 0.05, 2.0
_BETWEEN, _SHARE = 1.0, 5.0
"""A server that is down is tried after a second, and after five times what trying takes."""
_PASSING_STATES: Final = ("08", "57P01", "57P02", "57P03", "53300")
"""SQL states of a server that ends, starts or is full, and of lost connections."""
_PASSING_NUMBERS: Final = frozenset(
    {0, 1040, 1053, 1077, 1158, 1159, 1160, 1161, 1927, 2002, 2003, 2006, 2013, 2014, 2055}
)
"""The same as numbers of MySQL's errors."""
_PASSING_WORDS: Final = (
    *("the database system is", "terminating connection", "connection slots"),
    *("too many clients", "too many connections"),
)
"""What PostgreSQL says to somebody who logs in meanwhile: there is no state then."""

_reached: set[str] = set()
_down: dict[str, float] = {}
"""Servers that are down, and when the next may try."""


def server_of(database: Reference) -> str:
    """What the databases of one server share."""
    parts = urlsplit(str(database))
    return f"{parts.scheme}://{parts.netloc}?{parts.query}"


def is_passing(error: BaseException) -> bool:
    """Whether a server refused, or was lost, for a reason that goes away by itself."""
    cause: BaseException | None = error
    while isinstance(cause, SqlverdictError):
        cause = cause.__cause__
    if cause is None:
        return False
    state = getattr(cause, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_PASSING_STATES)
    if isinstance(cause, OSError):
        return True
    number = cause.args[0] if cause.args else None
    if isinstance(number, int):
        return number in _PASSING_NUMBERS
    text = str(cause)
    if "FATAL" in text:
        return any(words in text for words in _PASSING_WORDS)
    # libpq itself says so: nobody listens, or the connection broke.
    return type(cause).__name__ == "OperationalError"


def attempts(database: Reference, *, anyway: bool = False) -> Iterator[int]:
    """Try to reach a server once for each number; the caller stops where that goes well.

    It then says so by :func:`reach`. ``anyway``: once at least, whenever the last try was.
    """
    server = server_of(database)
    if monotonic() < _down.get(server, 0.0) and not anyway:
        return
    began = latest = monotonic()
    yield 0
    if server not in _reached:
        return
    if server not in _down:
        pause, number = _FIRST, 0
        while monotonic() - began < SECONDS:
            sleep(pause)
            pause, number = min(2 * pause, _LONGEST), number + 1
            latest = monotonic()
            yield number
    ended = monotonic()
    _down[server] = ended + min(max(_BETWEEN, _SHARE * (ended - latest)), SECONDS)


def has_answered(database: Reference) -> None:
    """A server has answered before; whether it does now is not known."""
    _reached.add(server_of(database))


def servers() -> frozenset[str]:
    """The servers that have answered before, for another process."""
    return frozenset(_reached)


def learn(servers: Iterable[str]) -> None:
    """Know the servers that have answered to another process."""
    _reached.update(servers)


def reach(database: Reference) -> None:
    """Note that a server answers."""
    server = server_of(database)
    _reached.add(server)
    _down.pop(server, None)


def patiently(database: Reference, work: Callable[[], T], *, anyway: bool = False) -> T:
    """Do what needs a server; again, where it does not answer.

    Raises:
        DatabaseError: it does not answer, or refuses.
        SchemaError: the same, where a schema is read.
    """
    error: SqlverdictError = DatabaseError(
        f"the server of {database} does not answer; it was tried a moment ago",
        reason="unreachable",
    )
    for _ in attempts(database, anyway=anyway):
        try:
            value = work()
        except (DatabaseError, SchemaError) as refusal:
            error = refusal
            if not is_passing(refusal):
                break
        else:
            reach(database)
            return value
    raise error
