"""Asks a language model over HTTP: cached, bounded, repeated where that helps, accounted for."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from sqlverdict.account import Account
from sqlverdict.errors import OptionName, Part, UsageError, message_text
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.costs import PRICE_FORM, CostBudget, Prices, load_prices, most_tokens
from sqlverdict.llm.http.endpoint import Endpoint, TokensField
from sqlverdict.llm.http.faults import CallFailed, CostLimitReached, Stopped, malformed
from sqlverdict.llm.http.transport import Transport
from sqlverdict.llm.http.wire import (
    Malformed,
    body_of,
    decode,
    encode,
    priced_reply,
    read_completion,
    reply_cost,
)
from sqlverdict.llm.rate import Clock
from sqlverdict.llm.reply_schema import check_schema
from sqlverdict.llm.request import AccountAnswerer, NoReply, ReceivedReply, Reply, Request

_POLL_SECONDS = 0.1
"""How long to wait for another process's claim before the cache is looked at again."""
_FAILURES_IN_A_ROW = 16
"""After so many requests without a reply a model is not asked any more: the server is down."""
_STOPPED = "stopped before it was sent; the same command resumes"


@dataclass(frozen=True)
class Usage:
    """What a client has used so far.

    Attributes:
        calls: Calls sent, repetitions and failures among them.
        repeated: How many of them were repetitions.
        replies: Requests answered by a call.
        cached: Requests answered from the cache.
        failed: Requests that got no reply.
        unanswered: Calls that a server may have charged for without our getting the reply.
        prompt_tokens: Tokens read for those calls.
        completion_tokens: Tokens written.
        cost: Dollars for those calls; ``None`` where a model without a price was asked.
    """

    calls: int = 0
    repeated: int = 0
    replies: int = 0
    cached: int = 0
    failed: int = 0
    unanswered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


