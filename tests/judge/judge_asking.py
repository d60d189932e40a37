"""Small requests, endpoints that fail fast, and clients that are closed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.client import Client
from sqlverdict.llm.costs import Price, Prices
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.rate import Clock
from sqlverdict.llm.request import Message, NoReply, Reply, Request
from sqlverdict.llm.threads import work_all

if TYPE_CHECKING:
    # Processes of tests load this file, and the suites of ``testing`` would take half a second.
    from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm

MODEL = "fake"
SCHEMA = {
    "type": "object",
    "properties": {"correct": {"type": "boolean"}},
    "required": ["correct"],
    "additionalProperties": False,
}
PRICES = Prices({MODEL: Price(input=1_000.0, output=2_000.0, batch=0.5)})
"""A thousandth of a dollar a token read, two a token written."""


class HandClock:
    """A clock that only moves when somebody waits on it."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.lock = threading.Lock()

    def now(self) -> float:
        with self.lock:
            return self.time

    def wait(self, seconds: float, stop: threading.Event) -> None:
        with self.lock:
            self.time += seconds


def question(text: str = "one?", **more: Any) -> Request:
    settings = {"model": MODEL, "purpose": "test@1", "max_tokens": 50, **more}
    return Request(messages=(Message("user", text),), **settings)


def endpoint(server: FakeLlm, **more: Any) -> Endpoint:
    settings = {"model": MODEL, "retries": 2, "backoff": 0.001, "timeout": 120.0, **more}
    return Endpoint(server.base_url, **settings)


def ask_concurrently(
    asker: Client,
    requests: Iterable[Request],
    *,
    concurrency: int | None = None,
    grace: float = 10.0,
) -> Iterator[tuple[int, Reply | NoReply]]:
    """Every request's number and reply, as they come; asked as a run asks its judge."""
    threads = asker.endpoint.concurrency if concurrency is None else concurrency
    return work_all(asker.ask, requests, threads, grace=grace, on_interrupt=asker.stop)


@contextmanager
def client(
    server: FakeLlm,
    cache: ReplyCache | None = None,
    *,
    max_cost: float | None = None,
    prices: Prices | None = None,
    clock: Clock | None = None,
    **more: Any,
) -> Iterator[Client]:
    with Client(endpoint(server, **more), cache, max_cost, prices, clock=clock) as opened:
        yield opened


def script(*answers: FakeAnswer) -> Callable[[FakeCall], FakeAnswer]:
    """Answers in turn; the last one for good."""
    return lambda call: answers[min(call.number, len(answers)) - 1]
