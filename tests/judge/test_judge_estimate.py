"""The dry run's figures, by hand."""

from __future__ import annotations

import pytest
from judge_asking import MODEL, PRICES, question

from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.collect import estimate_calls
from sqlverdict.llm.costs import Prices
from sqlverdict.llm.request import ReceivedReply


def test_by_hand(cache: ReplyCache) -> None:
    # 35 characters / 3.5 + 4 = 14 tokens; at most 35 + 16 + 64 = 115. Replies: 400, at most 50.
    requests = [question("x" * 35), question("y" * 35, max_tokens=2048)]
    estimate = estimate_calls(requests, cache, PRICES)
    assert (estimate.calls, estimate.prompt_tokens, estimate.completion_tokens) == (2, 28, 450)
    assert (estimate.prompt_limit, estimate.completion_limit) == (230, 2098)
    assert estimate.cost == pytest.approx(0.028 + 0.9)
    assert estimate.cost_limit == pytest.approx(0.230 + 4.196)


def test_earlier_replies_teach_the_length_of_later_ones(cache: ReplyCache) -> None:
    for number, tokens in enumerate((100, 200)):
        cache.put(
            f"{number:064x}",
            MODEL,
            question().purpose,
            ReceivedReply("x", "stop", 1, tokens, tokens_known=True),
        )
    cache.put("f" * 64, MODEL, "other@1", ReceivedReply("x", "stop", 1, 9, tokens_known=True))
    estimate = estimate_calls([question(max_tokens=1000)], cache, PRICES)
    assert estimate.completion_tokens == 150


def test_a_model_without_a_price_has_no_cost() -> None:
    estimate = estimate_calls([question(), question(model="other")], None, PRICES)
    assert (estimate.cost, estimate.cost_limit, estimate.unpriced) == (None, None, ("other",))
    assert estimate_calls([question()], None, Prices()).unpriced == (MODEL,)


def test_nothing_to_ask_costs_nothing() -> None:
    estimate = estimate_calls([], None, PRICES)
    assert (estimate.calls, estimate.cost, estimate.unpriced) == (0, 0.0, ())
