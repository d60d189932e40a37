"""A server that does not answer is waited for once; one that loses connections is probed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import pytest

from error_parts import refuses_database
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.fault_probe import claims_fault, settle_fault
from sqlverdict.execute.query_runner import QueryRunner
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
        raise DatabaseError("no such database", reason="missing") from error_of(
            "FATAL: database does not exist"
        )

    with refuses_database("missing"):
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
    error = DatabaseError("it cannot be opened", reason="failed")
    error.__cause__ = cause
    assert is_passing(error) is passes


LOST = "lost"
"""In place of a digest: the connection is lost while the content is read."""


class Session(ServerSession):
    """A session that opens, and shows, what a test says."""

    def __init__(self, opens: Iterator[bool], digests: Iterator[str | None]) -> None:
        # The first connection is there; what the test says is about the next ones.
        self._opens, self._digests = chain([True], opens), digests
        super().__init__(URL, Limits())
        self.digest()

    def _open(self) -> None:
        if not next(self._opens):
            raise DatabaseError("nobody listens", reason="unreachable") from error_of(
                "Connection refused"
            )

    def _content_digest(self) -> str | None:
        digest = next(self._digests)
        if digest == LOST:
            raise ServerLost("the connection is gone")
        return digest

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


@pytest.mark.parametrize("meanwhile", [None, LOST])
def test_a_connection_that_is_lost_while_the_content_is_looked_at_is_made_again(
    meanwhile: str | None,
) -> None:
    session = Session(iter([True] * 3), iter(["one", meanwhile, meanwhile, "one"]))
    assert isinstance(session.ask(losing(1)), Answer)


def test_a_connection_that_is_lost_while_the_content_is_read_first_is_made_again() -> None:
    """Else the content could never be told, and each later loss would end the session."""
    session = Session(iter([False, True, True, True]), iter([LOST, LOST, "one", "one"]))
    assert session.digest() == "one"
    assert isinstance(session.ask(losing(1)), Answer)


def test_a_content_that_no_connection_stays_for_is_not_read(clock: Clock) -> None:
    with refuses_database("unreachable"):
        Session(iter(lambda: True, False), iter(lambda: LOST, ""))
    assert clock.now > 1000 + patience.SECONDS


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


class LossySession(Session):
    """A session of which each text loses so many connections."""

    def __init__(self, losses: dict[str, int]) -> None:
        super().__init__(iter(lambda: True, False), iter(lambda: "one", ""))
        self._queries = {sql: losing(times) for sql, times in losses.items()}

    def run(self, sql: str) -> Outcome:
        return self.ask(self._queries.get(sql, losing(0)))


def settle(losses: int) -> Outcome:
    """What becomes of a query that loses so many connections."""
    session = LossySession({"SELECT 2": losses})
    outcome = session.run("SELECT 2")
    assert claims_fault(outcome), "a probe decides"
    return settle_fault(outcome, "SELECT 2", session, lambda: None, ("SELECT 3",), lambda _: None)


def test_a_query_that_somebody_else_keeps_from_its_answer_is_not_to_blame() -> None:
    """Other queries ended the server three times; then they are done."""
    assert isinstance(settle(3), Answer)


def test_a_query_that_loses_every_connection_of_a_server_that_answers_is_to_blame() -> None:
    outcome = settle(1_000)
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.fault) == (Reason.EXECUTION_ERROR, None)
    assert not outcome.repeatable


class SlowSession(Session):
    """One whose first query is lost at the end of its time, as the server restarts."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        super().__init__(iter([False] * 17 + [True] * 9), iter(["one"] * 9))
        self._clock, self._seconds = clock, seconds
        self._answer = losing(1)

    def run(self, sql: str) -> Outcome:
        return self._with_retry(self._work)

    def _work(self) -> Outcome:
        self._clock.sleep(self._seconds)
        return self._answer()


def test_a_slow_query_that_runs_again_after_a_restart_has_its_time(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever ends what overruns must know how long a wait and a second run take."""
    limits = Limits(seconds=60)
    due: list[float] = []

    def watch(key: bytes | None, more: float) -> None:
        if key is not None:
            due.append(clock.now + limits.seconds + more)

    runner = QueryRunner("postgres", limits, watch=watch)
    monkeypatch.setattr(runner, "_open", lambda _: SlowSession(clock, limits.seconds - 1))
    assert isinstance(runner.run(URL, "SELECT 1"), Answer)
    assert clock.now - 1000 > 2 * 59 + 20, "it ran twice, and the server was waited for"
    assert [clock.now < each for each in due] == [True]
