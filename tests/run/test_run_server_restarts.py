"""A server that restarts in the middle of a run costs no case; one that is stopped is named."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from own_servers import OwnServer, own_mysql, own_postgres
from sqlverdict import Options, evaluate
from sqlverdict.errors import Interrupted
from sqlverdict.evidence import Refuted
from sqlverdict.execute import query_runner
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.servers import patience
from sqlverdict.records import Case, Fault, Reason, Verdict
from sqlverdict.runlog.log import read_results
from timeouts import HANG_SECONDS, fail_on_hang

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="forks workers with other patience"),
]
CASES = 120


@pytest.fixture(scope="module")
def postgres() -> Iterator[OwnServer]:
    with own_postgres() as server:
        yield server


@pytest.fixture(scope="module")
def mysql() -> Iterator[OwnServer]:
    with own_mysql() as server:
        yield server


@pytest.fixture(params=["postgres", "mysql"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def server(engine: str, request: pytest.FixtureRequest) -> Iterator[OwnServer]:
    server: OwnServer = request.getfixturevalue(engine)
    yield server
    if not server.runs:
        server.start()


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # How long a restart takes is the machine's.
    monkeypatch.setattr(patience, "SECONDS", HANG_SECONDS)
    monkeypatch.setattr(query_runner, "SECONDS", HANG_SECONDS)
    monkeypatch.setattr(patience, "_reached", set())
    monkeypatch.setattr(patience, "_down", {})
    with fail_on_hang():
        yield


@dataclass
class Watcher:
    """A progress bar that does something once, in the middle of a run."""

    act: Callable[[], None]
    done: int = 0

    def begin(self, total: int | None, resumed: int) -> None:
        pass

    def advance(self, cases: int) -> None:
        before, self.done = self.done, self.done + cases
        if before < 20 <= self.done:
            self.act()


def make_cases(server: OwnServer) -> list[Case]:
    """Cases whose queries are all different: nothing is answered from memory."""
    return [Case(str(n), "own", "?", (f"SELECT {n} AS a",), server.url) for n in range(CASES)]


def run(server: OwnServer, engine: str, out: Path, act: Callable[[], None]) -> Path:
    cases = make_cases(server)
    options = Options(
        "ex",
        engine=engine,
        limits=Limits(seconds=HANG_SECONDS),
        workers=2,
        cache=None,
        progress=Watcher(act),
    )
    predictions = {case.id: case.golds[0].replace(" AS a", " + 0") for case in cases}
    evaluate(cases, predictions, out=out, options=options)
    return out


def test_a_restart_costs_no_case(engine: str, server: OwnServer, tmp_path: Path) -> None:
    def restart() -> None:
        server.stop()
        server.start()

    results = list(read_results(run(server, engine, tmp_path / "run", restart)))
    wrong = [each.message for each in results if each.verdict is not Verdict.CORRECT]
    assert (len(results), wrong) == (CASES, [])


def test_a_server_that_is_stopped_is_said_not_to_answer(
    engine: str, server: OwnServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cases stay open, and the same call does them once it runs again."""
    monkeypatch.setattr(patience, "SECONDS", 0.2)
    with pytest.raises(Interrupted, match="server of own") as stopped:
        run(server, engine, tmp_path / "run", server.stop)
    assert "changed" not in str(stopped.value)
    results = list(read_results(tmp_path / "run"))
    lost = [each for each in results if each.verdict is Verdict.UNSCORED]
    assert lost
    for each in lost:
        assert (each.fault, each.reasons) == (Fault.ENGINE, (Reason.DATABASE_UNAVAILABLE,))
        assert "does not answer" in each.message
        assert not each.final
    server.start()
    again = read_results(run(server, engine, tmp_path / "run", lambda: None))
    assert {each.verdict for each in again} == {Verdict.CORRECT}


def test_a_restart_cuts_no_search(tmp_path: Path, postgres: OwnServer) -> None:
    """Tables for searches are gone with the server; they are made again."""
    import psycopg

    def restart() -> None:
        postgres.stop()
        postgres.start()

    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE item (id int PRIMARY KEY, price int NOT NULL)")
        connection.execute("INSERT INTO item SELECT n, n % 7 FROM generate_series(1, 50) AS n")
    try:
        gold = "SELECT count(*) FROM item WHERE id > {}"
        cases = [Case(str(n), "own", "?", (gold.format(n),), postgres.url) for n in range(40)]
        predictions = {case.id: f"{case.golds[0]} AND price < 1000" for case in cases}
        options = Options(
            "ex,verdict",
            engine="postgres",
            limits=Limits(seconds=HANG_SECONDS),
            workers=2,
            cache=None,
            progress=Watcher(restart),
        )
        evaluate(cases, predictions, out=tmp_path / "run", options=options)
    finally:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute("DROP TABLE item")
    results = list(read_results(tmp_path / "run"))
    searched = [any(isinstance(piece, Refuted) for piece in each.evidence) for each in results]
    assert searched == [True] * len(cases)
    assert all(each.final for each in results)
