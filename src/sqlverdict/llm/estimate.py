"""What a run would take, before anything is paid: calls, tokens, dollars.

Prompts count by the rule of thumb in :mod:`sqlverdict.llm.costs`. A reply counts as the mean
of this model's cached replies to the same prompt, else 400 tokens (never more than the
request allows). The limits say what it could come to at worst: prompts at one token a byte,
every reply as long as it may be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.costs import TYPICAL_REPLY, Prices, estimate_tokens, load_prices, most_tokens
from sqlverdict.llm.request import Request


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
    *,
    batch: bool = False,
) -> CallEstimate:
    """What these requests would take; pass those that are not cached, such as a gatherer's.

    Args:
        requests: What would be sent.
        cache: Where the mean length of replies is looked up.
        prices: What tokens cost; those of this package where not given.
        batch: Whether they would go as a batch, at its price.
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
        likely = prices.cost(request.model, read, reply_tokens, batch=batch)
        worst = prices.cost(request.model, read_limit, request.max_tokens, batch=batch)
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
