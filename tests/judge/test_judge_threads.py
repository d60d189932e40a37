"""Many at once: every item once, as many threads as allowed, and Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_asking import question

from sqlverdict.llm import threads
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.llm.threads import work_all
from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion
from timeouts import HANG_SECONDS, wait_until


class Script:
    """An answerer without a network."""

    def ask(self, request: Request) -> Reply | NoReply:
        text = request.messages[0].content
        return NoReply("odd", 1) if int(text) % 2 else Reply(text, "stop", 1, 1, 0.0)


@given(st.integers(0, 60), st.integers(1, 12))
@settings(max_examples=40)
def test_every_item_is_worked_on_once(count: int, concurrency: int) -> None:
    items = list(work_all(lambda item: item * item, range(count), concurrency))
    assert sorted(items) == [(number, number**2) for number in range(count)]


def test_replies_carry_the_number_of_their_request() -> None:
    requests = (question(str(number)) for number in range(20))
    results = dict(work_all(Script().ask, requests, 4))
    assert sorted(results) == list(range(20))
    assert all(isinstance(results[number], NoReply) == bool(number % 2) for number in range(20))
    assert results[4].text == "4"  # type: ignore[union-attr]


def test_items_are_read_as_needed() -> None:
    read = []

    def items() -> object:
        for number in range(1000):
            read.append(number)
            yield number

    results = work_all(lambda item: item, items(), 3)  # type: ignore[arg-type, var-annotated]
    next(results)
    assert len(read) <= 7
    results.close()


def test_no_more_threads_than_allowed() -> None:
    now = most = 0
    lock = threading.Lock()
    four = threading.Barrier(4)

    def work(_: int) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        four.wait(HANG_SECONDS)
        with lock:
            now -= 1

    list(work_all(work, range(20), 4))
    assert most == 4


def test_an_exception_reaches_the_caller_and_ends_the_work() -> None:
    done = []

    def work(item: int) -> int:
        if item == 3:
            raise LookupError("three")
        done.append(item)
        return item

    stopped: list[bool] = []
    with pytest.raises(LookupError, match="three"):
        list(work_all(work, range(1000), 2, on_interrupt=lambda: stopped.append(True)))
    assert len(done) < 1000
    assert stopped == [True]


def test_leaving_early_lets_what_has_begun_end() -> None:
    ended = []
    begun = threading.Event()

    def work(item: int) -> int:
        if item == 1:
            begun.set()
            time.sleep(0.2)
            ended.append(item)
        return item

    results = work_all(work, range(2), 2, grace=HANG_SECONDS)
    next(results)
    begun.wait(HANG_SECONDS)
    results.close()
    assert ended == [1]


def test_leaving_early_begins_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    gate, both = threading.Event(), threading.Semaphore(0)

    def work(item: int) -> int:
        begun.append(item)
        if item:
            both.release()
            gate.wait(HANG_SECONDS)
        return item

    wait = threads._ThreadPool.wait

    def open_and_wait(pool: Any, seconds: float) -> None:
        gate.set()
        wait(pool, seconds)

    monkeypatch.setattr(threads._ThreadPool, "wait", open_and_wait)
    results = work_all(work, range(10), 2, grace=HANG_SECONDS)
    next(results)
    # Both threads are at work, on 1 and 2; 3 waits for one of them.
    both.acquire()
    both.acquire()
    results.close()
    assert sorted(begun) == [0, 1, 2]


INTERRUPTED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from judge_asking import ask_concurrently, question
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm import threads
from sqlverdict.llm.client import Client
from sqlverdict.llm.http.endpoint import Endpoint

wait = threads._ThreadPool.wait

def tell_and_wait(pool, seconds):
    print("stopping", flush=True)
    wait(pool, seconds)

threads._ThreadPool.wait = tell_and_wait
cache = ReplyCache(Path(sys.argv[2]))
there = Endpoint(sys.argv[3], "fake", concurrency=4, retries=0, timeout=600)
with Client(there, cache) as asker:
    try:
        list(ask_concurrently(asker, [question(str(n)) for n in range(100)], grace=float(sys.argv[4])))
    except KeyboardInterrupt:
        print("interrupted", len(cache), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize(("grace", "expected"), [(600.0, 12), (0.0, 8)])
def test_ctrl_c_keeps_what_is_in_flight_and_sends_nothing_more(
    tmp_path: Path, grace: float, expected: int
) -> None:
    """Eight are answered; four are in flight when the user interrupts, and arrive soon after."""
    in_flight: list[int] = []
    released = threading.Event()

    def answer(call: FakeCall) -> FakeAnswer:
        if call.number > 8:
            in_flight.append(call.number)
            released.wait(HANG_SECONDS)
        return FakeAnswer(completion("x"))

    path = tmp_path / "r.sqlite"
    with FakeLlm(answer) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, str(Path(__file__).parent), str(path),
             server.base_url, str(grace)],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert wait_until(lambda: len(in_flight) == 4 or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        assert process.stdout.readline() == "stopping\n"
        if grace:
            released.set()
        assert process.stdout.read() == f"interrupted {expected}\n"
        process.communicate(timeout=HANG_SECONDS)
        released.set()
        assert len(server.calls) == 12
    cache = ReplyCache(path)
    assert len(cache) == expected
    cache.close()
