"""An answerer that only notes what would be asked: for dry runs and for batches."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sqlverdict.account import Account
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.costs import TYPICAL_REPLY, Prices, estimate_tokens, load_prices, most_tokens
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.http.wire import priced_reply, reply_cost
from sqlverdict.llm.request import AccountAnswerer, NoReply, Reply, Request


class RequestCollector:
    """Gives cached replies and notes every other request. Threads may share it.

    A judge that asks several things in turn is noted up to the first that is not cached, where
    no reply is assumed for it: the rest depends on the reply.

    Args:
        endpoint: Whose requests they are.
        cache: Where replies are looked up; ``None``: nowhere.
        prices: What tokens cost, for the cost of cached replies.
        assumed: The replies that are assumed, by the name of a prompt, so that an estimate knows
            what would be asked next.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        cache: ReplyCache | None = None,
        prices: Prices | None = None,
        assumed: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.endpoint = endpoint
        self.cache = cache
        self.prices = prices or load_prices()
        self.assumed = assumed
        self.cached = 0
        self._lock = threading.Lock()
        self._requests: dict[str, Request] = {}
        self._waiting: set[str] = set()
        self._accounts: dict[str, Account] = {}

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

    @property
    def accounts(self) -> dict[str, Account]:
        """What each request is charged to, by its content address, where that is known."""
        with self._lock:
            return dict(self._accounts)

    def for_account(self, account: Account) -> AccountAnswerer:
        """This collector with an account that its requests will be charged to."""
        return AccountAnswerer(self.ask, account)

    def ask(self, request: Request, account: Account | None = None) -> Reply | NoReply:
        """The cached reply, the assumed one, or a ``NoReply`` that is pending.

        Args:
            request: What to ask.
            account: What the request will be charged to.
        """
        address = self.endpoint.address(request)
        if self.cache is not None:
            received = self.cache.get(address)
            if received is not None:
                with self._lock:
                    self.cached += 1
                if account is not None:
                    account.use_cached(address, reply_cost(received, request.model, self.prices))
                return priced_reply(received, request, self.prices, cached=True)
            if self.cache.batch_of(address) is not None:
                with self._lock:
                    self._waiting.add(address)
                return NoReply("it waits in a batch", attempts=0, pending=True)
        if account is not None:
            ended = self.cache is not None and self.cache.is_unanswered(address)
            account.release(address, ended=ended)
        with self._lock:
            self._requests.setdefault(address, request)
            if account is not None:
                self._accounts.setdefault(address, account)
        text = self.assumed.get(request.purpose.partition("@")[0])
        if text is not None:
            return Reply(text, "stop", 0, 0, 0.0, cost=0.0)
        return NoReply("noted, not asked", attempts=0, pending=True)


@dataclass(frozen=True)
class CallEstimate:
    """Calls, tokens and dollars, likely and at worst.

    Attributes:
        calls: Calls to be made.
        prompt_tokens: Tokens to be read, likely.
        completion_tokens: Tokens to be written, likely.
        prompt_limit: Tokens to be read, at most.
        completion_limit: Tokens to be written, at most.
        cost: Dollars, likely; ``None`` where a model has no price.
        cost_limit: Dollars, at most.
        unpriced: The models without a price.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    prompt_limit: int
    completion_limit: int
    cost: float | None
    cost_limit: float | None
    unpriced: tuple[str, ...] = ()


def estimate_calls(
    requests: Iterable[Request],
    cache: ReplyCache | None = None,
    prices: Prices | None = None,
) -> CallEstimate:
    """What these requests would take; pass those that are not cached, such as a collector's.

    Prompts count by the rule of thumb in :mod:`sqlverdict.llm.costs`. A reply counts as the mean
    of this model's cached replies to the same prompt, else 400 tokens (never more than the
    request allows). The limits say what it could come to at worst: prompts at one token a byte,
    every reply as long as it may be.

    Args:
        requests: What would be sent.
        cache: Where the mean length of replies is looked up.
        prices: What tokens cost; those of this package where not given.
    """
    prices = prices or load_prices()
    means: dict[tuple[str, str], float] = {}
    calls = prompt = completion = prompt_limit = completion_limit = 0
    cost = cost_limit = 0.0
    unpriced = set()
    for request in requests:
        subject = (request.model, request.purpose)
        if subject not in means:
            known = cache.typical_reply(*subject) if cache is not None else None
            means[subject] = TYPICAL_REPLY if known is None else known
        read, read_limit = estimate_tokens(request), most_tokens(request)
        reply_tokens = min(round(means[subject]), request.max_tokens)
        calls += 1
        prompt += read
        prompt_limit += read_limit
        completion += reply_tokens
        completion_limit += request.max_tokens
        likely = prices.cost(request.model, read, reply_tokens)
        worst = prices.cost(request.model, read_limit, request.max_tokens)
        if likely is None or worst is None:
            unpriced.add(request.model)
        else:
            cost += likely
            cost_limit += worst
    return CallEstimate(
        calls,
        prompt,
        completion,
        prompt_limit,
        completion_limit,
        None if unpriced else cost,
        None if unpriced else cost_limit,
        tuple(sorted(unpriced)),
    )
