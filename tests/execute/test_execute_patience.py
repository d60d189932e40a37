"""A server that does not answer is waited for once; a query that loses connections is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from sqlverdict.errors import DatabaseError
from sqlverdict.execute.servers import patience
from sqlverdict.execute.servers.patience import attempts, is_passing, patiently, reach
from sqlverdict.execute.servers.session import ServerLost, ServerSession
from sqlverdict.records import Answer, Failure, Fault, Outcome, Reason

URL = "postgresql://somebody@nowhere.example:1/db"
OTHER = "postgresql://somebody@elsewhere.example:1/db"


class Clock:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for name, value in {
        "monotonic": clock,
        "sleep": clock.sleep,
        "_reached": set(),
        "_down": {},
    }.items():
        monkeypatch.setattr(patience, name, value)
    return clock


def seconds_of(clock: Clock, database: str = URL) -> float:
    """How long somebody waits in vain."""
    began = clock.now
    for _ in attempts(database):
        pass
    return clock.now - began


def test_the_patience_is_used_up_once(clock: Clock) -> None:
    reach(URL)
    reach(OTHER)
    assert patience.SECONDS <= seconds_of(clock) < patience.SECONDS + 3
    assert list(attempts(URL)) == [], "it was tried just now"
    assert list(attempts(URL, anyway=True)) == [0]
    tries = 0
    for _ in range(100):
        clock.sleep(0.1)
        before = clock.now
        tries += len(list(attempts(URL)))
        assert clock.now == before, "nobody waits"
    assert 5 <= tries <= 10, "now and then somebody tries"
    assert seconds_of(clock, OTHER) > 0, "another server has its own"
    reach(URL)
    assert seconds_of(clock) >= patience.SECONDS, "it was back meanwhile"


def test_a_try_that_takes_long_is_seldom_made(clock: Clock) -> None:
    reach(URL)
    seconds_of(clock)
    clock.sleep(patience.SECONDS)
    for _ in attempts(URL):
        clock.sleep(3)
    clock.sleep(14)
    assert list(attempts(URL)) == []
    clock.sleep(2)
    assert list(attempts(URL)) == [0]


def test_what_was_never_reached_is_not_waited_for(clock: Clock) -> None:
    assert seconds_of(clock) == 0
    assert list(attempts(URL)) == [0]


def test_what_does_not_go_away_is_not_tried_again(clock: Clock) -> None:
    reach(URL)
    tries = 0

    def refuse() -> None:
        nonlocal tries
        tries += 1
        raise DatabaseError("no such database") from error_of("FATAL: database does not exist")

    with pytest.raises(DatabaseError, match="no such database"):
        patiently(URL, refuse)
    assert tries == 1


def error_of(text: str, state: str | None = None) -> Exception:
    """An error as psycopg raises it."""
    error: Exception = type("OperationalError", (Exception,), {"sqlstate": state})(text)
    return error


@pytest.mark.parametrize(
    ("cause", "passes"),
    [
        (error_of("connection to server failed: Connection refused"), True),
        (error_of("server closed the connection unexpectedly"), True),
        (error_of("FATAL:  the database system is starting up"), True),
        (error_of("FATAL:  the database system is shutting down"), True),
        (error_of("FATAL:  sorry, remaining connection slots are reserved"), True),
        (error_of("terminating connection due to administrator command", "57P01"), True),
        (error_of("starting up", "57P03"), True),
        (error_of("connection exception", "08006"), True),
        (error_of('FATAL:  database "x" does not exist'), False),
        (error_of("FATAL:  password authentication failed"), False),
        (error_of("permission denied", "42501"), False),
        (Exception(2003, "Can't connect"), True),
        (Exception(2013, "Lost connection"), True),
        (Exception(1053, "Server shutdown in progress"), True),
        (Exception(1040, "Too many connections"), True),
        (Exception(1045, "Access denied"), False),
        (Exception(1049, "Unknown database"), False),
        (ConnectionResetError(104, "reset"), True),
        (None, False),
    ],
)
def test_what_goes_away(cause: Exception | None, passes: bool) -> None:
    error = DatabaseError("it cannot be opened")
    error.__cause__ = cause
    assert is_passing(error) is passes


class Session(ServerSession):
    """A session that opens, and shows, what a test says."""

    def __init__(self, opens: Iterator[bool], digests: Iterator[str | None]) -> None:
        super().__init__(URL)
        self._opens, self._digests = opens, digests
        self.digest()

    def _open(self) -> None:
        if not next(self._opens):
            raise DatabaseError("nobody listens") from error_of("Connection refused")

    def _content_digest(self) -> str | None:
        return next(self._digests)

    def run(self, sql: str) -> Outcome:
        raise NotImplementedError

    def close(self) -> None:
        pass

    def ask(self, work: Callable[[], Outcome]) -> Outcome:
        return self._with_retry(work)


def losing(times: int) -> Callable[[], Outcome]:
    """A query that loses its first connections."""
    left = iter(range(times))

    def work() -> Outcome:
        if next(left, None) is not None:
            raise ServerLost("the connection is gone")
        return Answer(("a",), ((1,),))

    return work


def test_a_connection_that_the_query_before_lost_is_not_counted() -> None:
    session = Session(iter([True] * 9), iter(["one"] * 9))
    session._fault = session._lost(Exception("by the query before"))
    assert isinstance(session.ask(losing(2)), Answer)


def test_a_restart_of_seconds_is_waited_for() -> None:
    session = Session(iter([False] * 9 + [True]), iter(["one", "one"]))
    assert isinstance(session.ask(losing(1)), Answer)


def test_a_connection_that_is_lost_while_the_content_is_looked_at_is_made_again() -> None:
    session = Session(iter([True] * 3), iter(["one", None, None, "one"]))
    assert isinstance(session.ask(losing(1)), Answer)


def test_other_content_is_said_to_be_another_and_stays_so() -> None:
    session = Session(iter([True]), iter(["one", "two"]))
    for _ in range(2):
        outcome = session.ask(losing(1))
        assert isinstance(outcome, Failure)
        assert outcome.fault is Fault.ENGINE
        assert "the content is another one now" in outcome.message


def test_a_stopped_server_does_not_answer() -> None:
    session = Session(iter(lambda: False, True), iter(["one"]))
    for _ in range(3):
        outcome = session.ask(losing(1))
        assert isinstance(outcome, Failure)
        assert (outcome.reason, outcome.fault) == (Reason.DATABASE_UNAVAILABLE, Fault.ENGINE)
        assert "does not answer" in outcome.message
        assert "another one now" not in outcome.message


def test_a_query_that_loses_every_connection_of_a_server_that_answers_is_to_blame() -> None:
    session = Session(iter([True] * 9), iter(["one"] * 9))
    outcome = session.ask(losing(100))
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.MEMORY_LIMIT, None)
    assert not outcome.repeatable
    assert isinstance(session.ask(losing(0)), Answer)
