"""The Batch API: many requests as one file, answered within a day at a lower price.

:func:`submit` writes the requests to JSONL files beside the cache, uploads them and starts the
batches; :func:`collect` asks how far they are and puts their replies into the cache. Both may
be interrupted at any point and called again: a batch is noted before it is sent and carries
our name at the server, so that none is started twice and none is forgotten. A request that
waits in a batch is not asked by :class:`~sqlverdict.llm.client.Client` meanwhile.
"""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlverdict.account import Account
from sqlverdict.errors import OptionName, UsageError
from sqlverdict.llm.batch import store
from sqlverdict.llm.batch.server import chat_path, download, open_transport, start_batch, state_of
from sqlverdict.llm.batch.store import Batch
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.costs import PRICE_FORM, Prices, load_prices, most_tokens
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.http.transport import Transport
from sqlverdict.llm.http.wire import Malformed, body_of, decode, encode, read_completion
from sqlverdict.llm.request import Request

MOST_REQUESTS = 50_000
MOST_BYTES = 190 * 2**20
"""What one file may hold; the servers' limits are 50,000 requests and 200 MB."""

_BATCHES = "0" * 64
_OVER = {"completed", "failed", "expired", "cancelled"}


@dataclass(frozen=True)
class BatchSubmission:
    """What became of the requests.

    Attributes:
        batches: The batches that were started, those of an interrupted call among them.
        sent: Requests in the batches that this call wrote.
        cached: Requests whose replies were at hand.
        waiting: Requests that were in a batch already.
        left_out: Requests that the cost limit left no room for.
    """

    batches: tuple[Batch, ...]
    sent: int
    cached: int
    waiting: int
    left_out: int


@dataclass(frozen=True)
class BatchReplies:
    """What the batches have brought.

    Attributes:
        replies: Replies put into the cache by this call.
        unanswered: Requests that their batch ended without answering; they may be asked again.
        running: Batches that are not over.
        messages: What the servers said about batches that went wrong.
    """

    replies: int
    unanswered: int
    running: int
    messages: tuple[str, ...] = ()


def submit(
    endpoint: Endpoint,
    cache: ReplyCache,
    requests: Iterable[Request],
    *,
    max_cost: float | None = None,
    prices: Prices | None = None,
    accounts: Mapping[str, Account] | None = None,
) -> BatchSubmission:
    """Send requests as batches, each once, however often this is called.

    Args:
        endpoint: The server. It must offer ``/files`` and ``/batches``.
        cache: Where batches are noted and replies will go.
        requests: What to ask.
        max_cost: The most dollars the batches may come to, at worst, with what the accounts spent
            before.
        prices: What tokens cost; those of this package where not given.
        accounts: What requests are charged to, by their content address. Until its reply is
            collected a request may have been paid for.

    Raises:
        CallFailed: the server did not take them. Call again to go on.
        UsageError: there is a cost limit and no price to keep it by.
    """
    accounts = accounts or {}
    room = _CostRoom(max_cost, prices or load_prices(), {*accounts.values()})
    transport = open_transport(endpoint)
    try:
        with _alone(cache):
            fresh, counts = _sort(endpoint, cache, requests, room)
            for part in _parts(endpoint, fresh):
                for address, request, _ in part:
                    if address in accounts:
                        accounts[address].start(address, room.worst(request), batch=True)
                _write(endpoint, cache, part)
            started = tuple(
                start_batch(transport, cache, batch)
                for batch in store.unfinished(cache, endpoint.root)
                if batch.state != "running"
            )
    finally:
        transport.close()
    return BatchSubmission(
        started, len(fresh), counts["cached"], counts["waiting"], counts["left_out"]
    )


def _sort(
    endpoint: Endpoint, cache: ReplyCache, requests: Iterable[Request], room: _CostRoom
) -> tuple[dict[str, Request], Counter[str]]:
    """The requests to be sent, and how many there are of the others."""
    fresh: dict[str, Request] = {}
    counts: Counter[str] = Counter()
    for request in requests:
        address = endpoint.address(request)
        if address in fresh:
            continue
        if cache.get(address) is not None:
            counts["cached"] += 1
        elif cache.batch_of(address) is not None:
            counts["waiting"] += 1
        elif room.takes(request):
            fresh[address] = request
        else:
            counts["left_out"] += 1
    return fresh, counts


def collect(endpoint: Endpoint, cache: ReplyCache) -> BatchReplies:
    """Put what batches have brought into the cache.

    Args:
        endpoint: The server.
        cache: Where batches are noted and replies go.

    Raises:
        CallFailed: the server did not answer. Call again to go on.
    """
    transport = open_transport(endpoint)
    try:
        with _alone(cache):
            return _look(transport, cache)
    finally:
        transport.close()


def _look(transport: Transport, cache: ReplyCache) -> BatchReplies:
    """Ask the server once about every batch."""
    total = BatchReplies(0, 0, 0)
    running = 0
    for stored in store.unfinished(cache, transport.endpoint.root):
        batch = stored if stored.state == "running" else start_batch(transport, cache, stored)
        if batch.state == "done":
            total = replace(total, messages=(*total.messages, batch.message))
            continue
        state = state_of(transport, batch)
        if str(state.get("status")) in _OVER:
            total = _add(total, _finish(transport, cache, batch, state))
        else:
            running += 1
    return replace(total, running=running)


