"""How many threads and processes DuckDB gets, and what happens where there are no more."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sqlverdict.execute.apart import remote
from sqlverdict.execute.deadline import Deadline
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.duckdb.connect import open_empty
from sqlverdict.execute.engines.duckdb.names import _threads, names
from timeouts import HANG_SECONDS, wait_until

TASKS = Path("/proc/self/task")
needs_proc = pytest.mark.skipif(not TASKS.exists(), reason="needs /proc")


def threads() -> int:
    return sum(1 for _ in TASKS.iterdir())


@needs_proc
def test_a_connection_starts_one_thread_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB 2 starts four a core: on a large machine they take all address space of a worker."""
    before = threads()
    connection = open_empty(Limits())
    assert threads() <= before + 1
    connection.close()

    seen: list[int] = []
    connect = duckdb.connect

    def count(*arguments: Any, **options: Any) -> duckdb.DuckDBPyConnection:
        before = threads()
        connection = connect(*arguments, **options)
        seen.append(threads() - before)
        return connection

    monkeypatch.setattr(duckdb, "connect", count)
    names.__wrapped__()
    assert seen == [max(seen)]
    assert max(seen) <= 1


def test_a_duckdb_without_threads_that_read_is_not_asked_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connect = duckdb.connect

    def old(config: dict[str, str]) -> duckdb.DuckDBPyConnection:
        if "async_threads" in config:
            raise duckdb.InvalidInputException("options were not recognized: async_threads")
        return connect(config=config)

    monkeypatch.setattr(duckdb, "connect", old)
    assert _threads.__wrapped__() == {"threads": "1"}


def test_a_deadline_without_a_thread_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: object) -> None:
        raise RuntimeError("can't start new thread")

    deadline = Deadline(HANG_SECONDS, lambda: None)
    with monkeypatch.context() as patch:
        patch.setattr("sqlverdict.execute.deadline.Thread.start", refuse)
        with pytest.raises(RuntimeError, match="can't start"), deadline:
            pass
        deadline.close()


def test_a_deadline_gets_its_thread_once_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    stops: list[int] = []
    deadline = Deadline(0.01, lambda: stops.append(1))
    with monkeypatch.context() as patch:
        patch.setattr("sqlverdict.execute.deadline.Thread.start", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError), deadline:
            pass
    with deadline:
        assert wait_until(lambda: stops == [1])
    deadline.close()


class Number:
    """An object that can be asked for a number."""

    def number(self) -> int:
        return 42

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> remote._ProcessPool:
    pool = remote._ProcessPool()
    monkeypatch.setattr(remote, "_pool", pool)
    return pool


@pytest.mark.slow
def test_processes_that_died_while_idle_say_nothing_of_a_call(pool: remote._ProcessPool) -> None:
    processes = [remote._EngineProcess() for _ in range(remote._WARM)]
    for process in processes:
        # One that has done something is not new.
        process.is_new = False
        pool.give_back(process)
        os.kill(process.pid, signal.SIGKILL)
    far = remote.Remote(Number, Limits())
    assert far.call("number", seconds=HANG_SECONDS) == 42
    assert far.call("number", seconds=HANG_SECONDS) == 42
    far.close()
    for process in processes + pool._idle:
        process.end()


@pytest.mark.slow
def test_a_process_whose_time_ran_out_while_it_replied_is_not_kept(
    pool: remote._ProcessPool,
) -> None:
    process = remote._EngineProcess()
    process._kill()
    pool.give_back(process)
    assert not pool._idle
    far = remote.Remote(Number, Limits())
    assert far.call("number", seconds=HANG_SECONDS) == 42
    for process in pool._idle:
        process.end()