class Client:
    """An :class:`~sqlverdict.llm.request.Answerer` that asks a server. Threads may share it.

    Args:
        endpoint: The server.
        cache: Where replies are kept and looked up; ``None``: nowhere.
        max_cost: The most dollars to spend, with what the accounts of :meth:`for_account` spent
            before. A request that could exceed it gets ``NoReply(budget=True)``; cached replies
            are still given.
        prices: What tokens cost; those of this package where not given.
        clock: The clock that paces calls.

    Raises:
        MissingExtra: the packages for HTTP are not installed.
        UsageError: there is a cost limit and no price to keep it by, or the key is unusable.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        cache: ReplyCache | None = None,
        max_cost: float | None = None,
        prices: Prices | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.cache = cache
        self.prices = prices or load_prices()
        if max_cost is not None and not max_cost >= 0:
            raise UsageError(f"the cost limit is {max_cost}; expected dollars from 0 up")
        if max_cost is not None and not self.prices.knows(endpoint.model):
            raise UsageError(*_no_price(endpoint.model))
        endpoint.key()
        self._transport = Transport(endpoint, clock)
        self._budget = CostBudget(max_cost)
        self._own = Account()
        self._accounts: set[Path] = set()
        self._lock = threading.Lock()
        self._usage = Usage()
        self._tokens_field: TokensField = endpoint.tokens_field
        self._hopeless: dict[str, str] = {}
        self._in_a_row = 0
        self._others: dict[tuple[str, str], None] = {}

    def __repr__(self) -> str:
        return f"Client({self.endpoint!r})"

    @property
    def usage(self) -> Usage:
        """What has been used so far."""
        with self._lock:
            return replace(
                self._usage, calls=self._transport.sent, repeated=self._transport.repeated
            )

    def for_account(self, account: Account) -> AccountAnswerer:
        """This client with an account that its calls are charged to.

        What the account spent before counts against the cost limit.
        """
        with self._lock:
            # What this client spent for the account itself is counted already.
            is_new = account.path is None or account.path not in self._accounts
            if account.path is not None:
                self._accounts.add(account.path)
        if is_new:
            self._budget.add(account.spending.at_most)
        return AccountAnswerer(self.ask, account)

    def ask(self, request: Request, account: Account | None = None) -> Reply | NoReply:
        """The reply, from the cache or the server, or why there is none.

        Args:
            request: What to ask.
            account: What the call is charged to; by default only this client counts.

        Raises:
            OSError: the account cannot be written; nothing more is sent.
        """
        if request.schema is not None:
            check_schema(request.schema)
        account = account or self._own
        address = self.endpoint.address(request)
        if self.cache is None:
            return self._ask_server(request, address, account)
        while (received := self.cache.get(address)) is None:
            batch = self.cache.batch_of(address)
            if batch is not None:
                return NoReply(
                    f"it waits in the batch {batch}. Collect the batch, then run again",
                    attempts=0,
                    pending=True,
                )
            if self._transport.stopped.is_set():
                return self._no_reply(_STOPPED, 0)
            if self.cache.claims.take(address, _POLL_SECONDS, self._transport.stopped):
                try:
                    # Whoever held the claim before us may have stored the reply meanwhile.
                    received = self.cache.get(address)
                    if received is None:
                        ended = self.cache.is_unanswered(address)
                        self._budget.add(-account.release(address, ended=ended))
                        return self._ask_server(request, address, account)
                    break
                finally:
                    self.cache.claims.release(address)
        with self._lock:
            self._usage = replace(self._usage, cached=self._usage.cached + 1)
        cost = reply_cost(received, request.model, self.prices)
        self._budget.add(-account.use_cached(address, cost))
        self._note_model(request.model, received.served)
        return priced_reply(received, request, self.prices, cached=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """Which replies came from another model than the one that was asked for."""
        return tuple(
            f"the model {model!r} was asked, and {self.endpoint.server} says that {served!r} "
            f"answered. If that is a mock or another model, its replies say nothing about {model!r}"
            for model, served in self._others
        )

    def _note_model(self, model: str, served: str) -> None:
        """Remember a model that answers for another; a version or a path of the same is none."""
        one, other = (re.sub(r"[^a-z0-9]+", "", name.casefold()) for name in (model, served))
        if served and one not in other and other not in one:
            self._others[model, served] = None

    def _ask_server(self, request: Request, address: str, account: Account) -> Reply | NoReply:
        hopeless = self._hopeless.get(request.model)
        if hopeless is not None:
            return self._no_reply(hopeless, 0)
        limit = self._budget.limit
        if limit is not None and not self.prices.knows(request.model):
            return self._no_reply(message_text(_no_price(request.model)), 0)
        try:
            received = self._transport.repeat(lambda: self._call(request, address, account))
        except CallFailed as error:
            self._note_failure(error, request.model)
            tries = "1 attempt" if error.attempts == 1 else f"{error.attempts} attempts"
            return self._no_reply(f"no reply after {tries}: {error}", error.attempts)
        except CostLimitReached:
            return NoReply(
                f"the cost limit of ${limit:.4g} leaves no room for another call: "
                f"${self._budget.spent:.4g} are spent, or may have been, over all commands of this "
                "folder. Raise it; the same command resumes",
                attempts=0,
                budget=True,
            )
        except Stopped:
            return self._no_reply(_STOPPED, 0)
        if self.cache is not None:
            self.cache.put(address, request.model, request.purpose, received)
        reply = priced_reply(received, request, self.prices, cached=False)
        self._note_reply(reply)
        return reply

    def _call(self, request: Request, address: str, account: Account) -> ReceivedReply:
        """One try, within the cost limit."""
        priced = self.prices.cost(request.model, most_tokens(request), request.max_tokens)
        worst = priced or 0.0
        if not self._budget.reserve(worst):
            raise CostLimitReached
        paid = 0.0
        try:
            call = account.start(address, priced)
            paid = worst
            try:
                received = self._exchange(request)
            except CallFailed as error:
                if error.billed:
                    account.end(call, "maybe")
                    with self._lock:
                        self._usage = replace(self._usage, unanswered=self._usage.unanswered + 1)
                else:
                    account.end(call, "free")
                    paid = 0.0
                raise
            except Stopped:
                account.end(call, "free")
                paid = 0.0
                raise
            cost = reply_cost(received, request.model, self.prices)
            if cost is not None or priced is None:
                account.end(call, "paid", cost)
                paid = cost or 0.0
            else:
                account.end(call, "maybe")
        finally:
            self._budget.settle(worst, paid)
        return received

    def _exchange(self, request: Request) -> ReceivedReply:
        field = self._tokens_field
        url = self.endpoint.chat(request.model)
        try:
            exchange = self._transport.send(
                "POST", url, content=encode(body_of(request, self.endpoint, field))
            )
            received = read_completion(decode(exchange.body), exchange.seconds)
            self._note_model(request.model, self.endpoint.scrub(received.served))
        except CallFailed as error:
            # Newer models know the limit under another name and say so.
            if error.field == "max_tokens" and field == "max_tokens":
                self._tokens_field = "max_completion_tokens"
                return self._exchange(request)
            raise
        except Malformed as error:
            raise malformed(self.endpoint, str(error)) from None
        return replace(
            received,
            text=self.endpoint.scrub(received.text),
            finish=self.endpoint.scrub(received.finish),
            served=self.endpoint.scrub(received.served),
        )

    def _note_reply(self, reply: Reply) -> None:
        with self._lock:
            self._in_a_row = 0
            usage = self._usage
            self._usage = replace(
                usage,
                replies=usage.replies + 1,
                prompt_tokens=usage.prompt_tokens + reply.prompt_tokens,
                completion_tokens=usage.completion_tokens + reply.completion_tokens,
                cost=None if usage.cost is None or reply.cost is None else usage.cost + reply.cost,
            )

    def _note_failure(self, error: CallFailed, model: str) -> None:
        """Remember a failure that will meet every further call for a model, so none is made."""
        with self._lock:
            if error.again:
                self._in_a_row += 1
            if error.lasting:
                self._hopeless[model] = f"not sent, since an earlier call failed for good: {error}"
            elif self._in_a_row >= max(_FAILURES_IN_A_ROW, 2 * self.endpoint.concurrency):
                self._hopeless[model] = (
                    f"not sent, since {self._in_a_row} requests in a row got no reply, "
                    f"the last one: {error}"
                )

    def _no_reply(self, message: str, attempts: int) -> NoReply:
        with self._lock:
            self._usage = replace(self._usage, failed=self._usage.failed + 1)
        return NoReply(message, attempts)

    def stop(self) -> None:
        """Send nothing any more. What is in flight may still arrive, and is kept."""
        self._transport.stop()
        self._budget.stop()

    def close(self) -> None:
        """Stop, and let go of the connections. The cache stays open: it is the caller's."""
        self.stop()
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _no_price(model: str) -> tuple[Part, ...]:
    return (
        f"a cost limit is set, and there is no price for the model {model!r} to keep it by. "
        "Pass a price file (",
        OptionName("prices", "FILE"),
        f") with {PRICE_FORM}, in dollars per million tokens, or no limit",
    )