@contextmanager
def _alone(cache: ReplyCache) -> Iterator[None]:
    """One process or thread at a time starts batches, or two would start the same one."""
    never = threading.Event()
    while not cache.claims.take(_BATCHES, 0.2, never):
        pass
    try:
        yield
    finally:
        cache.claims.release(_BATCHES)


class _CostRoom:
    """What the cost limit still leaves room for."""

    def __init__(self, limit: float | None, prices: Prices, accounts: Iterable[Account]) -> None:
        before = sum(account.spending.at_most for account in accounts)
        self._left = None if limit is None else limit - before
        self._prices = prices

    def worst(self, request: Request) -> float | None:
        """The most that a request can cost; ``None``: its model has no price."""
        return self._prices.cost(
            request.model, most_tokens(request), request.max_tokens, batch=True
        )

    def takes(self, request: Request) -> bool:
        if self._left is None:
            return True
        worst = self.worst(request)
        if worst is None:
            raise UsageError(
                f"a cost limit is set, and there is no price for the model {request.model!r} to "
                "keep it by. Pass a price file (",
                OptionName("prices", "FILE"),
                f") with {PRICE_FORM}, or no limit",
            )
        if worst > self._left:
            return False
        self._left -= worst
        return True


_Line = tuple[str, Request, bytes]


def _parts(endpoint: Endpoint, fresh: dict[str, Request]) -> Iterator[list[_Line]]:
    """The requests as lines, in files of one model each and within the servers' limits."""
    url = chat_path(endpoint)
    for model in dict.fromkeys(request.model for request in fresh.values()):
        part: list[_Line] = []
        size = 0
        for address, request in fresh.items():
            if request.model != model:
                continue
            body = body_of(request, endpoint)
            line = {"custom_id": address, "method": "POST", "url": url, "body": body}
            data = encode(line) + b"\n"
            if part and (len(part) >= MOST_REQUESTS or size + len(data) > MOST_BYTES):
                yield part
                part, size = [], 0
            part.append((address, request, data))
            size += len(data)
        if part:
            yield part


def _write(endpoint: Endpoint, cache: ReplyCache, part: list[_Line]) -> None:
    """Write one file, complete or not at all, and note its batch."""
    name = uuid.uuid4().hex
    folder = cache.path.with_name(cache.path.name + ".batches")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    with path.open("wb") as file:
        file.writelines(data for _, _, data in part)
        file.flush()
        os.fsync(file.fileno())
    model = part[0][1].model
    store.add(
        cache,
        Batch(name, endpoint.root, model, "written", path),
        ((address, request.purpose) for address, request, _ in part),
    )


def _finish(
    transport: Transport, cache: ReplyCache, batch: Batch, state: dict[str, Any]
) -> BatchReplies:
    """Store what a batch brought and let go of what it did not answer."""
    waiting = store.waiting_in(cache, batch.name)
    addresses = tuple(waiting)
    replies = 0
    messages: list[str] = []
    for kind in ("output_file_id", "error_file_id"):
        if state.get(kind):
            path = batch.file.with_suffix(f".{kind.partition('_')[0]}.jsonl")
            download(transport, str(state[kind]), path)
            with path.open("rb") as lines:
                for line in lines:
                    stored, problem = _store(transport.endpoint, cache, batch, waiting, line)
                    replies += stored
                    if problem and len(messages) < 3:
                        messages.append(problem)
    word = state.get("status")
    if word != "completed":
        errors = state.get("errors") or {}
        message = transport.endpoint.scrub(json.dumps(errors)[:300]) if errors else ""
        messages.append(f"the batch {batch.batch_id} ended as {word!r} {message}".rstrip())
    answered = (address for address in addresses if address not in waiting)
    store.save_batch(cache, replace(batch, state="done", message="; ".join(messages)), answered)
    return BatchReplies(replies, len(addresses) - replies, 0, tuple(messages))


def _store(
    endpoint: Endpoint, cache: ReplyCache, batch: Batch, waiting: dict[str, str], line: bytes
) -> tuple[int, str]:
    """Store the reply in one line of a batch's output; what went wrong, where it holds none.

    What was answered, also by something unusable, may have been charged for: it waits no more.
    """
    try:
        entry = decode(line)
        address = entry.get("custom_id") if isinstance(entry, dict) else None
        if address not in waiting:
            return 0, ""
        response = entry.get("response") or {}
        if response.get("status_code") != 200:
            error = entry.get("error") or response.get("body") or {}
            return 0, endpoint.scrub(f"a request was refused: {json.dumps(error)[:200]}")
        purpose = waiting.pop(address)
        received = read_completion(response.get("body"), batch=True)
    except (Malformed, AttributeError) as error:
        return 0, endpoint.scrub(f"a line of the batch's output is unusable: {error}")
    received = replace(received, text=endpoint.scrub(received.text))
    cache.put(address, batch.model, purpose, received)
    return 1, ""


def _add(left: BatchReplies, right: BatchReplies) -> BatchReplies:
    return BatchReplies(
        left.replies + right.replies,
        left.unanswered + right.unanswered,
        0,
        left.messages + right.messages,
    )
