"""An answerer that only notes what would be asked: for dry runs and for batches."""

from __future__ import annotations

import threading

from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.prices import Prices, load_prices
from sqlverdict.llm.request import NoReply, Reply, Request


class RequestCollector:
    """Gives cached replies and notes every other request. Threads may share it.

    A judge that asks several things in turn is noted up to the first that is not cached: the
    rest depends on the reply.

    Args:
        endpoint: Whose requests they are.
        cache: Where replies are looked up; ``None``: nowhere.
        prices: What tokens cost, for the cost of cached replies.
    """

    def __init__(
        self, endpoint: Endpoint, cache: ReplyCache | None = None, prices: Prices | None = None
    ) -> None:
        self.endpoint = endpoint
        self.cache = cache
        self.prices = prices or load_prices()
        self.cached = 0
        self._lock = threading.Lock()
        self._requests: dict[str, Request] = {}
        self._waiting: set[str] = set()

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests to be sent, each once, in the order they came."""
        with self._lock:
            return tuple(self._requests.values())

    @property
    def waiting(self) -> int:
        """How many requests wait in a batch that has been submitted."""
        with self._lock:
            return len(self._waiting)

    def ask(self, request: Request) -> Reply | NoReply:
        """The cached reply, or a ``NoReply`` that is pending."""
        address = self.endpoint.address(request)
        if self.cache is not None:
            received = self.cache.get(address)
            if received is not None:
                with self._lock:
                    self.cached += 1
                return received.reply(request, self.prices, cached=True)
            if self.cache.batch_of(address) is not None:
                with self._lock:
                    self._waiting.add(address)
                return NoReply("it waits in a batch", attempts=0, pending=True)
        with self._lock:
            self._requests.setdefault(address, request)
        return NoReply("noted, not asked", attempts=0, pending=True)
